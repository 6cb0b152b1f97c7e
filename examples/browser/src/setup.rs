//! Description of a run as one line of text, for the page's address:
//!
//! ```text
//! p=gosig&n=7&seed=42&latency=40&jitter=20&loss=0&byz=3.silent&do=1200000.crash.2,3000000.restart.2&t=8000000&h=5f…
//! ```
//!
//! | name | value | default |
//! |---|---|---|
//! | `p` | protocol: `jolteon`, `gosig` or `abft` | `jolteon` |
//! | `n` | number of members: 4 to 40, with ABFT 4 to 13 | 7 |
//! | `seed` | seed of all randomness | 1 |
//! | `latency`, `jitter` | minimum latency and mean additional latency of messages, in milliseconds | 40, 10 |
//! | `loss` | lost messages per thousand | 0 |
//! | `byz` | members that are Byzantine from the start: `member.behaviour`, comma-separated | none |
//! | `do` | interventions: `microseconds.action`, comma-separated, see [`action`] | none |
//! | `t` | time up to which the sender watched, in microseconds | |
//! | `h` | hash of the history up to `t`, in hexadecimal | |
//!
//! Each run has one text: [`Display`](core::fmt::Display) writes it, and [`Setup::parse`] reads it.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;

use quorate_simulator::{Behaviour, Network, Scenario, Scheduled};

use crate::number::number;

pub use crate::intervention::{action, action_name};
pub use crate::link_quality::LinkQuality;
pub use crate::protocol::{GENERIC_BEHAVIOURS, Protocol, behaviour, behaviour_name};

/// Maximum duration of a run in virtual time. A run's history stays in memory.
pub const MAX_DURATION: Duration = Duration::from_secs(600);
/// Maximum number of interventions.
pub const MAX_SCRIPT: usize = 1_000;

/// Description of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The consensus protocol.
    pub protocol: Protocol,
    /// Number of members.
    pub nodes: usize,
    /// Seed of all randomness.
    pub seed: u64,
    /// Properties of the links at the start.
    pub quality: LinkQuality,
    /// Members that are Byzantine from the start, with their behaviour.
    pub byzantine: BTreeMap<usize, Behaviour>,
    /// Interventions.
    pub script: Vec<Scheduled>,
    /// Time up to which the run was watched, and the hash of its history up to then.
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
    /// Parses a run.
    ///
    /// # Errors
    /// The invalid part, in words for the page's user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut setup = Self::default();
        let (mut until, mut hash) = (None, None);
        let fields: Vec<(&str, &str)> = text
            .split('&')
            .filter(|field| !field.is_empty())
            .map(|field| field.split_once('=').ok_or_else(|| format!("{field:?}: expected name=value")))
            .collect::<Result<_, _>>()?;
        // The number of members and the protocol determine the valid values of the other fields.
        if let Some((_, value)) = fields.iter().find(|(name, _)| *name == "p") {
            setup.protocol = Protocol::parse(value)?;
        }
        if let Some((_, value)) = fields.iter().find(|(name, _)| *name == "n") {
            setup.nodes = number(value)?;
            let members = setup.protocol.members();
            if !members.contains(&setup.nodes) {
                let (least, most) = (members.start(), members.end());
                return Err(format!("expected {least} to {most} validators, got {value}"));
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
                "t" => until = Some(Duration::from_micros(number(value)?).min(MAX_DURATION)),
                "h" => {
                    hash = Some(
                        u64::from_str_radix(value, 16)
                            .map_err(|_| format!("h: expected a hexadecimal hash, got {value:?}"))?,
                    )
                }
                _ => return Err(format!("unknown field {name:?}")),
            }
        }
        setup.quality = setup.quality.check()?;
        setup.seen = until.zip(hash);
        Ok(setup)
    }

    /// Returns the scenario, without the interventions.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = Scenario::new("browser", self.nodes, self.seed)
            .lasting(MAX_DURATION)
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

fn byzantine(text: &str, setup: &Setup) -> Result<BTreeMap<usize, Behaviour>, String> {
    let mut all = BTreeMap::new();
    for item in text.split(',') {
        let (node, name) =
            item.split_once('.').ok_or_else(|| format!("byz: expected validator.behaviour, got {item:?}"))?;
        let node: usize = number(node)?;
        if node >= setup.nodes || all.insert(node, behaviour(name, setup.protocol)?).is_some() {
            return Err(format!("byz: validator {node} is out of range or repeated"));
        }
    }
    Ok(all)
}

fn script(text: &str, setup: &Setup) -> Result<Vec<Scheduled>, String> {
    let mut all = Vec::new();
    for item in text.split(',') {
        if all.len() == MAX_SCRIPT {
            return Err(format!("too many interventions: at most {MAX_SCRIPT} are allowed"));
        }
        let (at, what) =
            item.split_once('.').ok_or_else(|| format!("do: expected microseconds.action, got {item:?}"))?;
        let at = Duration::from_micros(number(at)?);
        if all.last().is_some_and(|last: &Scheduled| last.at > at) {
            return Err("do: interventions must be ordered by time".to_owned());
        }
        all.push(Scheduled { at, fault: action(what, setup.protocol, setup.nodes)? });
    }
    Ok(all)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_written_run_is_parsed_again() {
        let all = "n=7&seed=18446744073709551615&latency=40&jitter=20&loss=5&byz=3.equivocator,4.twins&do=0.crash.2,\
                   10.crash.2.persist,20.restart.2,30.split.0-1-6,40.heal,50.links.100.20.5,60.slow.1.700,\
                   70.recover.1,70.turn.5.forger&t=8000000&h=00000000deadbeef";
        assert_eq!(Setup::parse(all).unwrap().to_string(), all);
        let gosig = "p=gosig&n=4&seed=1&latency=40&jitter=10&loss=0";
        assert_eq!(Setup::parse(gosig).unwrap().to_string(), gosig);
        let slow = "p=abft&n=7&seed=1&latency=40&jitter=10&loss=0&do=0.slow.4.2000,0.slow.5.2000";
        assert_eq!(Setup::parse(slow).unwrap().to_string(), slow);
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
    fn invalid_runs_are_refused() {
        for text in [
            "p=raft",
            "p=gosig&byz=1.outdated",
            "p=abft&byz=1.forger",
            "p=abft&n=14",
            "p=abft&do=5.rollback.1.2",
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
