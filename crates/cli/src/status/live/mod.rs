//! `evictd status --watch` on a terminal: the running daemon's node, live.

mod draw;
mod keys;
mod line;
mod look;
mod nearness;
mod screen;
mod signals;
mod terminal;
#[cfg(test)]
mod tests;

use core::time::Duration;
use std::io::{IsTerminal, stdin, stdout};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, sync_channel};

use evictd_config::Resolved;
use evictd_stats::now;
use evictd_sys::{Bell, Signal, Token, Wake, Watch};

use crate::sampled::ask_daemon;
use crate::screen::Paint;
use keys::keys;
use line::Style;
use look::{Seen, look_on};
use screen::Screen;
use terminal::Terminal;

/// The last one tells of another size; each of the others ends it.
const SIGNALS: [Signal; 5] = [
    Signal::TERM,
    Signal::INT,
    Signal::HUP,
    Signal::QUIT,
    Signal::WINCH,
];
const KEYS: Token = Token(0);
const NEWS: Token = Token(1);
/// How soon a slow terminal gets the rest.
const AGAIN: Duration = Duration::from_millis(50);

/// Whether there is a terminal to draw on, and to read keys from.
pub(super) fn is_possible() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Shows it until a key or a signal ends it; fails where no daemon answers.
pub(super) fn run(settings: &Resolved) -> Result<ExitCode, String> {
    let hint = |why| format!("{why}; without a daemon evictd status measures once");
    ask_daemon(settings).map_err(hint)?;
    // Before the thread: it inherits that they are blocked.
    let mut watch = Watch::new(&SIGNALS).map_err(in_text)?;
    let bell = Bell::new().map_err(in_text)?;
    watch.add(stdin(), KEYS).map_err(in_text)?;
    watch.add(&bell, NEWS).map_err(in_text)?;
    let (sender, news) = sync_channel(1);
    let (theirs, ring) = (settings.clone(), bell.clone());
    std::thread::spawn(move || look_on(&theirs, &sender, &ring));
    // It is dropped, and the terminal as it was, before an error is printed.
    let mut terminal = Terminal::enter().map_err(in_text)?;
    show(&mut terminal, &mut watch, &bell, &news)?;
    Ok(ExitCode::SUCCESS)
}

/// Draws what comes, and does what the keys say.
fn show(
    terminal: &mut Terminal,
    watch: &mut Watch,
    bell: &Bell,
    news: &Receiver<Result<Seen, String>>,
) -> Result<(), String> {
    let paint = Paint::for_stdout();
    let blocks = has_blocks();
    let mut screen = Screen::new();
    loop {
        let lines = draw::lines(&screen, Terminal::size(), Style { paint, blocks });
        terminal.show(&lines);
        let at = now();
        let until = terminal.is_behind().then(|| at + AGAIN);
        for wake in watch.wait(at, until).map_err(in_text)? {
            match *wake {
                Wake::Signal(Signal::WINCH) => terminal.forget(),
                Wake::Signal(_) => return Ok(()),
                Wake::Ready(KEYS) => {
                    let typed = Terminal::typed();
                    let goes_on = keys(&typed).into_iter().all(|key| screen.press(key));
                    if typed.is_empty() || !goes_on {
                        return Ok(());
                    }
                }
                Wake::Ready(_) => {
                    bell.silence();
                    for seen in news.try_iter() {
                        screen.take(seen)?;
                    }
                }
                Wake::Deadline => {}
            }
        }
    }
}

/// Whether the terminal has more than ASCII, as the locale says.
fn has_blocks() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut values = names.into_iter().filter_map(std::env::var_os);
    let locale = values.find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn in_text(error: impl core::fmt::Display) -> String {
    error.to_string()
}
