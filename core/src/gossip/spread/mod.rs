//! How one statement's aggregates spread: what comes in and is it worth checking, what goes out and to whom.

mod halves;
mod stack;

use alloc::sync::Arc;
use alloc::vec::Vec;

use self::halves::Half;
use super::ranges;
use super::{Aggregate, Parameters, Peers, Pool};
use crate::certificate::{Certificate, Statement, Vote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::{Fault, MemberIndex, Time};
use crate::scheme::Additive;
use crate::{Error, Result};

/// At most so many unverified aggregates wait for their check, one of each peer.
pub const STACK: usize = 64;
/// To how many times the fan-out a certificate is told unasked.
const TELL: usize = 3;

type Sum<S> = Verified<Aggregate<S>>;

/// One member's part in spreading the signatures on one statement. Sans I/O: who drives it carries bytes and tells time.
///
/// 1. [`vote`](Gossip::vote) takes in one's own vote, or any other that was checked by itself.
/// 2. [`receive`](Gossip::receive) takes in what comes. What brings nothing is dropped before any cryptography; the rest
///    waits on a stack, one of each peer, [`STACK`] in all, the oldest dropped.
/// 3. [`check`](Gossip::check) verifies the newest together and takes in what is good. A bad one is its sender's fault,
///    which is left alone for a while.
/// 4. [`next`](Gossip::next) says what to send to whom, as long as less than [`Parameters::fan_out`] sends are under way.
/// 5. [`certificate`](Gossip::certificate) is there once a quorum has signed. From then on nothing is taken in, and the
///    certificate is what is sent.
///
/// # What is sent to whom
/// Sums of overlapping sums make counts grow and bring little. So members spread sums that are disjoint by construction.
/// The committee, in its order, is halved, and halved again, down to each member alone. On each of these at most 16
/// levels a member is in one half. To members of the other half it sends the sum of what it knows of its own; of what
/// comes from there it keeps the heaviest, and adds single votes to it. What it knows of its own half is its vote and
/// what it keeps of the levels below, which have no signer in common.
///
/// A level's turn comes when half of one's own half is known, or 50 ms later for each level below it, the lowest
/// levels first. Whenever one's own half grows, this is told to [`Parameters::fan_out`] members of the other, in an
/// order that spreads evenly and depends on the statement; who is left alone is passed over. Who has nothing new to say
/// for 100 ms says something again. Who has a certificate tells three times the fan-out of random members, and whoever
/// still sends less than a quorum.
///
/// By induction over the levels every member gets to know, of each half, at least the weight of the honest members in
/// it: what is kept only ever gets heavier, and the sum of all of them is sent again and again. No honest member depends
/// on another one in particular: on every level but the lowest there are many who know the same.
///
/// An aggregate that is not of one half (another implementation's, or taken from elsewhere) goes to a [`Pool`] and helps
/// as it can.
#[derive(Clone, Debug)]
pub struct Gossip<S: Additive> {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    statement: Statement,
    parameters: Parameters,
    /// One's own vote.
    own: Option<Sum<S>>,
    halves: Vec<Half<S>>,
    /// What is not of one half.
    pool: Pool<S>,
    /// Everybody in any of these.
    known: SignerSet,
    certificate: Option<Verified<Certificate<S>>>,
    /// The certificate as an aggregate.
    whole: Option<Aggregate<S>>,
    /// To how many members the certificate is still to be told unasked.
    untold: usize,
    /// Unverified, the newest last, at most one of each peer.
    stack: Vec<(MemberIndex, Aggregate<S>)>,
    /// Who sent less than a quorum where there is a certificate, the newest last.
    owed: Vec<MemberIndex>,
    /// Who is known to have a certificate.
    complete: SignerSet,
    /// When there was something to say for the first time.
    since: Option<Time>,
    /// When something was said the last time.
    said: Time,
    repeats: usize,
}

/// What became of an aggregate that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// It waits for its check.
    Waiting,
    /// It brings nothing that is not known.
    NothingNew,
    /// There is a certificate already.
    Complete,
    /// Its sender is not listened to for a while.
    Refused,
    /// It is not of this statement and committee, or a count in it is above the limit.
    Invalid(Error),
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "faults name who sent bad aggregates"]
pub struct Checked {
    /// Who sent aggregates that do not verify.
    pub faults: Vec<Fault<Error>>,
    /// How many aggregates were verified, together.
    pub aggregates: usize,
    /// How many signers these had in all: the additions of the check.
    pub signers: usize,
    /// Whether new signers are known now.
    pub grew: bool,
}

impl<S: Additive> Gossip<S> {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a statement of another epoch, [`Error::UnknownSigner`] for a member whom the committee
    /// does not have.
    pub fn new(
        committee: Arc<Committee<S>>,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Result<Self> {
        committee.require_epoch(statement.epoch)?;
        if me >= committee.len() {
            return Err(Error::UnknownSigner { index: me.into() });
        }
        let half =
            |level| Half { level, best: None, weight: 0, own: None, own_signers: 0, untold: 0, turn: 0 };
        Ok(Self {
            me,
            statement,
            parameters,
            own: None,
            halves: ranges::levels(me, committee.len()).into_iter().map(half).collect(),
            pool: Pool::new(committee.clone(), me, statement, parameters),
            known: SignerSet::new(committee.len()),
            certificate: None,
            whole: None,
            untold: 0,
            stack: Vec::new(),
            owed: Vec::new(),
            complete: SignerSet::new(committee.len()),
            since: None,
            said: Time(0),
            repeats: 0,
            committee,
        })
    }

    /// What is being signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Takes in a vote that was checked by itself, above all one's own. False if it was known.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn vote(&mut self, vote: &Verified<Vote<S>>) -> Result<bool> {
        self.adopt(Aggregate::of_vote(vote, &self.committee)?)
    }

    /// Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal. False if it brings
    /// nothing new.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn adopt(&mut self, aggregate: Verified<Aggregate<S>>) -> Result<bool> {
        if aggregate.committee() != self.committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        if self.is_complete() {
            return Ok(false);
        }
        let grew = self.take(aggregate);
        self.drop_known();
        Ok(grew)
    }

    /// Takes in what a peer sent. Nothing is verified yet.
    pub fn receive(
        &mut self,
        from: MemberIndex,
        aggregate: Aggregate<S>,
        now: Time,
        peers: &mut Peers,
    ) -> Received {
        if from == self.me || from >= self.committee.len() {
            return Received::Invalid(Error::UnknownSigner { index: from.into() });
        }
        if peers.is_refused(from, now) {
            return Received::Refused;
        }
        if let Err(error) = self.admit(&aggregate) {
            return Received::Invalid(error);
        }
        peers.heard(from);
        if self.committee.has_quorum(aggregate.signers()) {
            self.is_told(from);
        } else if self.is_complete() && !self.complete.remove(from) {
            // Who was told may have sent this before it knew; the next one shows that it still does not.
            self.owe(from);
        }
        if self.is_complete() {
            return Received::Complete;
        }
        if !self.is_news(&aggregate) {
            return Received::NothingNew;
        }
        match self.stack.iter().position(|(peer, _)| *peer == from) {
            Some(position) => drop(self.stack.remove(position)),
            None if self.stack.len() >= STACK => drop(self.stack.remove(0)),
            None => {}
        }
        self.stack.push((from, aggregate));
        Received::Waiting
    }

    /// How many aggregates wait for their check.
    pub fn waiting(&self) -> usize {
        self.stack.len()
    }

    /// Verifies the newest of what waits, together, with coefficients from `entropy` (32 bytes that nobody could foresee;
    /// without them they are derived from all that is verified), and takes in what is good.
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked {
        let (senders, aggregates) = self.newest();
        let mut checked = Checked { aggregates: aggregates.len(), ..Checked::default() };
        checked.signers = aggregates.iter().map(|aggregate| aggregate.signers().len()).sum();
        let verdicts = Aggregate::batch(&self.committee, aggregates, entropy);
        for (sender, verdict) in senders.into_iter().zip(verdicts) {
            match verdict {
                // Of this statement and committee, as was seen when it came.
                Ok(aggregate) => checked.grew |= self.take(aggregate),
                Err(evidence) => {
                    peers.accuse(sender, now);
                    self.stack.retain(|(peer, _)| *peer != sender);
                    self.complete.remove(sender);
                    checked.faults.push(Fault { culprit: sender, evidence });
                }
            }
        }
        self.drop_known();
        checked
    }

    /// What to send, and to whom. It holds one of the places of `peers` until [`Peers::left`], [`Peers::sent`] or
    /// [`Peers::failed`] is called. `None` if there is nothing to say now or no place is free: ask again when a place is
    /// free, when something was taken in, or after 50 ms. `draw` is random.
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        if !peers.has_room(now) {
            return None;
        }
        let (to, aggregate) = match self.whole.clone() {
            Some(whole) => (self.next_to_complete(now, draw, peers)?, whole),
            None => self.next_in_halves(now, peers)?,
        };
        self.said = now;
        peers.begin(to, now);
        Some((to, aggregate))
    }

    /// What to send to this peer, which somebody else picked; `None` if it is known to have all of it.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate<S>> {
        if self.complete.contains(to) {
            return None;
        }
        if let Some(whole) = self.whole.clone() {
            self.is_told(to);
            return Some(whole);
        }
        let level = self.halves.iter().position(|half| half.level.other.contains(&to))?;
        self.sum(level).map(Verified::into_inner)
    }

    /// Everybody whose signature is known and verified.
    pub fn signers(&self) -> &SignerSet {
        &self.known
    }

    /// The verified aggregates that are not of one half.
    pub fn pool(&self) -> &Pool<S> {
        &self.pool
    }

    /// The certificate, once a quorum has signed.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.certificate.as_ref()
    }

    fn is_complete(&self) -> bool {
        self.certificate.is_some()
    }

    fn admit(&self, aggregate: &Aggregate<S>) -> Result<()> {
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        if aggregate.signers().committee_len() != self.committee.len() {
            return Err(Error::WrongContext { what: "committee size" });
        }
        // Sums of disjoint sums have low counts: what has not is somebody's waste of bytes, unless it decides.
        let decides = self.committee.has_quorum(aggregate.signers());
        let limit = if decides { self.parameters.limit } else { self.parameters.preferred };
        if aggregate.counts().highest() > limit {
            return Err(Error::TooLarge { what: "count of a signer", limit: limit.into() });
        }
        Ok(())
    }

    /// Whether this is heavier than what is kept of its half, or a vote that is not in that, or brings a new signer if it is
    /// not of one half.
    fn is_news(&self, aggregate: &Aggregate<S>) -> bool {
        if self.committee.has_quorum(aggregate.signers()) {
            return true;
        }
        match self.level_of(aggregate.signers()).and_then(|level| self.halves.get(level)) {
            Some(half) => {
                self.committee.weight_of(aggregate.signers()) > half.weight || half.lacks(aggregate)
            }
            None => !aggregate.signers().is_subset(&self.known),
        }
    }

    /// Takes in what was verified. False if it is no news.
    fn take(&mut self, aggregate: Sum<S>) -> bool {
        if self.is_complete() || !self.is_news(&aggregate) {
            return false;
        }
        if let Some(certificate) = aggregate.certificate(&self.committee) {
            self.finish(certificate);
            return true;
        }
        let is_own = aggregate.signers().len() == 1 && aggregate.signers().contains(self.me);
        match self.level_of(aggregate.signers()) {
            Some(level) => {
                if let Some(half) = self.halves.get_mut(level) {
                    half.keep(aggregate, &self.committee, self.parameters.limit);
                }
                self.grow(level + 1);
            }
            None if is_own => {
                self.own = Some(aggregate);
                self.grow(0);
            }
            None => drop(self.pool.insert(aggregate)),
        }
        let held = self.own.iter().chain(self.halves.iter().filter_map(|half| half.best.as_ref()));
        self.known = held.fold(self.pool.signers().clone(), |known, sum| known.union(sum.signers()));
        self.conclude();
        true
    }

    /// Sees whether what is known is a quorum.
    fn conclude(&mut self) {
        if !self.committee.has_quorum(&self.known) {
            return;
        }
        let halves = self.sum(self.halves.len());
        let with_pool = match (&halves, self.pool.best()) {
            (Some(halves), Some(pool)) => halves.merge(pool, self.parameters.limit).ok(),
            _ => None,
        };
        let all = halves.into_iter().chain(self.pool.best().cloned()).chain(with_pool);
        let certificate = all.into_iter().find_map(|sum| sum.certificate(&self.committee));
        if let Some(certificate) = certificate {
            self.finish(certificate);
        }
    }

    fn finish(&mut self, certificate: Verified<Certificate<S>>) {
        self.known.clone_from(certificate.signers());
        self.whole = Some(Aggregate::of_certificate(&certificate).into_inner());
        self.certificate = Some(certificate);
        self.untold = TELL * self.parameters.fan_out;
        // Only the certificate is sent from now on.
        self.halves = Vec::new();
        self.stack = Vec::new();
    }

    /// To whom the certificate goes next.
    fn next_to_complete(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<MemberIndex> {
        if let Some(place) = self.owed.iter().rposition(|peer| peers.is_available(*peer, now)) {
            let to = self.owed.remove(place);
            self.complete.insert(to);
            return Some(to);
        }
        while self.untold > 0 {
            self.untold -= 1;
            let to = peers.pick(now, draw.wrapping_add(self.untold as u64))?;
            if !self.complete.contains(to) {
                self.complete.insert(to);
                return Some(to);
            }
        }
        None
    }

    fn owe(&mut self, peer: MemberIndex) {
        if self.owed.contains(&peer) {
            return;
        }
        if self.owed.len() >= STACK {
            self.owed.remove(0);
        }
        self.owed.push(peer);
    }

    /// This peer is known to have a certificate, and is owed none.
    fn is_told(&mut self, peer: MemberIndex) {
        self.owed.retain(|owed| *owed != peer);
        self.complete.insert(peer);
    }
}
