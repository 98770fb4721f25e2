use alloc::boxed::Box;

/// Texts up to this length are kept without allocation.
const INLINE: usize = 14;

/// The input text of a quantity, where printing has to give it back.
#[derive(Clone, Debug, Default)]
pub(crate) enum Text {
    #[default]
    None,
    Inline(u8, [u8; INLINE]),
    /// Twice boxed, as it is rare and every quantity has room for it.
    Heap(Box<Box<[u8]>>),
}

impl Text {
    #[cold]
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut bytes = [0; INLINE];
        match (u8::try_from(text.len()), bytes.get_mut(..text.len())) {
            (Ok(len), Some(start)) => {
                start.copy_from_slice(text);
                Self::Inline(len, bytes)
            }
            _ => Self::Heap(Box::new(text.into())),
        }
    }

    /// The text, if one is kept. Only ASCII ever is.
    pub(crate) fn get(&self) -> Option<&str> {
        let bytes = match self {
            Self::None => return None,
            Self::Inline(len, bytes) => bytes.get(..usize::from(*len))?,
            Self::Heap(bytes) => bytes,
        };
        core::str::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::Quantity;

    #[test]
    fn a_quantity_takes_little_room() {
        assert!(size_of::<Option<Quantity>>() <= 40);
        for text in ["1.500", "1234567890.500", "12345678901.500"] {
            let quantity = Quantity::parse(text.as_bytes()).unwrap();
            assert_eq!(alloc::format!("{quantity}"), text);
        }
    }
}
