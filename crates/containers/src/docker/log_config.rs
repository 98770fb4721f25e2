//! Where a container's log is written, and whether something bounds it.

use std::io::BufRead;

use super::answer::MOST_TEXT_BYTES;
use crate::LogFormat;
use evictd_json::{Json, ReadError, first};

#[derive(Default)]
pub(super) struct LogConfig {
    driver: Option<String>,
    /// What a log driver is told; each driver has keys of its own.
    max_size: Option<String>,
    /// Podman's bound; `0B` is none.
    size: Option<String>,
}

impl LogConfig {
    pub(super) fn read<R: BufRead>(
        &mut self,
        json: &mut Json<R>,
        key: &str,
    ) -> Result<(), ReadError> {
        match key {
            "Type" => first(&mut self.driver, json.text(MOST_TEXT_BYTES)?),
            "Size" => first(&mut self.size, json.text(MOST_TEXT_BYTES)?),
            "Config" => {
                json.object(|json, key| {
                    if key == "max-size" {
                        first(&mut self.max_size, json.text(MOST_TEXT_BYTES)?);
                    }
                    Ok(())
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Docker's `max-size=-1` is none either.
    pub(super) fn is_bounded(&self) -> bool {
        let is_bound = |size: &String| !matches!(size.as_str(), "" | "-1" | "0B" | "0");
        self.max_size.iter().chain(&self.size).any(is_bound)
    }

    pub(super) fn driver(&self) -> &str {
        self.driver.as_deref().unwrap_or_default()
    }

    pub(super) fn format(&self) -> LogFormat {
        match self.driver() {
            "json-file" => LogFormat::JsonFile,
            "k8s-file" => LogFormat::K8sFile,
            _ => LogFormat::Unknown,
        }
    }
}
