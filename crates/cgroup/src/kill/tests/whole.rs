//! A kill completely, in a small world: its processes end, do not end, or fork, its grace runs
//! or is cut, in every order.

use super::*;

/// What happens in a second.
#[derive(Clone, Copy, Debug)]
enum Next {
    Nothing,
    OneEnds,
    OneForks,
    /// A hard threshold cuts the grace.
    NoMoreGrace,
    /// The runtime that was to ask it to end does not.
    Ask,
    /// What it was to give back runs out.
    RunsOut,
}

const ALL: [Next; 6] = [
    Next::Nothing,
    Next::OneEnds,
    Next::OneForks,
    Next::NoMoreGrace,
    Next::Ask,
    Next::RunsOut,
];

const SECONDS: usize = 5;

const LIMITS: KillLimits = KillLimits {
    freeze: Duration::from_millis(100),
    gone: Duration::from_secs(2),
    gone_when_short: Duration::from_secs(1),
};

/// Whether the kernel kills, how long the grace is, whether SIGTERM is sent from here.
type Begins = (bool, u64, bool);

/// What must come of it.
struct Expected {
    alive: Vec<usize>,
    born: usize,
    grace_ends: Mono,
    asks: bool,
    told: Vec<usize>,
    asked: Option<Mono>,
    killed: Option<Mono>,
    /// The fewest that were seen since SIGKILL; nobody has ended since then.
    fewest: (usize, Mono),
    is_short: bool,
}

impl Expected {
    fn of(start: Mono, grace: u64, asks: bool) -> Self {
        Self {
            alive: vec![0, 1],
            born: 2,
            grace_ends: start + Duration::from_secs(grace),
            asks,
            told: Vec::new(),
            asked: None,
            killed: None,
            fewest: (usize::MAX, start),
            is_short: false,
        }
    }

    /// Returns whether that makes a difference.
    fn meets(&mut self, next: Next, now: Mono, most: usize) -> bool {
        let is_running = !self.alive.is_empty();
        match next {
            Next::Nothing => true,
            Next::OneEnds => self.alive.pop().is_some(),
            Next::OneForks => {
                let may = is_running && self.born < most;
                if may {
                    self.alive.push(self.born);
                    self.born += 1;
                }
                may
            }
            Next::NoMoreGrace => {
                let may = now < self.grace_ends;
                self.grace_ends = self.grace_ends.min(now);
                may
            }
            Next::Ask => !core::mem::replace(&mut self.asks, true) && self.killed.is_none(),
            Next::RunsOut => {
                let may = self.killed.is_some();
                may && !core::mem::replace(&mut self.is_short, true)
            }
        }
    }

    /// It is looked at.
    fn state(&mut self, now: Mono) -> Option<KillState> {
        let is_over = now >= self.grace_ends;
        if let (Some(_), (fewest, _)) = (self.killed, self.fewest)
            && self.alive.len() < fewest
        {
            (self.fewest, self.is_short) = ((self.alive.len(), now), false);
        }
        if self.alive.is_empty() {
            return Some(KillState::Gone);
        }
        if is_over || self.asks {
            let new = self.alive.iter().filter(|one| !self.told.contains(one));
            let new: Vec<usize> = new.copied().collect();
            if !is_over && !new.is_empty() {
                self.asked.get_or_insert(now);
            }
            self.told.extend(new);
        }
        if is_over && self.killed.is_none() {
            // From the first look after it on they are counted.
            (self.killed, self.fewest) = (Some(now), (usize::MAX, now));
            return None;
        }
        let patience = if self.is_short {
            LIMITS.gone_when_short
        } else {
            LIMITS.gone
        };
        let is_stuck = self.killed.is_some() && now >= self.fewest.1 + patience;
        is_stuck.then_some(KillState::Stuck)
    }

    /// What a look must have found, and has: `None` while the kill goes on.
    fn is_as_told(
        &mut self,
        kill: &Kill,
        now: Mono,
        world: (Begins, &[Next]),
    ) -> Option<KillState> {
        let (state, report) = (kill.state(), kill.report());
        let is = (!matches!(state, KillState::Waiting { .. })).then_some(state);
        let must = self.state(now);
        let sent = (report.term_sent, report.kill_sent, report.processes);
        let must_be_sent = (self.asked, self.killed, self.told.len());
        assert_eq!((is, sent), (must, must_be_sent), "{world:?} at {now}");
        if is == Some(KillState::Stuck) {
            assert_eq!(report.remaining.len(), self.alive.len(), "{world:?}");
        }
        is
    }
}

/// A world: how it begins, and what happens in each second. Returns after how many seconds it is
/// over, or the same as another, and how many looks there were.
fn live(fixture: &Fixture, pids: &[i32], begins: Begins, order: &[Next]) -> (usize, usize) {
    let (is_v2, grace, asks) = begins;
    let show = |alive: &[usize]| {
        let lines = alive.iter().map(|one| format!("{}\n", pids[*one]));
        fixture.file("pod/cgroup.procs", &lines.collect::<String>());
        if is_v2 {
            let populated = u8::from(!alive.is_empty());
            fixture.file("pod/cgroup.events", &format!("populated {populated}\n"));
        }
    };
    let at = |second: u32| Mono::from_millis(1000 + 1000 * u64::from(second));
    let mut expected = Expected::of(at(0), grace, asks);
    show(&expected.alive);
    let how = Grace {
        length: Duration::from_secs(grace),
        asked_by_runtime: !asks,
    };
    let mut kill = Kill::start(at(0), opened(fixture, Path::new(PROC)), how, LIMITS, None);
    let mut state = kill.state();
    let mut looks = 1;
    assert_eq!(expected.state(at(0)), None);
    for (second, next) in (0..).zip([&[Next::Nothing], order].concat()) {
        let now = at(second);
        let seconds = usize::try_from(second).unwrap();
        if !expected.meets(next, now, pids.len()) {
            return (seconds, looks);
        }
        show(&expected.alive);
        match next {
            Next::NoMoreGrace => kill.end_grace(now),
            Next::Ask => kill.ask(),
            Next::RunsOut => kill.expect_effect_soon(),
            Next::Nothing | Next::OneEnds | Next::OneForks => {}
        }
        // As its caller does: at once, and when it says.
        for of_its_own in [false, true] {
            let now = if let KillState::Waiting { until } = state
                && of_its_own
            {
                until.min(at(second + 1))
            } else if second == 0 {
                continue;
            } else {
                now
            };
            state = kill.poll(now);
            looks += 1;
            let is = expected.is_as_told(&kill, now, (begins, order));
            if is.is_some() {
                return (seconds, looks);
            }
        }
    }
    (order.len(), looks)
}

/// Acceptance row 385: with a grace and without, asked from here or by a runtime, by the
/// kernel's own kill and by signals; over all orders of what happens in five seconds to two
/// processes that fork up to two more.
#[test]
fn a_kill_ends_as_it_is_written_whatever_its_processes_do() {
    // They have ended, and nobody has waited for them: they take signals, and stay as they are.
    let children = [(); 4].map(|()| Sleeper::dead());
    let pids = children.each_ref().map(|child| child.pid().as_raw_pid());
    let fixture = Fixture::new();
    let (mut worlds, mut looks) = (0, 0);
    for is_v2 in [false, true] {
        if is_v2 {
            fixture.file("pod/cgroup.kill", "");
        }
        for (grace, asks) in [(0, true), (2, true), (2, false)] {
            let begins = (is_v2, grace, asks);
            let mut digits = [0; SECONDS];
            loop {
                let order = digits.map(|digit| ALL[digit]);
                let (seconds, more) = live(&fixture, &pids, begins, &order);
                (worlds, looks) = (worlds + 1, looks + more);
                // What comes after it makes no difference.
                digits[seconds..].fill(ALL.len() - 1);
                let Some(place) = digits.iter().rposition(|digit| *digit + 1 < ALL.len()) else {
                    break;
                };
                digits[place] += 1;
                digits[place + 1..].fill(0);
            }
        }
    }
    println!("{worlds} worlds, {looks} looks");
    assert_eq!((worlds, looks), (1706, 15_504));
}
