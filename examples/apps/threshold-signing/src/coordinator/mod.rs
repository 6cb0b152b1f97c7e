//! The coordinator of a requester: asks the parties for shares, combines them, and names the parties that sent invalid
//! ones.
//!
//! **Choice of the presignature.** Each party reports the index from which on it has used no presignature. With t the
//! number of shares that make a signature, the coordinator takes the t-th smallest index: at least t parties report it
//! as fresh, and if all honest parties answer, at least one of them reports an index at least as high, so that a faulty party
//! cannot waste presignatures. Two requesters can choose the same presignature at the same time. Some parties then
//! refuse with `CONTRADICTION`, and each requester tries again with a random offset. A presignature whose signature
//! was begun but not completed is spent.
//!
//! **Optimistic combination.** The coordinator combines t shares and verifies the signature. Only if that fails, the
//! parties open these shares, the invalid ones are named with evidence, and shares of other parties replace them:
//! [`Combiner`](quorate::threshold::Combiner).

mod attempt;
mod peer;
mod status;

pub use status::PartyStatus;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519;
use quorate::machine::MemberIndex;
use quorate::threshold::Secp256k1;
use quorate::threshold::combiner::Counts;
use quorate::threshold::ecdsa::{ShareFault, Signature};
use quorate_node::NodeError;
use quorate_tls::Tls;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};

use crate::PROTOCOL;
use crate::deal::PublicDeal;
use crate::failure::{Exit, Failure};
use crate::group::Group;
use crate::protocol::{MAX_MESSAGE, Refusal, RefusalReason, Reply, Request, RequestKind};
use attempt::{Attempt, Cache};
use peer::{Peer, PeerReply, PeerRequest};

/// Maximum number of presignatures tried for one message.
const ATTEMPTS: u32 = 8;
/// Time to wait for further status replies once enough parties have answered.
const STATUS_GRACE_PERIOD: Duration = Duration::from_millis(150);
/// Maximum number of times that unreachable parties are asked while their shares are needed: a killed party may have
/// been restarted.
const RETRIES: u32 = 5;
/// Pause before the first retry. It doubles with each retry.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// Maximum number of requests queued for one party.
const QUEUE: usize = 8;

/// Options of one signing request.
#[derive(Clone, Copy, Debug)]
pub struct SigningOptions {
    /// Time limit for the message.
    pub timeout: Duration,
    /// Waits for the share of each party and checks it, also after the signature is complete.
    pub check_all: bool,
    /// Index of the presignature; `None` for the next unused one.
    pub index: Option<u32>,
}

impl Default for SigningOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), check_all: false, index: None }
    }
}

/// A signature, with the status of each party.
#[derive(Debug)]
pub struct Signed {
    /// The verified signature.
    pub signature: Signature<Secp256k1>,
    /// Index of the presignature.
    pub index: u32,
    /// Status of each party, by index.
    pub parties: Vec<PartyStatus>,
    /// Number of combinations and share checks.
    pub counts: Counts,
}

/// A requester with a connection to each party.
pub struct Coordinator {
    group: Arc<Group>,
    public: Arc<PublicDeal>,
    peers: Vec<mpsc::Sender<PeerRequest>>,
    replies: mpsc::Receiver<PeerReply>,
    /// Index from which on each party reports no used presignature.
    next: Vec<Option<u32>>,
    /// Parties that refused an index that they had reported as fresh. Their reports do not count.
    distrusted: BTreeSet<MemberIndex>,
    /// Parties with evidence of an invalid share. They are not asked again.
    faults: BTreeMap<MemberIndex, ShareFault<Secp256k1>>,
    cache: Cache,
    /// Number of the current round of requests. Replies to earlier rounds are ignored.
    round: u64,
}

impl Coordinator {
    /// Creates a requester with this identity key. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// If the deal belongs to another group, or TLS cannot be set up.
    pub fn new(
        group: Arc<Group>,
        public: Arc<PublicDeal>,
        identity: ed25519::SecretKey,
    ) -> Result<Self, Failure> {
        public.require(&group)?;
        let tls = Arc::new(Tls::new(identity, &group.committee, PROTOCOL).map_err(NodeError::from)?);
        let (replied, replies) = mpsc::channel(4 * group.parties.len().max(1));
        let mut peers = Vec::with_capacity(group.parties.len());
        for ((party, place), key) in (0..).zip(&group.parties).zip(group.committee.keys()) {
            let (sender, requests) = mpsc::channel(QUEUE);
            let peer = Peer { party, address: place.address.clone(), key: key.clone(), tls: tls.clone() };
            tokio::spawn(peer.run(requests, replied.clone()));
            peers.push(sender);
        }
        let next = vec![None; peers.len()];
        Ok(Self {
            group,
            public,
            peers,
            replies,
            next,
            distrusted: BTreeSet::new(),
            faults: BTreeMap::new(),
            cache: Cache::default(),
            round: 0,
        })
    }

    /// Obtains a signature of a message.
    ///
    /// # Errors
    /// [`Exit::BelowQuorum`] with the status of each party; [`Exit::Exhausted`].
    pub async fn sign(&mut self, message: &[u8], options: SigningOptions) -> Result<Signed, Failure> {
        if message.len() > MAX_MESSAGE {
            return Err(Failure::setup(format!(
                "message too large: at most {MAX_MESSAGE} bytes, got {}; sign a hash of it",
                message.len()
            )));
        }
        let deadline = Instant::now() + options.timeout;
        let mut parties = vec![PartyStatus::Pending; self.peers.len()];
        if options.index.is_none() {
            self.query_status_with_retries(deadline, &mut parties).await;
        }
        for number in 0..ATTEMPTS {
            let index = match options.index {
                Some(index) => index,
                None => self.choose_index(number, &parties)?,
            };
            let signing = self.public.signing(index, message).map_err(|_| exhausted(&self.public))?;
            self.round += 1;
            let deal = self.public.deal.id();
            let request = |kind| Arc::new(Request { deal, kind });
            let sign = request(RequestKind::Sign { index, message: message.to_vec() });
            let open = request(RequestKind::Open { index, message: message.to_vec() });
            let mut attempt =
                Attempt::new(signing, vec![PartyStatus::Pending; self.peers.len()], options.check_all);
            let signature = self.run_attempt(&mut attempt, sign, open, deadline).await;
            parties = attempt.parties;
            for (party, status) in (0..).zip(&parties) {
                if let PartyStatus::Invalid(evidence) = status {
                    self.faults.entry(party).or_insert_with(|| (**evidence).clone());
                }
            }
            let collided = self.record_attempt(index, &parties);
            if let Some(signature) = signature {
                return Ok(Signed { signature, index, parties, counts: attempt.combiner.counts() });
            }
            if !collided || options.index.is_some() || Instant::now() >= deadline {
                break;
            }
        }
        Err(self.below_quorum(&parties))
    }

    /// Returns the parties that sent invalid shares to this coordinator, with the evidence, also when no signature was
    /// obtained.
    pub fn faults(&self) -> &BTreeMap<MemberIndex, ShareFault<Secp256k1>> {
        &self.faults
    }

    /// Asks for the next index of each party until enough parties have answered.
    async fn query_status_with_retries(&mut self, deadline: Instant, parties: &mut [PartyStatus]) {
        for retry in 0..RETRIES {
            if self.known_indexes() >= self.public.needed() {
                return;
            }
            if retry > 0 {
                sleep(RETRY_PAUSE * (1 << retry)).await;
            }
            self.query_status(deadline, parties).await;
        }
    }

    /// Asks each party whose next index is unknown.
    async fn query_status(&mut self, deadline: Instant, parties: &mut [PartyStatus]) {
        self.round += 1;
        let status = Arc::new(Request { deal: self.public.deal.id(), kind: RequestKind::Status });
        let unknown: Vec<MemberIndex> =
            (0..).zip(&self.next).filter(|(_, next)| next.is_none()).map(|(party, _)| party).collect();
        let mut awaited: BTreeSet<MemberIndex> =
            unknown.into_iter().filter(|party| self.try_send(*party, &status, deadline)).collect();
        let mut until = deadline;
        while !awaited.is_empty() {
            let Ok(Some(reply)) = timeout_at(until, self.replies.recv()).await else { break };
            if reply.round != self.round || !awaited.remove(&reply.party) {
                continue;
            }
            let Some(known) = parties.get_mut(usize::from(reply.party)) else { continue };
            match reply.reply {
                Ok(Reply::Status { next, count }) if count == self.public.count() && next <= count => {
                    *known = PartyStatus::Ready;
                    self.set_next(reply.party, Some(next));
                }
                Ok(Reply::Refused(refusal)) => *known = PartyStatus::Refused(refusal),
                Ok(_) => *known = PartyStatus::Misbehaved("its status reply contradicts the deal".into()),
                Err(why) => *known = PartyStatus::Unreachable(why),
            }
            if self.known_indexes() >= self.public.needed() {
                until = until.min(Instant::now() + STATUS_GRACE_PERIOD);
            }
        }
    }

    /// Returns the t-th smallest of the reported indexes, plus a random offset that grows with the attempts.
    fn choose_index(&self, attempt: u32, parties: &[PartyStatus]) -> Result<u32, Failure> {
        let trusted = (0..).zip(&self.next).filter(|(party, _)| !self.distrusted.contains(party));
        let mut reported: Vec<u32> = trusted.filter_map(|(_, next)| *next).collect();
        reported.sort_unstable();
        let Some(at) = reported.get(self.public.needed().saturating_sub(1)) else {
            return Err(self.below_quorum(parties));
        };
        let spread = (1 << attempt) - 1;
        let offset = getrandom::u32().map_err(|_| quorate::Error::Rng)? & spread;
        match at.checked_add(offset) {
            Some(index) if *at < self.public.count() => Ok(index.min(self.public.count() - 1)),
            _ => Err(exhausted(&self.public)),
        }
    }

    /// Asks all parties, until there is a signature and no party to check, or no signature is possible.
    async fn run_attempt(
        &mut self,
        attempt: &mut Attempt,
        sign: Arc<Request>,
        open: Arc<Request>,
        deadline: Instant,
    ) -> Option<Signature<Secp256k1>> {
        let mut asked: Vec<MemberIndex> = (0..self.peers.len() as MemberIndex).collect();
        for party in self.faults.keys() {
            attempt.mark_misbehaved(*party, "excluded because it sent an invalid share before");
        }
        asked.retain(|party| !self.faults.contains_key(party));
        for retry in 0..RETRIES {
            for party in asked {
                self.send(attempt, party, &sign, deadline);
            }
            self.collect_replies(attempt, &open, deadline).await;
            asked = attempt.missing();
            if asked.is_empty() || Instant::now() >= deadline {
                break;
            }
            if retry + 1 < RETRIES {
                sleep(RETRY_PAUSE * (1 << retry)).await;
            }
        }
        attempt.combiner.signature().copied()
    }

    /// Handles replies and requests openings until the attempt is done.
    async fn collect_replies(&mut self, attempt: &mut Attempt, open: &Arc<Request>, deadline: Instant) {
        let mut until = deadline;
        while !attempt.is_done() {
            let Ok(Some(reply)) = timeout_at(until, self.replies.recv()).await else { break };
            if reply.round != self.round {
                continue;
            }
            for party in attempt.handle_reply(&self.group, &mut self.cache, reply) {
                self.send(attempt, party, open, deadline);
            }
            if attempt.is_decided() {
                // The remaining replies only name faulty or missing parties, so the wait for them is short.
                until = until.min(Instant::now() + 4 * STATUS_GRACE_PERIOD);
            }
        }
    }

    fn send(&self, attempt: &mut Attempt, party: MemberIndex, request: &Arc<Request>, deadline: Instant) {
        if self.try_send(party, request, deadline) {
            attempt.mark_asked(party);
        } else {
            attempt.mark_unreachable(party, "it has not answered earlier requests yet");
        }
    }

    fn try_send(&self, party: MemberIndex, request: &Arc<Request>, deadline: Instant) -> bool {
        let request = PeerRequest { round: self.round, request: request.clone(), deadline };
        self.peers.get(usize::from(party)).is_some_and(|peer| peer.try_send(request).is_ok())
    }

    fn known_indexes(&self) -> usize {
        self.next.iter().flatten().count()
    }

    fn set_next(&mut self, party: MemberIndex, next: Option<u32>) {
        if let Some(known) = self.next.get_mut(usize::from(party)) {
            *known = next;
        }
    }

    /// Updates the known indexes after an attempt. Returns true if a party refused because the presignature was spent.
    fn record_attempt(&mut self, index: u32, parties: &[PartyStatus]) -> bool {
        let mut collided = false;
        for (party, status) in (0..).zip(parties) {
            let known = self.next.get(usize::from(party)).copied().flatten();
            let next = match status {
                PartyStatus::Refused(Refusal {
                    reason: RefusalReason::Contradiction | RefusalReason::Exhausted,
                    next,
                }) => {
                    collided = true;
                    // The party reported this index as fresh before, and still does.
                    if *next <= index && known.is_some() {
                        self.distrusted.insert(party);
                    }
                    Some((*next).min(self.public.count()))
                }
                // The next message queries its status again.
                PartyStatus::Unreachable(_) | PartyStatus::Refused(_) => None,
                status if status.has_share() => Some(known.unwrap_or(0).max(index.saturating_add(1))),
                _ => known.map(|known| known.max(index.saturating_add(1))),
            };
            self.set_next(party, next);
        }
        collided
    }

    fn below_quorum(&self, parties: &[PartyStatus]) -> Failure {
        let mut text =
            format!("too few valid shares: expected {} of {}:", self.public.needed(), self.peers.len());
        for (party, status) in (0..).zip(parties) {
            text.push_str(&format!("\n  {}: {status}", self.group.party(party)));
        }
        Failure::with_code(Exit::BelowQuorum, "BELOW_QUORUM", text)
    }
}

fn exhausted(public: &PublicDeal) -> Failure {
    Failure::with_code(
        Exit::Exhausted,
        "EXHAUSTED",
        format!(
            "no presignature is left: all {} of epoch {} are spent; have the dealer deal the next epoch",
            public.count(),
            public.deal.epoch()
        ),
    )
}
