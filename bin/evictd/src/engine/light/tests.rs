use evictd_node::Reading;
use evictd_threshold::{Lists, parse};

use super::*;

/// The same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_in(&mut self, many: i64) -> bool {
        self.below(many) == 0
    }
}

const MEMORY: i64 = 1000;

fn reading(available: i64, capacity: i64) -> Reading {
    Reading {
        available,
        capacity,
        sampled: None,
    }
}

/// A hard and a soft threshold for each signal that may have one.
fn thresholds(random: &mut Random) -> Vec<Threshold> {
    let (mut hard, mut soft, mut grace) = (Vec::new(), Vec::new(), Vec::new());
    for signal in Signal::ALL {
        let name = signal.name();
        if name.starts_with("containerfs") || name.starts_with("allocatable") {
            continue;
        }
        let mut amount = || match random.below(3) {
            0 => format!("{}%", random.below(40) + 1),
            1 => format!("{}.5", random.below(400) + 1),
            _ => format!("{}", random.below(400) + 1),
        };
        hard.push(format!("{name}<{}", amount()));
        soft.push(format!("{name}<{}", amount()));
        grace.push(format!("{name}=1m"));
    }
    let lists = Lists {
        hard: &hard.join(","),
        soft: &soft.join(","),
        soft_grace_period: &grace.join(","),
        ..Lists::default()
    };
    parse(&lists).unwrap()
}

/// A machine whose numbers change by chance: by little, all at once as fallocate(1)
/// does it, and sometimes in size.
struct Machine {
    pool: i64,
    readings: Readings,
}

impl Machine {
    fn new() -> Self {
        let mut readings = Readings::default();
        for signal in Signal::ALL {
            readings.set(signal, Some(reading(MEMORY, MEMORY)));
        }
        Self { pool: 0, readings }
    }

    fn go_on(&mut self, random: &mut Random) {
        for signal in Signal::ALL {
            let former = self.readings.get(signal).unwrap_or(reading(MEMORY, MEMORY));
            let (mut available, mut capacity) = (former.available, former.capacity);
            match random.below(40) {
                0 => available = random.below(capacity + 1),
                1 if signal != Signal::MemoryAvailable => capacity = random.below(MEMORY) + 1,
                2 => self.pool = random.below(MEMORY / 2),
                _ => available += random.below(61) - 29,
            }
            if signal == Signal::MemoryAvailable {
                capacity = MEMORY - self.pool;
            }
            let present = signal == Signal::MemoryAvailable || !random.one_in(400);
            let now = reading(available.clamp(0, capacity), capacity);
            self.readings.set(signal, present.then_some(now));
        }
    }

    /// As `NodeReader::glance` reads it: no memory while enough is free.
    fn glance(&self, enough: u64, random: &mut Random) -> Readings {
        let memory = self.readings.get(Signal::MemoryAvailable).unwrap();
        let free = u64::try_from(random.below(memory.available + 1)).unwrap();
        let mut readings = self.readings;
        if free >= enough {
            readings.set(Signal::MemoryAvailable, None);
        }
        readings
    }

    fn meets(&self, thresholds: &[Threshold]) -> bool {
        thresholds.iter().any(|threshold| {
            let reading = self.readings.get(threshold.signal);
            reading.is_some_and(|reading| threshold.is_met(&reading))
        })
    }
}

/// Whatever happens, the round in which a threshold is met is a full one.
#[test]
fn no_light_round_hides_a_threshold_that_is_met() {
    let mut random = Random(20_261_122);
    let (mut light, mut met_after_light) = (0, 0);
    for _ in 0..2_000 {
        let thresholds = thresholds(&mut random);
        let mut machine = Machine::new();
        let mut floors: Option<Floors> = None;
        let mut was_light = false;
        for _ in 0..60 {
            machine.go_on(&mut random);
            let meets = machine.meets(&thresholds);
            let is_light = floors.as_ref().is_some_and(|floors| {
                let readings = machine.glance(floors.enough_memory(), &mut random);
                !random.one_in(10) && floors.hold(&readings)
            });
            assert!(
                !(meets && is_light),
                "{thresholds:?} by {:?}",
                machine.readings
            );
            light += u32::from(is_light);
            met_after_light += u32::from(meets && was_light);
            was_light = is_light;
            if !is_light {
                let readings = &machine.readings;
                floors = (!meets).then(|| Floors::of(&thresholds, readings, MEMORY));
            }
        }
    }
    // It has seen what it is about.
    assert!(
        light > 5_000 && met_after_light > 500,
        "{light}, {met_after_light}"
    );
}

#[test]
fn a_light_round_needs_everything_as_it_was() {
    let lists = Lists {
        hard: "memory.available<10%,nodefs.available<100,pid.available<1.5",
        ..Lists::default()
    };
    let thresholds = parse(&lists).unwrap();
    let mut all = Readings::default();
    for signal in [
        Signal::MemoryAvailable,
        Signal::NodefsAvailable,
        Signal::PidAvailable,
    ] {
        all.set(signal, Some(reading(900, 900)));
    }
    let floors = Floors::of(&thresholds, &all, MEMORY);
    // A tenth of the whole machine, though a pool holds some of it.
    assert_eq!(floors.enough_memory(), 100);
    for (signal, now, expected) in [
        (Signal::MemoryAvailable, Some(reading(100, 900)), true),
        (Signal::MemoryAvailable, Some(reading(99, 900)), false),
        (Signal::MemoryAvailable, Some(reading(900, 1000)), false),
        (Signal::MemoryAvailable, None, true),
        (Signal::NodefsAvailable, Some(reading(100, 900)), true),
        (Signal::NodefsAvailable, Some(reading(99, 900)), false),
        (Signal::NodefsAvailable, Some(reading(900, 901)), false),
        (Signal::NodefsAvailable, None, false),
        (Signal::PidAvailable, Some(reading(2, 900)), true),
        (Signal::PidAvailable, Some(reading(1, 900)), false),
        // No threshold is about it: it may be what it likes, but not come or go.
        (
            Signal::AllocatableMemoryAvailable,
            Some(reading(9, 9)),
            false,
        ),
    ] {
        let mut readings = all;
        readings.set(signal, now);
        assert_eq!(floors.hold(&readings), expected, "{signal}: {now:?}");
    }
    // Without a threshold nothing has to be free; what was not read is never enough.
    assert_eq!(Floors::of(&[], &all, MEMORY).enough_memory(), 0);
    assert_eq!(
        Floors::of(&thresholds, &Readings::default(), MEMORY).enough_memory(),
        u64::MAX
    );
}
