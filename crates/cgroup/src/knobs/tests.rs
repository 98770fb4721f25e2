use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use evictd_stats::{Hierarchy, Version};
use evictd_sys::Directory;
use evictd_testkit::poison::{Items, Poison, lines, words};

use super::*;
use crate::testkit::Fixture;

/// Files as a v2 hierarchy has them, and a state directory beside.
fn machine() -> (Fixture, KnobPlaces, KnobJournal) {
    let fixture = Fixture::new();
    fixture.file("cgroups/web/memory.high", "max\n");
    fixture.file("cgroups/web/memory.min", "0\n");
    fixture.file("state/lock", "");
    let memory = Some(Hierarchy {
        version: Version::V2,
        mount_point: fixture.path().join("cgroups"),
    });
    let places = KnobPlaces { memory, cpu: None };
    let journal = KnobJournal {
        directory: Arc::new(Directory::open(&fixture.path().join("state")).unwrap()),
        name: "relief",
        spare: "relief.spare",
        boot_id: String::from("boot-1"),
    };
    (fixture, places, journal)
}

fn text(fixture: &Fixture, file: &str) -> String {
    fs::read_to_string(fixture.path().join(file)).unwrap()
}

/// A plain file is not cut off by what is written into it, as a kernel's is.
fn first_word(fixture: &Fixture, file: &str) -> String {
    let text = text(fixture, file);
    text.lines().next().unwrap_or_default().to_owned()
}

/// Acceptance row 317: evictd is killed after each step, and the next one puts it back.
#[test]
fn what_is_set_is_put_back_by_the_next_evictd() {
    let (fixture, places, journal) = machine();
    let mut knobs = Knobs::open(places.clone(), Some(journal.clone()));
    knobs
        .set(KnobFile::MemoryHigh, Path::new("web"), "100")
        .unwrap();
    knobs
        .set(KnobFile::MemoryHigh, Path::new("web"), "999")
        .unwrap();
    knobs
        .set(KnobFile::MemoryMin, Path::new("web"), "1")
        .unwrap();
    drop(knobs); // as SIGKILL leaves it
    assert_eq!(first_word(&fixture, "cgroups/web/memory.high"), "999");
    assert!(journal.has_any());
    let mut next = Knobs::open(places.clone(), Some(journal.clone()));
    assert_eq!(
        next.before(KnobFile::MemoryHigh, Path::new("web")),
        Some("max")
    );
    assert_eq!(next.undo_all(), 2);
    assert_eq!(first_word(&fixture, "cgroups/web/memory.high"), "max");
    assert_eq!(first_word(&fixture, "cgroups/web/memory.min"), "0");
    assert!(!journal.has_any());
    assert_eq!(Knobs::open(places, Some(journal)).held(), []);
}

/// Acceptance row 317: it is written down before it is set, or not set at all.
#[test]
fn nothing_is_set_that_could_not_be_written_down() {
    let (fixture, places, journal) = machine();
    fs::create_dir(fixture.path().join("state/relief.spare")).unwrap();
    let mut knobs = Knobs::open(places, Some(journal));
    let set = knobs.set(KnobFile::MemoryHigh, Path::new("web"), "100");
    assert_eq!(set, Err(Errno::IO));
    assert_eq!(text(&fixture, "cgroups/web/memory.high"), "max\n");
    assert_eq!(knobs.held(), []);
}

#[test]
fn another_cgroup_of_that_path_is_left_alone() {
    let (fixture, places, journal) = machine();
    let mut knobs = Knobs::open(places, Some(journal));
    knobs
        .set(KnobFile::MemoryHigh, Path::new("web"), "100")
        .unwrap();
    let web = fixture.path().join("cgroups/web");
    let old = fs::metadata(&web).unwrap().ino();
    fs::rename(&web, fixture.path().join("cgroups/gone")).unwrap();
    fixture.file("cgroups/web/memory.high", "500\n");
    assert_ne!(fs::metadata(&web).unwrap().ino(), old);
    assert_eq!(knobs.undo_all(), 1);
    assert_eq!(text(&fixture, "cgroups/web/memory.high"), "500\n");
}

#[test]
fn only_what_is_meant_is_put_back_and_what_is_gone_is_forgotten() {
    let (fixture, places, journal) = machine();
    let mut knobs = Knobs::open(places, Some(journal));
    let web = Path::new("web");
    knobs.set(KnobFile::MemoryHigh, web, "100").unwrap();
    knobs.set(KnobFile::MemoryMin, web, "1").unwrap();
    assert_eq!(knobs.undo_where(|knob| knob.file == KnobFile::MemoryMin), 1);
    assert_eq!(first_word(&fixture, "cgroups/web/memory.high"), "100");
    fs::remove_dir_all(fixture.path().join("cgroups/web")).unwrap();
    assert_eq!(knobs.undo_all(), 1);
    assert_eq!(knobs.held(), []);
    assert_eq!(knobs.set(KnobFile::MemoryMin, web, "1"), Err(Errno::NOENT));
    assert_eq!(
        knobs.set(KnobFile::CpuWeight, web, "1"),
        Err(Errno::OPNOTSUPP)
    );
}

/// An operator, systemd or a runtime has set it meanwhile: that is theirs.
#[test]
fn what_someone_else_has_set_meanwhile_stays() {
    let (fixture, places, journal) = machine();
    let (web, high) = (Path::new("web"), "cgroups/web/memory.high");
    let mut knobs = Knobs::open(places.clone(), Some(journal.clone()));
    knobs.set(KnobFile::MemoryHigh, web, "100").unwrap();
    fixture.file(high, "500\n");
    assert_eq!(knobs.undo_all(), 1);
    assert_eq!(
        (first_word(&fixture, high), knobs.held()),
        ("500".into(), &[][..])
    );
    assert!(!journal.has_any());

    knobs.set(KnobFile::MemoryHigh, web, "100").unwrap();
    fixture.file(high, "700\n");
    knobs.set(KnobFile::MemoryHigh, web, "200").unwrap();
    assert_eq!(knobs.before(KnobFile::MemoryHigh, web), Some("700"));
    drop(knobs); // as SIGKILL leaves it
    Knobs::open(places, Some(journal)).undo_all();
    assert_eq!(first_word(&fixture, high), "700");
}

/// Acceptance row 318: no text makes evictd write elsewhere, or anything else.
#[test]
fn what_is_written_down_leads_nowhere_else() {
    let good = b"memory.high 7 max a b/c";
    let with = |line: &[u8]| parse_knobs(&[b"boot\n", line, b"\n"].concat(), "boot");
    assert_eq!(
        with(good),
        [Knob {
            file: KnobFile::MemoryHigh,
            cgroup: PathBuf::from("a b/c"),
            inode: 7,
            before: String::from("max"),
            set: None,
        }]
    );
    for wrong in [
        &b"memory.high 7 max ../x"[..],
        b"memory.high 7 max a/../../x",
        b"memory.high 7 max /etc",
        b"memory.high 7 max ",
        b"memory.high 7 max",
        b"memory.high 7 ma;x a",
        b"memory.high x max a",
        b"memory.high 7 1234567890123456789012345 a",
        b"cgroup.kill 7 1 a",
        b"../memory.high 7 1 a",
        b"",
    ] {
        assert_eq!(with(wrong), [], "{}", String::from_utf8_lossy(wrong));
    }
    assert_eq!(parse_knobs(b"boot\nmemory.high 7 max a\n", "other"), []);
    assert_eq!(parse_knobs(b"\nmemory.high 7 max a\n", ""), []);
    let many = [
        b"boot\n".to_vec(),
        b"memory.high 7 max a\n".repeat(MOST + 1),
    ]
    .concat();
    assert_eq!(parse_knobs(&many, "boot").len(), MOST);
}

#[test]
fn what_is_printed_is_read_again() {
    let mut text = b"boot\n".to_vec();
    let knobs: Vec<Knob> = [
        (KnobFile::MemoryMin, "a b", "0"),
        (KnobFile::MemoryHigh, "x/y z/\u{e4}", "max"),
    ]
    .map(|(file, cgroup, before)| Knob {
        file,
        cgroup: PathBuf::from(cgroup),
        inode: u64::MAX,
        before: before.to_owned(),
        set: None,
    })
    .into();
    knobs.iter().for_each(|knob| knob.print(&mut text));
    assert_eq!(parse_knobs(&text, "boot"), knobs);
}

/// Each reader of what evictd has set, as `ci/deps` finds them, and the test that poisons it.
/// readers: `parse_knobs`, `parse`, `named`, `value` -> `a_line_of_what_is_set_costs_itself`
#[test]
fn a_line_of_what_is_set_costs_itself() {
    const COUNT: usize = 100;
    let cgroup = |number: usize| format!("pods/pod{number}");
    let word = |number: usize| {
        let words = ["memory.high", &number.to_string(), "max", &cgroup(number)];
        words.map(str::to_owned)
    };
    let items: Vec<String> = (0..COUNT).map(|number| word(number).join(" ")).collect();
    let file = Items {
        before: "a-boot\n",
        items: &items,
        between: "\n",
        after: "\n",
    };
    let check = |text: &[u8], at: usize, what: &str| {
        let read = parse_knobs(text, "a-boot");
        for number in (0..COUNT).filter(|number| *number != at) {
            let is_it = |knob: &Knob| {
                knob.inode == number as u64 && knob.cgroup == Path::new(&cgroup(number))
            };
            assert!(read.iter().any(is_it), "{what}: lost {number}");
        }
        for knob in read {
            assert!(
                !knob.cgroup.is_absolute() && knob.before.len() <= 24,
                "{what}"
            );
        }
    };
    file.each_poisoned(&lines(), check);
    for place in 0..4 {
        for Poison { name, text } in words() {
            let mut words = word(50).map(String::into_bytes);
            words[place] = text;
            check(
                &file.with(50, &words.join(&b' ')),
                50,
                &format!("{name} as word {place}"),
            );
        }
    }
}
