//! Named scenarios, generated from a seed.

use core::time::Duration;

use crate::fault::{Behaviour, CrashPoint, Fault, Scheduled};
use crate::network::{Latency, Link, Network, Regions};
use crate::rng::{Probability, Rng};
use crate::scenario::{Scenario, Work};

/// The names of the presets, with a description of each.
pub const PRESETS: &[(&str, &str)] = &[
    ("calm", "a local network without faults"),
    ("wan", "five regions, limited uplinks, slow disks"),
    ("lossy", "loss, duplication and reordering until the network is stable"),
    ("slow", "some nodes have slow links for a time, clocks are wrong"),
    ("partitions", "partitions that heal"),
    ("crashes", "nodes crash at any point of their work and restart; some stay dead"),
    ("byzantine", "as many Byzantine nodes as the protocol tolerates"),
    ("chaos", "all of the above"),
];

/// A preset for protocols that tolerate the restoration of old records, with its description. It is not among [`PRESETS`].
pub const ROLLBACKS: (&str, &str) = (
    "rollbacks",
    "nodes restart from earlier states of their disks, among crashes, partitions and Byzantine nodes",
);

/// Properties of the protocol and its committee that a preset depends on.
#[derive(Clone, Debug)]
pub struct PresetParameters<'a> {
    /// Number of members.
    pub nodes: usize,
    /// Maximum number of members that are Byzantine or stay down, together.
    pub faulty: usize,
    /// Names of the protocol's own adversaries ([`Host::adversary`](crate::Host::adversary)).
    pub adversaries: &'a [&'a str],
    /// Time within which every correct node must make progress, repeatedly, once the network is stable.
    pub live_within: Duration,
    /// Length of the run.
    pub length: RunLength,
}

/// Length of a preset's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunLength {
    /// Faults for ten seconds; the run ends after twice the liveness bound.
    Full,
    /// Faults for four seconds; the run ends when every correct node is three steps of progress beyond the point that any
    /// had reached when the last fault was over. The same checks apply, and in the same time many more schedules are covered.
    Short,
}

impl RunLength {
    /// Returns the duration of the faults.
    pub fn disturbed(self) -> Duration {
        match self {
            RunLength::Full => Duration::from_secs(10),
            RunLength::Short => Duration::from_secs(4),
        }
    }

    fn enough_progress(self) -> Option<u64> {
        match self {
            RunLength::Full => None,
            RunLength::Short => Some(3),
        }
    }
}

impl<'a> PresetParameters<'a> {
    /// Parameters of a committee of `nodes` that tolerates less than a third of faulty members.
    pub fn byzantine(nodes: usize, adversaries: &'a [&'a str]) -> PresetParameters<'a> {
        let faulty = nodes.saturating_sub(1) / 3;
        let (live_within, length) = (Duration::from_secs(30), RunLength::Full);
        PresetParameters { nodes, faulty, adversaries, live_within, length }
    }
}

/// Generates the preset scenario `name` from a seed, also [`ROLLBACKS`]; `None` if the name is unknown.
///
/// The network is stable and the last fault is over after ten seconds; twice the liveness bound follows. Short runs:
/// [`RunLength::Short`].
pub fn preset(name: &str, shape: &PresetParameters<'_>, seed: u64) -> Option<Scenario> {
    PRESETS.iter().chain([&ROLLBACKS]).find(|(known, _)| *known == name)?;
    let disturbed = shape.length.disturbed();
    let mut generator = ScenarioGenerator { rng: Rng::stream(seed, name, 0), disturbed, shape };
    let mut scenario = Scenario::new(name, shape.nodes, seed)
        .lasting(disturbed + 2 * shape.live_within + Duration::from_millis(1))
        .live_within(shape.live_within)
        .network(Network::stable(lan()));
    let faulty = generator.rng.index(shape.faulty + 1).max(usize::from(shape.faulty > 0));
    match name {
        "calm" => {}
        "wan" => generator.wan(&mut scenario),
        "lossy" => generator.lossy(&mut scenario),
        "slow" => generator.slow(&mut scenario),
        "partitions" => generator.partitions(&mut scenario),
        "crashes" => {
            generator.crashes(&mut scenario);
            generator.dead(&mut scenario, faulty);
        }
        "byzantine" => generator.byzantine(&mut scenario, shape.faulty),
        "rollbacks" => {
            if generator.rng.chance(Probability::percent(40)) {
                generator.lossy(&mut scenario);
            }
            if generator.rng.chance(Probability::percent(40)) {
                generator.partitions(&mut scenario);
            }
            if generator.rng.chance(Probability::percent(40)) {
                generator.crashes(&mut scenario);
            }
            generator.byzantine(&mut scenario, shape.faulty - faulty);
            generator.rollbacks(&mut scenario, faulty);
        }
        _ => {
            if generator.rng.chance(Probability::percent(70)) {
                generator.lossy(&mut scenario);
            }
            generator.slow(&mut scenario);
            generator.partitions(&mut scenario);
            generator.crashes(&mut scenario);
            generator.byzantine(&mut scenario, faulty);
            generator.dead(&mut scenario, shape.faulty - faulty);
        }
    }
    if let Some(progress) = shape.length.enough_progress() {
        scenario.enough_progress = Some(progress);
        // Byzantine nodes and slow links need the time, too.
        scenario.network.stable_from = disturbed;
    }
    Some(scenario)
}

/// Returns a local network with a little jitter.
fn lan() -> Link {
    Link::perfect(Latency::Tailed { floor: Duration::from_micros(500), mean: Duration::from_micros(500) })
}

struct ScenarioGenerator<'a> {
    rng: Rng,
    /// Duration of the faults.
    disturbed: Duration,
    shape: &'a PresetParameters<'a>,
}

impl ScenarioGenerator<'_> {
    fn wan(&mut self, scenario: &mut Scenario) {
        // Rounded one-way latencies between five regions of the world, in milliseconds.
        const EXTRA: [[u64; 5]; 5] = [
            [0, 30, 40, 75, 110],
            [30, 0, 70, 85, 80],
            [40, 70, 0, 110, 125],
            [75, 85, 110, 0, 55],
            [110, 80, 125, 55, 0],
        ];
        let extra =
            EXTRA.iter().map(|row| row.iter().map(|ms| Duration::from_millis(*ms)).collect()).collect();
        let link = Link::perfect(Latency::Tailed {
            floor: Duration::from_millis(1),
            mean: Duration::from_millis(2),
        });
        scenario.network = Network::stable(link);
        scenario.network.regions = Some(Regions {
            region_of_node: (0..self.shape.nodes).map(|_| self.rng.index(5)).collect(),
            extra,
        });
        scenario.network.uplink = Some(125_000_000);
        let write = Latency::Tailed { floor: Duration::from_millis(1), mean: Duration::from_millis(1) };
        scenario.work = Work { per_input: Duration::from_micros(20), write, ..Work::default() };
    }

    fn lossy(&mut self, scenario: &mut Scenario) {
        let rng = &mut self.rng;
        let mut probability = |most: u64| Probability::ppm(rng.below(most * 10_000) as u32);
        let before = lan()
            .losing(probability(20))
            .repeating(probability(10))
            .reordering(probability(30), Duration::from_millis(200));
        scenario.network = Network::stabilising(before, self.disturbed, lan());
    }

    fn slow(&mut self, scenario: &mut Scenario) {
        scenario.clocks.offset = self.rng.duration(Duration::ZERO, Duration::from_secs(3_600));
        scenario.clocks.drift_ppm = self.rng.below(10_000) as u32;
        for _ in 0..self.rng.below(3) {
            let node = self.rng.index(self.shape.nodes);
            let (at, until) = self.interval();
            let floor = self.rng.duration(Duration::from_millis(10), Duration::from_secs(1));
            let latency = Latency::Tailed { floor, mean: floor / 4 };
            let link = Link::perfect(latency).limited(self.rng.between(20_000, 2_000_000));
            push(scenario, at, Fault::Degrade { node, link });
            push(scenario, until, Fault::Recover { node });
        }
    }

    fn partitions(&mut self, scenario: &mut Scenario) {
        let count = self.rng.between(1, 4) as u32;
        for turn in 0..count {
            let room = self.disturbed / count;
            let begin = room * turn + self.rng.duration(Duration::ZERO, room / 3);
            let end = begin + self.rng.duration(room / 10, room / 2);
            let parts = self.rng.between(1, 2) as usize;
            let mut groups = vec![Vec::new(); parts];
            for node in 0..self.shape.nodes {
                let part = self.rng.index(parts + 1);
                if let Some(group) = groups.get_mut(part) {
                    group.push(node);
                }
            }
            let holds = self.rng.chance(Probability::percent(40));
            let one_way = self.rng.chance(Probability::percent(20));
            push(scenario, begin, Fault::Split { groups, holds, one_way });
            push(scenario, end, Fault::Heal);
        }
    }

    fn crashes(&mut self, scenario: &mut Scenario) {
        let points =
            [CrashPoint::Now, CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];
        for _ in 0..self.rng.between(1, 4 + 2 * self.shape.nodes.min(16) as u64) {
            let node = self.rng.index(self.shape.nodes);
            let (at, end) = self.interval();
            // Long enough for the crash point to occur in most runs.
            let until = end.max(at + Duration::from_millis(500)).min(self.disturbed);
            let point = self.rng.pick(&points).copied().unwrap_or(CrashPoint::Now);
            push(scenario, at, Fault::Crash { node, point, after: self.rng.below(6) as u32 });
            push(scenario, until, Fault::Restart { node });
        }
    }

    fn dead(&mut self, scenario: &mut Scenario, most: usize) {
        for node in self.some_honest(scenario, most) {
            let from_start = self.rng.chance(Probability::percent(50));
            let at = if from_start { Duration::ZERO } else { self.interval().0 };
            scenario.faults.retain(|fault| !matches!(fault.fault, Fault::Crash { node: n, .. } | Fault::Restart { node: n } if n == node));
            push(scenario, at, Fault::Crash { node, point: CrashPoint::Now, after: 0 });
        }
    }

    /// Restores old records of some nodes, at most `most`: together with the Byzantine ones they are the faulty nodes.
    fn rollbacks(&mut self, scenario: &mut Scenario, most: usize) {
        let points =
            [CrashPoint::Now, CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];
        for node in self.some_honest(scenario, most) {
            for _ in 0..self.rng.between(1, 6) {
                let at = self.rng.duration(Duration::ZERO, self.disturbed * 9 / 10);
                let down = self.rng.duration(Duration::from_millis(1), Duration::from_millis(600));
                let point = self.rng.pick(&points).copied().unwrap_or(CrashPoint::Now);
                // Mostly the last signatures are lost: their views are still current.
                let most = self.rng.pick(&[6, 6, 6, 30, 300, usize::MAX >> 1]).copied().unwrap_or(6);
                let lost = 1 + self.rng.below(most as u64) as usize;
                push(scenario, at, Fault::Crash { node, point, after: self.rng.below(6) as u32 });
                push(scenario, (at + down).min(self.disturbed), Fault::Rollback { node, lost });
            }
        }
    }

    fn byzantine(&mut self, scenario: &mut Scenario, count: usize) {
        let kinds = 7 + self.shape.adversaries.len();
        for node in self.some_honest(scenario, count) {
            let behaviour = match self.rng.index(kinds) {
                0 => Behaviour::Silent,
                1 => Behaviour::Delayer(self.rng.duration(Duration::from_millis(10), Duration::from_secs(3))),
                2 => Behaviour::Garbage(Duration::from_millis(20)),
                3 => Behaviour::Replayer(Duration::from_millis(20)),
                4 => Behaviour::Mutator,
                5 => Behaviour::Selective,
                6 => Behaviour::Twins(self.rng.duration(Duration::from_millis(200), Duration::from_secs(5))),
                own => Behaviour::Custom(
                    self.shape.adversaries.get(own - 7).copied().unwrap_or_default().to_owned(),
                ),
            };
            scenario.byzantine.insert(node, behaviour);
        }
    }

    /// Returns up to `count` random nodes that are not Byzantine.
    fn some_honest(&mut self, scenario: &Scenario, count: usize) -> Vec<usize> {
        let mut nodes: Vec<usize> =
            (0..self.shape.nodes).filter(|node| !scenario.byzantine.contains_key(node)).collect();
        self.rng.shuffle(&mut nodes);
        nodes.truncate(count);
        nodes
    }

    /// Returns a random interval within the duration of the faults.
    fn interval(&mut self) -> (Duration, Duration) {
        let at = self.rng.duration(Duration::ZERO, self.disturbed * 9 / 10);
        (at, self.rng.duration(at, self.disturbed))
    }
}

fn push(scenario: &mut Scenario, at: Duration, fault: Fault) {
    scenario.faults.push(Scheduled { at, fault });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_deterministic_and_within_the_fault_tolerance() {
        let own = ["custom"];
        let mut seen_own = false;
        for seed in 0..200 {
            let length = if seed % 2 == 0 { RunLength::Full } else { RunLength::Short };
            let shape = PresetParameters { length, ..PresetParameters::byzantine(7, &own) };
            for (name, _) in PRESETS.iter().chain([&ROLLBACKS]) {
                let scenario = preset(name, &shape, seed).unwrap();
                assert_eq!(Some(&scenario), preset(name, &shape, seed).as_ref());
                let restarted = |node: usize| {
                    scenario.faults.iter().any(|f| matches!(f.fault, Fault::Restart { node: n } if n == node))
                };
                let dead = (0..7).filter(|node| {
                    let crash = |f: &Scheduled| matches!(f.fault, Fault::Crash { node: n, .. } if n == *node);
                    scenario.faults.iter().any(crash)
                        && !restarted(*node)
                        && !scenario.byzantine.contains_key(node)
                });
                assert!(dead.count() + scenario.byzantine.len() <= 2, "{name} {seed}");
                assert!(scenario.faults.iter().all(|fault| fault.at <= length.disturbed()));
                let quiet_from = Duration::from_micros(scenario.quiet_from());
                assert!(length == RunLength::Full || quiet_from == length.disturbed(), "{name} {seed}");
                seen_own |= scenario.byzantine.values().any(|b| *b == Behaviour::Custom("custom".into()));
            }
        }
        assert!(seen_own);
        assert!(preset("none", &PresetParameters::byzantine(4, &[]), 1).is_none());
    }
}
