//! A replica from its configuration and its records.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::gossip::Peers;
use quorate::guard::GuardRecord;
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate::{Error, Result};
use quorate_protocol::execution::Execution;
use quorate_protocol::signing_history::SigningHistory;

use super::catchup::{ABSTAINED_ROUNDS, MAX_ABSTENTIONS};
use super::config::Config;
use super::effects::Effects;
use super::phase::{Phase, VoteStep};
use super::state::{Chain, CommittedBlock, Identity, Network, Replica, Rounds, Timers, Tip, Transactions};
use crate::assembly::Assembly;
use crate::block::{Block, Committees, GosigScheme};
use crate::block_size::BlockSizeController;
use crate::block_sync::BlockSync;
use crate::digests::{BlockDigest, PayloadDigest};
use crate::membership::Anchor;
use crate::payload::Payload;
use crate::pool::{Outbox, Pool};
use crate::record::{Committed, Lock, Record};
use crate::safety::Safety;
use crate::sampler::PeerSampler;
use crate::uplink::Uplink;

/// The records by type.
struct Records<S: GosigScheme> {
    payloads: BTreeMap<PayloadDigest, Arc<Payload>>,
    blocks: BTreeMap<BlockDigest, Arc<Block<S>>>,
    votes: Vec<GuardRecord>,
    proposals: Vec<GuardRecord>,
    lock: Option<Lock<S>>,
    committed: BTreeMap<u64, Committed<S>>,
}

impl<S: GosigScheme> Replica<S> {
    /// Returns a replica that continues from `records`; a new one if there are none.
    ///
    /// It restores the statements that it signed, and delivers all committed blocks above [`Config::executed`] (again).
    /// Records may be of several epochs; of other epochs than the committees', only the guard records have an effect.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] if the two committees do not match; [`Error::UnknownSigner`] if `me` is no member;
    /// [`Error::WrongContext`] if a key is not the member's, a record is of another chain or key, or the application is
    /// ahead of the records; [`Error::Malformed`] if a required block or payload is missing.
    pub fn new(config: Config<S>, records: impl IntoIterator<Item = Record<S>>) -> Result<Self> {
        let Config { me, parameters, executed, schedule, anchor, .. } = config;
        let committees = Committees { voters: config.voters, identities: config.identities };
        check_committees(&committees, me)?;
        let identity_key = Ed25519::secret_from_bytes(&*Ed25519::secret_to_bytes(&config.identity_key))?;
        let voting_key = S::secret_from_bytes(&*S::secret_to_bytes(&config.voting_key))?;
        let mut records = Records::from_iter(records);
        let has_signed = !records.votes.is_empty() || !records.proposals.is_empty();
        records.retain_epoch(committees.voters.epoch());
        let tip = find_tip(&anchor, &records)?;
        let lock = records.lock.take().filter(|lock| lock.height == tip.height + 1);
        let (mut assemblies, mut locked) = (BTreeMap::new(), None);
        if let Some(lock) = &lock {
            let (block, payload) = records.block_and_payload(&lock.block)?;
            assemblies.insert(block.digest(), Assembly::complete(lock.block, lock.height, payload));
            locked = Some(block);
        }
        let mut safety = Safety::restore(
            &committees,
            config.voting_key,
            config.identity_key,
            std::mem::take(&mut records.votes),
            std::mem::take(&mut records.proposals),
            lock,
            config.history,
        )?;
        let phase = match me {
            None => Phase::Observing,
            // The member is new, or it has lost its records. In the second case it may have learnt the chain again since.
            Some(_) if !has_signed || safety.is_stale() => {
                Phase::Recovering { rounds: 0, limit: MAX_ABSTENTIONS }
            }
            Some(_) if config.history == SigningHistory::Unconfirmed => {
                Phase::Recovering { rounds: 0, limit: ABSTAINED_ROUNDS }
            }
            Some(_) => Phase::Voting(VoteStep::Proposing),
        };
        let may_have_signed = config.history == SigningHistory::Unconfirmed || safety.is_stale();
        if me.is_some_and(|me| !safety.belongs_to(&committees, me)) {
            return Err(Error::WrongContext { what: "secret key; it is not this member's" });
        }
        if me.is_none() {
            safety.abstain(u64::MAX);
        }
        if executed.height > tip.height {
            return Err(Error::WrongContext { what: "application state; it is ahead of the records" });
        }
        let last_payload = records.block_and_payload(&tip.digest).ok().map(|(_, payload)| payload);
        let undelivered = find_undelivered(&records, executed.height.max(anchor.height), tip.height)?;
        let mut execution = Execution::new(executed, &config.recent_states);
        execution.prune_below(tip.last.as_ref().map_or(0, |(block, _)| block.executed.height));
        let mut sampler = PeerSampler::new(config.entropy);
        // The first output is skipped: drivers may use it for something else by accident.
        sampler.next_u64();

        let members = committees.voters.len();
        // An observer has no index among the members.
        let peers = Peers::new(me.unwrap_or(members), members, parameters.gossip());
        let uplink = Uplink::new(parameters.uplink_bytes_per_second, parameters.send_timeout);
        let mut replica = Self {
            identity: Identity { committees, me, voting_key, identity_key },
            schedule,
            now: Time(0),
            phase,
            safety,
            chain: Chain {
                tip,
                anchor: anchor.height,
                locked,
                highest_prepare_qc: None,
                execution,
                delivered: executed.height.max(anchor.height),
                undelivered,
                unexecuted: VecDeque::new(),
                last_payload,
            },
            rounds: Rounds {
                clock: 0,
                current: 0,
                states: BTreeMap::new(),
                early: BTreeMap::new(),
                verified: VecDeque::new(),
                had_work: false,
                has_committed: false,
                undecided: 0,
                timeouts: 0,
            },
            assemblies,
            transactions: Transactions {
                pool: Pool::new(config.committed_transactions),
                outbox: Outbox::default(),
                outbox_due: None,
                congested: false,
                block_size: BlockSizeController::new(&parameters),
            },
            network: Network {
                peers,
                uplink,
                sampler,
                welcome_sent: BTreeMap::new(),
                hello_sent: BTreeMap::new(),
            },
            sync: BlockSync::new(me, members),
            timers: Timers::default(),
            may_have_signed,
            parameters,
        };
        replica.restore_payloads(&records);
        Ok(replica)
    }

    /// Handles the first input of a run.
    pub(super) fn on_start(&mut self, out: &mut Effects<S>) {
        self.deliver_undelivered(out);
        if let Some(payload) = self.chain.last_payload.take() {
            self.end_epoch_if_changed(&payload, out);
            let (digest, height) = (self.chain.tip.digest, self.chain.tip.height);
            self.assemblies.entry(digest).or_insert_with(|| Assembly::complete(digest, height, payload));
        }
        self.report_settled(out);
        if let Phase::Recovering { .. } = self.phase {
            if self.identity.committees.voters.len() > 1 {
                // The records, and votes with them, may have been lost: poll the other members first.
                self.safety.abstain(self.chain.tip.height + 1);
                if self.may_have_signed && self.rounds.clock > 0 {
                    // The member signed by the same clock, and proposed at most one round ahead of it.
                    self.safety.abstain_in_rounds((self.rounds.clock + 1).max(self.safety.floor_round()));
                }
            } else {
                self.phase = Phase::Voting(self.vote_step());
            }
        }
    }

    /// Returns submitted payloads that are not committed to the pool, and queues their transactions for forwarding.
    fn restore_payloads(&mut self, records: &Records<S>) {
        let of_blocks: Vec<PayloadDigest> =
            records.blocks.values().map(|block| block.payload.digest()).collect();
        for block in &self.chain.undelivered {
            // Only the identifiers matter: nothing was submitted in this run.
            drop(self.transactions.pool.commit(&block.payload));
        }
        let orders = !self.is_observer();
        for (digest, payload) in records.payloads.iter().filter(|_| orders) {
            if !of_blocks.contains(digest) {
                let (new, _) = self.transactions.pool.submit(None, payload);
                for transaction in new {
                    if self.may_forward(&transaction) {
                        self.transactions.outbox.push(None, transaction);
                    }
                }
            }
        }
        if !self.transactions.outbox.is_empty() {
            self.transactions.outbox_due = Some(Time(0));
        }
    }
}

impl<S: GosigScheme> Records<S> {
    fn from_iter(records: impl IntoIterator<Item = Record<S>>) -> Self {
        let mut sorted = Self {
            payloads: BTreeMap::new(),
            blocks: BTreeMap::new(),
            votes: Vec::new(),
            proposals: Vec::new(),
            lock: None,
            committed: BTreeMap::new(),
        };
        for record in records {
            match record {
                Record::Payload(payload) => drop(sorted.payloads.insert(payload.digest(), payload)),
                Record::Block(block) => drop(sorted.blocks.insert(block.digest(), block)),
                Record::VoteGuard(record) => sorted.votes.push(record),
                Record::ProposalGuard(record) => sorted.proposals.push(record),
                Record::Lock(lock) => sorted.lock = lock.map(|lock| *lock),
                Record::Committed(committed) => {
                    sorted.committed.insert(committed.height, *committed);
                }
            }
        }
        sorted
    }

    /// Drops commits and locks of other epochs. The anchor's own block stays among the blocks.
    fn retain_epoch(&mut self, epoch: u64) {
        let is_of_epoch =
            |digest: &BlockDigest| self.blocks.get(digest).is_none_or(|block| block.epoch == epoch);
        self.committed.retain(|_, committed| is_of_epoch(&committed.digest));
        self.lock = self.lock.take().filter(|lock| lock.certificate.statement().epoch == epoch);
    }

    fn block_and_payload(&self, digest: &BlockDigest) -> Result<(Arc<Block<S>>, Arc<Payload>)> {
        let block =
            self.blocks.get(digest).ok_or(Error::Malformed { what: "records: a block is missing" })?;
        if block.payload.is_empty() {
            return Ok((block.clone(), Arc::new(Payload::empty())));
        }
        let payload = self.payloads.get(&block.payload.digest());
        let payload =
            payload.ok_or(Error::Malformed { what: "records: the payload of a block is missing" })?;
        Ok((block.clone(), payload.clone()))
    }
}

fn check_committees<S: GosigScheme>(committees: &Committees<S>, me: Option<MemberIndex>) -> Result<()> {
    let Committees { voters, identities } = committees;
    if (voters.chain(), voters.epoch()) != (identities.chain(), identities.epoch()) {
        return Err(Error::BadCommittee { rule: "voters and identities have different chains or epochs" });
    }
    if voters.len() != identities.len() {
        return Err(Error::BadCommittee { rule: "voters and identities differ in number" });
    }
    if (0..voters.len()).any(|member| voters.weight(member) != identities.weight(member)) {
        return Err(Error::BadCommittee { rule: "a member has different weights as voter and as identity" });
    }
    if let Some(me) = me.filter(|me| *me >= voters.len()) {
        return Err(Error::UnknownSigner { index: me.into() });
    }
    Ok(())
}

fn find_tip<S: GosigScheme>(anchor: &Anchor, records: &Records<S>) -> Result<Tip<S>> {
    let highest = records.committed.values().next_back().filter(|last| last.height > anchor.height);
    let Some(last) = highest else {
        let Anchor { height, digest, seed, payload_height } = *anchor;
        return Ok(Tip { height, digest, seed, payload_height, last: None });
    };
    let missing = Error::Malformed { what: "records: the last committed block is missing" };
    let block = records.blocks.get(&last.digest).filter(|block| block.height == last.height);
    let block = block.ok_or(missing)?.clone();
    Ok(Tip {
        height: last.height,
        digest: last.digest,
        seed: last.seed,
        payload_height: last.payload_height,
        last: Some((block, Arc::new(last.finality.clone()))),
    })
}

/// Returns the committed blocks that were not executed durably.
fn find_undelivered<S: GosigScheme>(
    records: &Records<S>,
    executed: u64,
    tip: u64,
) -> Result<VecDeque<CommittedBlock<S>>> {
    let one = |height: u64| {
        let committed = records.committed.get(&height);
        let committed =
            committed.ok_or(Error::Malformed { what: "records: a committed height is missing" })?;
        let (block, payload) = records.block_and_payload(&committed.digest)?;
        Ok(CommittedBlock { block, payload, finality: Arc::new(committed.finality.clone()) })
    };
    (executed + 1..=tip).map(one).collect()
}
