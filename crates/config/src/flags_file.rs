//! `--flags-file`: flags, one a line, as no shell reads them.

use evictd_manifest::yaml::MAX_BYTES;

use crate::error::one_line;
use crate::lines::Lines;
use crate::values::Parsed;
use crate::{ConfigError, Flag, Origin, Takes, Typed, foreign_flag, nearest, removed_flag};

const FLAG: &str = "flags-file";

impl Typed {
    /// Adds the flags of a file, called `name` in errors, unless they were given on the
    /// command line: those win, so what the command line says is added before.
    ///
    /// Each line is a flag, `--name=value` or `--name value`; the rest of the line is its
    /// value, blanks at both ends aside, and nothing in it is special. Empty lines and those
    /// that begin with `#` are passed over.
    ///
    /// ```
    /// use evictd_config::Typed;
    ///
    /// let mut typed = Typed::default();
    /// let file = b"# when\n--eviction-hard=memory.available<10%\n--dry-run\n";
    /// typed.add_flags_file("/etc/evictd.conf", file)?;
    /// assert_eq!(typed.get("eviction-hard"), ["memory.available<10%"]);
    /// # Ok::<(), Box<evictd_config::ConfigError>>(())
    /// ```
    ///
    /// # Errors
    /// At the first line that is no flag. What the values say is looked at by
    /// [`resolve`](crate::resolve).
    pub fn add_flags_file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Box<ConfigError>> {
        self.lines = Lines::of(name);
        if bytes.len() > MAX_BYTES {
            let message = format!("more than {MAX_BYTES} bytes");
            let error = wrong("", message, "name a file of flags, one a line");
            return Err(self.lines.place(None, "", error));
        }
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let added = self.add_line(number, line);
            added.map_err(|error| self.lines.place(Some(number), "", error))?;
        }
        Ok(())
    }

    fn add_line(&mut self, number: usize, line: &[u8]) -> Parsed<()> {
        let text = core::str::from_utf8(line);
        let text = text.map_err(|_| wrong("", "not UTF-8".to_owned(), "a line is text"))?;
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let Some(flag) = text.strip_prefix("--") else {
            let hint = "a line is --flag=value; a comment begins with #";
            return Err(wrong(text, "no flag".to_owned(), hint));
        };
        let (typed, value) = match flag.split_once(|c: char| c == '=' || c.is_whitespace()) {
            Some((name, value)) => (name, Some(value.trim())),
            None => (flag, None),
        };
        let name = typed.replace('_', "-");
        let found = Flag::find(&name).map(|flag| (flag.name, flag.takes, flag.example));
        let foreign = foreign_flag(&name).map(|(name, takes)| (name, takes, ".."));
        let Some((name, takes, example)) = found.or(foreign) else {
            return Err(match removed_flag(&name) {
                Some(instead) => wrong("", format!("--{name} was removed"), instead),
                None => unknown(typed),
            });
        };
        if name == FLAG {
            let hint = "one file holds all flags";
            return Err(wrong(text, format!("--{FLAG} inside of one"), hint));
        }
        let value = value_of(name, (takes, example), value)?;
        if found.is_some() {
            self.add_of_file(name, value, number);
        } else {
            self.add_foreign(name, value);
        }
        Ok(())
    }

    fn add_of_file(&mut self, name: &'static str, value: &str, number: usize) {
        if self.add_unless_given(name, Origin::FlagsFile(name), value.to_owned()) {
            self.lines.add(name, number);
        }
    }
}

fn value_of<'a>(
    name: &str,
    (takes, example): (Takes, &str),
    value: Option<&'a str>,
) -> Parsed<&'a str> {
    let value = match (value, takes) {
        (None, Takes::Bool) => "true",
        (Some(value), _) => value,
        (None, Takes::Value(_) | Takes::List(_)) => {
            let hint = format!("as in --{name}={example}");
            return Err(wrong("", format!("flag needs an argument: --{name}"), hint));
        }
    };
    let quoted = |quote| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    if quoted('\'') || quoted('"') {
        let hint = "no shell reads this file: the rest of the line is the value as it stands";
        return Err(wrong(value, "a value in quotes".to_owned(), hint));
    }
    Ok(value)
}

fn unknown(typed: &str) -> Box<ConfigError> {
    let names = Flag::all().map(|flag| flag.name);
    let meant = nearest(&typed.replace('_', "-"), names);
    let meant = meant.map_or_else(String::new, |meant| format!("did you mean --{meant}? "));
    let message = format!("unknown flag: --{}", one_line(typed));
    let hint = format!("{meant}here are the daemon's flags; evictd --help lists them");
    wrong("", message, hint)
}

fn wrong(offending: &str, message: String, hint: impl Into<String>) -> Box<ConfigError> {
    ConfigError::new(FLAG, (offending, 0), message, hint)
}
