//! Beyond the paper: Jolteon, Gosig and ABFT in a network that delays each leader for longer than any timeout.

use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Toy;
use quorate_abft::signatures::Ed25519List;
use quorate_abft::simulation::AbftHost;
use quorate_gosig::simulation::GosigHost;
use quorate_jolteon::simulation::JolteonHost;
use quorate_simulator::{Host, Interception, Latency, Network, Scenario, Simulation};

use super::figures::Measured;
use crate::chart::{Drawing, Lines, Scale, Series};
use crate::progress::progress;
use crate::row::{Row, figure};
use crate::table::Table;

const MEMBERS: usize = 4;
/// When the adversary begins and ends.
const ADVERSARY: std::ops::Range<u64> = 20..40;
/// End of a run.
const SECONDS: u64 = 60;
/// The delay: Jolteon's timeouts are at most 2 s here, and Gosig's rounds last 0.8 s.
const DELAY: Duration = Duration::from_secs(5);
/// The mean time between two submissions to a member.
const PAUSE: Duration = Duration::from_millis(400);

/// What a network does between the seconds of [`ADVERSARY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adversary {
    Absent,
    /// Delays each proposal, which shows the network its sender.
    Proposals,
    /// Delays all that one member sends, another one every second.
    OneMember,
}

/// Numbers of accepted and committed submissions after each second.
type Curve = Vec<(usize, usize)>;

/// The share of submissions that each protocol commits while its leaders are delayed.
pub(super) fn measure(quick: bool) -> Measured {
    let seeds = if quick { 1 } else { 5 };
    let mut table = Table::new(
        "abft-leaders",
        "Beyond the paper: four members, and a network that delays each leader by 5 s between seconds 20 and 40",
        &["protocol", "the network delays", "committed in these 20 s, %", "longest time without a commit, s"],
    );
    let cases = [
        ("Jolteon", Adversary::Absent),
        ("Jolteon", Adversary::OneMember),
        ("Jolteon", Adversary::Proposals),
        ("Gosig", Adversary::Absent),
        ("Gosig", Adversary::OneMember),
        ("Gosig", Adversary::Proposals),
        ("ABFT", Adversary::Absent),
        ("ABFT", Adversary::OneMember),
    ];
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    for (protocol, adversary) in cases {
        progress("abft", format_args!("delayed leaders, {protocol}, {}", adversary.name()));
        let curves: Vec<Curve> =
            (0..seeds).map(|seed| curve(protocol, adversary, seed)).collect::<Result<_, _>>()?;
        let share = mean(curves.iter().map(committed_share));
        let gap = curves.iter().map(longest_gap).max().unwrap_or_default();
        table.row([protocol.into(), adversary.name().into(), figure(share), gap.to_string()]);
        // ABFT elects a leader only after the proposals have been accepted: the network cannot know whom to delay.
        let is_strongest =
            adversary == Adversary::Proposals || protocol == "ABFT" && adversary == Adversary::OneMember;
        if is_strongest {
            let points = curves.first().into_iter().flat_map(points).collect();
            series.push(Series::new(protocol, points));
            rows.push(Row::new(format!("committed while each leader is delayed, {protocol}"), share, "%"));
        }
    }
    let (x, y) = ("seconds", "committed, % of all submissions");
    table.drawing = Some(Drawing::Lines(Lines { x: x.into(), y: y.into(), scale: Scale::Linear, series }));
    table.note(
        "Simulated with the replicas of the node and links of 20 ms and more; processing costs no time. Means over seeds; the gap\n\
         is the longest of all seeds. Members take submissions all the time. Jolteon's timeouts grow to 2 s, a round of Gosig\n\
         takes 0.8 s. ABFT elects a leader only after the proposals have been accepted, so the network cannot know whom to\n\
         delay: it delays one member after another. In the chart it does so with ABFT, and delays each proposal otherwise.",
    );
    Ok((rows, table))
}

impl Adversary {
    fn name(self) -> &'static str {
        match self {
            Self::Absent => "nothing",
            Self::Proposals => "each proposal",
            Self::OneMember => "one member at a time",
        }
    }

    /// What happens to a message of `from`.
    fn intercept(self, now: Time, from: usize, is_proposal: bool) -> Interception {
        let second = now.0 / 1_000_000;
        let is_delayed = ADVERSARY.contains(&second)
            && match self {
                Self::Absent => false,
                Self::Proposals => is_proposal,
                Self::OneMember => second as usize % MEMBERS == from,
            };
        if is_delayed { Interception::Delay(DELAY) } else { Interception::Pass }
    }
}

fn curve(protocol: &str, adversary: Adversary, seed: u64) -> Result<Curve, String> {
    match protocol {
        "Jolteon" => {
            let keys = quorate_jolteon::simulation::SimulationKeys::new(MEMBERS);
            let mut host = JolteonHost::<Toy>::new(keys).workload(PAUSE, u64::MAX);
            host.interceptor = Some(Box::new(move |now, from, _, message| {
                let is_proposal = matches!(message, quorate_jolteon::Message::Proposal(_));
                adversary.intercept(now, from.slot, is_proposal)
            }));
            run(host, seed, |host| (host.accepted.len(), host.delivered.len()))
        }
        "Gosig" => {
            let keys = quorate_gosig::simulation::SimulationKeys::new(MEMBERS);
            let mut host = GosigHost::<Toy>::new(keys).workload(PAUSE, u64::MAX);
            host.interceptor = Some(Box::new(move |now, from, _, message| {
                let is_proposal = matches!(
                    **message,
                    quorate_gosig::Message::Proposal(_) | quorate_gosig::Message::Segment(_)
                );
                adversary.intercept(now, from.slot, is_proposal)
            }));
            run(host, seed, |host| (host.accepted.len(), host.delivered.len()))
        }
        _ => {
            let keys = quorate_abft::simulation::SimulationKeys::new(MEMBERS);
            let mut host = AbftHost::<Ed25519List, Ed25519>::new(keys).workload(PAUSE, u64::MAX);
            host.interceptor =
                Some(Box::new(move |now, from, _, _| adversary.intercept(now, from.slot, false)));
            run(host, seed, |host| (host.accepted.len(), host.delivered.len()))
        }
    }
}

/// Runs a host, and counts after each second.
fn run<H: Host>(host: H, seed: u64, counts: impl Fn(&H) -> (usize, usize)) -> Result<Curve, String> {
    let latency = Latency::Tailed { floor: Duration::from_millis(20), mean: Duration::from_millis(5) };
    let scenario = Scenario::new("delayed leaders", MEMBERS, seed)
        .network(Network::perfect(latency))
        .lasting(Duration::from_secs(SECONDS + 1));
    let mut simulation = Simulation::new(scenario, host);
    let mut curve = Vec::new();
    for second in 0..=SECONDS {
        simulation.advance(Duration::from_secs(second));
        if let Some(violation) = simulation.violation() {
            return Err(violation.to_string());
        }
        curve.push(counts(simulation.host()));
    }
    Ok(curve)
}

/// Submissions committed during the time of the adversary in percent of those accepted in it.
fn committed_share(curve: &Curve) -> f64 {
    let at = |second: u64| curve.get(second as usize).copied().unwrap_or_default();
    let ((accepted, committed), (accepted_later, committed_later)) = (at(ADVERSARY.start), at(ADVERSARY.end));
    100.0 * (committed_later - committed) as f64 / (accepted_later - accepted).max(1) as f64
}

/// The most consecutive seconds without a commit.
fn longest_gap(curve: &Curve) -> usize {
    let committed: Vec<usize> = curve.iter().map(|(_, committed)| *committed).collect();
    committed.chunk_by(PartialEq::eq).map(<[usize]>::len).max().unwrap_or(1) - 1
}

/// The chart's line: committed submissions in percent of all that were accepted until the end.
fn points(curve: &Curve) -> Vec<(f64, f64)> {
    let all = curve.last().map_or(1, |(accepted, _)| *accepted).max(1) as f64;
    curve
        .iter()
        .zip(0u32..)
        .map(|((_, committed), second)| (second.into(), 100.0 * *committed as f64 / all))
        .collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}
