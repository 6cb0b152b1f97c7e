//! A light client's configuration of a chain: genesis, forks and preset.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::beacon;
use crate::exit::Failure;
use crate::ssz::{self, BeaconBlockHeader, ForkData, SigningData};
use crate::text;

const DOMAIN_SYNC_COMMITTEE: [u8; 4] = [7, 0, 0, 0];
const MAINNET: &str = include_str!("../networks/mainnet.json");

/// The configuration of a chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Network {
    pub name: String,
    pub preset: Preset,
    #[serde(with = "text::number")]
    pub genesis_time: u64,
    #[serde(with = "text::bytes")]
    pub genesis_validators_root: [u8; 32],
    /// Ascending by epoch.
    pub forks: Vec<Fork>,
}

/// A fork: a change of the protocol rules.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fork {
    pub name: ForkName,
    #[serde(with = "text::bytes")]
    pub version: [u8; 4],
    #[serde(with = "text::number")]
    pub epoch: u64,
}

/// The supported forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ForkName {
    Altair,
    Bellatrix,
    Capella,
    Deneb,
    Electra,
    Fulu,
}

/// A preset of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Preset {
    /// 512 members, periods of 8192 slots.
    Mainnet,
    /// 32 members, periods of 64 slots: for tests.
    Minimal,
}

/// Generalized indices of proven values in a state or in a block body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub finalized_root: u64,
    pub current_committee: u64,
    pub next_committee: u64,
    pub execution_payload: u64,
}

impl Preset {
    pub(crate) fn committee_size(self) -> usize {
        match self {
            Preset::Mainnet => 512,
            Preset::Minimal => 32,
        }
    }

    pub(crate) fn slots_per_epoch(self) -> u64 {
        match self {
            Preset::Mainnet => 32,
            Preset::Minimal => 8,
        }
    }

    pub(crate) fn epochs_per_period(self) -> u64 {
        match self {
            Preset::Mainnet => 256,
            Preset::Minimal => 8,
        }
    }

    fn seconds_per_slot(self) -> u64 {
        match self {
            Preset::Mainnet => 12,
            Preset::Minimal => 6,
        }
    }

    /// Returns the number of slots per committee.
    pub(crate) fn slots_per_period(self) -> u64 {
        self.slots_per_epoch() * self.epochs_per_period()
    }
}

impl Network {
    pub(crate) fn mainnet() -> Result<Self, Failure> {
        let network: Self = serde_json::from_str(MAINNET).map_err(|e| Failure::failed(e.to_string()))?;
        network.checked()
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// If the file is invalid, or its forks are not in ascending order.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let network: Self = beacon::read_one(path, "network")?;
        network.checked().map_err(|e| e.at(path.display()))
    }

    fn checked(self) -> Result<Self, Failure> {
        let ordered = |pair: &[Fork]| matches!(pair, [a, b] if a.epoch <= b.epoch && a.name < b.name);
        if self.forks.is_empty() || !self.forks.windows(2).all(ordered) {
            return Err(Failure::input("forks: expected at least one, in ascending order of epochs"));
        }
        Ok(self)
    }

    /// Returns the period of a slot. Each period has a committee.
    pub(crate) fn period(&self, slot: u64) -> u64 {
        slot / self.preset.slots_per_period()
    }

    /// Returns the fork of a slot, or none before the first fork.
    pub(crate) fn fork(&self, slot: u64) -> Option<&Fork> {
        let epoch = slot / self.preset.slots_per_epoch();
        self.forks.iter().rev().find(|fork| fork.epoch <= epoch)
    }

    /// Returns true if a slot is in this fork or a later one.
    pub(crate) fn has_reached(&self, fork: ForkName, slot: u64) -> bool {
        self.fork(slot).is_some_and(|found| found.name >= fork)
    }

    /// Returns the generalized indices of a slot. Electra's larger state moved them down one level.
    pub(crate) fn places(&self, slot: u64) -> Places {
        if self.has_reached(ForkName::Electra, slot) {
            Places { finalized_root: 169, current_committee: 86, next_committee: 87, execution_payload: 25 }
        } else {
            Places { finalized_root: 105, current_committee: 54, next_committee: 55, execution_payload: 25 }
        }
    }

    /// Returns the message that the members of a sync committee sign in `signature_slot`: the block of the previous
    /// slot, under that slot's fork.
    pub(crate) fn signing_root(&self, header: &BeaconBlockHeader, signature_slot: u64) -> Option<[u8; 32]> {
        let fork = self.fork(signature_slot.saturating_sub(1))?;
        let fork_data =
            ForkData { current_version: fork.version, genesis_validators_root: self.genesis_validators_root };
        let mut domain = ssz::root(&fork_data);
        domain.copy_within(..28, 4);
        domain[..4].copy_from_slice(&DOMAIN_SYNC_COMMITTEE);
        Some(ssz::root(&SigningData { object_root: ssz::root(header), domain }))
    }

    /// Returns the slot at a time in seconds since 1970.
    pub(crate) fn slot_at(&self, time: u64) -> u64 {
        time.saturating_sub(self.genesis_time) / self.preset.seconds_per_slot()
    }
}
