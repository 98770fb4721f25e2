use crate::scan::{Fields, Lines, Piece};
use crate::{ParseError, ParseErrorKind};

/// One line of `/proc/cgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Controller<'a> {
    /// The controller's name, e.g. `memory`.
    pub name: &'a [u8],
    /// The v1 hierarchy it is mounted in; 0 where it is in none, or in the
    /// unified one.
    pub hierarchy: u32,
    /// How many cgroups it has.
    pub cgroups: u32,
    /// Whether it is switched on: false after `cgroup_disable=`.
    pub enabled: bool,
}

/// The lines of `/proc/cgroups` (cgroups(7)), without its heading.
///
/// The file tells of v1: kernels built without the v1 side of a controller
/// leave it out although v2 has it. A bad line is an error of its own.
pub fn controllers(text: &[u8]) -> impl Iterator<Item = Result<Controller<'_>, ParseError>> {
    let lines = Lines::new(text).filter(|line| line.text.first() != Some(&b'#'));
    lines.map(controller)
}

fn controller(line: Piece<'_>) -> Result<Controller<'_>, ParseError> {
    let mut fields = Fields::new(line);
    Ok(Controller {
        name: fields.need()?.text,
        hierarchy: fields.need()?.number_u32()?,
        cgroups: fields.need()?.number_u32()?,
        enabled: fields.need()?.number()? != 0,
    })
}

/// One line of `/proc/PID/cgroup`: where a process is in one hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Membership<'a> {
    /// The hierarchy's id; 0 is the unified one.
    pub hierarchy: u32,
    /// Its controllers, with commas between; empty for the unified one,
    /// `name=…` for a named one.
    pub controllers: &'a [u8],
    /// The cgroup, from the hierarchy's root as the reading process sees it.
    pub path: &'a [u8],
    /// The cgroup has been removed (the kernel adds ` (deleted)`, which is cut
    /// off here).
    pub deleted: bool,
}

impl Membership<'_> {
    /// Whether this is the v2 hierarchy.
    #[must_use]
    pub const fn is_unified(&self) -> bool {
        self.hierarchy == 0 && self.controllers.is_empty()
    }

    /// Whether the v1 hierarchy has that controller.
    #[must_use]
    pub fn has_controller(&self, name: &[u8]) -> bool {
        self.controllers
            .split(|byte| *byte == b',')
            .any(|found| found == name)
    }
}

/// The lines of `/proc/PID/cgroup` (cgroups(7)), in their order.
///
/// A path may hold colons and blanks, but never a newline. A bad line is an
/// error of its own.
pub fn memberships(text: &[u8]) -> impl Iterator<Item = Result<Membership<'_>, ParseError>> {
    Lines::new(text).map(membership)
}

fn membership(line: Piece<'_>) -> Result<Membership<'_>, ParseError> {
    let missing = line.error(ParseErrorKind::Missing);
    let colon = |byte| byte == b':';
    let (hierarchy, rest) = line.split(colon).ok_or(missing)?;
    let (controllers, path) = rest.split(colon).ok_or(missing)?;
    if path.text.first() != Some(&b'/') {
        return Err(path.error(ParseErrorKind::Form));
    }
    let kept = path.text.strip_suffix(b" (deleted)");
    Ok(Membership {
        hierarchy: hierarchy.number_u32()?,
        controllers: controllers.text,
        path: kept.unwrap_or(path.text),
        deleted: kept.is_some(),
    })
}
