//! Where a container's log is written, and whether something bounds it.

use serde::Deserialize;

use crate::LogFormat;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct LogText {
    r#type: String,
    /// What a log driver is told; each driver has keys of its own.
    config: Option<LogLimitText>,
    /// Podman's bound; `0B` is none.
    size: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LogLimitText {
    #[serde(rename = "max-size")]
    max_size: String,
}

impl LogText {
    /// Docker's `max-size=-1` is none either.
    pub(super) fn is_bounded(&self) -> bool {
        let max_size = self.config.as_ref().map(|config| config.max_size.as_str());
        let is_none = |size: &str| matches!(size, "" | "-1" | "0B" | "0");
        !max_size.is_none_or(is_none) || !is_none(&self.size)
    }

    pub(super) fn driver(&self) -> &str {
        &self.r#type
    }

    pub(super) fn format(&self) -> LogFormat {
        match self.r#type.as_str() {
            "json-file" => LogFormat::JsonFile,
            "k8s-file" => LogFormat::K8sFile,
            _ => LogFormat::Unknown,
        }
    }
}
