//! Committees with dealt keys, and the transactions that their members propose.

use std::sync::Arc;

use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::threshold::{Threshold, Tolerance};
use quorate::{Error, Result};
use quorate_abft::epoch::{Command, Encryption, Epoch, Transaction};
use quorate_abft::signatures::ThresholdScheme;
use quorate_abft::{Context, Secrets, Setup};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Bytes of a transaction, as in the paper.
pub(super) const TRANSACTION: usize = 250;

/// What a committee agrees on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) members: u16,
    pub(super) faulty: u16,
    /// Number of transactions that all members propose together in an epoch.
    pub(super) batch: usize,
    pub(super) encrypted: bool,
}

/// A committee whose keys are dealt once for several epochs.
pub(super) struct Committee<S: ThresholdScheme> {
    pub(super) plan: Plan,
    setup: Arc<Setup<S>>,
    secrets: Vec<Arc<Secrets<S>>>,
    encryption: Vec<Encryption>,
}

impl Plan {
    /// Number of transactions in a proposal.
    pub(super) fn share(&self) -> usize {
        self.batch.div_ceil(usize::from(self.members))
    }

    /// Bytes of the transactions of all members.
    pub(super) fn bytes(&self) -> usize {
        self.share() * usize::from(self.members) * TRANSACTION
    }
}

impl<S: ThresholdScheme> Committee<S> {
    pub(super) fn deal(plan: Plan) -> Result<Self> {
        let Plan { members, faulty, encrypted, .. } = plan;
        let id = CommitteeId([7; 32]);
        let mut rng = StdRng::seed_from_u64(members.into());
        // Each transaction has a length before it; the rest is for the encryption.
        let max_message = 1024 + plan.share() * (TRANSACTION + 4);
        let (setup, secrets) = Setup::deal(id, Tolerance::new(members, faulty)?, max_message, &mut rng)?;
        let mut encryption = Vec::new();
        if encrypted {
            let (public, shares) = PublicKeys::deal(id, Threshold::new(faulty + 1, members)?, &mut rng)?;
            let (key, public) =
                (Arc::new(EncryptionKey::from_public_keys(&public).precomputed()), Arc::new(public));
            let of = |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
            encryption = shares.into_iter().map(of).collect();
        }
        let secrets = secrets.into_iter().map(Arc::new).collect();
        Ok(Self { plan, setup: Arc::new(setup), secrets, encryption })
    }

    /// The machine of a member for an epoch.
    pub(super) fn machine(&self, member: MemberIndex, epoch: u64) -> Result<Epoch<S>> {
        let place = usize::from(member);
        let unknown = Error::WrongContext { what: "member of the committee" };
        let secrets = self.secrets.get(place).ok_or(unknown)?.clone();
        let context = Context { setup: self.setup.clone(), secrets, epoch };
        let mut seed = [0; 32];
        StdRng::seed_from_u64(epoch << 16 | u64::from(member)).fill_bytes(&mut seed);
        Epoch::new(context, self.encryption.get(place).cloned(), seed)
    }

    /// The proposal of a member in an epoch: transactions that no other member has.
    pub(super) fn proposal(&self, member: MemberIndex, epoch: u64) -> Command {
        let mut rng = StdRng::seed_from_u64(epoch << 16 | u64::from(member));
        let mut transaction = || -> Transaction {
            let mut bytes = vec![0; TRANSACTION];
            rng.fill_bytes(&mut bytes);
            bytes
        };
        let pending = (0..self.plan.share()).map(|_| transaction()).collect();
        Command::Propose { pending, batch: self.plan.share() * usize::from(self.plan.members) }
    }
}
