//! The Kubernetes JSON shape.
//!
//! By hand rather than by derive, for two reasons: `null` must count as absent
//! everywhere, as in Go, and errors must say which field they mean. A message
//! about a field starts with its path, and each level puts its name before it.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use evictd_node::QosClass;
use evictd_quantity::Quantity;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::{
    Container, Metadata, OwnerReference, Pod, ResourceList, Resources, Spec, Status, Toleration,
};

/// Implements `Deserialize` for a struct from its JSON names.
macro_rules! object {
    ($type:ty { $($name:literal => $field:ident $(as $shape:ident)?),* $(,)? }) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;
                impl<'de> Visitor<'de> for Fields {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$type, A::Error> {
                        let mut value = <$type>::default();
                        while let Some(name) = map.next_key::<String>()? {
                            match name.as_str() {
                                $($name => value.$field = object!(@get map $name $($shape)?),)*
                                _ => {
                                    map.next_value::<IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(value)
                    }
                }
                deserializer.deserialize_map(Fields)
            }
        }
    };
    (@get $map:ident $name:literal) => {
        field(&mut $map, $name)?.unwrap_or_default()
    };
    (@get $map:ident $name:literal optional) => {
        field(&mut $map, $name)?
    };
    (@get $map:ident $name:literal list) => {
        field::<List<_>, _>(&mut $map, $name)?.unwrap_or_default().0
    };
    (@get $map:ident $name:literal texts) => {
        field::<Texts, _>(&mut $map, $name)?.unwrap_or_default().0
    };
    (@get $map:ident $name:literal quantity) => {
        field::<Amount, _>(&mut $map, $name)?.map(|amount| amount.0)
    };
    (@get $map:ident $name:literal class) => {
        field::<Class, _>(&mut $map, $name)?.and_then(|class| class.0)
    };
}

mod volume;

object!(Pod {
    "metadata" => metadata,
    "spec" => spec,
    "status" => status,
});
object!(Metadata {
    "name" => name,
    "namespace" => namespace,
    "uid" => uid,
    "annotations" => annotations as texts,
    "labels" => labels as texts,
    "ownerReferences" => owner_references as list,
});
object!(OwnerReference {
    "kind" => kind,
    "name" => name,
    "controller" => controller,
});
object!(Spec {
    "containers" => containers as list,
    "initContainers" => init_containers as list,
    "overhead" => overhead,
    "resources" => resources as optional,
    "volumes" => volumes as list,
    "priority" => priority as optional,
    "priorityClassName" => priority_class_name,
    "terminationGracePeriodSeconds" => termination_grace_period_seconds as optional,
    "tolerations" => tolerations as list,
});
object!(Status {
    "qosClass" => qos_class as class,
});
object!(Container {
    "name" => name,
    "resources" => resources,
    "restartPolicy" => restart_policy as optional,
});
object!(Resources {
    "requests" => requests,
    "limits" => limits,
});
object!(ResourceList {
    "cpu" => cpu as quantity,
    "memory" => memory as quantity,
    "ephemeral-storage" => ephemeral_storage as quantity,
    "inodes" => inodes as quantity,
});
object!(Toleration {
    "key" => key,
    "operator" => operator,
    "value" => value,
    "effect" => effect,
});

/// The value under `name`, `None` for `null`.
fn field<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    map: &mut A,
    name: &str,
) -> Result<Option<T>, A::Error> {
    map.next_value()
        .map_err(|error| at(format_args!(".{name}"), &error))
}

/// `error` with one more step before its path.
fn at<E: Error>(step: fmt::Arguments<'_>, error: &E) -> E {
    let text = error.to_string();
    let colon = if text.starts_with(['.', '[']) {
        ""
    } else {
        ": "
    };
    E::custom(format_args!("{step}{colon}{text}"))
}

/// A list whose errors say which element they mean.
struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for Elements<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = seq
                    .next_element::<Option<T>>()
                    .map_err(|error| at(format_args!("[{}]", list.len()), &error))?
                {
                    list.push(element.unwrap_or_default());
                }
                Ok(List(list))
            }
        }
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

/// Texts by key; `null` is the empty text.
#[derive(Default)]
struct Texts(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    let text = field(&mut map, &key)?.unwrap_or_default();
                    texts.insert(key, text);
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// A quantity, written as a string or as a number.
struct Amount(Quantity);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
                Quantity::parse(text.trim().as_bytes())
                    .map(Amount)
                    .map_err(|error| E::custom(format_args!("{text:?} is no quantity: {error}")))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// A QoS class; the empty text is none.
struct Class(Option<QosClass>);

impl<'de> Deserialize<'de> for Class {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match QosClass::from_name(&name) {
            None if !name.is_empty() => {
                Err(D::Error::custom(format_args!("{name:?} is no QoS class")))
            }
            class => Ok(Self(class)),
        }
    }
}
