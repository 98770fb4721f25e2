use crate::scan::{Cut, Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// A path (or another name) as `/proc/PID/mountinfo` writes it: space, tab,
/// newline, `\` and `#` are a backslash and three octal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escaped<'a>(&'a [u8]);

impl<'a> Escaped<'a> {
    /// The text as it stands in the file.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        self.0
    }

    /// The bytes that were meant, with the escapes undone. A backslash without
    /// three octal digits behind it stands for itself.
    pub fn bytes(self) -> impl Iterator<Item = u8> + Clone + 'a {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let (first, tail) = rest.split_first()?;
            if let Some((byte, tail)) = unescape(rest) {
                rest = tail;
                return Some(byte);
            }
            rest = tail;
            Some(*first)
        })
    }

    /// Whether the bytes meant are exactly `name`.
    #[must_use]
    pub fn is(self, name: &[u8]) -> bool {
        self.bytes().eq(name.iter().copied())
    }
}

/// The byte that an escape at the front writes, and what follows it.
fn unescape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (escape, tail) = text.split_first_chunk::<4>()?;
    let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7'] = *escape else {
        return None;
    };
    let octal = |digit: u8| digit.wrapping_sub(b'0');
    Some((octal(a) << 6 | octal(b) << 3 | octal(c), tail))
}

/// One line of `/proc/PID/mountinfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mount<'a> {
    /// Its id, unique while it is mounted.
    pub mount_id: u32,
    /// The id of the mount it is mounted on: equal mount points and this say
    /// which mount covers which.
    pub parent_id: u32,
    /// Major number of its `st_dev`.
    pub major: u32,
    /// Minor number of its `st_dev`.
    pub minor: u32,
    /// Which directory of the filesystem is mounted: `/` but for bind mounts
    /// and containers.
    pub root: Escaped<'a>,
    /// Where, as the reading process sees it.
    pub mount_point: Escaped<'a>,
    /// Options of this mount, with commas between.
    pub options: &'a [u8],
    /// Type of the filesystem, e.g. `cgroup2` or `fuse.sshfs`.
    pub fs_type: &'a [u8],
    /// Where it comes from, a device or any word; may be empty.
    pub source: Escaped<'a>,
    /// Options of the filesystem, with commas between: a v1 hierarchy's
    /// controllers stand here.
    pub super_options: &'a [u8],
}

impl Mount<'_> {
    /// Whether `option` is one of the filesystem's options, in its whole
    /// length.
    #[must_use]
    pub fn has_super_option(&self, option: &[u8]) -> bool {
        self.super_options
            .split(|byte| *byte == b',')
            .any(|found| found == option)
    }
}

/// The lines of `/proc/PID/mountinfo` (proc(5)), in their order.
///
/// A bad line is an error of its own; the lines after it still come.
pub fn mounts(text: &[u8]) -> impl Iterator<Item = Result<Mount<'_>, ParseError>> {
    Lines::new(text).map(mount)
}

/// One space separates two fields, always: an empty source leaves two in a
/// row, so runs of blanks must not be taken together.
fn mount(line: Piece<'_>) -> Result<Mount<'_>, ParseError> {
    let mut fields = Cut::new(line, b' ');
    let mount_id = fields.need()?.number_u32()?;
    let parent_id = fields.need()?.number_u32()?;
    let device = fields.need()?;
    let (major, minor) = device
        .split(|byte| byte == b':')
        .ok_or(device.error(ParseErrorKind::Form))?;
    let root = Escaped(fields.need()?.text);
    let mount_point = Escaped(fields.need()?.text);
    let options = fields.need()?.text;
    while fields.need()?.text != b"-" {}
    Ok(Mount {
        mount_id,
        parent_id,
        major: major.number_u32()?,
        minor: minor.number_u32()?,
        root,
        mount_point,
        options,
        fs_type: fields.need()?.text,
        source: Escaped(fields.need()?.text),
        super_options: fields.need()?.text,
    })
}
