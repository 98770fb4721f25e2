//! Configuration files: a KubeletConfiguration, or OKD's `kubeletArguments`.

pub(crate) mod fields;
mod kubelet;
mod newer;
mod okd;
mod typed;
mod wrong;

use evictd_manifest::yaml::parse_documents;
use evictd_node::Signal;
use serde_json::{Map, Value};

use wrong::kind_of;

use crate::source::Source;
use crate::thresholds::default_hard;
use crate::values::Parsed;
use crate::{Compat, ConfigError, Typed};

const API: &str = "kubelet.config.k8s.io/v1beta1";
const KIND: &str = "KubeletConfiguration";
const HEADER: &str = "the file begins with apiVersion: kubelet.config.k8s.io/v1beta1 and kind: \
                      KubeletConfiguration";

impl Typed {
    /// Adds what a configuration file says, called `name` in errors, where no
    /// flag says otherwise: flags win, whether they were added before or after.
    ///
    /// The file is a `KubeletConfiguration` of `kubelet.config.k8s.io/v1beta1`,
    /// YAML or JSON, or an OKD node configuration with `kubeletArguments`. A field that
    /// evictd has no use for is passed over, and so is one that no kubelet has: it may be
    /// a newer kubelet's. One that is nearly called like another is an error.
    ///
    /// # Errors
    /// At the first thing that is not in its place: mistyped fields, and values of
    /// the wrong type. What the values say is looked at by
    /// [`resolve`](crate::resolve).
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Box<ConfigError>> {
        let added = self.try_file(name, bytes);
        added.map_err(|error| error.worded_for(self.is_kubelets()))
    }

    fn try_file(&mut self, name: &str, bytes: &[u8]) -> Parsed<()> {
        let mut source = Source::new(name, bytes);
        let document = document(&source, bytes)?;
        let is_okd = document.contains_key(okd::KEY)
            && document.get("kind").and_then(Value::as_str) != Some(KIND);
        if is_okd {
            source.within = okd::KEY;
            okd::add(self, &document, &source)?;
        } else {
            header(&document, &source)?;
            kubelet::add(self, &document, &source)?;
        }
        self.sources.push(source);
        Ok(())
    }

    /// Adds a configuration file, if there is one, with files dropped in beside
    /// it, in this order: each changes fields and entries of mappings that those
    /// before it have, and `null` takes one away (RFC 7386, decision D52). The
    /// entries of `evictionHard` are added to the defaults where no file before
    /// has it.
    ///
    /// # Errors
    /// As [`Typed::add_file`], for each file by itself. OKD's form cannot be
    /// dropped in, nor anything into it.
    pub fn add_files<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<(), Box<ConfigError>> {
        let added = self.try_files(files);
        added.map_err(|error| error.worded_for(self.is_kubelets()))
    }

    fn try_files<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Parsed<()> {
        let mut whole = Map::new();
        for (name, bytes) in files {
            let source = Source::new(name, bytes);
            let document = document(&source, bytes)?;
            header(&document, &source)?;
            // Each file for itself first: so an error is told of the right one.
            kubelet::add(&mut self.without_files(), &document, &source)?;
            let has =
                |document: &Map<String, Value>| document.get(HARD).is_some_and(Value::is_object);
            if has(&document) && !has(&whole) && !self.sources.is_empty() {
                whole.insert(HARD.to_owned(), default_entries(self.compat()));
            }
            merge(&mut whole, document);
            self.sources.push(source);
        }
        // What is wrong now is so in none of them alone.
        let together = Source::new("the configuration files together", b"");
        kubelet::add(self, &whole, &together)
    }
}

const HARD: &str = "evictionHard";

fn default_entries(compat: Compat) -> Value {
    let defaults = default_hard(compat).into_iter();
    let entry = |(signal, value): (Signal, &str)| (signal.name().to_owned(), value.into());
    Value::Object(defaults.map(entry).collect())
}

/// A merge patch: mappings entry by entry, everything else whole. A null stays as
/// one: it is as good as not there.
fn merge(into: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (key, value) in patch {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(into)), Value::Object(patch)) => merge(into, patch),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// The one mapping that the file holds.
fn document(source: &Source, bytes: &[u8]) -> Parsed<Map<String, Value>> {
    let fail = |message: String| Err(source.error(&[], "", message, HEADER));
    let mut documents = match parse_documents(bytes) {
        Ok(documents) => documents,
        Err(error) => {
            let hint = if cfg!(feature = "yaml") {
                "the file is one mapping, YAML or JSON"
            } else {
                "the file is one mapping, JSON"
            };
            return Err(source.error(&[], "", error.to_string(), hint));
        }
    };
    match (documents.pop(), documents.is_empty()) {
        (Some(Value::Object(document)), true) => Ok(document),
        (None | Some(Value::Null), true) => fail("the file is empty".to_owned()),
        (_, false) => fail("the file holds more than one document".to_owned()),
        (Some(other), true) => fail(format!("the file holds {}, no mapping", kind_of(&other))),
    }
}

/// K: the decoder asks for both.
fn header(document: &Map<String, Value>, source: &Source) -> Parsed<()> {
    let text = |key| document.get(key).and_then(Value::as_str).unwrap_or("");
    let (kind, version) = (text("kind"), text("apiVersion"));
    let (key, words) = match (kind, version) {
        (KIND, API) => return Ok(()),
        ("", _) => ("kind", "Object 'Kind' is missing".to_owned()),
        (_, "") => ("apiVersion", "Object 'apiVersion' is missing".to_owned()),
        _ => (
            if version == API { "kind" } else { "apiVersion" },
            format!("no kind {kind:?} is registered for version {version:?}"),
        ),
    };
    let message = match (kind, version) {
        ("", _) | (_, "") => "is missing".to_owned(),
        _ => format!("{kind:?} of {version:?} is not known"),
    };
    Err(source
        .error(&[key], "", message, HEADER)
        .kubelet_says(words))
}
