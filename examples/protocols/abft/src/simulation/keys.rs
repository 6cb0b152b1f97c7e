//! Keys for simulated committees.

use std::sync::Arc;

use quorate::committee::{Committee, CommitteeId};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::threshold::{Threshold, Tolerance};
use quorate_protocol::testing::{committee, secret};

use crate::epoch::Encryption;
use crate::random::SeededRandom;
use crate::signatures::ThresholdScheme;
use crate::{Secrets, Setup};

/// Maximum length of a proposal in bytes.
const MAX_PROPOSAL: usize = 1 << 16;

/// Keys shared by all runs with one committee, because dealing them takes longer than a run.
pub struct SimulationKeys<S: ThresholdScheme, V: Scheme> {
    /// The members that sign blocks.
    pub voters: Arc<Committee<V>>,
    /// The public parameters and keys of the epochs.
    pub setup: Arc<Setup<S>>,
    pub(super) secrets: Vec<Arc<Secrets<S>>>,
    pub(super) encryption: Vec<Encryption>,
}

impl<S: ThresholdScheme, V: Scheme> SimulationKeys<S, V> {
    /// Deals the keys of `n` members, identical in every run.
    ///
    /// # Panics
    /// Panics without members.
    pub fn new(n: usize) -> Arc<Self> {
        let n = n as u16;
        let faulty = n.saturating_sub(1) / 3;
        let mut rng = SeededRandom::new([n as u8; 32]);
        let id = CommitteeId([7; 32]);
        let tolerance = Tolerance::new(n, faulty).expect("a third of the members");
        let (setup, secrets) = Setup::deal(id, tolerance, MAX_PROPOSAL, &mut rng).expect("a small committee");
        let threshold = Threshold::new(faulty + 1, n).expect("a third of the members");
        let (public, shares) = PublicKeys::deal(id, threshold, &mut rng).expect("a small committee");
        let (key, public) = (Arc::new(EncryptionKey::from_public_keys(&public)), Arc::new(public));
        let encryption =
            |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
        Arc::new(Self {
            voters: committee("simulation", n),
            setup: Arc::new(setup),
            secrets: secrets.into_iter().map(Arc::new).collect(),
            encryption: shares.into_iter().map(encryption).collect(),
        })
    }

    /// Returns the key with which a member signs blocks.
    pub fn voting_key(&self, member: MemberIndex) -> V::SecretKey {
        secret::<V>(member)
    }
}
