use std::hint::black_box;

use evictd_quantity::Quantity;
use k8s_openapi_0_14::apimachinery::pkg::api::resource::Quantity as OldText;
use k8s_quantity_parser::QuantityParser as _;
use kube_quantity::ParsedQuantity;

/// A crate, by what it can be asked.
pub struct Peer {
    pub name: &'static str,
    /// Reads and forgets.
    pub parse: fn(&str),
    /// The whole number, where it fits; an error where the text is refused.
    pub value: fn(&str) -> Result<Option<i64>, ()>,
    /// Reads and prints.
    pub text: Option<fn(&str) -> Option<String>>,
    /// The sum, printed.
    pub sum: Option<fn(&str, &str) -> Option<String>>,
}

pub const PEERS: [Peer; 3] = [
    Peer {
        name: "evictd-quantity",
        parse: |text| drop(black_box(Quantity::parse(text))),
        value: |text| Quantity::parse(text).map(|q| Some(q.value())).map_err(drop),
        text: Some(|text| Some(Quantity::parse(text).ok()?.to_string())),
        sum: Some(|a, b| Some((Quantity::parse(a).ok()? + Quantity::parse(b).ok()?).canonical())),
    },
    Peer {
        name: "kube_quantity 0.9.0",
        parse: |text| drop(black_box(ParsedQuantity::try_from(text))),
        value: |text| {
            ParsedQuantity::try_from(text)
                .map(|q| q.to_bytes_i64())
                .map_err(drop)
        },
        text: Some(|text| Some(ParsedQuantity::try_from(text).ok()?.to_string())),
        sum: Some(|a, b| {
            let [a, b] = [a, b].map(ParsedQuantity::try_from);
            Some((a.ok()? + b.ok()?).to_string())
        }),
    },
    Peer {
        name: "k8s_quantity_parser 0.1.0",
        parse: |text| drop(black_box(OldText(text.to_owned()).to_bytes())),
        value: |text| OldText(text.to_owned()).to_bytes().map_err(drop),
        text: None,
        sum: None,
    },
];
