use evictd_config::{Effective, EffectiveThreshold, Origin, Setting};
use evictd_jsontext::Json;

/// The settings as scripts read them: one object on one line.
#[inline(never)]
pub(super) fn document(effective: &Effective<'_>) -> String {
    let mut json = Json::new();
    json.array("thresholds");
    for threshold in &effective.thresholds {
        json.item_object();
        add_threshold(&mut json, threshold);
        json.end_object();
    }
    json.end_array();
    json.array("settings");
    for setting in effective.settings {
        json.item_object();
        add_setting(&mut json, setting);
        json.end_object();
    }
    json.end_array();
    json.array("warnings");
    for warning in effective.warnings() {
        json.item(warning);
    }
    json.end_array();
    json.into_line()
}

fn add_threshold(json: &mut Json, threshold: &EffectiveThreshold) {
    let kind = match threshold.grace {
        None => "hard",
        Some(_) => "soft",
    };
    json.text("signal", threshold.signal.name());
    json.text("condition", threshold.condition.name());
    json.text("kind", kind);
    json.text("value", &threshold.written);
    json.opt_int("amount", threshold.amount);
    json.opt_int("capacity", threshold.capacity);
    json.text("unit", threshold.unit);
    match &threshold.grace {
        None => json.null("gracePeriod"),
        Some(grace) => json.show("gracePeriod", grace),
    }
    json.opt_text("minimumReclaim", threshold.min_reclaim.as_deref());
    json.opt_int("clearAt", threshold.clear_at);
    add_from(json, threshold.origin);
}

fn add_setting(json: &mut Json, setting: &Setting) {
    json.text("flag", setting.name);
    json.text("value", &setting.value);
    add_from(json, setting.origin);
}

/// `default`, `compat`, `derived`, the flag with its dashes, or `file:` and the
/// field of the configuration file.
fn add_from(json: &mut Json, origin: Origin) {
    match origin {
        Origin::File(field) => json.show("from", &format_args!("file:{field}")),
        Origin::Flag(name) => json.show("from", &format_args!("--{name}")),
        Origin::Default | Origin::Compat | Origin::Derived => json.show("from", &origin),
    }
}
