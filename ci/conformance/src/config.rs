//! Kubelet configurations as evictd takes them.

use serde_json::{Map, Value};

use evictd_config::{ConfigError, Resolved, Typed, resolve};

/// The fields as a file, together with flags, resolved.
pub(crate) fn resolved(
    fields: &Map<String, Value>,
    flags: &[(&str, &str)],
) -> Result<Resolved, Box<ConfigError>> {
    let mut file = fields.clone();
    for (key, text) in [
        ("apiVersion", "kubelet.config.k8s.io/v1beta1"),
        ("kind", "KubeletConfiguration"),
    ] {
        file.insert(key.to_owned(), text.into());
    }
    let mut typed = Typed::default();
    for (flag, text) in flags {
        assert!(typed.add(flag, *text), "there is a flag --{flag}");
    }
    typed.add_file("vector", Value::Object(file).to_string().as_bytes())?;
    resolve(&typed)
}

/// The setting with the name of that flag, as one would write it.
pub(crate) fn setting<'a>(resolved: &'a Resolved, flag: &str) -> Option<&'a str> {
    let found = resolved
        .settings
        .iter()
        .find(|setting| setting.name == flag);
    found.map(|setting| setting.value.as_str())
}
