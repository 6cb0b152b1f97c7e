//! Committees with dealt keys, and the transactions that their members propose.

use std::collections::HashSet;
use std::sync::Arc;

use quorate::committee::{ChainId, Committee as Voters, CommitteeId};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::threshold::{Threshold, Tolerance};
use quorate::{Error, Result};
use quorate_abft::chain::{self, Chain};
use quorate_abft::epoch::{Command, Encryption, Epoch, Transaction};
use quorate_abft::signatures::ThresholdScheme;
use quorate_abft::{Context, Secrets, Setup};
use quorate_protocol::Executed;
use quorate_protocol::testing::secret;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Bytes of a transaction, as in the paper.
pub(super) const TRANSACTION: usize = 250;

const COMMITTEE: CommitteeId = CommitteeId([7; 32]);

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
    members: Vec<Member<S>>,
}

/// The keys of a member.
struct Member<S: ThresholdScheme> {
    setup: Arc<Setup<S>>,
    secrets: Arc<Secrets<S>>,
    /// `None` if proposals are not encrypted.
    encryption: Option<Encryption>,
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

/// Deals the keys of a committee, except for those of the encryption.
pub(super) fn deal_keys<S: ThresholdScheme>(
    plan: Plan,
    rng: &mut StdRng,
) -> Result<(Setup<S>, Vec<Secrets<S>>)> {
    // Each transaction has a length before it; the rest is for the encryption.
    let max_message = 1024 + plan.share() * (TRANSACTION + 4);
    Setup::deal(COMMITTEE, Tolerance::new(plan.members, plan.faulty)?, max_message, rng)
}

impl<S: ThresholdScheme> Committee<S> {
    pub(super) fn deal(plan: Plan) -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(plan.members.into());
        let (setup, secrets) = deal_keys(plan, &mut rng)?;
        let setup = Arc::new(setup);
        Self::assemble(plan, secrets.into_iter().map(|secrets| (setup.clone(), secrets)).collect(), &mut rng)
    }

    /// Puts the members' keys together with those of the encryption, which it deals.
    pub(super) fn assemble(
        plan: Plan,
        keys: Vec<(Arc<Setup<S>>, Secrets<S>)>,
        rng: &mut StdRng,
    ) -> Result<Self> {
        let mut encryption = vec![None; keys.len()];
        if plan.encrypted {
            let threshold = Threshold::new(plan.faulty + 1, plan.members)?;
            let (public, shares) = PublicKeys::deal(COMMITTEE, threshold, rng)?;
            let key = Arc::new(EncryptionKey::from_public_keys(&public).precomputed());
            // As in the node.
            let public = Arc::new(public.precomputed());
            let of = |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
            encryption = shares.into_iter().map(of).map(Some).collect();
        }
        let member =
            |((setup, secrets), encryption)| Member { setup, secrets: Arc::new(secrets), encryption };
        Ok(Self { plan, members: keys.into_iter().zip(encryption).map(member).collect() })
    }

    /// The machine of a member for a new chain, whose blocks `voters` sign.
    pub(super) fn chain<V: Scheme>(
        &self,
        member: MemberIndex,
        voters: &Arc<Voters<V>>,
        genesis: Executed,
    ) -> Result<Chain<S, V>> {
        let keys = self.member(member)?;
        let mut entropy = [0; 32];
        StdRng::seed_from_u64(member.into()).fill_bytes(&mut entropy);
        let config = chain::Config {
            setup: keys.setup.clone(),
            secrets: keys.secrets.clone(),
            encryption: keys.encryption.clone(),
            chain: ChainId::from_name("bench"),
            voters: voters.clone(),
            executed: genesis,
            recent_states: vec![genesis],
            recent_transactions: Vec::new(),
            committed: HashSet::new(),
            first_sequence: 1,
            entropy: entropy.into(),
            parameters: chain::Parameters::default(),
        };
        Chain::restore(config, secret::<V>(member), Vec::new())
    }

    fn member(&self, member: MemberIndex) -> Result<&Member<S>> {
        self.members.get(usize::from(member)).ok_or(Error::WrongContext { what: "member of the committee" })
    }

    /// The machine of a member for an epoch.
    pub(super) fn machine(&self, member: MemberIndex, epoch: u64) -> Result<Epoch<S>> {
        let keys = self.member(member)?;
        S::open_epoch(&keys.secrets.agreed, epoch, false);
        let context = Context { setup: keys.setup.clone(), secrets: keys.secrets.clone(), epoch };
        let mut seed = [0; 32];
        StdRng::seed_from_u64(epoch << 16 | u64::from(member)).fill_bytes(&mut seed);
        Epoch::new(context, keys.encryption.clone(), seed)
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
