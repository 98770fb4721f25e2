//! Commands that were removed, and what replaces each.

/// The name, and the command lines that do the same.
pub(super) const COMMANDS: [(&str, &[&str]); 6] = [
    ("top", &["status --watch"]),
    ("rank", &["explain memory.available"]),
    ("events", &["history --follow", "history --events"]),
    ("health", &["check", "check --daemon"]),
    ("summary", &["metrics --summary", "metrics --resource"]),
    ("serve", &["--metrics-listen=127.0.0.1:10255"]),
];

/// In one line what replaces a command that was removed; `None` for any other word.
pub(super) fn removed_command(word: &str) -> Option<String> {
    let (name, lines) = COMMANDS.iter().find(|(name, _)| *name == word)?;
    let lines = lines.join(", or evictd ");
    Some(format!("{name} was removed; use evictd {lines}"))
}
