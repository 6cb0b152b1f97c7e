//! Keys for simulated committees.

use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate_protocol::testing::{committee, secret};

use crate::Committees;

/// Keys shared by all runs with one committee, because generating BLS keys takes longer than a run.
pub struct SimulationKeys<S: Scheme> {
    /// The members with both of their keys.
    pub committees: Committees<S>,
}

impl<S: Scheme> SimulationKeys<S> {
    /// Creates `n` members of weight one, identical in every run.
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
}
