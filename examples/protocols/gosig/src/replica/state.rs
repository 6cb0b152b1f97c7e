//! The state of a replica, grouped by concern, and read access to it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::ed25519::Ed25519;
use quorate::gossip::Peers;
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate::sortition::Seed;
use quorate_protocol::execution::Execution;
use quorate_protocol::signing_history::Abstention;

use super::phase::{Phase, VoteStep};
use crate::assembly::Assembly;
use crate::block::{Block, Committees, GosigScheme};
use crate::block_size::BlockSizeController;
use crate::block_sync::BlockSync;
use crate::digests::BlockDigest;
use crate::finality::{Finality, FinalizedBlock};
use crate::interface::Status;
use crate::kinds::{PREPARE, TENTATIVE};
use crate::parameters::{Parameters, Schedule};
use crate::payload::Payload;
use crate::pool::{Outbox, Pool};
use crate::proposal::Proposal;
use crate::rounds::RoundState;
use crate::safety::Safety;
use crate::sampler::PeerSampler;
use crate::uplink::Uplink;

/// The state machine of one validator. See the [crate](crate).
pub struct Replica<S: GosigScheme> {
    pub(super) identity: Identity<S>,
    pub(super) schedule: Schedule,
    pub(super) parameters: Parameters,
    pub(super) now: Time,
    pub(super) phase: Phase,
    pub(super) safety: Safety<S>,
    pub(super) chain: Chain<S>,
    pub(super) rounds: Rounds<S>,
    /// Blocks whose transactions are complete or being collected.
    pub(super) assemblies: BTreeMap<BlockDigest, Assembly>,
    pub(super) transactions: Transactions,
    pub(super) network: Network,
    pub(super) sync: BlockSync<S>,
    pub(super) timers: Timers,
    /// True if the records may lack signatures that were made before the start.
    pub(super) may_have_signed: bool,
}

/// The committees of the epoch, and this member's place and keys.
pub(super) struct Identity<S: GosigScheme> {
    pub(super) committees: Committees<S>,
    /// This member's index; `None` for an observer.
    pub(super) me: Option<MemberIndex>,
    pub(super) voting_key: S::SecretKey,
    pub(super) identity_key: <Ed25519 as Scheme>::SecretKey,
}

/// The committed chain, its delivery, and the candidates for the next block.
pub(super) struct Chain<S: GosigScheme> {
    pub(super) tip: Tip<S>,
    /// Height of the block on which the epoch begins.
    pub(super) anchor: u64,
    /// The block that the lock names.
    pub(super) locked: Option<Arc<Block<S>>>,
    pub(super) highest_prepare_qc: Option<HighestPrepareQc<S>>,
    pub(super) execution: Execution,
    pub(super) delivered: u64,
    /// Committed blocks that this run has not delivered yet. Not empty only after a restart.
    pub(super) undelivered: VecDeque<CommittedBlock<S>>,
    /// Heights and payload bytes of the blocks that were delivered and not executed.
    pub(super) unexecuted: VecDeque<(u64, usize)>,
    /// Payload of the tip as read from the records; taken at the start of the run.
    pub(super) last_payload: Option<Arc<Payload>>,
}

/// The end of the committed chain.
pub(super) struct Tip<S: GosigScheme> {
    pub(super) height: u64,
    pub(super) digest: BlockDigest,
    /// The seed after the block.
    pub(super) seed: Seed,
    /// Height of the last block with transactions, up to the tip.
    pub(super) payload_height: u64,
    /// The block and its commitment certificate; `None` where the epoch begins.
    pub(super) last: Option<FinalizedBlock<S>>,
}

/// The block for the next height with the newest known PREPARE certificate. Other members may be locked on it, and then a
/// quorum can agree on no other block.
pub(super) struct HighestPrepareQc<S: GosigScheme> {
    pub(super) block: Arc<Block<S>>,
    pub(super) certificate: Certificate<S>,
}

/// A committed block with everything that is delivered with it.
pub(super) struct CommittedBlock<S: GosigScheme> {
    pub(super) block: Arc<Block<S>>,
    pub(super) finality: Arc<Finality<S>>,
    pub(super) payload: Arc<Payload>,
}

/// The current rounds, and the results of the last ones.
pub(super) struct Rounds<S: GosigScheme> {
    /// The round of the clock.
    pub(super) clock: u64,
    /// The round in which this member proposes: that of the clock, or the next one once the clock's is decided.
    pub(super) current: u64,
    pub(super) states: BTreeMap<u64, RoundState<S>>,
    /// Proposals for the height above the next, by proposer, each with its sender. They wait for a commit.
    pub(super) early: BTreeMap<MemberIndex, (MemberIndex, Arc<Proposal<S>>)>,
    /// The last certificates that were verified.
    pub(super) verified: VecDeque<Certificate<S>>,
    /// True if there was work when the clock's round began.
    pub(super) had_work: bool,
    /// True if a block was committed in the clock's round.
    pub(super) has_committed: bool,
    /// Number of rounds in a row that had work and committed no block.
    pub(super) undecided: u32,
    /// Number of such rounds in this run.
    pub(super) timeouts: u64,
}

/// Transactions that wait to be ordered or forwarded.
pub(super) struct Transactions {
    pub(super) pool: Pool,
    pub(super) outbox: Outbox,
    pub(super) outbox_due: Option<Time>,
    pub(super) congested: bool,
    pub(super) block_size: BlockSizeController,
}

/// The other members: their availability, and the choice among them.
pub(super) struct Network {
    pub(super) peers: Peers,
    pub(super) uplink: Uplink,
    pub(super) sampler: PeerSampler,
    /// Time of the last `Welcome` to each member.
    pub(super) welcome_sent: BTreeMap<MemberIndex, Time>,
    /// Time of the last `Hello` to each member that is in another epoch.
    pub(super) hello_sent: BTreeMap<MemberIndex, Time>,
}

/// The times at which the timers fire; `None` for a timer that is not set.
#[derive(Default)]
pub(super) struct Timers {
    pub(super) stage: Option<Time>,
    pub(super) gossip: Option<Time>,
    pub(super) retry: Option<Time>,
}

impl<S: GosigScheme> Replica<S> {
    /// Committees of the epoch, which decoders need. A link can use them to decode on its own thread.
    pub fn committees(&self) -> &Committees<S> {
        &self.identity.committees
    }

    /// Returns a summary for operators and metrics.
    pub fn status(&self) -> Status {
        let best = self
            .rounds
            .states
            .get(&self.rounds.clock)
            .and_then(|state| state.best(self.chain.tip.height + 1));
        let leader = best.map(|known| known.proposal.proposer);
        Status {
            round: self.rounds.current,
            leader: leader.or(self.last_author()).unwrap_or(0),
            committed: self.chain.tip.height,
            delivered: self.chain.delivered,
            prepared: self.safety.prepared_round(),
            locked: self.safety.lock().map_or(0, |lock| lock.round()),
            timeouts: self.rounds.timeouts,
            outstanding: self.transactions.pool.outstanding(),
            pending: self.transactions.pool.len(),
            pending_bytes: self.transactions.pool.bytes(),
            proposals: self.rounds.states.values().map(|state| state.proposals().len()).sum(),
            catching_up: self.sync.is_behind(self.chain.tip.height, &self.identity.committees.voters),
            pruned_history: self.sync.pruned_history(self.chain.tip.height),
            abstention: self.abstention(),
        }
    }

    /// Returns the abstention of a member whose records may be old; `None` if it votes.
    pub(super) fn abstention(&self) -> Option<Abstention> {
        let until = self.safety.abstains_until_round();
        let recovers = matches!(self.phase, Phase::Recovering { .. });
        let abstains = self.may_have_signed && (recovers || self.rounds.clock <= until);
        let abstains = abstains && !matches!(self.phase, Phase::Observing | Phase::Succeeded);
        let until = Some(until).filter(|until| self.rounds.clock <= *until);
        abstains.then(|| Abstention { until, is_stale: self.safety.is_stale() })
    }

    /// Returns how many PREPARE and TENTATIVE signatures are known of the block that this member prepared in the clock's
    /// round, or else of the best block of that round.
    pub fn collected(&self) -> (usize, usize) {
        let prepared = self.safety.prepared().filter(|prepared| prepared.round == self.rounds.clock);
        let prepared = prepared.map(|prepared| self.committees().ballot(prepared.height, prepared.block));
        let Some(state) = self.rounds.states.get(&self.rounds.clock) else { return (0, 0) };
        let best = || state.best(self.chain.tip.height + 1).map(|known| known.ballot);
        let Some(ballot) = prepared.or_else(best) else { return (0, 0) };
        let count = |kind| state.votes.get(&(kind, ballot)).map_or(0, |gossip| gossip.signers().len());
        (count(PREPARE), count(TENTATIVE))
    }

    /// Returns the members whose proposals are known in the current round, in ascending order.
    pub fn proposers(&self) -> Vec<MemberIndex> {
        let known = self.rounds.states.get(&self.rounds.current).map_or(&[][..], |state| state.proposals());
        let mut proposers: Vec<MemberIndex> = known.iter().map(|known| known.proposal.proposer).collect();
        proposers.sort_unstable();
        proposers.dedup();
        proposers
    }

    /// Returns the author of the last committed block of this epoch.
    pub(super) fn last_author(&self) -> Option<MemberIndex> {
        self.chain.tip.last.as_ref().map(|(block, _)| block.author)
    }

    /// Returns true if this replica is not a member of the epoch.
    pub(super) fn is_observer(&self) -> bool {
        self.identity.me.is_none()
    }

    /// Returns true if another block is needed: to order pending transactions, or to state the state after the last
    /// transactions in a committed block. Clients cannot prove that state before.
    pub(super) fn wants_block(&self) -> bool {
        let payload = self.chain.tip.payload_height;
        let stated = self.chain.tip.last.as_ref().map_or(0, |(block, _)| block.executed.height);
        self.transactions.pool.len() > 0
            || (stated < payload && self.chain.execution.newest().height >= payload)
    }

    /// Returns true if there is work that needs another round.
    pub(super) fn has_work(&self) -> bool {
        let above = |state: &RoundState<S>| {
            state.proposals().iter().any(|known| known.proposal.block.height > self.chain.tip.height)
        };
        matches!(self.phase, Phase::Recovering { .. } | Phase::Voting(_))
            && (self.wants_block()
                || self.safety.lock().is_some()
                || !self.rounds.early.is_empty()
                || self.rounds.states.range(self.rounds.clock..).any(|(_, state)| above(state)))
    }

    /// Returns the step of a voting member, by the clock and by the statements that it has signed in the clock's round.
    pub(super) fn vote_step(&self) -> VoteStep {
        let round = self.rounds.clock;
        if round == 0 || self.now < self.schedule.second_stage(round) {
            VoteStep::Proposing
        } else if self.safety.prepared_round() < round {
            VoteStep::Deciding
        } else if self.safety.tentative_round() < round {
            VoteStep::Prepared
        } else {
            VoteStep::Tentative
        }
    }

    /// Returns up to `k` random members, without this one and those in `but`. Members that are backed off from are left out
    /// unless all are.
    pub(super) fn sample_peers(&mut self, k: usize, but: &[MemberIndex]) -> Vec<MemberIndex> {
        let (n, me, now) = (self.identity.committees.voters.len(), self.identity.me, self.now);
        let mut candidates: Vec<MemberIndex> =
            (0..n).filter(|member| Some(*member) != me && !but.contains(member)).collect();
        let ready: Vec<MemberIndex> = candidates
            .iter()
            .copied()
            .filter(|member| !self.network.peers.is_refused(*member, now))
            .collect();
        if !ready.is_empty() {
            candidates = ready;
        }
        self.network.sampler.sample(candidates, k)
    }
}

impl<S: GosigScheme> HighestPrepareQc<S> {
    /// Returns the round of the certificate.
    pub(super) fn round(&self) -> u64 {
        self.certificate.statement().view
    }
}

impl<S: GosigScheme> core::fmt::Debug for Replica<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Replica")
            .field("me", &self.identity.me)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
