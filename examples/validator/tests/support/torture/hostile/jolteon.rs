//! Attacks with the messages of Jolteon.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use quorate::bls::{self, MinSig};
use quorate::certificate::{Certificate, Suspects, TimeoutVote, Vote, VoteCollector};
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    AVAILABLE, Advance, BLOCK, Batch, BatchDigest, BatchRef, Block, BlockContent, BlockDigest, Committees,
    MAX_BATCH_BYTES, MAX_BATCH_REQUEST, MAX_TRANSACTIONS, Message, TIMEOUT, Timeout,
};
use quorate_node::links::Lane;
use quorate_support::rng::SplitMix64;

use super::member::Member;
use super::script::{Outbox, Script};

/// Number of views that the hostile member remembers, and for which it votes ahead.
const VIEWS: u64 = 64;
/// Number of batches whose digests it requests again and again.
const DIGESTS: usize = 256;
/// Number of requests that await an answer, per member. Lost ones are forgotten after as many idle turns.
const REQUESTS: u32 = 64;
/// Number of own batches without a certificate.
const BATCHES: usize = 24;

/// An attack with messages of Jolteon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Valid messages that cost their sender nothing.
    Flood,
    /// Two votes in each view, votes of future views, forged votes, timeouts and certificates.
    Votes,
    /// Two proposals in each view that it leads. It votes, so that it leads again.
    Proposals,
    /// Batches of the maximum size with the maximum number of transactions, which it gets certified.
    Batches,
    /// Requests of old blocks and batches, as fast as they are answered.
    Archive,
    /// The same without waiting for answers, which the member does not read.
    Unread,
}

/// The member's keys, and what it knows about the chain.
pub struct Jolteon {
    kind: Kind,
    me: MemberIndex,
    others: Vec<MemberIndex>,
    committees: Committees<MinSig>,
    voting: bls::SecretKey<MinSig>,
    identity: ed25519::SecretKey,
    state: Mutex<State>,
}

struct State {
    random: SplitMix64,
    suspects: Suspects,
    /// The newest proposal.
    newest: Option<Arc<Block<MinSig>>>,
    /// Proposals of the last views, by digest.
    blocks: BTreeMap<[u8; 32], Arc<Block<MinSig>>>,
    votes: BTreeMap<u64, VoteCollector<MinSig>>,
    digests: VecDeque<BatchDigest>,
    /// Number of requests to each member that are not answered.
    open: BTreeMap<MemberIndex, u32>,
    /// Own batches that await their certificates, by sequence number.
    batches: BTreeMap<u64, (Arc<Batch>, VoteCollector<Ed25519>)>,
    /// Encoded own batches that are still to be sent to each member.
    unsent: BTreeMap<MemberIndex, VecDeque<Arc<Vec<u8>>>>,
    sequence: u64,
    forged: Option<Certificate<MinSig>>,
}

impl Jolteon {
    pub fn new(kind: Kind, member: &Member) -> Self {
        let committees = member.genesis.committees::<MinSig>().unwrap();
        let committees = Committees { voters: committees.voters, identities: committees.identities };
        // Greater than that of each earlier batch.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let state = State {
            random: SplitMix64::new(13),
            suspects: Suspects::new(),
            newest: None,
            blocks: BTreeMap::new(),
            votes: BTreeMap::new(),
            digests: VecDeque::new(),
            open: BTreeMap::new(),
            batches: BTreeMap::new(),
            unsent: BTreeMap::new(),
            sequence: u64::try_from(now).unwrap(),
            forged: None,
        };
        Self {
            kind,
            me: member.index,
            others: member.peers.iter().map(|peer| peer.index).collect(),
            committees,
            voting: member.keys.voting::<MinSig>().unwrap(),
            identity: member.identity(),
            state: Mutex::new(state),
        }
    }

    fn ballot(&self, view: u64, digest: [u8; 32]) -> Vote<MinSig> {
        let statement = self.committees.voters.statement(BLOCK, view, digest);
        Vote::sign_unguarded(&self.voting, &self.committees.voters, statement).unwrap()
    }

    fn push(out: &Outbox, to: MemberIndex, message: &Message<MinSig>) {
        let lane = if message.is_bulk() { Lane::Bulk } else { Lane::Urgent };
        out.push(to, lane, message.encode());
    }

    fn push_all(&self, out: &Outbox, message: &Message<MinSig>) {
        self.others.iter().for_each(|to| Self::push(out, *to, message));
    }

    fn see_block(&self, state: &mut State, block: &Arc<Block<MinSig>>, out: &Outbox) {
        if state.newest.as_ref().is_some_and(|newest| newest.view >= block.view) {
            return;
        }
        state.newest = Some(block.clone());
        state.blocks.insert(block.digest().0, block.clone());
        state.blocks.retain(|_, known| known.view + VIEWS > block.view);
        state.votes.retain(|view, _| view + VIEWS > block.view);
        state.digests.extend(block.payload.iter().map(BatchRef::digest));
        while state.digests.len() > DIGESTS {
            state.digests.pop_front();
        }
        match self.kind {
            Kind::Votes => {
                let other = random_digest(&mut state.random);
                for digest in [block.digest().0, other] {
                    self.push_all(out, &Message::Vote(self.ballot(block.view, digest)));
                }
                state.forged = block.justify.as_ref().and_then(|qc| self.forge(qc));
            }
            Kind::Proposals => self.vote(state, block, out),
            _ => {}
        }
    }

    /// Votes for a block. Only the next leader counts the vote, but the member does not know which one that is.
    fn vote(&self, state: &mut State, block: &Arc<Block<MinSig>>, out: &Outbox) {
        let vote = self.ballot(block.view, block.digest().0);
        self.push_all(out, &Message::Vote(vote.clone()));
        self.collect(state, vote, out);
    }

    /// Collects a vote for the view before one that this member leads, and proposes twice.
    fn collect(&self, state: &mut State, vote: Vote<MinSig>, out: &Outbox) {
        let statement = *vote.statement();
        let new = || VoteCollector::new(self.committees.voters.clone(), BLOCK, statement.view);
        let collector = state.votes.entry(statement.view).or_insert_with(new);
        let Some(certificate) = collector.add(vote, &mut state.suspects).certificate else { return };
        let certificate = certificate.into_inner();
        let Some(parent) = state.blocks.get(&certificate.statement().digest).cloned() else { return };
        let twins = [0, 1].map(|timestamp| {
            let content = BlockContent {
                epoch: parent.epoch,
                view: parent.view + 1,
                height: parent.height + 1,
                author: self.me,
                parent: parent.digest(),
                justify: Some(certificate.clone()),
                tc: None,
                payload: Vec::new(),
                executed: parent.executed,
                timestamp,
            };
            let statement = self.committees.proposal(content.view, content.digest());
            let bytes = statement.signed_bytes(&self.committees.identities.id());
            Arc::new(Block::new(content, Ed25519::sign(&self.identity, &bytes)))
        });
        for (to, twin) in self.others.iter().zip([0, 0, 1]) {
            Self::push(out, *to, &Message::Proposal(twins[twin].clone()));
        }
        // Every second view ends with a certificate, the others with a timeout.
        if parent.view % 2 == 0 {
            let block = twins[0].clone();
            state.blocks.insert(block.digest().0, block.clone());
            self.push_all(out, &Message::Vote(self.ballot(block.view, block.digest().0)));
        }
        // The third member receives the other one too: evidence.
        Self::push(out, self.others[0], &Message::Proposal(twins[1].clone()));
    }

    /// Returns a certificate of a later view with the signatures of another.
    fn forge(&self, certificate: &Certificate<MinSig>) -> Option<Certificate<MinSig>> {
        let (bytes, voters) = (certificate.encode(), &*self.committees.voters);
        let statement = certificate.statement();
        (0..8 * bytes.len().min(64)).find_map(|bit| {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let forged = Certificate::<MinSig>::decode(&changed, voters).ok()?;
            (forged.statement().view > statement.view && forged.statement().kind == statement.kind)
                .then_some(forged)
        })
    }

    fn cheap(state: &mut State) -> Message<MinSig> {
        let random = state.random.next_u64();
        match random % 4 {
            0 => Message::Hello { certified: 0 },
            1 => Message::ViewRequest { nonce: random },
            2 => Message::Pruned { oldest: random >> 40 },
            _ => Message::Advance(Box::new(Advance { high: None, tc: None })),
        }
    }

    fn forged_votes(&self, state: &mut State) -> Option<Message<MinSig>> {
        let newest = state.newest.clone()?;
        let random = state.random.next_u64();
        let digest = random_digest(&mut state.random);
        let future = newest.view + (random >> 8) % (2 * VIEWS);
        let wrong = MinSig::sign(&self.voting, &random.to_le_bytes());
        let timeout =
            |vote| Timeout { vote, high: newest.justify.clone(), tc: newest.tc.clone(), ballot: None };
        let certified = newest.justify.as_ref().map_or(0, |qc| qc.statement().view);
        Some(match random % 8 {
            0 | 1 => Message::Vote(self.ballot(future, digest)),
            2 | 3 => {
                let statement = self.committees.voters.statement(BLOCK, future, digest);
                Message::Vote(Vote::new(statement, self.me, wrong))
            }
            4 | 5 => {
                let epoch = self.committees.voters.epoch();
                let vote = TimeoutVote::new(TIMEOUT, epoch, newest.view, certified, self.me, wrong);
                Message::Timeout(Box::new(timeout(vote)))
            }
            6 => {
                let voters = &self.committees.voters;
                let vote = TimeoutVote::sign_unguarded(&self.voting, voters, TIMEOUT, newest.view, certified);
                Message::Timeout(Box::new(timeout(vote.unwrap())))
            }
            _ => Message::Advance(Box::new(Advance { high: Some(state.forged.clone()?), tc: None })),
        })
    }

    /// Makes the next batch if few await their certificates.
    fn next_batch(&self, state: &mut State, to: MemberIndex) -> Option<Vec<u8>> {
        if let Some(frame) = state.unsent.entry(to).or_default().pop_front() {
            return Some(frame.to_vec());
        }
        // Between new batches, an old one again.
        if state.random.next_u64().is_multiple_of(2)
            && let Some((batch, _)) = state.batches.values().next()
        {
            return Some(Message::<MinSig>::Batch(batch.clone()).encode());
        }
        if state.batches.len() >= BATCHES || state.unsent.values().any(|unsent| !unsent.is_empty()) {
            return None;
        }
        state.sequence += 1;
        let sequence = state.sequence;
        // Small transactions cost the most to execute, large ones the most to store, and the smallest take the most memory.
        let batch = match sequence % 3 {
            0 => {
                let transactions = (0..).map(|i| format!("put h{:x} {sequence:x}", i % 4096));
                let mut length = 0;
                let fit = transactions.take(MAX_TRANSACTIONS).take_while(|one| {
                    length += 4 + one.len();
                    length <= MAX_BATCH_BYTES
                });
                Batch::new(self.me, sequence, fit.collect::<Vec<_>>())
            }
            1 => {
                let value = "x".repeat(60_000);
                let transactions = (0..34).map(|i| format!("put l{i} {value}"));
                Batch::new(self.me, sequence, transactions.collect::<Vec<_>>())
            }
            _ => Batch::new(self.me, sequence, vec!["x"; MAX_TRANSACTIONS]),
        };
        let batch = Arc::new(batch.unwrap());
        let view = batch.header().slot.view();
        let mut collector = VoteCollector::new(self.committees.identities.clone(), AVAILABLE, view);
        let statement = self.committees.identities.statement(AVAILABLE, view, batch.digest().0);
        let own = Vote::sign_unguarded(&self.identity, &self.committees.identities, statement).unwrap();
        let _ = collector.add(own, &mut state.suspects);
        let frame = Arc::new(Message::<MinSig>::Batch(batch.clone()).encode());
        state.batches.insert(sequence, (batch, collector));
        for other in &self.others {
            state.unsent.entry(*other).or_default().push_back(frame.clone());
        }
        self.next_batch(state, to)
    }

    fn certify(&self, state: &mut State, vote: Vote<Ed25519>, out: &Outbox) {
        let sequence = quorate_jolteon::Slot::from_view(vote.statement().view).sequence;
        let Some((batch, collector)) = state.batches.get_mut(&sequence) else { return };
        let Some(certificate) = collector.add(vote, &mut state.suspects).certificate else { return };
        let certified = BatchRef { header: *batch.header(), certificate: certificate.into_inner() };
        state.batches.remove(&sequence);
        self.push_all(out, &Message::Certified(Box::new(certified)));
    }

    fn request(&self, state: &mut State, to: MemberIndex) -> Option<Message<MinSig>> {
        let open = state.open.entry(to).or_default();
        *open += 1;
        if self.kind == Kind::Archive && *open > REQUESTS {
            // An answer may be lost: then as many turns as there may be requests count as answers.
            *open %= 2 * REQUESTS;
            return None;
        }
        let random = state.random.next_u64();
        let count = state.digests.len();
        if random.is_multiple_of(2) || count == 0 {
            // Committed blocks are served whatever the target is.
            let height = state.newest.as_ref().map_or(2, |newest| newest.height);
            return Some(Message::BlockRequest {
                from: 1 + (random >> 8) % height,
                target: BlockDigest([9; 32]),
            });
        }
        let digests =
            (0..MAX_BATCH_REQUEST).map(|i| state.digests[(random as usize >> 8).wrapping_add(i) % count]);
        Some(Message::BatchRequest(digests.collect()))
    }
}

impl Script for Jolteon {
    fn observe(&self, from: MemberIndex, _: Lane, frame: &[u8], out: &Outbox) {
        let Ok(message) = Message::<MinSig>::decode(frame, &self.committees) else { return };
        let state = &mut *self.state.lock().unwrap();
        match message {
            Message::Proposal(block) => self.see_block(state, &block, out),
            Message::Vote(vote) if self.kind == Kind::Proposals => self.collect(state, vote, out),
            Message::Acknowledge(vote) => self.certify(state, vote, out),
            Message::Blocks(_) | Message::BatchReply(_) => {
                let open = state.open.entry(from).or_default();
                *open = open.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn next(&self, to: MemberIndex, lane: Lane) -> Option<Vec<u8>> {
        let state = &mut *self.state.lock().unwrap();
        match (self.kind, lane) {
            (Kind::Flood, _) => Some(Self::cheap(state).encode()),
            (Kind::Votes, Lane::Urgent) => self.forged_votes(state).map(|message| message.encode()),
            (Kind::Archive | Kind::Unread, Lane::Urgent) => {
                self.request(state, to).map(|message| message.encode())
            }
            (Kind::Batches, Lane::Bulk) => self.next_batch(state, to),
            _ => None,
        }
    }
}

fn random_digest(random: &mut SplitMix64) -> [u8; 32] {
    let mut digest = [0; 32];
    digest.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.next_u64().to_le_bytes()));
    digest
}
