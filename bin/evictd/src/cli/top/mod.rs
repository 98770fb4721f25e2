//! `evictd top`: the running daemon's node, live.

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

use argh::{ArgsInfo, FromArgs};
use evictd_config::Resolved;
use evictd_stats::now;
use evictd_sys::{Bell, Signal, Token, Wake, Watch};

use super::sampled::ask_daemon;
use super::screen::Paint;
use keys::keys;
use line::Style;
use look::{Seen, look_on};
use screen::Screen;
use terminal::Terminal;

/// a live screen: signals, pods in eviction order, events
#[derive(Clone, Debug, PartialEq, Eq, FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "top",
    note = "Shows each second what status, events and explain print: signals against\n\
            their thresholds as bars (| is where a threshold lies, ! that it is met) and\n\
            over the last two minutes, where the highest mark is a threshold that is met;\n\
            pods; events. Needs a running daemon with this --state-dir, and goes by its\n\
            settings; signals and pods are measured by this command. Changes nothing.\n\
            Keys: q quits. j, k and arrows choose a pod. s sorts: by the order of\n\
            eviction, use, name. w or Enter tells why the chosen pod stands there and what\n\
            would be done now. r tells what explain says. There j and k scroll, and Escape\n\
            leads back.",
    example = "{command_name}\nNO_COLOR=1 {command_name}"
)]
pub struct Top {}

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

impl Top {
    /// Shows it until a key or a signal ends it; fails where there is no terminal or no daemon.
    #[expect(clippy::unused_self, reason = "as all commands")]
    pub(super) fn run(&self, settings: &Resolved) -> Result<ExitCode, String> {
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Err("this is no terminal: use evictd status --json".to_owned());
        }
        ask_daemon(settings)?;
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
