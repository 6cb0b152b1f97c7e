//! How one statement's aggregates spread: what comes in and is it worth checking, what goes out and to whom.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Aggregate, Parameters, Peers, Pool};
use crate::certificate::{Certificate, Statement, Vote};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::{Fault, MemberIndex, Time};
use crate::scheme::Additive;
use crate::{Error, Result};

/// At most so many unverified aggregates wait for their check, one of each peer.
pub const STACK: usize = 64;

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
    parameters: Parameters,
    pool: Pool<S>,
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
        todo!()
    }

    /// What is being signed.
    pub fn statement(&self) -> &Statement {
        todo!()
    }

    /// Takes in a vote that was checked by itself, above all one's own. False if it was known.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn vote(&mut self, vote: &Verified<Vote<S>>) -> Result<bool> {
        todo!()
    }

    /// Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn adopt(&mut self, aggregate: Verified<Aggregate<S>>) -> Result<bool> {
        todo!()
    }

    /// Takes in what a peer sent. Nothing is verified yet.
    pub fn receive(
        &mut self,
        from: MemberIndex,
        aggregate: Aggregate<S>,
        now: Time,
        peers: &mut Peers,
    ) -> Received {
        todo!()
    }

    /// How many aggregates wait for their check.
    pub fn waiting(&self) -> usize {
        todo!()
    }

    /// Verifies the newest of what waits, together, with coefficients from `entropy` (32 bytes that nobody could foresee;
    /// without them they are derived from all that is verified), and merges what is good.
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked {
        todo!()
    }

    /// What to send, and to whom: a member that is known to lack it first, else a random one by `draw`. It holds one of
    /// the places of `peers` until [`Peers::sent`] or [`Peers::failed`] is called. `None` if there is nothing to say or
    /// no place is free.
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate<S>)> {
        todo!()
    }

    /// What to send to this peer, which somebody else picked; `None` if it is known to have all of it.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate<S>> {
        todo!()
    }

    /// Everybody whose signature is known and verified.
    pub fn signers(&self) -> &SignerSet {
        todo!()
    }

    /// The verified aggregates.
    pub fn pool(&self) -> &Pool<S> {
        &self.pool
    }

    /// The certificate, once a quorum has signed.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        todo!()
    }
}
