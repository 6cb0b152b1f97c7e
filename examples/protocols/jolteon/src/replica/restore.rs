use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, TimeoutCertificate};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::guard::GuardRecord;
use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::{Error, Result};
use quorate_protocol::execution::Execution;
use quorate_protocol::rate_limit::PeerRateLimiter;

use super::phase::Participation;
use super::{Replica, ReplicaStep};
use crate::batch::Batch;
use crate::block::{Block, Committees, Executed};
use crate::chain_state::ChainState;
use crate::finality::{Finality, FinalizedBlock};
use crate::ids::BlockDigest;
use crate::interface::SigningHistory;
use crate::mempool::Mempool;
use crate::message::Timeout;
use crate::pacemaker::Pacemaker;
use crate::parameters::Parameters;
use crate::record::{Committed, Record};
use crate::safety::{Safety, VotingKey};
use crate::sync::Synchronizer;
use crate::tree::{Root, Tree};

/// Configuration of a replica.
pub struct Config<S: Scheme> {
    /// The members with their voting keys.
    pub voters: Arc<Committee<S>>,
    /// The same members in the same order with their identity keys. Chain and epoch equal those of `voters`.
    pub identities: Arc<Committee<Ed25519>>,
    /// Index of this member.
    pub me: MemberIndex,
    /// Voting key of this member.
    pub voting_key: VotingKey<S>,
    /// Identity key of this member.
    pub identity_key: <Ed25519 as Scheme>::SecretKey,
    /// The application's state before block 1.
    pub genesis_root: Hash,
    /// The last durably executed state; delivery continues after it. At the genesis: height 0 and `genesis_root`.
    pub executed: Executed,
    /// Older states that the application still knows, ideally of the last 512 heights. Other members may name them in
    /// their blocks, and this member votes only for states that it knows.
    pub recent_states: Vec<Executed>,
    /// Lowest number of the next batch; must be higher than any number that this identity used before. Use 1 for a new
    /// identity, and seconds since 1970 × 2¹⁶ at every later start: the records may be old.
    pub first_sequence: u64,
    /// What is known about the signatures of the keys. [`SigningHistory::Complete`] is wrong after any restart.
    pub history: SigningHistory,
    /// Timeouts and limits.
    pub parameters: Parameters,
}

/// Records by type.
struct Records<S: Scheme> {
    batches: Vec<Arc<Batch>>,
    blocks: BTreeMap<BlockDigest, Arc<Block<S>>>,
    votes: Vec<GuardRecord>,
    proposals: Vec<GuardRecord>,
    timeout: Option<Timeout<S>>,
    committed: Option<Committed<S>>,
}

impl<S: Scheme> Replica<S> {
    /// Creates a replica, restored from `records` if there are any. Everything it sent before is remembered;
    /// everything committed above [`Config::executed`] is delivered again.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] if the committees do not match; [`Error::WrongContext`] for keys of another member,
    /// records of another chain or key, or an application state ahead of the records; [`Error::Malformed`] if a block
    /// that must still be delivered is missing.
    pub fn new(config: Config<S>, records: impl IntoIterator<Item = Record<S>>) -> Result<Self> {
        let Config { me, parameters, executed, .. } = config;
        let committees = Committees { voters: config.voters, identities: config.identities };
        check_committees(&committees, me)?;
        let identity_key = Ed25519::secret_from_bytes(&*Ed25519::secret_to_bytes(&config.identity_key))?;
        let records = sort_records(records);
        let safety = Safety::restore(
            &committees,
            config.voting_key,
            config.identity_key,
            records.votes,
            records.proposals,
            config.history,
        )?;
        if !safety.belongs_to(&committees, me) {
            return Err(Error::WrongContext { what: "secret key: it does not belong to this member" });
        }

        let genesis = Executed { height: 0, state_root: config.genesis_root };
        let committed = records.committed.as_ref();
        if executed.height > committed.map_or(0, |committed| committed.height) {
            return Err(Error::WrongContext { what: "application state: it is ahead of the records" });
        }
        let root = root(&committees, genesis, committed, &records.blocks)?;
        let queue = undelivered(&records.blocks, committed, executed.height)?;
        let mut execution = Execution::new(executed, &config.recent_states);
        execution.prune_below(root.executed.height);
        let tree = restore_tree(&committees, root, &records.blocks);
        let pacemaker = restore_pacemaker(
            &committees,
            &records.blocks,
            committed,
            records.timeout,
            safety.last_timeout_view(),
        );

        let members = committees.voters.len();
        let mut replica = Self {
            me,
            identity_key,
            parameters,
            now: Time(0),
            safety,
            pacemaker,
            mempool: Mempool::new(me, members),
            repeated: PeerRateLimiter::default(),
            sync: Synchronizer::new(me, members),
            execution,
            votes: BTreeMap::new(),
            suspects: Suspects::new(),
            last_vote: None,
            candidate: None,
            proposals: BTreeMap::new(),
            orphans: BTreeMap::new(),
            verified: BTreeMap::new(),
            verified_tc: None,
            last_block_at: None,
            advance_sent_at: BTreeMap::new(),
            queue,
            delivered: executed.height,
            unexecuted: VecDeque::new(),
            next_sequence: config.first_sequence.max(1),
            participation: Participation::Full,
            timeouts: 0,
            view_timer: None,
            propose_timer: false,
            retry_timer: None,
            tree,
            committees,
        };
        replica.participation = replica.initial_participation(config.history);
        replica.restore_vote();
        replica.restore_batches(records.batches);
        Ok(replica)
    }

    /// Handles the first input of a run.
    pub(super) fn on_start(&mut self, out: &mut ReplicaStep<S>) {
        if self.committees.voters.len() == 1 {
            self.sync.close_poll();
        }
        self.start_asking();
        if let Some(high) = self.pacemaker.high().cloned() {
            self.search_for_highest(&high, None);
        }
        if let Some(timeout) = self.pacemaker.sent.clone() {
            self.count_timeout(timeout, out);
        }
        self.certify_own(out);
        self.deliver(out);
        self.announce_view(false, out);
    }

    /// Restores the last vote, if its block is known, because a timeout of its view must carry it.
    fn restore_vote(&mut self) {
        let view = self.safety.last_voted_view();
        let blocks: Vec<Arc<Block<S>>> =
            self.tree.nodes().map(|node| node.block.clone()).filter(|block| block.view == view).collect();
        self.last_vote = blocks.iter().find_map(|block| self.safety.repeat_vote(&self.committees, block));
    }

    /// Stores batches that may still be committed and resends the own ones among them; keeps batches that are
    /// committed and not delivered.
    fn restore_batches(&mut self, batches: Vec<Arc<Batch>>) {
        let chain = self.tree.root().state.inventory.clone();
        let named: Vec<_> = self
            .queue
            .iter()
            .flat_map(|(block, _)| block.payload.iter().map(|batch| batch.digest()))
            .collect();
        self.next_sequence = self.next_sequence.max(chain.author(self.me).top() + 1);
        for batch in batches {
            if batch.author() == self.me {
                self.next_sequence = self.next_sequence.max(batch.sequence() + 1);
            }
            if named.contains(&batch.digest()) {
                self.mempool.keep(batch);
                continue;
            }
            self.mempool.restore(&batch, &chain);
            if batch.author() == self.me && chain.admits(batch.header().slot) {
                let wait = self.parameters.retry * 4;
                self.mempool.own.disseminate(batch, &self.committees.identities, Time(0), wait);
            }
        }
        let blocks: Vec<_> = self.tree.nodes().map(|node| node.block.clone()).collect();
        blocks.iter().for_each(|block| self.add_payload(block, false));
    }
}

fn check_committees<S: Scheme>(committees: &Committees<S>, me: MemberIndex) -> Result<()> {
    let Committees { voters, identities } = committees;
    if voters.len() != identities.len()
        || voters.chain() != identities.chain()
        || voters.epoch() != identities.epoch()
    {
        return Err(Error::BadCommittee { rule: "voters and identities differ in size, chain or epoch" });
    }
    if (0..voters.len()).any(|m| voters.weight(m) != identities.weight(m)) {
        return Err(Error::BadCommittee { rule: "a member's weights as voter and as identity differ" });
    }
    if me >= voters.len() {
        return Err(Error::UnknownSigner { index: me.into() });
    }
    Ok(())
}

fn sort_records<S: Scheme>(records: impl IntoIterator<Item = Record<S>>) -> Records<S> {
    let mut sorted = Records {
        batches: Vec::new(),
        blocks: BTreeMap::new(),
        votes: Vec::new(),
        proposals: Vec::new(),
        timeout: None,
        committed: None,
    };
    for record in records {
        match record {
            Record::Batch(batch) => sorted.batches.push(batch),
            Record::Block(block) => drop(sorted.blocks.insert(block.digest(), block)),
            Record::VoteGuard(record) => sorted.votes.push(record),
            Record::ProposalGuard(record) => sorted.proposals.push(record),
            Record::Timeout(timeout) => {
                let newer =
                    sorted.timeout.as_ref().is_none_or(|t: &Timeout<S>| t.vote.view() <= timeout.vote.view());
                if newer {
                    sorted.timeout = Some(*timeout);
                }
            }
            Record::Committed(committed) => {
                let newer =
                    sorted.committed.as_ref().is_none_or(|c: &Committed<S>| c.height <= committed.height);
                if newer {
                    sorted.committed = Some(*committed);
                }
            }
        }
    }
    sorted
}

fn root<S: Scheme>(
    committees: &Committees<S>,
    genesis: Executed,
    committed: Option<&Committed<S>>,
    blocks: &BTreeMap<BlockDigest, Arc<Block<S>>>,
) -> Result<Root<S>> {
    let Some(committed) = committed else {
        return Ok(Root {
            digest: committees.genesis(&genesis.state_root),
            height: 0,
            view: 0,
            state: Arc::new(ChainState::new(committees.voters.len())),
            block: None,
            executed: genesis,
        });
    };
    let block = blocks.get(&committed.digest).ok_or(MISSING)?;
    Ok(Root {
        digest: committed.digest,
        height: committed.height,
        view: committed.view,
        state: Arc::new(committed.state.clone()),
        block: Some(block.clone()),
        executed: block.executed,
    })
}

const MISSING: Error = Error::Malformed { what: "records: a committed, unexecuted block is missing" };

/// Returns the committed blocks above the executed one, with their proofs.
fn undelivered<S: Scheme>(
    blocks: &BTreeMap<BlockDigest, Arc<Block<S>>>,
    committed: Option<&Committed<S>>,
    executed: u64,
) -> Result<VecDeque<FinalizedBlock<S>>> {
    let Some(committed) = committed else { return Ok(VecDeque::new()) };
    let mut path = Vec::new();
    let mut at = committed.digest;
    let mut height = committed.height;
    while height > executed {
        let block = blocks.get(&at).filter(|block| block.height == height).ok_or(MISSING)?;
        path.push(block.clone());
        at = block.parent;
        height -= 1;
    }
    path.reverse();
    let child = blocks.get(&committed.child).ok_or(MISSING)?;
    Ok(Finality::for_path(&path, child, &committed.certificate).into())
}

/// Restores the blocks above the root, parents first.
fn restore_tree<S: Scheme>(
    committees: &Committees<S>,
    root: Root<S>,
    blocks: &BTreeMap<BlockDigest, Arc<Block<S>>>,
) -> Tree<S> {
    let mut above: Vec<&Arc<Block<S>>> = blocks.values().filter(|block| block.height > root.height).collect();
    above.sort_by_key(|block| (block.height, block.view));
    let mut tree = Tree::new(root);
    for block in above {
        if tree.insert(committees, block.clone(), true)
            && let (Some(parent), Some(qc)) = (tree.get_mut(&block.parent), &block.justify)
        {
            parent.certificate = Some(qc.clone());
        }
    }
    tree
}

/// Restores the pacemaker in the view that the records prove.
///
/// Every recorded block counts, even without its parent: a vote for it relied on its certificates, which were
/// verified before the block was recorded. A member that ignored them could time out a later view without naming the
/// certificate of a block that it helped to commit.
fn restore_pacemaker<S: Scheme>(
    committees: &Committees<S>,
    blocks: &BTreeMap<BlockDigest, Arc<Block<S>>>,
    committed: Option<&Committed<S>>,
    timeout: Option<Timeout<S>>,
    gave_up: u64,
) -> Pacemaker<S> {
    let mut high: Option<Certificate<S>> = committed.map(|committed| committed.certificate.clone());
    let mut tc: Option<TimeoutCertificate<S>> = None;
    let certificates = blocks.values().map(|block| (&block.justify, &block.tc));
    for (a, b) in certificates.chain(timeout.iter().map(|timeout| (&timeout.high, &timeout.tc))) {
        let view = |qc: &Option<Certificate<S>>| qc.as_ref().map_or(0, |qc| qc.statement().view);
        if view(a) > view(&high) {
            high = a.clone();
        }
        if b.as_ref().map_or(0, TimeoutCertificate::view) > tc.as_ref().map_or(0, TimeoutCertificate::view) {
            tc = b.clone();
        }
    }
    // A timeout without its guard record never left, and the guard would still vote in its view.
    Pacemaker::new(committees, high, tc, timeout.filter(|timeout| timeout.vote.view() == gave_up))
}
