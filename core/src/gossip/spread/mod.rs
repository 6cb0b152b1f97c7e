//! Dissemination of one statement's aggregates: which received ones to verify, and what to send to which member.

mod completion;
mod half;
mod halves;
mod stack;

use alloc::sync::Arc;
use alloc::vec::Vec;

use self::half::Half;
use super::aggregate::Aggregate;
use super::parameters::Parameters;
use super::peers::Peers;
use super::pool::Pool;
use super::ranges;
use crate::certificate::{Certificate, Statement, Vote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::{Fault, MemberIndex, Time};
use crate::scheme::Additive;
use crate::{Error, Result};

/// Maximum number of unverified aggregates, one per peer.
pub const MAX_STACK: usize = 64;

type Sum<S> = Verified<Aggregate<S>>;

/// One member's part in disseminating the signatures on one statement. It performs no I/O: its driver carries
/// messages and passes the time.
///
/// 1. [`vote`](Gossip::vote) adds this member's own vote, or another verified one.
/// 2. [`receive`](Gossip::receive) accepts an aggregate from a peer. Aggregates without a new signer are dropped before
///    any cryptography; the others are put on a stack, one per peer and at most [`MAX_STACK`], dropping the oldest.
/// 3. [`check`](Gossip::check) verifies the newest in one batch and merges the valid ones. The sender of an invalid one
///    is refused for some time.
/// 4. [`next`](Gossip::next) returns what to send to which member, while fewer than [`Parameters::fan_out`] sends are
///    in progress.
/// 5. [`certificate`](Gossip::certificate) returns the certificate once a quorum has signed. From then on nothing is
///    accepted, and only the certificate is sent.
///
/// # What is sent to which member
/// Merging overlapping sums raises counts and adds few signers. So members disseminate sums that are disjoint by
/// construction. The committee, in its order, is halved recursively down to single members. On each of these at most
/// 16 levels a member belongs to one half. It sends the sum of its own half to members of the other half. From there
/// it keeps the heaviest sum, and adds single votes to it. The sum of its own half is its vote and the best sums of
/// the levels below, which have no signer in common.
///
/// A level becomes active when half of this member's own half is known, or 50 ms later for each level below it, the
/// lowest levels first. Whenever the own half grows, the new sum is sent to [`Parameters::fan_out`] members of the
/// other half, in an order that spreads evenly and depends on the statement; peers in back-off are skipped. A member
/// that has sent nothing for 100 ms sends its sums again. A member with a certificate sends it to three times the
/// fan-out of random members, and to every member that still sends less than a quorum.
///
/// By induction over the levels every member learns at least the weight of the honest members of each half: the best
/// sums only get heavier, and the sum of all of them is sent repeatedly. No honest member depends on a particular
/// other one: on every level but the lowest many members know the same.
///
/// An aggregate that does not belong to one half (from another implementation, or another source) goes to a [`Pool`]
/// and is merged where possible.
#[derive(Clone, Debug)]
pub struct Gossip<S: Additive> {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    statement: Statement,
    parameters: Parameters,
    /// This member's own vote.
    own: Option<Sum<S>>,
    halves: Vec<Half<S>>,
    /// Aggregates that do not belong to one half.
    pool: Pool<S>,
    /// The signers of all of these.
    known: SignerSet,
    certificate: Option<Verified<Certificate<S>>>,
    /// The certificate as an aggregate.
    whole: Option<Aggregate<S>>,
    /// Number of members to which the certificate is still to be sent without a request.
    pending: usize,
    /// Unverified aggregates, the newest last, at most one per peer.
    stack: Vec<(MemberIndex, Aggregate<S>)>,
    /// Peers that sent less than a quorum after the certificate was known, the newest last.
    owed: Vec<MemberIndex>,
    /// Peers known to have a certificate.
    complete: SignerSet,
    /// Time when the first aggregate was available to send.
    since: Option<Time>,
    /// Time of the last send.
    last_sent: Time,
    repeats: usize,
}

/// Result of receiving an aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// The aggregate was put on the stack of unverified aggregates.
    Waiting,
    /// The aggregate contains no new signer and no heavier sum.
    NothingNew,
    /// A certificate exists already.
    Complete,
    /// The sender is refused at present.
    Refused,
    /// The aggregate belongs to another statement or committee, or a count exceeds the limit.
    Invalid(Error),
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "faults name the senders of invalid aggregates"]
pub struct Checked {
    /// Senders of aggregates that do not verify.
    pub faults: Vec<Fault<Error>>,
    /// Number of aggregates verified in the batch.
    pub aggregates: usize,
    /// Total number of signers of these aggregates: the additions of the verification.
    pub signers: usize,
    /// True if new signers are known now.
    pub grew: bool,
}

impl<S: Additive> Gossip<S> {
    /// Creates the state of member `me` without any signature.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a statement of another epoch, [`Error::UnknownSigner`] if `me` is not a member of
    /// the committee.
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
            |level| Half { level, best: None, weight: 0, own: None, own_signers: 0, pending: 0, turn: 0 };
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
            pending: 0,
            stack: Vec::new(),
            owed: Vec::new(),
            complete: SignerSet::new(committee.len()),
            since: None,
            last_sent: Time(0),
            repeats: 0,
            committee,
        })
    }

    /// Returns the statement being signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Adds a verified vote, in particular this member's own. Returns false if it was known.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn vote(&mut self, vote: &Verified<Vote<S>>) -> Result<bool> {
        self.adopt(Aggregate::from_vote(vote, &self.committee)?)
    }

    /// Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it
    /// has no news.
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

    /// Accepts an aggregate from a peer, without verifying it yet.
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
            self.mark_complete(from);
        } else if self.is_complete() && !self.complete.remove(from) {
            // A peer that was sent the certificate may have sent this before it arrived; its next one shows that it
            // did not arrive.
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
            None if self.stack.len() >= MAX_STACK => drop(self.stack.remove(0)),
            None => {}
        }
        self.stack.push((from, aggregate));
        Received::Waiting
    }

    /// Returns the number of unverified aggregates.
    pub fn waiting(&self) -> usize {
        self.stack.len()
    }

    /// Verifies the newest unverified aggregates in one batch, with coefficients from `entropy` (32 unpredictable
    /// bytes; without them they are derived from all inputs), and merges the valid ones.
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked {
        let (senders, aggregates) = self.newest();
        let mut checked = Checked { aggregates: aggregates.len(), ..Checked::default() };
        checked.signers = aggregates.iter().map(|aggregate| aggregate.signers().len()).sum();
        let verdicts = Aggregate::batch(&self.committee, aggregates, entropy);
        for (sender, verdict) in senders.into_iter().zip(verdicts) {
            match verdict {
                // Statement and committee were checked on receipt.
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

    /// Returns what to send, and to which member. The send occupies a slot of `peers` until [`Peers::left`],
    /// [`Peers::sent`] or [`Peers::failed`] is called. Returns `None` if there is nothing to send now or no slot is
    /// free: call again when a slot becomes free, when an aggregate was added, or after 50 ms. `draw` is random.
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        if !peers.has_room(now) {
            return None;
        }
        let (to, aggregate) = match self.whole.clone() {
            Some(whole) => (self.next_to_complete(now, draw, peers)?, whole),
            None => self.next_in_halves(now, peers)?,
        };
        self.last_sent = now;
        peers.begin(to, now);
        Some((to, aggregate))
    }

    /// Returns what to send to a peer that the caller picked; `None` if the peer is known to have all of it.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate<S>> {
        if self.complete.contains(to) {
            return None;
        }
        if let Some(whole) = self.whole.clone() {
            self.mark_complete(to);
            return Some(whole);
        }
        let level = self.halves.iter().position(|half| half.level.other.contains(&to))?;
        self.sum(level).map(Verified::into_inner)
    }

    /// Returns the members whose signatures are known and verified.
    pub fn signers(&self) -> &SignerSet {
        &self.known
    }

    /// Returns the pool of verified aggregates that do not belong to one half.
    pub fn pool(&self) -> &Pool<S> {
        &self.pool
    }

    /// Returns the certificate, once a quorum has signed.
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
        self.committee.require_size(aggregate.signers())?;
        // Sums of disjoint sums have low counts. A higher count wastes bytes, and is accepted only if it completes a
        // quorum.
        let decides = self.committee.has_quorum(aggregate.signers());
        let limit = if decides { self.parameters.limit } else { self.parameters.preferred };
        if aggregate.counts().highest() > limit {
            return Err(Error::TooLarge { what: "count of a signer", limit: limit.into() });
        }
        Ok(())
    }

    /// Returns true if the aggregate is heavier than the best sum of its half, or is a vote that this sum lacks, or,
    /// if it does not belong to one half, has a new signer.
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

    /// Merges a verified aggregate. Returns false if it has no news.
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
                    half.merge(aggregate, &self.committee, self.parameters.limit);
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

    /// Creates the certificate if the known signers are a quorum.
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
}
