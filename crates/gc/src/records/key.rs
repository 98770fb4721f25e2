use core::fmt;

/// FNV-1a: nobody can choose what is hashed so that two collide.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// By what an image is known here: the first 16 hexadecimal digits of its digest,
/// as people see them in lists; of an id that is none, a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageKey(u64);

impl ImageKey {
    /// That of an image's id (`sha256:…`).
    ///
    /// ```
    /// use evictd_gc::ImageKey;
    ///
    /// let key = ImageKey::of("sha256:1b2c3d4e5f60718293a4b5c6d7e8f901");
    /// assert_eq!(key.to_string(), "1b2c3d4e5f607182");
    /// assert_eq!(ImageKey::parse("1b2c3d4e5f607182"), Some(key));
    /// ```
    #[must_use]
    pub fn of(id: &str) -> Self {
        let digest = id.rsplit_once(':').map_or(id, |(_, digest)| digest);
        let head = digest.get(..16).and_then(Self::parse);
        head.unwrap_or_else(|| Self(hash(id)))
    }

    /// Reads what this prints: 16 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_one = text.len() == 16 && text.bytes().all(is_digit);
        is_one
            .then(|| u64::from_str_radix(text, 16).ok().map(Self))
            .flatten()
    }
}

impl fmt::Display for ImageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
