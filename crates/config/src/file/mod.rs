//! Configuration files: a KubeletConfiguration, or OKD's `kubeletArguments`.

mod fields;
mod kubelet;
mod okd;
mod source;

use evictd_yaml::parse_documents;
use serde_json::{Map, Value};

use crate::values::Parsed;
use crate::{ConfigError, Typed};

pub(crate) use fields::field_of;
pub(crate) use source::Source;

const API: &str = "kubelet.config.k8s.io/v1beta1";
const KIND: &str = "KubeletConfiguration";
const HEADER: &str = "the file begins with apiVersion: kubelet.config.k8s.io/v1beta1 and kind: \
                      KubeletConfiguration";

/// What a file says for which there is no flag. All of it is so by default that
/// nothing is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// `cgroupsPerQOS: false`.
    pub(crate) no_qos_cgroups: bool,
    /// `systemReservedCgroup` names one.
    pub(crate) system_cgroup: bool,
    /// `kubeReservedCgroup` names one.
    pub(crate) kube_cgroup: bool,
    /// The feature gate `ImageMaximumGCAge` is off.
    pub(crate) no_image_max_age: bool,
}

impl Typed {
    /// Adds what a configuration file says, called `name` in errors, where no
    /// flag says otherwise: flags win, whether they were added before or after.
    ///
    /// The file is a `KubeletConfiguration` of `kubelet.config.k8s.io/v1beta1`,
    /// YAML or JSON, or an OKD node configuration with `kubeletArguments`. An
    /// unknown field is an error; a known one that evictd has no use for is
    /// passed over.
    ///
    /// # Errors
    /// At the first thing that is not in its place: unknown fields, and values of
    /// the wrong type. What the values say is looked at by
    /// [`resolve`](crate::resolve).
    pub fn add_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), ConfigError> {
        let mut source = Source {
            name: name.to_owned(),
            text: String::from_utf8_lossy(bytes).into_owned(),
            within: "",
        };
        let document = document(&source, bytes)?;
        let is_okd = document.contains_key(okd::KEY)
            && document.get("kind").and_then(Value::as_str) != Some(KIND);
        if is_okd {
            source.within = okd::KEY;
            okd::add(self, &document, &source)?;
        } else {
            header(&document, &source)?;
            kubelet::add(self, document, &source)?;
        }
        self.source = Some(source);
        Ok(())
    }
}

/// The one mapping that the file holds.
fn document(source: &Source, bytes: &[u8]) -> Parsed<Map<String, Value>> {
    let fail = |message: String| Err(source.error(&[], "", message, HEADER));
    let mut documents = match parse_documents(bytes) {
        Ok(documents) => documents,
        Err(error) => {
            let hint = "the file is one mapping, YAML or JSON";
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
    let (key, message) = match (kind, version) {
        (KIND, API) => return Ok(()),
        ("", _) => ("kind", "Object 'Kind' is missing".to_owned()),
        (_, "") => ("apiVersion", "Object 'apiVersion' is missing".to_owned()),
        _ => (
            if version == API { "kind" } else { "apiVersion" },
            format!("no kind {kind:?} is registered for version {version:?}"),
        ),
    };
    Err(source.error(&[key], "", message, HEADER))
}

/// What a value is, in the words of Go's JSON reader.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
