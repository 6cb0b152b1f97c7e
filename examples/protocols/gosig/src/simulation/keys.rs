//! The committees and keys of simulated runs.

use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate_protocol::simulation::GENESIS;
use quorate_protocol::testing::{committee, secret};

use crate::{Anchor, Committees, GosigScheme};

/// The committees and keys of a run. Runs share them, because making BLS keys takes longer than a run.
pub struct SimulationKeys<S: GosigScheme> {
    /// The members with both of their keys.
    pub committees: Committees<S>,
}

impl<S: GosigScheme> SimulationKeys<S> {
    /// Creates the committees and keys of `n` members of weight one, the same in every run.
    pub fn new(n: usize) -> Arc<Self> {
        let (voters, identities) = (committee("simulation", n as u16), committee("simulation", n as u16));
        Arc::new(Self { committees: Committees { voters, identities } })
    }

    /// Returns a member's voting key.
    pub fn voting_key(&self, member: u16) -> S::SecretKey {
        secret::<S>(member)
    }

    /// Returns a member's identity key.
    pub fn identity_key(&self, member: u16) -> <Ed25519 as Scheme>::SecretKey {
        secret::<Ed25519>(member)
    }

    /// Returns the anchor of the chain.
    pub fn anchor(&self) -> Anchor {
        Anchor::genesis(&self.committees, &GENESIS, b"simulation")
    }
}
