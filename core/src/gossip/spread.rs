//! How one statement's aggregates spread: what comes in and is it worth checking, what goes out and to whom.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::levels::{Levels, SIBLINGS};
use super::{Aggregate, Parameters, Peers, Pool};
use crate::certificate::{Certificate, Statement, Vote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::{Fault, MemberIndex, Time};
use crate::scheme::Additive;
use crate::{Error, Result};

/// At most so many unverified aggregates wait for their check, one of each peer.
pub const STACK: usize = 64;

/// After so many sends to a level without news from it, the next is not waited with: twice to each of its blocks.
const ENOUGH: usize = 2 * (SIBLINGS - 1);

/// One member's part in spreading the signatures on one statement. Sans I/O: who drives it carries bytes and tells time.
///
/// 1. [`vote`](Gossip::vote) takes in one's own vote, or any other that was checked by itself.
/// 2. [`receive`](Gossip::receive) takes in what comes. What brings no new signer is dropped before any cryptography; the
///    rest waits on a stack, one of each peer, [`STACK`] in all, the oldest dropped.
/// 3. [`check`](Gossip::check) verifies the newest together and merges what is good. A bad one is its sender's fault,
///    which is left alone for a while.
/// 4. [`next`](Gossip::next) says what to send to whom, as long as less than [`Parameters::fan_out`] sends are under way.
/// 5. [`certificate`](Gossip::certificate) is there once a quorum has signed. From then on nothing is taken in, and the
///    certificate is what is sent.
#[derive(Clone, Debug)]
pub struct Gossip<S: Additive> {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    levels: Levels,
    parameters: Parameters,
    pool: Pool<S>,
    /// Unverified, the newest last, at most one of each peer.
    stack: Vec<(MemberIndex, Aggregate<S>)>,
    /// Who sent less than is known here and would be served first, the newest last.
    owed: Vec<MemberIndex>,
    /// Who is known to have a certificate.
    complete: SignerSet,
    /// What was sent to each level.
    sent: Vec<Sent>,
}

/// How often a sum of so many signers was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    times: usize,
    signers: usize,
}

/// What became of an aggregate that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// It waits for its check.
    Waiting,
    /// It brings no signer that is not known.
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
        statement.check_epoch(&committee)?;
        if me >= committee.len() {
            return Err(Error::UnknownSigner { index: me.into() });
        }
        Ok(Self {
            me,
            parameters,
            levels: Levels::new(me, committee.len()),
            sent: vec![Sent::default(); Levels::new(me, committee.len()).count()],
            pool: Pool::new(committee.clone(), me, statement, parameters),
            stack: Vec::new(),
            owed: Vec::new(),
            complete: SignerSet::new(committee.len()),
            committee,
        })
    }

    /// What is being signed.
    pub fn statement(&self) -> &Statement {
        self.pool.statement()
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
        let grew = self.pool.insert(aggregate)?;
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
        let wanted = match self.pool.wants(&aggregate) {
            Ok(wanted) => wanted,
            Err(error) => return Received::Invalid(error),
        };
        peers.heard(from);
        if self.committee.has_quorum(aggregate.signers()) {
            self.complete.insert(from);
        } else if self.is_complete() {
            self.owe(from);
        }
        if self.is_complete() {
            return Received::Complete;
        }
        if !wanted {
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
    /// without them they are derived from all that is verified), and merges what is good.
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked {
        let (senders, aggregates) = self.newest();
        let mut checked = Checked { aggregates: aggregates.len(), ..Checked::default() };
        checked.signers = aggregates.iter().map(|aggregate| aggregate.signers().len()).sum();
        let verdicts = Aggregate::batch(&self.committee, aggregates, entropy);
        for (sender, verdict) in senders.into_iter().zip(verdicts) {
            match verdict {
                // Of this statement and committee, as was seen when it came.
                Ok(aggregate) => checked.grew |= self.pool.insert(aggregate).unwrap_or(false),
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

    /// What to send, and to whom: a member that is known to lack it first, else a random one by `draw`. It holds one of
    /// the places of `peers` until [`Peers::sent`] or [`Peers::failed`] is called. `None` if there is nothing to say or
    /// no place is free.
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        if !peers.has_room(now) {
            return None;
        }
        let to = if self.is_complete() {
            let owed = self.owed.iter().rposition(|peer| peers.is_available(*peer, now));
            match owed {
                Some(position) => self.owed.remove(position),
                None => peers
                    .pick(now, draw, 0..self.committee.len().into(), |peer| !self.complete.contains(peer))?,
            }
        } else {
            self.next_on_a_level(now, draw, peers)?
        };
        let aggregate = self.offer(to)?;
        peers.begin(to, now);
        Some((to, aggregate))
    }

    /// What to send to this peer, which somebody else picked; `None` if there is nothing that it may lack.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate<S>> {
        if self.complete.contains(to) {
            return None;
        }
        if self.is_complete() {
            self.complete.insert(to);
            self.owed.retain(|peer| *peer != to);
            return self.pool.best().map(|best| (**best).clone());
        }
        let level = self.levels.of(to)?;
        let sum = self.pool.sum(level)?;
        if let Some(sent) = self.sent.get_mut(level) {
            if sent.signers != sum.signers().len() {
                *sent = Sent { times: 0, signers: sum.signers().len() };
            }
            sent.times += 1;
        }
        Some((**sum).clone())
    }

    /// Everybody whose signature is known and verified.
    pub fn signers(&self) -> &SignerSet {
        self.pool.signers()
    }

    /// The verified aggregates.
    pub fn pool(&self) -> &Pool<S> {
        &self.pool
    }

    /// The certificate, once a quorum has signed.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.pool.certificate()
    }

    fn is_complete(&self) -> bool {
        self.certificate().is_some()
    }

    /// The level whose sum was sent least often since it changed, the lowest first, and somebody on it.
    fn next_on_a_level(&self, now: Time, draw: u64, peers: &mut Peers) -> Option<MemberIndex> {
        let mut order: Vec<(usize, usize)> = (0..self.levels.count())
            .filter(|level| self.is_ready(*level))
            .map(|level| (self.times_sent(level), level))
            .collect();
        order.sort_unstable();
        order.into_iter().find_map(|(times, level)| {
            // The siblings in turn.
            (0..SIBLINGS - 1).find_map(|turn| {
                let sibling = 1 + (times + turn + usize::from(self.me)) % (SIBLINGS - 1);
                let block = self.levels.block(level, sibling);
                peers.pick(now, draw.wrapping_add(level as u64), block, |peer| !self.complete.contains(peer))
            })
        })
    }

    fn times_sent(&self, level: usize) -> usize {
        let now = self.pool.sum(level).map_or(0, |sum| sum.signers().len());
        self.sent.get(level).filter(|sent| sent.signers == now).map_or(0, |sent| sent.times)
    }

    /// Whether it is worth sending to a level: half of one's own block is in the sum, or it does not seem to grow.
    fn is_ready(&self, level: usize) -> bool {
        let Some(sum) = self.pool.sum(level) else { return false };
        let Some(lower) = level.checked_sub(1) else { return true };
        2 * sum.signers().len() >= self.levels.block(level, 0).len() || self.times_sent(lower) >= ENOUGH
    }

    /// Takes what is to be verified next off the stack: from the newest down, what brings signers that neither the pool
    /// nor what was taken before has.
    fn newest(&mut self) -> (Vec<MemberIndex>, Vec<Aggregate<S>>) {
        let (mut senders, mut aggregates) = (Vec::new(), Vec::<Aggregate<S>>::new());
        let mut left = Vec::new();
        while let Some((sender, aggregate)) = self.stack.pop() {
            let known = |taken: &Aggregate<S>| aggregate.signers().is_subset(taken.signers());
            if aggregates.len() >= self.parameters.batch.max(1) || aggregates.iter().any(known) {
                left.push((sender, aggregate));
            } else {
                senders.push(sender);
                aggregates.push(aggregate);
            }
        }
        left.reverse();
        self.stack = left;
        (senders, aggregates)
    }

    fn drop_known(&mut self) {
        if self.is_complete() {
            self.stack = Vec::new();
        }
        let pool = &self.pool;
        self.stack.retain(|(_, aggregate)| pool.wants(aggregate) == Ok(true));
    }

    fn owe(&mut self, peer: MemberIndex) {
        self.owed.retain(|owed| *owed != peer);
        if self.owed.len() >= STACK {
            self.owed.remove(0);
        }
        self.owed.push(peer);
    }
}
