//! The screen as it looks, held by snapshots: `INSTA_UPDATE=always cargo test` writes them anew.

use core::time::Duration;

use evictd_client::View;
use evictd_config::{Typed, resolve};
use evictd_node::{Layout, Reading, Signal};
use evictd_recording::Decided;

use super::draw::lines;
use super::keys::Key;
use super::line::Style;
use super::look::Seen;
use super::screen::Screen;
use super::*;
use crate::explain::Explanation;
use crate::status::Overview;
use crate::tests::{next, ranked, readings, thresholds};

const PLAIN: Style = Style {
    paint: Paint::NONE,
    blocks: true,
};

/// What is seen while so much memory is left.
fn seen(left_mib: i64) -> Seen {
    let mut typed = Typed::default();
    let hard = "memory.available<100Mi,nodefs.available<10%";
    assert!(typed.add("eviction-hard", hard));
    let settings = resolve(&typed).unwrap();
    let before = readings();
    let mut after = before;
    let memory = Reading::new(left_mib << 20, 2 << 30);
    after.set(Signal::MemoryAvailable, Some(memory));
    let ranked_by = Signal::MemoryAvailable;
    let would = Decided::new("would evict pod default/web".to_owned());
    let met = "2026-11-25T22:15:11Z WARN  memory.available<100Mi is met: 80Mi left";
    Seen {
        node: "edge-7".to_owned(),
        time: "2026-11-25T22:15:12Z".to_owned(),
        is_dry_run: false,
        conditions: vec!["MemoryPressure".to_owned()],
        overview: Overview::new(
            &thresholds(),
            &after,
            evictd_node::ConditionSet::empty(),
            Layout::OneFilesystem,
            next(),
            ranked(ranked_by),
        ),
        explained: Explanation::of_daemon(
            &settings,
            (&before, &after, Duration::from_secs(10)),
            crate::explain::one_answer(vec![would], &View::default()),
            next(),
        ),
        events: vec![
            "2026-11-25T22:15:01Z INFO  evictd has started".to_owned(),
            met.to_owned(),
        ],
    }
}

/// Memory runs out for a minute.
fn screen() -> Screen {
    let mut screen = Screen::new();
    for look in 0..60 {
        screen.take(Ok(seen(1900 - look * 31))).unwrap();
    }
    screen
}

fn drawn(screen: &Screen, columns: u16, rows: u16) -> String {
    let lines = lines(screen, (columns, rows).into(), PLAIN);
    assert!(lines.len() <= rows.into(), "{lines:#?}");
    let fits = |line: &String| line.chars().count() <= columns.into();
    assert!(lines.iter().all(fits), "{lines:#?}");
    lines.join("\n")
}

/// Acceptance row 350.
#[test]
fn the_screen_fits_any_size() {
    let screen = screen();
    for (columns, rows) in [(80, 24), (120, 40), (40, 10)] {
        let name = format!("screen_{columns}x{rows}");
        insta::assert_snapshot!(name, drawn(&screen, columns, rows));
    }
    for columns in 0..140 {
        for rows in 0..30 {
            drawn(&screen, columns, rows);
        }
    }
}

/// Acceptance row 382.
#[test]
fn the_longest_signal_keeps_its_columns() {
    let mut screen = Screen::new();
    let longest = Signal::AllocatableMemoryAvailable;
    let mut seen = seen(500);
    let first = seen.overview.signals.first_mut().unwrap();
    first.signal = longest;
    for of in &mut first.thresholds {
        of.threshold = of.threshold.replace("memory.available", longest.name());
    }
    screen.take(Ok(seen)).unwrap();
    for (columns, name) in [(80, longest.name()), (40, "allocatableMemory.ava~")] {
        let all = drawn(&screen, columns, 24);
        let mut lines = all.lines().skip(1).take_while(|line| !line.is_empty());
        let left_ends = lines.next().unwrap().find("LEFT").unwrap() + 4;
        assert!(all.contains(&format!("{name} ")), "{all}");
        for line in lines {
            let letters: Vec<char> = line.chars().collect();
            assert!(
                letters[left_ends - 1] != ' ' && letters[left_ends] == ' ',
                "{all}"
            );
        }
    }
}

/// Acceptance row 382.
#[test]
fn what_is_longer_than_its_place_can_be_read_to_its_end() {
    let mut screen = Screen::new();
    let mut seen = seen(50);
    let long = "2026-11-25T22:15:12Z WARN  evicting pod docker/leak: imagefs.available is 103Mi of \
        973Mi, hard threshold imagefs.available<15%; the pod uses 680Mi, priority 0, the end";
    seen.events = vec![long.to_owned()];
    screen.take(Ok(seen)).unwrap();
    assert!(drawn(&screen, 80, 24).contains("the end"));
    assert!(screen.press(Key::Rehearse));
    let last = "would evict pod default/web";
    let top = drawn(&screen, 80, 10);
    assert!(
        !top.contains(last) && top.contains(".. 0 lines above, "),
        "{top}"
    );
    (0..99).for_each(|_| assert!(screen.press(Key::Down)));
    let end = drawn(&screen, 80, 10);
    assert!(
        end.contains(last) && end.contains(" 0 below: j and k scroll"),
        "{end}"
    );
    // What was pressed beyond the end has not to be taken back.
    assert!(screen.press(Key::Up));
    assert!(drawn(&screen, 80, 10).contains(" 1 below"));
    assert!(screen.press(Key::Back));
    assert!(screen.press(Key::Rehearse));
    assert_eq!(drawn(&screen, 80, 10), top);
}

/// Acceptance row 350.
#[test]
fn keys_choose_sort_and_ask_why() {
    let mut screen = screen();
    let chosen = |screen: &Screen| {
        let all = drawn(screen, 80, 24);
        let line = all.lines().find(|line| line.starts_with("> ")).unwrap();
        line.split_whitespace().nth(2).unwrap().to_owned()
    };
    assert_eq!(chosen(&screen), "default/web");
    assert!(screen.press(Key::Down));
    assert_eq!(chosen(&screen), "default/database");
    // It stays the same one, wherever it stands.
    for _ in 0..3 {
        assert!(screen.press(Key::Sort));
        assert_eq!(chosen(&screen), "default/database");
    }
    (0..9).for_each(|_| assert!(screen.press(Key::Down)));
    // Below all others, as it is never evicted.
    assert_eq!(chosen(&screen), "default/network");
    assert!(screen.press(Key::Why));
    insta::assert_snapshot!("screen_why", drawn(&screen, 80, 24));
    assert!(screen.press(Key::Rehearse));
    insta::assert_snapshot!("screen_rehearsal", drawn(&screen, 80, 24));
    assert!(screen.press(Key::Back));
    assert_eq!(chosen(&screen), "default/network");
    assert!(!screen.press(Key::Quit));
}

/// Acceptance row 350: a daemon that is being restarted is waited for, one that is gone is not.
#[test]
fn a_daemon_that_does_not_answer_is_told_and_then_gone() {
    let mut screen = screen();
    let lost = || Err("nothing listens".to_owned());
    (0..4).for_each(|_| screen.take(lost()).unwrap());
    let title = |screen: &Screen| drawn(screen, 80, 24).lines().next().unwrap().to_owned();
    assert!(title(&screen).ends_with("no answer: nothing listens"));
    screen.take(Ok(seen(500))).unwrap();
    assert!(title(&screen).ends_with("Z  MemoryPressure"));
    (0..4).for_each(|_| screen.take(lost()).unwrap());
    assert_eq!(screen.take(lost()), lost().map(|_: Seen| ()));
}

/// Acceptance row 198.
#[test]
fn what_others_have_named_moves_no_cursor() {
    let mut screen = screen();
    let mut seen = seen(500);
    let hostile = "\u{1b}[2Jowned\n\u{202e}";
    for pod in &mut seen.overview.pods {
        hostile.clone_into(&mut pod.name);
        hostile.clone_into(&mut pod.reason);
    }
    seen.events = vec![format!("2026-11-25T22:15:01Z WARN  {hostile}")];
    seen.conditions = vec![hostile.to_owned()];
    screen.take(Ok(seen)).unwrap();
    for key in [Key::Back, Key::Why, Key::Rehearse] {
        assert!(screen.press(key));
        let all = drawn(&screen, 80, 24);
        let is_harmless =
            |letter: char| letter == '\n' || !letter.is_control() && letter != '\u{202e}';
        assert!(all.chars().all(is_harmless), "{all:?}");
        assert!(all.lines().count() == 24, "{all}");
    }
}

/// Acceptance row 350.
#[test]
fn colours_are_extra() {
    let screen = screen();
    let coloured = Style {
        paint: Paint::COLOURS,
        blocks: false,
    };
    let size = (80, 24).into();
    let with = lines(&screen, size, coloured).join("\n");
    assert!(with.contains("\u{1b}[31;1m! memory.available"), "{with}");
    assert!(with.is_ascii(), "{with}");
    let mut without = with.clone();
    for code in ["\u{1b}[31;1m", "\u{1b}[33m", "\u{1b}[1m", "\u{1b}[0m"] {
        without = without.replace(code, "");
    }
    let plain = Style {
        blocks: false,
        ..PLAIN
    };
    let without: Vec<&str> = without.lines().map(str::trim_end).collect();
    assert_eq!(without, lines(&screen, size, plain));
}
