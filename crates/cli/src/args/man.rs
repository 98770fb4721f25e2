//! The manual page evictd(8), made of what `--help` is made of.

use argh::ArgsInfo;
use evictd_config::Group;
use evictd_config::help::{self, default_and_example, form, signals};

use super::command::{Evictd, Known, Shown, flags_of_all};

const DESCRIPTION: &str = "\
evictd keeps a machine without a kubelet stable when memory, disk space, inodes or process \
ids run low. Without a command it watches in the foreground, as an init system wants it: it \
sets node conditions, removes dead containers and unused images, and evicts the pod that the \
kubelet would choose. It takes the kubelet's own flags.";

/// What is no flag.
const FILES: &[(&str, &str)] = &[
    (
        "/etc/evictd.conf",
        "The flags, one a line, that init scripts name by --flags-file.",
    ),
    (
        "/run/evictd",
        "The state, see --state-dir, with the socket evictd.sock, which only root can \
      open: GET /metrics, /timing, /healthz.",
    ),
];

const SIGNALS: &[(&str, &str)] = &[
    (
        "SIGTERM, SIGINT",
        "End after the kill in flight; a second one ends at once.",
    ),
    (
        "SIGHUP",
        "Read the files of settings anew, as evictd reload, and measure now.",
    ),
    (
        "SIGUSR1",
        "Log signals, conditions, timers and the order of eviction.",
    ),
];

/// The page, in roff.
pub(crate) fn page() -> String {
    let mut page = Page(String::new());
    let version = env!("CARGO_PKG_VERSION");
    page.line(&format!(
        ".TH EVICTD 8 \"\" \"evictd {version}\" \"System Manager's Manual\""
    ));
    let evictd = Evictd::get_args_info();
    // A flag that is broken in two is no flag.
    page.line(".nh\n.ad l");
    page.section("NAME");
    page.text(&format!("evictd - {}", evictd.description));
    page.section("SYNOPSIS");
    for form in ["[FLAGS]", "COMMAND [FLAGS]", "help COMMAND"] {
        page.text(&format!("evictd {form}"));
        page.line(".br");
    }
    page.section("DESCRIPTION");
    page.text(DESCRIPTION);
    page.section("COMMANDS");
    for command in Known::all() {
        page.command(&command);
    }
    page.section("FLAGS");
    let (values, about) = help::VALUES.split_once("\n\n").unwrap_or_default();
    page.lines(about);
    page.line(".PP");
    page.text(&format!("SIGNAL is one of {}.", signals()));
    page.code(values.lines());
    for group in Group::ALL {
        page.subsection(group.title);
        for flag in group.flags {
            page.item(&form(flag.name, flag.takes), flag.help);
            let default = default_and_example(flag);
            if !default.is_empty() {
                page.line(".br");
                page.text(&default);
            }
        }
    }
    let daemons = Group::ALL.iter().map(|group| group.flags.len()).sum();
    page.subsection("Help");
    for Shown { name, help, .. } in flags_of_all().skip(daemons) {
        page.item(&format!("--{name}"), help);
    }
    for (title, items) in [("SIGNALS", SIGNALS), ("FILES", FILES)] {
        page.section(title);
        for (name, text) in items {
            page.item(name, text);
        }
    }
    page.section("EXIT STATUS");
    for code in evictd.error_codes {
        page.item(&code.code.to_string(), code.description);
    }
    page.section("EXAMPLES");
    page.code(help::EXAMPLE.trim_start().lines().skip(1));
    page.0
}

struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Words that are filled into lines; a line of the page each, as long as it may be.
    fn text(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.line(&escape(&words.join(" ")));
    }

    fn section(&mut self, title: &str) {
        self.line(&format!(".SH {title}"));
    }

    fn subsection(&mut self, title: &str) {
        self.line(&format!(".SS \"{title}\""));
    }

    fn item(&mut self, name: &str, text: &str) {
        self.line(".TP 8");
        self.line(&format!("\\fB{}\\fR", escape(name)));
        self.text(text);
    }

    /// Lines as they stand.
    fn code<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        self.line(".PP");
        self.line(".nf");
        for line in lines {
            self.line(&escape(line));
        }
        self.line(".fi");
    }

    /// A note of the help: paragraphs, items that begin with a dash, and indented code.
    fn lines(&mut self, text: &str) {
        let mut was_code = false;
        for line in text.lines() {
            let is_code = line.starts_with("    ");
            match (was_code, is_code) {
                (false, true) => self.line(".RS 4\n.nf"),
                (true, false) => self.line(".fi\n.RE"),
                (true, true) | (false, false) => {}
            }
            was_code = is_code;
            match line.strip_prefix("- ") {
                _ if is_code => self.line(&escape(line.get(4..).unwrap_or_default())),
                Some(item) => {
                    self.line(".IP \\- 2");
                    self.text(item);
                }
                None => self.text(line),
            }
        }
        if was_code {
            self.line(".fi\n.RE");
        }
    }

    fn command(&mut self, command: &Known) {
        let name = &command.name;
        let info = &command.info;
        let words = info.positionals.iter();
        let words: String = words.map(|word| format!(" {}", word.name)).collect();
        self.subsection(&format!("evictd {name}{words}"));
        self.text(&sentence(info.description));
        for note in info.notes {
            self.line(".PP");
            self.lines(&note.replace("{{", "{").replace("}}", "}"));
        }
        for flag in command.shown() {
            self.item(&form(flag.name, flag.takes), flag.help);
        }
        let examples = info.examples.iter().flat_map(|example| example.lines());
        let whole = format!("evictd {name}");
        let examples: Vec<String> = examples
            .map(|line| line.replace("{command_name}", &whole))
            .collect();
        self.code(examples.iter().map(String::as_str));
    }
}

/// With a full stop, and with a capital letter where it begins with a word.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("oom_") => {
            format!("{}{}.", first.to_ascii_uppercase(), letters.as_str())
        }
        _ => format!("{text}."),
    }
}

/// Nothing of the text is a request, a dash is the one that can be typed, and a list or a
/// path may be broken behind a comma or a slash.
fn escape(text: &str) -> String {
    let text = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace(',', ",\\:")
        .replace('/', "/\\:");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}
