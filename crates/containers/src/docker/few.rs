//! Lists and maps of JSON that are read as far as they are of a size that makes sense.

use alloc::collections::BTreeMap;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::bounds::{Bounds, MOST_LABEL_BYTES, MOST_OF_ONE, TOO_MANY_OF_ONE, Weigh};
use crate::pods::decides;

/// The list of an answer: `null` is an empty one. Of each item only what is made of it is
/// kept.
pub(super) struct List<T, U>(pub(super) fn(T) -> U);

impl<'de, T: Deserialize<'de>, U: Weigh> List<T, U> {
    pub(super) fn read<D: Deserializer<'de>>(self, from: D) -> Result<Vec<U>, D::Error> {
        from.deserialize_option(self)
    }
}

impl<'de, T: Deserialize<'de>, U: Weigh> Visitor<'de> for List<T, U> {
    type Value = Vec<U>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_none<E>(self) -> Result<Vec<U>, E> {
        Ok(Vec::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Vec<U>, D::Error> {
        from.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<U>, A::Error> {
        let (mut items, mut bounds) = (Vec::new(), Bounds::default());
        while let Some(item) = seq.next_element()? {
            let item = (self.0)(item);
            bounds.take(&item).map_err(Error::custom)?;
            items.push(item);
        }
        Ok(items)
    }
}

/// The few texts or objects that belong to one item.
#[derive(Debug)]
pub(super) struct Few<T>(pub(super) Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Few<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Few<T>, A::Error> {
                let mut few = Vec::new();
                while let Some(item) = seq.next_element()? {
                    if few.len() == MOST_OF_ONE {
                        return Err(Error::custom(TOO_MANY_OF_ONE));
                    }
                    few.push(item);
                }
                Ok(Few(few))
            }
        }
        from.deserialize_seq(Reader(PhantomData))
    }
}

/// The labels of one item. Those that decide nothing are left out, and those that are too
/// long to mean anything.
#[derive(Default)]
pub(super) struct FewPairs(pub(super) BTreeMap<String, String>);

impl<'de> Deserialize<'de> for FewPairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = FewPairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FewPairs, A::Error> {
                let mut few = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, String>()? {
                    if few.len() == MOST_OF_ONE {
                        return Err(Error::custom(TOO_MANY_OF_ONE));
                    }
                    if key.len().saturating_add(value.len()) <= MOST_LABEL_BYTES && decides(&key) {
                        few.insert(key, value);
                    }
                }
                Ok(FewPairs(few))
            }
        }
        from.deserialize_map(Reader)
    }
}
