use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::gossip::Peers;
use quorate::guard::GuardRecord;
use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::sortition::Seed;
use quorate::{Error, Result};
use quorate_protocol::execution::Execution;

use super::{Committable, Effects, Replica, Tip};
use crate::assembly::Assembly;
use crate::block::{Block, Committees, Executed, GosigScheme};
use crate::block_size::BlockSizeController;
use crate::block_sync::BlockSync;
use crate::digests::{BlockDigest, PayloadDigest};
use crate::membership::Anchor;
use crate::parameters::{Parameters, Schedule};
use crate::payload::Payload;
use crate::pool::{Outbox, Pool};
use crate::record::{Committed, Lock, Record};
use crate::safety::Safety;
use crate::sampler::PeerSampler;
use crate::uplink::Uplink;

/// What a replica is made of.
pub struct Config<S: GosigScheme> {
    /// The members with their voting keys.
    pub voters: Arc<Committee<S>>,
    /// The same members in the same order with their identity keys; chain and epoch are the voters'.
    pub identities: Arc<Committee<Ed25519>>,
    /// This member; none for who only observes: such a replica learns what is committed, delivers it and serves it to
    /// others, and signs nothing.
    pub me: Option<MemberIndex>,
    /// The voting key, of the member or of who observes.
    pub voting_key: S::SecretKey,
    /// The identity key, likewise.
    pub identity_key: <Ed25519 as Scheme>::SecretKey,
    /// Where the epoch begins: [`Anchor::genesis`], or what the epoch before ended with.
    pub anchor: Anchor,
    /// What the application has executed durably: delivery goes on after it. After the genesis: height 0 and the state
    /// before block 1.
    pub executed: Executed,
    /// Older states that the application remembers, as far as it can: best those of the last 512 heights. Others may
    /// name them in their blocks, and this member prepares only blocks whose states it knows.
    pub recent: Vec<Executed>,
    /// Identifiers of transactions in the last committed blocks, as far as they are remembered: this member does not
    /// propose them again.
    pub known: Vec<Hash>,
    /// What all members agree on.
    pub schedule: Schedule,
    /// BlockSizeController and limits.
    pub parameters: Parameters,
    /// 32 random bytes, new for each start: whom to tell what, and the coefficients of batch verification.
    pub entropy: [u8; 32],
}

impl Anchor {
    /// Of a chain that begins: `randomness` is what nobody chose and nobody knew when the keys were fixed, see
    /// [`Seed::genesis`].
    pub fn genesis<S: GosigScheme>(committees: &Committees<S>, state_root: &Hash, randomness: &[u8]) -> Self {
        let chain: ChainId = committees.voters.chain();
        Self {
            height: 0,
            digest: committees.genesis(state_root),
            seed: Seed::genesis(chain, randomness),
            payload_height: 0,
        }
    }
}

/// Records, sorted by what they are.
struct Records<S: GosigScheme> {
    payloads: BTreeMap<PayloadDigest, Arc<Payload>>,
    blocks: BTreeMap<BlockDigest, Arc<Block<S>>>,
    votes: Vec<GuardRecord>,
    proposals: Vec<GuardRecord>,
    lock: Option<Lock<S>>,
    committed: BTreeMap<u64, Committed<S>>,
}

impl<S: GosigScheme> Replica<S> {
    /// A replica that goes on where `records` end; without records, a new one. What it signed before is remembered;
    /// whatever was committed above [`Config::executed`] is delivered (again). Records may be of several epochs; those of
    /// another one than the committees' bind nobody in this one, but for what the guards remember.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] for committees that do not belong together; [`Error::WrongContext`] for keys that are
    /// not the member's, records of another chain or key, or an application that is ahead of the records;
    /// [`Error::Malformed`] if a block or a payload is missing that is needed.
    pub fn new(config: Config<S>, records: impl IntoIterator<Item = Record<S>>) -> Result<Self> {
        let Config { me, parameters, executed, schedule, anchor, .. } = config;
        let committees = Committees { voters: config.voters, identities: config.identities };
        check_committees(&committees, me)?;
        let identity_key = Ed25519::secret_from_bytes(&*Ed25519::secret_to_bytes(&config.identity_key))?;
        let voting_key = S::secret_from_bytes(&*S::secret_to_bytes(&config.voting_key))?;
        let mut records = sort(records.into_iter());
        // Who signed nothing here either is new or has lost what it signed, and may then have learnt the chain again.
        let is_blank = me.is_some() && records.votes.is_empty() && records.proposals.is_empty();
        let epoch = committees.voters.epoch();
        records.keep(epoch);
        let tip = tip(&anchor, &records)?;
        let lock = records.lock.take().filter(|lock| lock.height == tip.height + 1);
        let mut assemblies = BTreeMap::new();
        if let Some(lock) = &lock {
            let (block, payload) = records.whole(&lock.block)?;
            let assembly = Assembly::whole(lock.block, lock.height, payload);
            assemblies.insert(block.digest(), (block, assembly));
        }
        let mut safety = Safety::restore(
            &committees,
            config.voting_key,
            config.identity_key,
            std::mem::take(&mut records.votes),
            std::mem::take(&mut records.proposals),
            lock,
        )?;
        if me.is_some_and(|me| !safety.belongs_to(&committees, me)) {
            return Err(Error::WrongContext { what: "secret key; it is not this member's" });
        }
        if me.is_none() {
            safety.abstain(u64::MAX);
        }
        if executed.height > tip.height {
            return Err(Error::WrongContext { what: "application state; it is ahead of the records" });
        }
        let last_payload = records.whole(&tip.digest).ok().map(|(_, payload)| payload);
        let undelivered = undelivered(&records, executed.height.max(anchor.height), tip.height)?;
        let mut execution = Execution::new(executed, &config.recent);
        execution.prune_below(tip.last.as_ref().map_or(0, |(block, _)| block.executed.height));
        let mut sampler = PeerSampler::new(config.entropy);
        // So that the caller's bytes are not used for anything else by accident.
        sampler.number();

        let members = committees.voters.len();
        // Who observes is nobody among them.
        let peers = Peers::new(me.unwrap_or(members), members, parameters.gossip());
        let uplink = Uplink::new(parameters.uplink_bytes_per_second, parameters.patience);
        let locked = assemblies.values().map(|(block, _)| block.clone()).next();
        let mut replica = Self {
            me,
            voting_key,
            identity_key,
            schedule,
            sampler,
            now: Time(0),
            safety,
            tip,
            anchor: anchor.height,
            succeeded: false,
            clock_round: 0,
            round: 0,
            rounds: BTreeMap::new(),
            early: BTreeMap::new(),
            assemblies: assemblies.into_iter().map(|(digest, (_, assembly))| (digest, assembly)).collect(),
            last_payload,
            locked,
            highest_prepare_qc: None,
            verified: VecDeque::new(),
            peers,
            uplink,
            pool: Pool::new(config.known),
            outbox: Outbox::default(),
            outbox_due: None,
            congested: false,
            block_size: BlockSizeController::new(&parameters),
            execution,
            sync: BlockSync::new(me, members),
            welcome_sent: BTreeMap::new(),
            hello_sent: BTreeMap::new(),
            delivered: executed.height.max(anchor.height),
            undelivered,
            unexecuted: VecDeque::new(),
            is_blank,
            abstained: 0,
            worked: false,
            progressed: false,
            idle_rounds: 0,
            timeouts: 0,
            stage_timer: None,
            gossip_timer: None,
            retry_timer: None,
            parameters,
            committees,
        };
        replica.restore_payloads(&records);
        Ok(replica)
    }

    /// The first input of a run.
    pub(super) fn on_start(&mut self, out: &mut Effects<S>) {
        self.deliver_again(out);
        if let Some(payload) = self.last_payload.take() {
            self.succeed(&payload, out);
            self.assemblies
                .entry(self.tip.digest)
                .or_insert_with(|| Assembly::whole(self.tip.digest, self.tip.height, payload));
        }
        self.forget_submitted(out);
        if self.is_blank && self.committees.voters.len() > 1 {
            // Maybe the records were lost, and votes with them: see what the others say first.
            self.safety.abstain(self.tip.height + 1);
        }
    }

    /// What was submitted here and is not committed is waiting again, and passed on again.
    fn restore_payloads(&mut self, records: &Records<S>) {
        let of_blocks: Vec<PayloadDigest> =
            records.blocks.values().map(|block| block.payload.digest()).collect();
        for block in &self.undelivered {
            // Identifiers only: nothing was submitted in this run.
            drop(self.pool.commit(&block.payload));
        }
        let orders = !self.observes();
        for (digest, payload) in records.payloads.iter().filter(|_| orders) {
            if !of_blocks.contains(digest) {
                let (new, _) = self.pool.submit(None, payload);
                new.into_iter().for_each(|transaction| self.outbox.push(None, transaction));
            }
        }
        if !self.outbox.is_empty() {
            self.outbox_due = Some(Time(0));
        }
    }
}

impl<S: GosigScheme> Records<S> {
    /// Leaves out what was committed, or is locked, in other epochs. The anchor's own block stays among the blocks.
    fn keep(&mut self, epoch: u64) {
        let of = |digest: &BlockDigest| self.blocks.get(digest).is_none_or(|block| block.epoch == epoch);
        self.committed.retain(|_, committed| of(&committed.digest));
        self.lock = self.lock.take().filter(|lock| lock.certificate.statement().epoch == epoch);
    }

    /// A block with its payload.
    fn whole(&self, digest: &BlockDigest) -> Result<(Arc<Block<S>>, Arc<Payload>)> {
        let block = self.blocks.get(digest).ok_or(Error::Malformed { what: "records without a block" })?;
        if block.payload.is_empty() {
            return Ok((block.clone(), Arc::new(Payload::empty())));
        }
        let payload = self.payloads.get(&block.payload.digest());
        let payload = payload.ok_or(Error::Malformed { what: "records without the payload of a block" })?;
        Ok((block.clone(), payload.clone()))
    }
}

fn check_committees<S: GosigScheme>(committees: &Committees<S>, me: Option<MemberIndex>) -> Result<()> {
    let Committees { voters, identities } = committees;
    if (voters.chain(), voters.epoch()) != (identities.chain(), identities.epoch()) {
        return Err(Error::BadCommittee { rule: "voters and identities are of different chains or epochs" });
    }
    if voters.len() != identities.len() {
        return Err(Error::BadCommittee { rule: "there are more voters than identities, or fewer" });
    }
    if (0..voters.len()).any(|member| voters.weight(member) != identities.weight(member)) {
        return Err(Error::BadCommittee { rule: "a member has two weights" });
    }
    if let Some(me) = me.filter(|me| *me >= voters.len()) {
        return Err(Error::UnknownSigner { index: me.into() });
    }
    Ok(())
}

fn sort<S: GosigScheme>(records: impl Iterator<Item = Record<S>>) -> Records<S> {
    let mut sorted = Records {
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

fn tip<S: GosigScheme>(anchor: &Anchor, records: &Records<S>) -> Result<Tip<S>> {
    let highest = records.committed.values().next_back().filter(|last| last.height > anchor.height);
    let Some(last) = highest else {
        let Anchor { height, digest, seed, payload_height } = *anchor;
        return Ok(Tip { height, digest, seed, payload_height, last: None });
    };
    let missing = Error::Malformed { what: "records without the last committed block" };
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

/// The blocks that are committed and were not executed durably.
fn undelivered<S: GosigScheme>(
    records: &Records<S>,
    executed: u64,
    tip: u64,
) -> Result<VecDeque<Committable<S>>> {
    let one = |height: u64| {
        let committed = records.committed.get(&height);
        let committed = committed.ok_or(Error::Malformed { what: "records without a committed height" })?;
        let (block, payload) = records.whole(&committed.digest)?;
        Ok(Committable { block, payload, finality: Arc::new(committed.finality.clone()) })
    };
    (executed + 1..=tip).map(one).collect()
}
