//! A whole run as a line of text, short enough for a page's address:
//!
//! ```text
//! p=gosig&n=7&seed=42&latency=40&jitter=20&loss=0&byz=3.silent&do=1200000.crash.2,3000000.restart.2&t=8000000&h=5f…
//! ```
//!
//! | name | value | if it is missing |
//! |---|---|---|
//! | `p` | the protocol, `jolteon` or `gosig` | `jolteon` |
//! | `n` | members, 4 to 40 | 7 |
//! | `seed` | where all randomness comes from | 1 |
//! | `latency`, `jitter` | milliseconds that every message takes, and the mean of what is added | 40, 10 |
//! | `loss` | messages lost, of a thousand | 0 |
//! | `byz` | who is Byzantine from the start, and how: `member.behaviour`, by commas | nobody |
//! | `do` | interventions: `microseconds.what`, by commas, see [`action`] | none |
//! | `t` | until when the sender watched, microseconds | |
//! | `h` | the hash of the history up to there, hexadecimal | |
//!
//! Text that says the same is the same: [`Display`](core::fmt::Display) writes what [`Setup::parse`] reads.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;

use quorate_simulator::{Behaviour, Chance, CrashPoint, Fault, Latency, Link, Network, Scenario, Scheduled};

/// How many members there may be.
pub const MEMBERS: core::ops::RangeInclusive<usize> = 4..=40;
/// How long a run is at most, in virtual time: what it keeps stays in memory.
pub const LONGEST: Duration = Duration::from_secs(600);
/// How many interventions a run may have.
pub const MAX_SCRIPT: usize = 1_000;

/// Byzantine behaviours that know nothing of the protocol, by name; the others are [`Protocol::adversaries`].
pub const GENERIC_BEHAVIOURS: &[&str] =
    &["silent", "delayer", "garbage", "replayer", "mutator", "selective", "twins"];

/// What the members speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Leaders, views and certificates in a chain.
    #[default]
    Jolteon,
    /// Drawn proposers, rounds, and aggregates that spread by gossip.
    Gosig,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Jolteon, Self::Gosig];

    /// What a link calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jolteon => "jolteon",
            Self::Gosig => "gosig",
        }
    }

    /// Byzantine behaviours that know the protocol, by name.
    pub fn adversaries(self) -> &'static [&'static str] {
        match self {
            Self::Jolteon => quorate_jolteon::simulation::ADVERSARIES,
            Self::Gosig => quorate_gosig::simulation::VILLAINS,
        }
    }

    fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| format!("there is no protocol {name:?}"))
    }
}

/// How the links are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQuality {
    /// Milliseconds that every message takes.
    pub latency: u16,
    /// The mean of what is added to that, milliseconds.
    pub jitter: u16,
    /// Messages lost, of a thousand.
    pub loss: u16,
}

impl LinkQuality {
    /// The simulator's link of that quality.
    pub fn link(self) -> Link {
        let ms = |ms: u16| Duration::from_millis(ms.into());
        Link::perfect(Latency::Tailed { floor: ms(self.latency), mean: ms(self.jitter) })
            .losing(Chance::ppm(u32::from(self.loss) * 1_000))
    }

    /// The quality of a link that was made by [`link`](LinkQuality::link).
    fn from_link(link: &Link) -> Option<Self> {
        let Latency::Tailed { floor, mean } = link.latency else { return None };
        let ms = |duration: Duration| u16::try_from(duration.as_millis()).ok();
        let (latency, jitter) = (ms(floor)?, ms(mean)?);
        (0..=1_000).map(|loss| LinkQuality { latency, jitter, loss }).find(|quality| quality.link() == *link)
    }

    fn check(self) -> Result<Self, String> {
        if self.latency <= 2_000 && self.jitter <= 2_000 && self.loss <= 1_000 {
            Ok(self)
        } else {
            Err("latency and jitter are at most 2000 (milliseconds), loss at most 1000 (of a thousand)"
                .into())
        }
    }
}

/// A run that can be shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What the members speak.
    pub protocol: Protocol,
    /// How many members there are.
    pub nodes: usize,
    /// Where all randomness comes from.
    pub seed: u64,
    /// The links at the start.
    pub quality: LinkQuality,
    /// Who is Byzantine from the start.
    pub byzantine: BTreeMap<usize, Behaviour>,
    /// What is done to the run.
    pub script: Vec<Scheduled>,
    /// How far the run was watched, and the hash of its history up to there.
    pub seen: Option<(Duration, u64)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            nodes: 7,
            seed: 1,
            quality: LinkQuality { latency: 40, jitter: 10, loss: 0 },
            byzantine: BTreeMap::new(),
            script: Vec::new(),
            seen: None,
        }
    }
}

impl Setup {
    /// Reads a run.
    ///
    /// # Errors
    /// What cannot be read, in words for whoever followed the link.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut setup = Self::default();
        let (mut until, mut hash) = (None, None);
        let fields: Vec<(&str, &str)> = text
            .split('&')
            .filter(|field| !field.is_empty())
            .map(|field| field.split_once('=').ok_or_else(|| format!("{field:?} has no value")))
            .collect::<Result<_, _>>()?;
        // How many members there are decides which of them the other fields may name, and the protocol how they can be.
        if let Some((_, value)) = fields.iter().find(|(name, _)| *name == "p") {
            setup.protocol = Protocol::parse(value)?;
        }
        if let Some((_, value)) = fields.iter().find(|(name, _)| *name == "n") {
            setup.nodes = number(value)?;
            if !MEMBERS.contains(&setup.nodes) {
                return Err(format!("there can be {} to {} validators", MEMBERS.start(), MEMBERS.end()));
            }
        }
        for (name, value) in fields {
            match name {
                "p" | "n" => {}
                "seed" => setup.seed = number(value)?,
                "latency" => setup.quality.latency = number(value)?,
                "jitter" => setup.quality.jitter = number(value)?,
                "loss" => setup.quality.loss = number(value)?,
                "byz" => setup.byzantine = byzantine(value, &setup)?,
                "do" => setup.script = script(value, &setup)?,
                "t" => until = Some(Duration::from_micros(number(value)?).min(LONGEST)),
                "h" => {
                    hash = Some(u64::from_str_radix(value, 16).map_err(|_| format!("{value:?} is no hash"))?)
                }
                _ => return Err(format!("nothing is called {name:?}")),
            }
        }
        setup.quality = setup.quality.check()?;
        setup.seen = until.zip(hash);
        Ok(setup)
    }

    /// The scenario, without the script.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::new("browser", self.nodes, self.seed)
            .lasting(LONGEST)
            .network(Network::stable(self.quality.link()));
        scenario.byzantine = self.byzantine.clone();
        scenario
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkQuality { latency, jitter, loss } = self.quality;
        if self.protocol != Protocol::default() {
            write!(f, "p={}&", self.protocol.name())?;
        }
        write!(f, "n={}&seed={}&latency={latency}&jitter={jitter}&loss={loss}", self.nodes, self.seed)?;
        if !self.byzantine.is_empty() {
            let list = self.byzantine.iter().map(|(node, b)| format!("{node}.{}", behaviour_name(b)));
            write!(f, "&byz={}", list.collect::<Vec<_>>().join(","))?;
        }
        if !self.script.is_empty() {
            let list = self.script.iter().map(|s| format!("{}.{}", s.at.as_micros(), action_name(&s.fault)));
            write!(f, "&do={}", list.collect::<Vec<_>>().join(","))?;
        }
        if let Some((until, hash)) = self.seen {
            write!(f, "&t={}&h={hash:016x}", until.as_micros())?;
        }
        Ok(())
    }
}

/// Reads an intervention.
///
/// | text | what happens |
/// |---|---|
/// | `crash.N`, `crash.N.persist`, `crash.N.sending`, `crash.N.sent` | member N crashes: at once, or in its next write, between write and send, in the middle of sending |
/// | `restart.N` | it starts again from its disk |
/// | `split.A-B-C` | these members and the others do not reach each other |
/// | `heal` | they do again |
/// | `links.L.J.P` | all links get latency L, jitter J, loss P |
/// | `slow.N.L`, `recover.N` | the links of N have latency L, or are as all others again |
/// | `turn.N.BEHAVIOUR` | N is Byzantine from now on |
///
/// # Errors
/// What cannot be read.
pub fn action(text: &str, protocol: Protocol, nodes: usize) -> Result<Fault, String> {
    let words: Vec<&str> = text.split('.').collect();
    let member = |text: &str| {
        let node: usize = number(text)?;
        if node < nodes { Ok(node) } else { Err(format!("there is no validator {node}")) }
    };
    Ok(match words.as_slice() {
        ["crash", node] => Fault::Crash { node: member(node)?, point: CrashPoint::Now, after: 0 },
        ["crash", node, point] => {
            let (_, point) = POINTS.iter().find(|(name, _)| name == point).ok_or("no such crash point")?;
            Fault::Crash { node: member(node)?, point: *point, after: 0 }
        }
        ["restart", node] => Fault::Restart { node: member(node)? },
        ["split", group] => {
            let mut group = group.split('-').map(member).collect::<Result<Vec<_>, _>>()?;
            group.sort_unstable();
            group.dedup();
            Fault::Split { groups: vec![group], holds: false, one_way: false }
        }
        ["heal"] => Fault::Heal,
        ["links", latency, jitter, loss] => {
            let quality =
                LinkQuality { latency: number(latency)?, jitter: number(jitter)?, loss: number(loss)? }
                    .check()?;
            Fault::Relink { link: quality.link() }
        }
        ["slow", node, latency] => {
            let latency = number(latency)?;
            let quality = LinkQuality { latency, jitter: latency / 4, loss: 0 }.check()?;
            Fault::Degrade { node: member(node)?, link: quality.link() }
        }
        ["recover", node] => Fault::Recover { node: member(node)? },
        ["turn", node, name] => Fault::Turn { node: member(node)?, behaviour: behaviour(name, protocol)? },
        _ => return Err(format!("{text:?} is no intervention")),
    })
}

const POINTS: &[(&str, CrashPoint)] = &[
    ("persist", CrashPoint::DuringPersist),
    ("sending", CrashPoint::BeforeSend),
    ("sent", CrashPoint::DuringSend),
];

/// What [`action`] reads.
pub fn action_name(fault: &Fault) -> String {
    match fault {
        Fault::Crash { node, point, .. } => match POINTS.iter().find(|(_, known)| known == point) {
            Some((name, _)) => format!("crash.{node}.{name}"),
            None => format!("crash.{node}"),
        },
        Fault::Restart { node } => format!("restart.{node}"),
        Fault::Split { groups, .. } => {
            let group = groups.first().map(Vec::as_slice).unwrap_or_default();
            format!("split.{}", group.iter().map(usize::to_string).collect::<Vec<_>>().join("-"))
        }
        Fault::Heal => "heal".to_owned(),
        Fault::Relink { link } => {
            let LinkQuality { latency, jitter, loss } =
                LinkQuality::from_link(link).unwrap_or(LinkQuality { latency: 0, jitter: 0, loss: 0 });
            format!("links.{latency}.{jitter}.{loss}")
        }
        Fault::Degrade { node, link } => {
            format!("slow.{node}.{}", LinkQuality::from_link(link).map_or(0, |quality| quality.latency))
        }
        Fault::Recover { node } => format!("recover.{node}"),
        Fault::Turn { node, behaviour } => format!("turn.{node}.{}", behaviour_name(behaviour)),
    }
}

/// The behaviour of that name.
///
/// # Errors
/// There is none.
pub fn behaviour(name: &str, protocol: Protocol) -> Result<Behaviour, String> {
    Ok(match name {
        "silent" => Behaviour::Silent,
        "delayer" => Behaviour::Delayer(Duration::from_millis(1_500)),
        "garbage" => Behaviour::Garbage(Duration::from_millis(50)),
        "replayer" => Behaviour::Replayer(Duration::from_millis(50)),
        "mutator" => Behaviour::Mutator,
        "selective" => Behaviour::Selective,
        "twins" => Behaviour::Twins(Duration::from_secs(2)),
        own if protocol.adversaries().contains(&own) => Behaviour::Custom(own.to_owned()),
        other => return Err(format!("nobody knows how to be a {other:?}")),
    })
}

/// The name of a behaviour.
pub fn behaviour_name(behaviour: &Behaviour) -> &str {
    match behaviour {
        Behaviour::Silent => "silent",
        Behaviour::Delayer(_) => "delayer",
        Behaviour::Garbage(_) => "garbage",
        Behaviour::Replayer(_) => "replayer",
        Behaviour::Mutator => "mutator",
        Behaviour::Selective => "selective",
        Behaviour::Twins(_) => "twins",
        Behaviour::Custom(name) => name,
    }
}

fn byzantine(text: &str, setup: &Setup) -> Result<BTreeMap<usize, Behaviour>, String> {
    let mut all = BTreeMap::new();
    for item in text.split(',') {
        let (node, name) =
            item.split_once('.').ok_or_else(|| format!("{item:?} is no validator.behaviour"))?;
        let node: usize = number(node)?;
        if node >= setup.nodes || all.insert(node, behaviour(name, setup.protocol)?).is_some() {
            return Err(format!("validator {node} is not there, or twice"));
        }
    }
    Ok(all)
}

fn script(text: &str, setup: &Setup) -> Result<Vec<Scheduled>, String> {
    let mut all = Vec::new();
    for item in text.split(',') {
        if all.len() == MAX_SCRIPT {
            return Err(format!("more than {MAX_SCRIPT} interventions"));
        }
        let (at, what) = item.split_once('.').ok_or_else(|| format!("{item:?} has no time"))?;
        let at = Duration::from_micros(number(at)?);
        if all.last().is_some_and(|last: &Scheduled| last.at > at) {
            return Err("the interventions are not in order of time".to_owned());
        }
        all.push(Scheduled { at, fault: action(what, setup.protocol, setup.nodes)? });
    }
    Ok(all)
}

fn number<T: core::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no number, or too large"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let all = "n=7&seed=18446744073709551615&latency=40&jitter=20&loss=5&byz=3.equivocator,4.twins&do=0.crash.2,\
                   10.crash.2.persist,20.restart.2,30.split.0-1-6,40.heal,50.links.100.20.5,60.slow.1.700,\
                   70.recover.1,70.turn.5.forger&t=8000000&h=00000000deadbeef";
        assert_eq!(Setup::parse(all).unwrap().to_string(), all);
        let gosig = "p=gosig&n=4&seed=1&latency=40&jitter=10&loss=0";
        assert_eq!(Setup::parse(gosig).unwrap().to_string(), gosig);
        for protocol in Protocol::ALL {
            for name in GENERIC_BEHAVIOURS.iter().chain(protocol.adversaries()) {
                assert_eq!(behaviour_name(&behaviour(name, protocol).unwrap()), *name);
            }
        }
        let plain = Setup::default();
        assert_eq!(Setup::parse("").unwrap(), plain);
        assert_eq!(Setup::parse(&plain.to_string()).unwrap(), plain);
        assert_eq!(Setup::parse("byz=30.silent&n=31").unwrap().byzantine.len(), 1);
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        for text in [
            "p=raft",
            "p=gosig&byz=1.outdated",
            "n=3",
            "n=41",
            "n=x",
            "seed=-1",
            "latency=2001",
            "loss=1001",
            "byz=7.silent",
            "byz=1.silent,1.twins",
            "byz=1.nice",
            "do=5",
            "do=x.heal",
            "do=5.crash.7",
            "do=5.crash.1.later",
            "do=5.split.0-9",
            "do=5.split.",
            "do=5.links.1.2",
            "do=5.turn.1.saint",
            "do=9.heal,5.heal",
            "h=xyz",
            "what=1",
            "n",
        ] {
            assert!(Setup::parse(text).is_err(), "{text}");
        }
    }
}
