//! Asks the parties for shares, combines them, and names who sent wrong ones.
//!
//! **Which presignature.** Each party says from where on it has used none. Of these numbers the t-th smallest is taken: at
//! least t parties say that it is fresh, and if all honest ones answer, an honest one says no less, so that a liar cannot
//! waste what is left. Two requesters at once may take the same; then some parties refuse with `CONTRADICTION`, and each
//! tries again, a little further by chance. What was begun and not finished is spent.
//!
//! **Optimistic.** t shares are combined and the signature is verified. Only if that fails, those parties open their shares,
//! the wrong ones are named with evidence, and shares of others take their place: [`Combiner`](quorate::threshold::Combiner).

mod attempt;
mod peer;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519;
use quorate::machine::MemberIndex;
use quorate::threshold::Secp256k1;
use quorate::threshold::combiner::Counts;
use quorate::threshold::ecdsa::{ShareFault, Signature};
use quorate_node::links::tls::Tls;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};

use crate::PROTOCOL;
use crate::deal::PublicDeal;
use crate::failure::{Exit, Failure};
use crate::group::Group;
use crate::protocol::{MAX_MESSAGE, Reason, Refusal, Reply, Request, Want};
use attempt::{Attempt, Cache};
use peer::{Heard, Peer, Question};

/// So many presignatures are tried for one message.
const ATTEMPTS: u32 = 8;
/// When so many parties as are needed have said how far they are, how long the others are waited for.
const GRACE: Duration = Duration::from_millis(150);
/// So often those are asked who could not be asked before, if it depends on them: whoever was killed may be back.
const RETRIES: u32 = 5;
/// How long is waited before the first of these; then twice as long, and so on.
const PAUSE: Duration = Duration::from_millis(50);
/// Questions that wait for one party.
const QUEUE: usize = 8;

/// How to ask.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long one message may take.
    pub patience: Duration,
    /// Whether every party's share is waited for and checked, also when the signature is there.
    pub check_all: bool,
    /// Which presignature; nothing for the next one.
    pub index: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { patience: Duration::from_secs(10), check_all: false, index: None }
    }
}

/// A signature, and what became known on the way.
#[derive(Debug)]
pub struct Signed {
    /// The signature. It was verified.
    pub signature: Signature<Secp256k1>,
    /// Of which presignature it is.
    pub index: u32,
    /// What there is to say about each party.
    pub parties: Vec<Standing>,
    /// How much was combined and checked.
    pub counts: Counts,
}

/// What became known about a party.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It was not heard of before the signature was there.
    Awaited,
    /// It said how far it is, and was not asked for a share: too few are there.
    Ready,
    /// It gave a share; whether it is right is open, if none had to be checked.
    Gave,
    /// It gave a share that was checked by itself, and is right.
    Right,
    /// It gave a wrong share, as the evidence shows.
    Wrong(Box<ShareFault<Secp256k1>>),
    /// It gave something that no honest party gives, which shows nothing to others.
    Odd(String),
    /// It refused.
    Refused(Refusal),
    /// It could not be asked.
    Down(String),
}

/// A requester, with a connection to each party. Must be made inside a tokio runtime.
pub struct Coordinator {
    group: Arc<Group>,
    public: Arc<PublicDeal>,
    questions: Vec<mpsc::Sender<Question>>,
    heard: mpsc::Receiver<Heard>,
    /// From where on each party has used no presignature, as it says.
    next: Vec<Option<u32>>,
    /// Those who refused what they had said to be fresh, again and again.
    distrusted: BTreeSet<MemberIndex>,
    /// Those who are shown to have sent wrong shares. They are not asked any more.
    faults: BTreeMap<MemberIndex, ShareFault<Secp256k1>>,
    cache: Cache,
    number: u64,
}

impl Coordinator {
    /// A requester with this identity key.
    ///
    /// # Errors
    /// If the deal is another group's, or TLS cannot be set up.
    pub fn new(
        group: Arc<Group>,
        public: Arc<PublicDeal>,
        identity: ed25519::SecretKey,
    ) -> Result<Self, Failure> {
        public.require(&group)?;
        let tls = Arc::new(Tls::new(identity, &group.committee, PROTOCOL)?);
        let (tell, heard) = mpsc::channel(4 * group.parties.len().max(1));
        let mut questions = Vec::with_capacity(group.parties.len());
        for ((party, place), key) in (0..).zip(&group.parties).zip(group.committee.keys()) {
            let (ask, asked) = mpsc::channel(QUEUE);
            let peer = Peer { party, address: place.address.clone(), key: key.clone(), tls: tls.clone() };
            tokio::spawn(peer.run(asked, tell.clone()));
            questions.push(ask);
        }
        let next = vec![None; questions.len()];
        Ok(Self {
            group,
            public,
            questions,
            heard,
            next,
            distrusted: BTreeSet::new(),
            faults: BTreeMap::new(),
            cache: Cache::default(),
            number: 0,
        })
    }

    /// Has a message signed.
    ///
    /// # Errors
    /// [`Exit::BelowQuorum`] with what there is to say about each party, [`Exit::Exhausted`].
    pub async fn sign(&mut self, message: &[u8], options: Options) -> Result<Signed, Failure> {
        if message.len() > MAX_MESSAGE {
            return Err(Failure::setup(format!(
                "the message has {} bytes, at most {MAX_MESSAGE} are signed; sign a hash of it",
                message.len()
            )));
        }
        let deadline = Instant::now() + options.patience;
        let mut parties = vec![Standing::Awaited; self.questions.len()];
        for retry in 0..RETRIES {
            if options.index.is_some() || self.next.iter().flatten().count() >= self.public.needed() {
                break;
            }
            if retry > 0 {
                sleep(PAUSE * (1 << retry)).await;
            }
            self.learn(deadline, &mut parties).await;
        }
        for attempt in 0..ATTEMPTS {
            let index = match options.index {
                Some(index) => index,
                None => self.choose(attempt, &parties)?,
            };
            let signing = self.public.signing(index, message).map_err(|_| exhausted(&self.public))?;
            parties = vec![Standing::Awaited; self.questions.len()];
            self.number += 1;
            let want = |open: bool| {
                let message = message.to_vec();
                let want = if open { Want::Open { index, message } } else { Want::Sign { index, message } };
                Arc::new(Request { deal: self.public.deal.id(), want })
            };
            let mut attempt = Attempt::new(signing, parties, options.check_all);
            let done = self.carry_out(&mut attempt, want(false), want(true), deadline).await;
            parties = attempt.parties;
            for (party, standing) in (0..).zip(&parties) {
                if let Standing::Wrong(evidence) = standing {
                    self.faults.entry(party).or_insert_with(|| (**evidence).clone());
                }
            }
            if let Some(signature) = done {
                self.remember(index, &parties);
                return Ok(Signed { signature, index, parties, counts: attempt.combiner.counts() });
            }
            let collided = self.remember(index, &parties);
            if !collided || options.index.is_some() || Instant::now() >= deadline {
                break;
            }
        }
        Err(self.too_few(&parties))
    }

    /// Who sent wrong shares since this requester was made, with what shows it: also where there was no signature.
    pub fn faults(&self) -> &BTreeMap<MemberIndex, ShareFault<Secp256k1>> {
        &self.faults
    }

    /// Asks the parties that have not said yet how far they are.
    async fn learn(&mut self, deadline: Instant, parties: &mut [Standing]) {
        self.number += 1;
        let status = Arc::new(Request { deal: self.public.deal.id(), want: Want::Status });
        let unknown: Vec<MemberIndex> =
            (0..).zip(&self.next).filter(|(_, next)| next.is_none()).map(|(party, _)| party).collect();
        let mut awaited: BTreeSet<MemberIndex> =
            unknown.into_iter().filter(|party| self.ask(*party, &status, deadline)).collect();
        let mut until = deadline;
        while !awaited.is_empty() {
            let Ok(Some(heard)) = timeout_at(until, self.heard.recv()).await else { break };
            if heard.number != self.number || !awaited.remove(&heard.party) {
                continue;
            }
            let Some(standing) = parties.get_mut(usize::from(heard.party)) else { continue };
            match heard.reply {
                Ok(Reply::Status { next, count }) if count == self.public.count() && next <= count => {
                    *standing = Standing::Ready;
                    self.know(heard.party, Some(next));
                }
                Ok(Reply::Refused(refusal)) => *standing = Standing::Refused(refusal),
                Ok(_) => *standing = Standing::Odd("it says nonsense about its presignatures".into()),
                Err(why) => *standing = Standing::Down(why),
            }
            if self.next.iter().flatten().count() >= self.public.needed() {
                until = until.min(Instant::now() + GRACE);
            }
        }
    }

    /// The t-th smallest of the numbers that parties have said, and a little more in later attempts.
    fn choose(&self, attempt: u32, parties: &[Standing]) -> Result<u32, Failure> {
        let trusted = (0..).zip(&self.next).filter(|(party, _)| !self.distrusted.contains(party));
        let mut said: Vec<u32> = trusted.filter_map(|(_, next)| *next).collect();
        said.sort_unstable();
        let Some(at) = said.get(self.public.needed().saturating_sub(1)) else {
            return Err(self.too_few(parties));
        };
        let spread = (1 << attempt) - 1;
        let further = getrandom::u32().map_err(|_| quorate::Error::Rng)? & spread;
        match at.checked_add(further) {
            Some(index) if *at < self.public.count() => Ok(index.min(self.public.count() - 1)),
            _ => Err(exhausted(&self.public)),
        }
    }

    /// Asks all parties, and goes on until there is a signature and nobody left to name, or nothing more to hope for.
    async fn carry_out(
        &mut self,
        attempt: &mut Attempt,
        sign: Arc<Request>,
        open: Arc<Request>,
        deadline: Instant,
    ) -> Option<Signature<Secp256k1>> {
        let mut asked: Vec<MemberIndex> = (0..self.questions.len() as MemberIndex).collect();
        for party in self.faults.keys() {
            attempt.odd(*party, "it gave a wrong share before, and is not asked any more");
        }
        asked.retain(|party| !self.faults.contains_key(party));
        for retry in 0..RETRIES {
            for party in asked {
                self.put(attempt, party, &sign, deadline);
            }
            self.hear(attempt, &open, deadline).await;
            asked = attempt.missing();
            if asked.is_empty() || Instant::now() >= deadline {
                break;
            }
            if retry + 1 < RETRIES {
                sleep(PAUSE * (1 << retry)).await;
            }
        }
        attempt.combiner.signature().copied()
    }

    /// Takes answers, and asks for openings, until there is nothing more to wait for.
    async fn hear(&mut self, attempt: &mut Attempt, open: &Arc<Request>, deadline: Instant) {
        let mut until = deadline;
        while !attempt.is_done() {
            let Ok(Some(heard)) = timeout_at(until, self.heard.recv()).await else { break };
            if heard.number != self.number {
                continue;
            }
            for party in attempt.take(&self.group, &mut self.cache, heard) {
                self.put(attempt, party, open, deadline);
            }
            if attempt.is_decided() {
                // What is left is to say who was wrong or is missing: not at any price.
                until = until.min(Instant::now() + 4 * GRACE);
            }
        }
    }

    fn put(&self, attempt: &mut Attempt, party: MemberIndex, request: &Arc<Request>, deadline: Instant) {
        if self.ask(party, request, deadline) {
            attempt.awaited(party);
        } else {
            attempt.down(party, "it has not answered earlier questions yet");
        }
    }

    fn ask(&self, party: MemberIndex, request: &Arc<Request>, deadline: Instant) -> bool {
        let question = Question { number: self.number, request: request.clone(), deadline };
        self.questions.get(usize::from(party)).is_some_and(|peer| peer.try_send(question).is_ok())
    }

    fn know(&mut self, party: MemberIndex, next: Option<u32>) {
        if let Some(known) = self.next.get_mut(usize::from(party)) {
            *known = next;
        }
    }

    /// Notes what an attempt has shown about who is how far. True if parties refused because it was spent.
    fn remember(&mut self, index: u32, parties: &[Standing]) -> bool {
        let mut collided = false;
        for (party, standing) in (0..).zip(parties) {
            let known = self.next.get(usize::from(party)).copied().flatten();
            let next = match standing {
                Standing::Refused(Refusal { reason: Reason::Contradiction | Reason::Exhausted, next }) => {
                    collided = true;
                    // It had said that this one was fresh, and says so still.
                    if *next <= index && known.is_some() {
                        self.distrusted.insert(party);
                    }
                    Some((*next).min(self.public.count()))
                }
                // It is asked anew how far it is.
                Standing::Down(_) | Standing::Refused(_) => None,
                Standing::Gave | Standing::Right => Some(known.unwrap_or(0).max(index.saturating_add(1))),
                _ => known.map(|known| known.max(index.saturating_add(1))),
            };
            self.know(party, next);
        }
        collided
    }

    fn too_few(&self, parties: &[Standing]) -> Failure {
        let mut text =
            format!("fewer than the {} parties that are needed gave a right share:", self.public.needed());
        for (party, standing) in (0..).zip(parties) {
            text.push_str(&format!("\n  {}: {standing}", self.group.party(party)));
        }
        Failure::with_code(Exit::BelowQuorum, "BELOW_QUORUM", text)
    }
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Awaited => f.write_str("not heard of in time"),
            Self::Ready => f.write_str("is there, and was not asked for a share"),
            Self::Gave => f.write_str("gave a share"),
            Self::Right => f.write_str("gave a right share"),
            Self::Wrong(_) => f.write_str("gave a WRONG share"),
            Self::Odd(what) => f.write_str(what),
            Self::Refused(refusal) => write!(f, "refused: {} ({})", refusal.reason, refusal.reason.code()),
            Self::Down(why) => f.write_str(why),
        }
    }
}

fn exhausted(public: &PublicDeal) -> Failure {
    Failure::with_code(
        Exit::Exhausted,
        "EXHAUSTED",
        format!(
            "no presignature is left in epoch {} ({} were dealt); have the dealer deal the next epoch",
            public.deal.epoch(),
            public.count()
        ),
    )
}
