//! A line or field that is not what the kernel writes costs itself, whatever it is: in each
//! parser, each line or field is replaced by each of a set of poisons, and all others are read
//! as before.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

use super::alloc;
use crate::{
    controllers, flat_keyed, memberships, mounts, parse_full_stall, parse_limit, parse_loadavg,
    parse_meminfo, parse_memory_stat, parse_open_file, parse_pid_stat, parse_pss,
    parse_resident_pages, parse_some_stall, parse_u64, parse_zram_pool, pids,
};

/// What is replaced.
#[derive(Clone, Copy)]
enum Unit {
    /// A whole line.
    Line,
    /// What is behind the key of a line.
    Value,
    /// One of the fields that blanks separate. Fields without names are told apart by their
    /// place alone, so that none is left out or added.
    Field,
}

struct Reader {
    name: &'static str,
    text: String,
    units: &'static [Unit],
    /// All that is read, each item apart.
    read: Read,
}

const LINES: &[Unit] = &[Unit::Line, Unit::Value];
const FIELDS: &[Unit] = &[Unit::Field];

fn items<T: Debug>(all: impl IntoIterator<Item = T>) -> Vec<String> {
    all.into_iter().map(|item| format!("{item:?}")).collect()
}

fn hundred(line: impl Fn(usize) -> String) -> String {
    (1..=100).map(line).collect()
}

const MEMINFO: &str = include_str!("meminfo.txt");
const PRESSURE: &str = "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n\
    full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
const MEMORY_STAT: &str = "anon 1\nfile 2\ninactive_file 3\ntotal_rss 4\ntotal_cache 5\n\
    total_inactive_file 6\nslab 7\nworkingset_refault_file 8\ntotal_workingset_refault 9\n";
const PID_STAT: &str = "4242 (sh) S 17 77 77 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8812 7667712 1001 \
    18446744073709551615 94 95\n";

fn stalls(text: &[u8]) -> Vec<String> {
    let stalls = [parse_some_stall(text), parse_full_stall(text)];
    items(stalls.map(Result::ok))
}

type Read = fn(&[u8]) -> Vec<String>;

fn reader(name: &'static str, text: &str, units: &'static [Unit], read: Read) -> Reader {
    let text = text.to_string();
    Reader {
        name,
        text,
        units,
        read,
    }
}

fn readers() -> Vec<Reader> {
    keyed().into_iter().chain(placed()).chain(lists()).collect()
}

/// Files of fields that have names.
fn keyed() -> Vec<Reader> {
    let meminfo = |text: &[u8]| {
        let info = parse_meminfo(text);
        items([
            ("MemTotal", info.mem_total_bytes),
            ("MemFree", info.mem_free_bytes),
            ("MemAvailable", info.mem_available_bytes),
            ("Cached", info.cached_bytes),
            ("AnonPages", info.anon_bytes),
            ("SwapTotal", info.swap_total_bytes),
            ("SwapFree", info.swap_free_bytes),
            ("HugePages_Total", info.huge_pages_total),
            ("Hugepagesize", info.huge_page_size_bytes),
            ("Hugetlb", info.hugetlb_bytes),
            ("SUnreclaim", info.unreclaimable_slab_bytes),
            ("Zswap", info.zswap_bytes),
            ("PageTables", info.page_tables_bytes),
        ])
    };
    let memory_stat = |text: &[u8]| {
        let stat = parse_memory_stat(text);
        items([
            ("anon", stat.anon_bytes),
            ("file", stat.file_bytes),
            ("inactive_file", stat.inactive_file_bytes),
            ("total_rss", stat.total_rss_bytes),
            ("total_cache", stat.total_cache_bytes),
            ("total_inactive_file", stat.total_inactive_file_bytes),
            ("refault", stat.refaulted_pages),
            ("total_refault", stat.total_refaulted_pages),
        ])
    };
    let open_file = format!("{}flags:\t0100001\n", hundred(|n| format!("k{n}:\t{n}\n")));
    let rollup = format!("{}Pss:  385 kB\n", hundred(|n| format!("K{n}:  {n} kB\n")));
    [
        reader("parse_meminfo", MEMINFO, LINES, meminfo),
        reader("parse_memory_stat", MEMORY_STAT, LINES, memory_stat),
        reader("parse_some_stall", PRESSURE, LINES, stalls),
        reader("parse_full_stall", PRESSURE, LINES, stalls),
        reader("parse_open_file", &open_file, LINES, |text| {
            items([parse_open_file(text).ok()])
        }),
        reader("parse_pss", &rollup, LINES, |text| {
            items([parse_pss(text).ok().flatten()])
        }),
    ]
    .into()
}

/// Files of fields that are told apart by their place.
fn placed() -> Vec<Reader> {
    let pid_stat = |text: &[u8]| {
        let stat = parse_pid_stat(text).ok();
        [
            format!("pid {:?}", stat.and_then(|stat| stat.pid)),
            format!("state {:?}", stat.and_then(|stat| stat.state)),
            format!("ppid {:?}", stat.and_then(|stat| stat.ppid)),
            format!("flags {:?}", stat.and_then(|stat| stat.flags)),
            format!("start {:?}", stat.and_then(|stat| stat.start_time_ticks)),
            format!("rss {:?}", stat.and_then(|stat| stat.rss_pages)),
        ]
        .into()
    };
    let loadavg = |text: &[u8]| items([parse_loadavg(text).ok().map(|load| load.total_tasks)]);
    [
        reader("parse_pid_stat", PID_STAT, FIELDS, pid_stat),
        reader("parse_loadavg", "0.1 0.2 0.3 4/960 5196\n", FIELDS, loadavg),
        reader(
            "parse_resident_pages",
            "3031 250 133 4 0\n",
            FIELDS,
            |text| items([parse_resident_pages(text).ok()]),
        ),
        reader("parse_zram_pool", "67 66 65 0 67 123 0\n", FIELDS, |text| {
            items([parse_zram_pool(text).ok()])
        }),
        reader("parse_u64", "123\n", FIELDS, |text| {
            items([parse_u64(text).ok()])
        }),
        reader("parse_limit", "123\n", FIELDS, |text| {
            items([parse_limit(text).ok()])
        }),
    ]
    .into()
}

/// Files of a hundred lines that are an item each.
fn lists() -> Vec<Reader> {
    let keys = hundred(|n| format!("key{n} {n}\n"));
    let mounted = hundred(|n| format!("{n} 1 8:{n} / /m{n} rw shared:1 - ext4 /dev/sda{n} rw\n"));
    let cgroups = hundred(|n| format!("name{n}\t{n}\t7\t1\n"));
    let places = hundred(|n| format!("{n}:memory:/a/{n}\n"));
    let numbers = hundred(|n| format!("{n}\n"));
    [
        reader("flat_keyed", &keys, LINES, |text| {
            let entry = |entry: crate::Entry<'_>| (entry.key().to_vec(), entry.number().ok());
            items(flat_keyed(text).map(entry))
        }),
        reader("mounts", &mounted, LINES, |text| {
            items(mounts(text).map(Result::ok))
        }),
        reader("controllers", &cgroups, LINES, |text| {
            items(controllers(text).map(Result::ok))
        }),
        reader("memberships", &places, LINES, |text| {
            items(memberships(text).map(Result::ok))
        }),
        reader("pids", &numbers, LINES, |text| {
            items(pids(text).map(Result::ok))
        }),
    ]
    .into()
}

/// In the place of a line or field. Those of several words stand for whole lines only.
fn poisons() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "",
        "x",
        "-1",
        "-9223372036854775808",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551488 kB",
        "1e9",
        "0x10",
        "0.5",
        "1 2 3",
        ":",
        "::",
        "=",
        "/",
        "#",
        "(",
        "\\",
        "\\777",
        "a b c d e f g h",
        "key: value: value",
        "total=x",
        "some total=",
        "flags:\t9",
        "\u{fffd}",
    ]
    .map(|poison| poison.as_bytes().to_vec())
    .into();
    all.extend([
        Vec::from([0xff, 0xfe, 0x80]),
        Vec::from([0]),
        b"9".repeat(10_000),
        b"x".repeat(10_000),
        b" ".repeat(1000),
        b"1 ".repeat(1000),
    ]);
    all
}

impl Unit {
    /// What separates two of them.
    fn between(self) -> char {
        match self {
            Self::Line | Self::Value => '\n',
            Self::Field => ' ',
        }
    }

    fn count(self, text: &str) -> usize {
        text.trim_end().split(self.between()).count()
    }
}

/// The text with one of its units replaced.
fn poisoned(text: &str, unit: Unit, at: usize, poison: &[u8]) -> Vec<u8> {
    let parts = text.trim_end().split(unit.between()).enumerate();
    let parts = parts.map(|(place, part)| match unit {
        _ if place != at => part.as_bytes().to_vec(),
        Unit::Value => {
            let key = part.find([' ', ':', '\t']);
            let key = key.map_or("", |at| part.split_at(at + 1).0);
            [key.as_bytes(), poison].concat()
        }
        // Only its parentheses tell where the name of a process ends.
        Unit::Field if part.starts_with('(') => part.as_bytes().to_vec(),
        Unit::Line | Unit::Field => poison.to_vec(),
    });
    let separator = unit.between().to_string();
    let mut text = parts.collect::<Vec<_>>().join(separator.as_bytes());
    text.push(b'\n');
    text
}

/// How many of the items are not among the others.
fn lost(before: &[String], after: &[String]) -> usize {
    let mut after: Vec<&String> = after.iter().collect();
    let mut lost = 0;
    for item in before {
        match after.iter().position(|other| *other == item) {
            Some(at) => drop(after.swap_remove(at)),
            None => lost += 1,
        }
    }
    lost
}

fn zeros(items: &[String]) -> usize {
    items.iter().filter(|item| item.contains("Some(0)")).count()
}

/// readers: controllers, flat_keyed, memberships, mounts, parse_full_stall, parse_limit, parse_loadavg, parse_meminfo, parse_memory_stat, parse_open_file, parse_pid_stat, parse_pss, parse_resident_pages, parse_some_stall, parse_u64, parse_zram_pool, pids -> one_bad_line_or_field_costs_itself
#[test]
fn one_bad_line_or_field_costs_itself() {
    for Reader {
        name,
        text,
        units,
        read,
    } in readers()
    {
        let before = read(text.as_bytes());
        for unit in units {
            let is_single = |poison: &&Vec<u8>| {
                let is_blank = poison.iter().any(u8::is_ascii_whitespace);
                // Blanks, and what ends a name, would move all fields behind them.
                !matches!(unit, Unit::Field) || !(is_blank || poison.is_empty())
            };
            for poison in poisons().iter().filter(is_single) {
                let shown = String::from_utf8_lossy(&poison[..poison.len().min(40)]);
                for at in 0..unit.count(&text) {
                    let after = read(&poisoned(&text, *unit, at, poison));
                    let lost = lost(&before, &after);
                    assert!(lost <= 1, "{name}: {shown:?} at {at}: {lost} lost");
                    let is_number = poison.iter().any(u8::is_ascii_digit);
                    let is_told = zeros(&after) <= zeros(&before);
                    assert!(is_number || is_told, "{name}: {shown:?} at {at} is 0");
                }
            }
        }
    }
}

#[test]
fn a_line_that_comes_twice_changes_no_other() {
    let of_lines = |reader: &Reader| reader.text.lines().count() > 1;
    for reader in readers().into_iter().filter(of_lines) {
        let before = (reader.read)(reader.text.as_bytes());
        for line in reader.text.lines() {
            let twice = format!("{}{line}\n", reader.text);
            let after = (reader.read)(twice.as_bytes());
            assert_eq!(lost(&before, &after), 0, "{}: {line}", reader.name);
        }
    }
}

/// The list of parsers is taken from what the crate offers.
#[test]
fn each_parser_is_tried_with_poison() {
    let offered = include_str!("../lib.rs").lines();
    let offered = offered.filter_map(|line| line.strip_prefix("pub use ")?.split_once("::"));
    let names = offered.flat_map(|(_, names)| names.split(['{', '}', ',', ' ', ';']));
    let is_function = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase());
    let mut names: Vec<&str> = names.filter(is_function).collect();
    let mut tried: Vec<&str> = readers().iter().map(|reader| reader.name).collect();
    names.sort_unstable();
    tried.sort_unstable();
    assert_eq!(tried, names);
}
