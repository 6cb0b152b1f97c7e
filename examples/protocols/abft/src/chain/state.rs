//! A member's state, and how it is restored.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, VoteCollector};
use quorate::guard::{Guard, GuardRecord};
use quorate::machine::{MemberIndex, Step, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_protocol::Executed;
use quorate_protocol::batch::{Batch, TRANSACTIONS};
use quorate_protocol::execution::Execution;
use quorate_protocol::pruned_peers::PrunedPeers;
use zeroize::Zeroizing;

use super::block::{Block, BlockDigest, CertifiedBlock, Finality, STATE_LAG};
use super::interface::{Config, Delivery, RECENT, Status};
use super::message::{Limits, Record};
use super::pending::Pending;
use super::running::Running;
use crate::epoch::{self, Epoch};
use crate::random::SeededRandom;
use crate::setup::Context;
use crate::signatures::ThresholdScheme;

/// A member of the chain. See the [module](super).
pub struct Chain<S: ThresholdScheme, V: Scheme> {
    pub(super) config: Config<S, V>,
    pub(super) me: MemberIndex,
    pub(super) limits: Limits<V>,
    pub(super) max_batch: usize,
    pub(super) guard: Guard<V>,
    pub(super) seed: Zeroizing<[u8; 32]>,
    /// Whether the seed is durable once the next step is.
    pub(super) is_seed_recorded: bool,
    pub(super) random: SeededRandom,
    pub(super) tip: Tip,
    /// Height of the last block with transactions.
    pub(super) last_filled: u64,
    pub(super) execution: Execution,
    pub(super) recent: RecentTransactions,
    pub(super) pending: Pending,
    pub(super) next_sequence: u64,
    pub(super) is_congested: bool,
    pub(super) running: BTreeMap<u64, Running<S>>,
    /// Heights of epochs that started since the last step, and are signed with presignatures.
    pub(super) newly_presigned: Vec<u64>,
    /// The block above the tip that this member's epoch decided and that it signed, with its batches.
    pub(super) candidate: Option<(BlockDigest, Arc<Block>, Vec<Arc<Batch>>)>,
    /// Whether a quorum certified another block at the height of the candidate.
    pub(super) is_refuted: bool,
    pub(super) votes: BTreeMap<u64, VoteCollector<V>>,
    /// Certificates of blocks that this member has not decided.
    pub(super) certified: BTreeMap<u64, Certificate<V>>,
    /// Certified blocks above the tip that other members sent.
    pub(super) fetched: BTreeMap<u64, Fetched<V>>,
    /// The highest height of each member that is above the tip, as far as its messages show.
    pub(super) ahead: BTreeMap<MemberIndex, u64>,
    pub(super) suspects: Suspects,
    /// The answers to each member in the current interval.
    pub(super) answered: BTreeMap<MemberIndex, Answers>,
    /// The height for which this member asked last.
    pub(super) asked: u64,
    /// The members that have no block which this one lacks, since it asked.
    pub(super) not_ahead: BTreeSet<MemberIndex>,
    /// The height of the tip when the timer was set; `None` without a timer.
    pub(super) timer_set_at: Option<u64>,
    /// Number of last blocks that had no transactions, and named no state that was not named before.
    pub(super) useless: u32,
    /// Height up to which this member takes part in epochs of others that are useless so far.
    pub(super) joins_up_to: u64,
    pub(super) is_join_timer_set: bool,
    /// Committed blocks that a restarted member delivers again.
    pub(super) undelivered: Vec<Delivery<V>>,
    /// Recorded batches that were settled before the restart.
    pub(super) obsolete: Vec<Hash>,
    pub(super) pruned: PrunedPeers,
}

/// The last certified block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tip {
    pub(super) height: u64,
    pub(super) digest: BlockDigest,
}

/// A certified block whose batches arrive.
pub(super) struct Fetched<V: Scheme> {
    /// The member that sent the block.
    pub(super) from: MemberIndex,
    pub(super) certified: CertifiedBlock<V>,
    pub(super) batches: Vec<Option<Arc<Batch>>>,
}

/// The identifiers of the transactions of the last blocks.
#[derive(Debug, Default)]
pub(super) struct RecentTransactions {
    blocks: VecDeque<Vec<Hash>>,
    ids: HashSet<Hash>,
}

/// Answers to a member since a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    pub(super) since: Time,
    pub(super) number: usize,
    /// The height from which on the last one was.
    pub(super) from: u64,
}

/// A step of the machine.
pub(super) type ChainStep<S, V> = Step<Chain<S, V>>;

impl<S: ThresholdScheme, V: Scheme> Chain<S, V> {
    /// Creates a member from its durable records, or a new one without records. Records of epochs must be in the order in
    /// which they were written; the others may be in any order. `voting` signs blocks.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for keys or records of another member, committee or chain, or if records are missing;
    /// [`Error::Contradiction`] if the records show that the key has signed twice; decoding errors of recorded messages.
    pub fn restore(mut config: Config<S, V>, voting: V::SecretKey, records: Vec<Record<V>>) -> Result<Self> {
        let me = S::member(&config.secrets.agreed);
        let is_member = config.voters.position(&V::public_key(&voting)) == Some(me);
        if !is_member || config.voters.len() != config.setup.members() {
            return Err(Error::WrongContext { what: "member or committee of the voting key" });
        }
        let (recorded, epochs) = Recorded::sort(records);
        let guard = Guard::restore(voting, config.chain, recorded.votes.iter().copied())?;
        let is_seed_recorded = recorded.seed.is_some();
        // Records that a crash left without the seed were never followed by a message.
        let epochs = if is_seed_recorded { epochs } else { Vec::new() };
        let seed = recorded.seed.clone().unwrap_or_else(|| std::mem::take(&mut config.entropy));
        let probe = new_epoch(&config, &seed, 0)?;
        let (max_batch, epoch) = (probe.epoch().max_batch(), probe.epoch().limits());
        let mut recent = RecentTransactions::default();
        let mut last_filled = 0;
        for (height, ids) in &config.recent_transactions {
            last_filled = if ids.is_empty() { last_filled } else { *height };
            recent.push(ids.clone());
        }
        let mut chain = Self {
            limits: Limits { epoch, voters: config.voters.clone() },
            execution: Execution::new(config.executed, &config.recent_states),
            next_sequence: config.first_sequence,
            tip: recorded.tip(config.executed.height)?,
            random: SeededRandom::new(*seed),
            me,
            last_filled,
            config,
            max_batch,
            guard,
            seed,
            is_seed_recorded,
            recent,
            pending: Pending::default(),
            is_congested: false,
            running: BTreeMap::new(),
            newly_presigned: Vec::new(),
            candidate: None,
            is_refuted: false,
            votes: BTreeMap::new(),
            certified: BTreeMap::new(),
            fetched: BTreeMap::new(),
            ahead: BTreeMap::new(),
            suspects: Suspects::new(),
            answered: BTreeMap::new(),
            asked: 0,
            not_ahead: BTreeSet::new(),
            timer_set_at: None,
            useless: 0,
            joins_up_to: 0,
            is_join_timer_set: false,
            undelivered: Vec::new(),
            obsolete: Vec::new(),
            pruned: PrunedPeers::default(),
        };
        while let Some(delivery) = recorded.delivery(chain.tip.height + 1)? {
            chain.append(&delivery);
            chain.undelivered.push(delivery);
        }
        chain.restore_batches(recorded);
        let presigned = presigned_heights(&epochs);
        epochs.into_iter().try_for_each(|record| chain.replay(record, &presigned))?;
        Ok(chain)
    }

    /// Returns the member's state.
    pub fn status(&self) -> Status {
        let committed = self.tip.height;
        let running = self.running.last_key_value().map_or(committed, |(height, _)| *height);
        let presigned_epochs = S::epochs_left(&self.config.secrets.agreed);
        let pruned_history = self.pruned.history(committed + 1).filter(|_| !self.ahead.is_empty());
        Status { committed, running, catching_up: self.is_behind(), presigned_epochs, pruned_history }
    }

    /// Returns the epoch of a height, if it runs.
    pub fn epoch(&self, height: u64) -> Option<&Epoch<S>> {
        self.running.get(&height).map(Running::epoch)
    }

    /// Returns the number of transactions that were submitted here and are not committed.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Returns a sequence number above those of all batches that were submitted here.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Returns the bounds for the decoder of messages.
    pub fn limits(&self) -> &Limits<V> {
        &self.limits
    }

    /// Returns true if more members than can be faulty are ahead.
    pub(super) fn is_behind(&self) -> bool {
        self.ahead.len() > usize::from(self.config.setup.tolerance.faulty())
    }

    /// Takes the recorded batches of this member's clients that are not settled. The others have no use: those that were settled
    /// before the restart, and those of blocks that were not recorded.
    fn restore_batches(&mut self, recorded: Recorded<V>) {
        let in_blocks: HashSet<Hash> = recorded
            .blocks
            .values()
            .flat_map(|block| &block.payload)
            .map(|header| header.digest().0)
            .collect();
        let mut own: Vec<Arc<Batch>> = recorded.batches.into_values().collect();
        own.sort_by_key(|batch| batch.sequence());
        for batch in own {
            let digest = batch.digest().0;
            if in_blocks.contains(&digest) {
                continue;
            }
            let is_own = batch.author() == self.me && batch.sequence() >= self.config.first_sequence;
            if is_own {
                self.next_sequence = self.next_sequence.max(batch.sequence() + 1);
            }
            let committed = &self.config.committed;
            let is_committed = |id: &Hash| committed.contains(id) || self.recent.contains(id);
            if !is_own || self.pending.add(batch, is_committed) {
                self.obsolete.push(digest);
            }
        }
    }

    /// Handles an input of an epoch after it was recorded.
    fn replay(&mut self, record: Record<V>, presigned: &BTreeSet<u64>) -> Result<()> {
        match record {
            Record::Input { height, from, message } if height > self.tip.height => {
                let decoded = epoch::Message::decode(&message, &self.limits.epoch)?;
                let running = self.replayed(height, presigned)?;
                running.admit(from, &message, decoded.shard_len() > 0);
                running.message(Time(0), from, decoded);
            }
            Record::Proposal { height, batch } if height > self.tip.height => {
                let ids: Vec<Hash> = batch.transactions().iter().map(|one| TRANSACTIONS.leaf(one)).collect();
                let proposed = self.pending.take(&ids);
                let running = self.replayed(height, presigned)?;
                running.proposed = proposed;
                running.propose(Time(0), batch);
            }
            Record::FallBack { height } if height > self.tip.height => {
                S::fall_back(&self.config.secrets.agreed, height);
                self.replayed(height, presigned)?.fall_back(Time(0));
            }
            _ => {}
        }
        Ok(())
    }

    /// The epoch of a height, which starts if it does not run.
    pub(super) fn running_at(&mut self, height: u64) -> Result<&mut Running<S>> {
        if !self.running.contains_key(&height) && S::open_epoch(&self.config.secrets.agreed, height, false) {
            self.newly_presigned.push(height);
        }
        self.started(height)
    }

    /// The epoch of a height that an earlier process started. It is signed in the same way as there.
    fn replayed(&mut self, height: u64, presigned: &BTreeSet<u64>) -> Result<&mut Running<S>> {
        let starts_presigned = !self.running.contains_key(&height) && presigned.contains(&height);
        if starts_presigned {
            S::open_epoch(&self.config.secrets.agreed, height, true);
        }
        let running = self.started(height)?;
        running.may_fall_back |= starts_presigned;
        Ok(running)
    }

    fn started(&mut self, height: u64) -> Result<&mut Running<S>> {
        match self.running.entry(height) {
            Entry::Occupied(running) => Ok(running.into_mut()),
            Entry::Vacant(vacant) => {
                let mut running = new_epoch(&self.config, &self.seed, height)?;
                running.may_fall_back = self.newly_presigned.contains(&height);
                // An epoch sends nothing before its first message or proposal.
                let _ = running.start(Time(0));
                Ok(vacant.insert(running))
            }
        }
    }

    /// The state that the block at a height names; `None` before it is executed here.
    pub(super) fn stated_at(&self, height: u64) -> Option<Executed> {
        let stated = height.saturating_sub(STATE_LAG);
        self.execution.up_to(stated).filter(|state| state.height == stated)
    }

    /// Makes a certified block the tip. Returns the batches of this member's clients that it settles.
    pub(super) fn append(&mut self, delivery: &Delivery<V>) -> Vec<Arc<Batch>> {
        let block = &delivery.certified.block;
        let is_useless = block.payload.is_empty() && self.is_state_named();
        self.useless = if is_useless { self.useless.saturating_add(1) } else { 0 };
        self.tip = Tip { height: block.height, digest: block.digest() };
        if !block.payload.is_empty() {
            self.last_filled = block.height;
        }
        let next = block.height.saturating_add(1);
        let running = self.running.split_off(&next);
        let ended = std::mem::replace(&mut self.running, running).into_values();
        let mut settled = Vec::new();
        let ids: Vec<Hash> = delivery.batches.iter().flat_map(|batch| batch.ids()).copied().collect();
        ids.iter().for_each(|id| self.pending.commit(id, &mut settled));
        ended.for_each(|running| self.pending.put_back(running.proposed));
        self.recent.push(ids);
        self.votes = self.votes.split_off(&next);
        self.certified = self.certified.split_off(&next);
        self.fetched = self.fetched.split_off(&next);
        self.ahead.retain(|_, height| *height >= next);
        self.execution.prune_below(block.height.saturating_sub(2 * STATE_LAG));
        self.candidate = None;
        self.is_refuted = false;
        settled
    }
}

/// Returns the heights of the recorded epochs that are signed with presignatures.
fn presigned_heights<V: Scheme>(epochs: &[Record<V>]) -> BTreeSet<u64> {
    let heights = epochs.iter().filter_map(|record| match record {
        Record::Presigned { height } => Some(*height),
        _ => None,
    });
    heights.collect()
}

fn new_epoch<S: ThresholdScheme, V: Scheme>(
    config: &Config<S, V>,
    seed: &[u8; 32],
    height: u64,
) -> Result<Running<S>> {
    let (setup, secrets) = (config.setup.clone(), config.secrets.clone());
    Running::new(Context { setup, secrets, epoch: height }, config.encryption.clone(), seed)
}

impl RecentTransactions {
    pub(super) fn contains(&self, id: &Hash) -> bool {
        self.ids.contains(id)
    }

    /// Adds the transactions of the next block.
    fn push(&mut self, ids: Vec<Hash>) {
        self.ids.extend(&ids);
        self.blocks.push_back(ids);
        if self.blocks.len() as u64 > RECENT {
            self.blocks.pop_front().iter().flatten().for_each(|id| {
                self.ids.remove(id);
            });
        }
    }
}

/// Records by kind.
struct Recorded<V: Scheme> {
    seed: Option<Zeroizing<[u8; 32]>>,
    votes: Vec<GuardRecord>,
    blocks: HashMap<u64, Arc<Block>>,
    batches: HashMap<Hash, Arc<Batch>>,
    certificates: HashMap<u64, Arc<Finality<V>>>,
}

impl<V: Scheme> Recorded<V> {
    /// Sorts the records, and returns those of epochs in their order.
    fn sort(records: Vec<Record<V>>) -> (Self, Vec<Record<V>>) {
        let mut sorted = Self {
            seed: None,
            votes: Vec::new(),
            blocks: HashMap::new(),
            batches: HashMap::new(),
            certificates: HashMap::new(),
        };
        let mut epochs = Vec::new();
        for record in records {
            match record {
                Record::Seed(seed) => sorted.seed = Some(seed),
                Record::Vote(vote) => sorted.votes.push(vote),
                Record::Block(block) => drop(sorted.blocks.insert(block.height, block)),
                Record::Batch(batch) => drop(sorted.batches.insert(batch.digest().0, batch)),
                Record::Certificate(finality) => {
                    sorted.certificates.insert(finality.0.statement().view, finality);
                }
                // The driver gives them to the presigner.
                Record::Spent(_) => {}
                Record::Input { .. }
                | Record::Proposal { .. }
                | Record::Presigned { .. }
                | Record::FallBack { .. } => epochs.push(record),
            }
        }
        (sorted, epochs)
    }

    /// The last executed block.
    fn tip(&self, executed: u64) -> Result<Tip> {
        match self.blocks.get(&executed) {
            _ if executed == 0 => Ok(Tip::default()),
            Some(block) => Ok(Tip { height: executed, digest: block.digest() }),
            None => Err(Error::WrongContext { what: "records: the last executed block is missing" }),
        }
    }

    /// The certified block at a height; `None` above the last one.
    fn delivery(&self, height: u64) -> Result<Option<Delivery<V>>> {
        let (Some(block), Some(finality)) = (self.blocks.get(&height), self.certificates.get(&height)) else {
            return Ok(None);
        };
        if finality.0.statement().digest != block.digest().0 {
            return Err(Error::WrongContext { what: "records: certificate of another block" });
        }
        let batch = |digest: Hash| self.batches.get(&digest).cloned();
        let batches: Option<Vec<_>> = block.payload.iter().map(|header| batch(header.digest().0)).collect();
        let batches = batches
            .ok_or(Error::WrongContext { what: "records: a batch of a committed block is missing" })?;
        let certified = CertifiedBlock { block: block.clone(), finality: finality.clone() };
        Ok(Some(Delivery { certified, batches }))
    }
}

impl<S: ThresholdScheme, V: Scheme> fmt::Debug for Chain<S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chain(height {}, {} pending)", self.tip.height, self.pending())
    }
}
