//! A member's state, and how it is restored.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, VoteCollector};
use quorate::committee::ChainId;
use quorate::guard::Guard;
use quorate::machine::{MemberIndex, Step, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::{Error, Result};

use super::block::{Block, BlockContext, CertifiedBlock, TRANSACTIONS};
use super::interface::{Config, RECENT};
use super::message::{Limits, Record};
use super::running::Running;
use crate::epoch::Transaction;
use crate::random::SeededRandom;
use crate::signatures::ThresholdScheme;

/// A member of the chain. See the [module](super).
pub struct Chain<S: ThresholdScheme, V: Scheme> {
    pub(super) config: Config<S, V>,
    pub(super) limits: Limits<V>,
    pub(super) max_batch: usize,
    pub(super) guard: Guard<V>,
    pub(super) random: SeededRandom,
    pub(super) tip: Tip,
    /// The identifiers of the transactions of the last blocks.
    pub(super) recent: VecDeque<BTreeSet<Hash>>,
    /// Transactions that are in no running proposal of this member, oldest first.
    pub(super) pending: VecDeque<Transaction>,
    /// The identifiers of these, and of those in running proposals.
    pub(super) known: BTreeSet<Hash>,
    pub(super) running: BTreeMap<u64, Running<S>>,
    /// The block above the tip that this member's epoch decided and that it signed.
    pub(super) candidate: Option<(Hash, Block)>,
    pub(super) votes: BTreeMap<u64, VoteCollector<V>>,
    /// Certificates of blocks that this member has not decided.
    pub(super) certified: BTreeMap<u64, Certificate<V>>,
    /// Certified blocks above the next one, which arrived before it.
    pub(super) waiting: BTreeMap<u64, Arc<CertifiedBlock<V>>>,
    /// The highest height above the window in the messages of each member.
    pub(super) ahead: BTreeMap<MemberIndex, u64>,
    pub(super) suspects: Suspects,
    /// When each member was last answered, and from which height on.
    pub(super) answered: BTreeMap<MemberIndex, (Time, u64)>,
    /// The height for which this member asked last.
    pub(super) asked: u64,
    pub(super) is_timer_set: bool,
}

/// The last certified block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tip {
    pub(super) height: u64,
    pub(super) digest: Hash,
}

/// A step of the machine.
pub(super) type ChainStep<S, V> = Step<Chain<S, V>>;

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    /// Creates a member from its durable records in the order in which they were written, or a new one without records.
    /// `voting` signs blocks on `chain`.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for keys or records of another member, committee or chain; [`Error::Contradiction`] if the
    /// records show that the key has signed twice.
    pub fn restore(
        config: Config<S, V>,
        voting: V::SecretKey,
        chain: ChainId,
        records: Vec<Record<S, V>>,
    ) -> Result<Self> {
        let me = S::member(&config.secrets.agreed);
        let is_member = config.voters.position(&V::public_key(&voting)) == Some(me);
        if !is_member || config.voters.len() != config.setup.members() {
            return Err(Error::WrongContext { what: "member or committee of the voting key" });
        }
        let votes = records.iter().filter_map(|record| match record {
            Record::Vote(record) => Some(*record),
            _ => None,
        });
        let guard = Guard::restore(voting, chain, votes)?;
        let probe = Running::new(&config, 0)?;
        let max_batch = probe.epoch().max_batch();
        let members = usize::from(config.setup.members());
        let limits = Limits {
            epoch: probe.epoch().limits(),
            block: BlockContext {
                committee: config.voters.clone(),
                max_bytes: max_batch.saturating_mul(members),
            },
        };
        let mut chain = Self {
            random: SeededRandom::new(*config.seed),
            config,
            limits,
            max_batch,
            guard,
            tip: Tip::default(),
            recent: VecDeque::new(),
            pending: VecDeque::new(),
            known: BTreeSet::new(),
            running: BTreeMap::new(),
            candidate: None,
            votes: BTreeMap::new(),
            certified: BTreeMap::new(),
            waiting: BTreeMap::new(),
            ahead: BTreeMap::new(),
            suspects: Suspects::new(),
            answered: BTreeMap::new(),
            asked: 0,
            is_timer_set: false,
        };
        for record in &records {
            if let Record::Block(certified) = record {
                chain.append(&certified.block);
            }
        }
        for record in records {
            chain.replay(record)?;
        }
        Ok(chain)
    }

    /// Returns the height of the last certified block.
    pub fn height(&self) -> u64 {
        self.tip.height
    }

    /// Returns the number of transactions that were submitted here and are not committed.
    pub fn pending(&self) -> usize {
        self.known.len()
    }

    /// Returns the bounds for decoders of messages and records.
    pub fn limits(&self) -> &Limits<V> {
        &self.limits
    }

    /// Handles an input of an epoch after it was recorded.
    fn replay(&mut self, record: Record<S, V>) -> Result<()> {
        match record {
            Record::Input { height, from, message } if height > self.tip.height => {
                let members = self.config.setup.members();
                let running = self.running_at(height)?;
                running.admit(from, &message, members);
                running.message(Time(0), from, message);
            }
            Record::Proposal { height, batch } if height > self.tip.height => {
                let members = self.config.setup.members();
                self.known.extend(batch.transactions().iter().map(|one| TRANSACTIONS.leaf(one)));
                self.running_at(height)?.propose(Time(0), &batch, members);
            }
            // Those of a certified block, which is restored from its own record.
            Record::Input { .. } | Record::Proposal { .. } | Record::Vote(_) | Record::Block(_) => {}
        }
        Ok(())
    }

    /// The epoch of a height, which starts if it does not run.
    pub(super) fn running_at(&mut self, height: u64) -> Result<&mut Running<S>> {
        match self.running.entry(height) {
            Entry::Occupied(running) => Ok(running.into_mut()),
            Entry::Vacant(vacant) => {
                let mut running = Running::new(&self.config, height)?;
                // An epoch sends nothing before its first message or proposal.
                let _ = running.start(Time(0));
                Ok(vacant.insert(running))
            }
        }
    }

    /// Makes a certified block the tip.
    pub(super) fn append(&mut self, block: &Block) {
        self.tip = Tip { height: block.height, digest: block.digest() };
        let ids: BTreeSet<Hash> = block.transactions.iter().map(|one| TRANSACTIONS.leaf(one)).collect();
        let next = block.height.saturating_add(1);
        let running = self.running.split_off(&next);
        let ended = std::mem::replace(&mut self.running, running).into_values();
        // What this member proposed in vain is proposed again, before newer transactions.
        for transaction in ended.filter_map(|running| running.proposed).flatten() {
            self.pending.push_front(transaction);
        }
        if ids.iter().filter(|id| self.known.remove(*id)).count() > 0 {
            let known = &self.known;
            self.pending.retain(|transaction| known.contains(&TRANSACTIONS.leaf(transaction)));
        }
        self.recent.push_back(ids);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        self.votes = self.votes.split_off(&next);
        self.certified = self.certified.split_off(&next);
        self.waiting = self.waiting.split_off(&next);
        self.ahead.retain(|_, height| *height >= next);
        self.candidate = None;
    }
}

impl<S: ThresholdScheme, V: Scheme> fmt::Debug for Chain<S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chain(height {}, {} pending)", self.height(), self.pending())
    }
}
