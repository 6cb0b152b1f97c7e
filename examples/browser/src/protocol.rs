//! Consensus protocols and Byzantine behaviours, by name.

use core::ops::RangeInclusive;
use core::time::Duration;

use quorate_simulator::Behaviour;

/// Names of the protocol-independent Byzantine behaviours; for the others see [`Protocol::adversaries`].
pub const GENERIC_BEHAVIOURS: &[&str] =
    &["silent", "delayer", "garbage", "replayer", "mutator", "selective", "twins"];

/// Consensus protocol of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Chained blocks with leaders, views and certificates.
    #[default]
    Jolteon,
    /// Rounds with proposers chosen by lottery, and gossiped aggregates.
    Gosig,
    /// Epochs of asynchronous agreement, without timeouts.
    Abft,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Self; 3] = [Self::Jolteon, Self::Gosig, Self::Abft];

    /// Returns the name used in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jolteon => "jolteon",
            Self::Gosig => "gosig",
            Self::Abft => "abft",
        }
    }

    /// Returns the permitted number of members. An epoch of ABFT has more than 4·n³ messages.
    pub fn members(self) -> RangeInclusive<usize> {
        match self {
            Self::Jolteon | Self::Gosig => 4..=40,
            Self::Abft => 4..=13,
        }
    }

    /// Returns the names of the protocol-specific Byzantine behaviours.
    pub fn adversaries(self) -> &'static [&'static str] {
        match self {
            Self::Jolteon => quorate_jolteon::simulation::ADVERSARIES,
            Self::Gosig => quorate_gosig::simulation::ADVERSARIES,
            Self::Abft => quorate_abft::simulation::ADVERSARIES,
        }
    }

    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| format!("unknown protocol {name:?}; expected jolteon, gosig or abft"))
    }
}

/// Returns the behaviour of this name.
///
/// # Errors
/// If the name is unknown for the protocol.
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
        other => return Err(format!("unknown behaviour {other:?} for {}", protocol.name())),
    })
}

/// Returns the name of a behaviour.
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
