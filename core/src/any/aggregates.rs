use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::certificates::Certificate;
use super::committee::Committee;
use super::dispatch::{any_of, batch, lift, lower, wrong_suite};
use super::families::{each, methods, per};
use super::keys::Signature;
use super::votes::Vote;
use crate::certificate::{self, Statement};
use crate::committee::{SignerSet, Verified};
use crate::gossip::{self, Checked, Parameters, Peers, Received};
use crate::machine::{MemberIndex, Time};
use crate::scheme::Counts;
use crate::wire::{Decode, Encode};
use crate::{Error, Result};

type AggregateOf<S> = gossip::Aggregate<S>;
type PoolOf<S> = gossip::Pool<S>;
type GossipOf<S> = gossip::Gossip<S>;

per! { counted:
    /// Signatures of several members on one statement, merged in any order, see [`gossip::Aggregate`]. A clone shares
    /// the original's memory.
    #[derive(Clone, PartialEq, Eq)]
    Aggregate, AggregateOf
}

per! { counted:
    /// The verified aggregates of one statement at a member, see [`gossip::Pool`].
    #[derive(Clone)]
    Pool, PoolOf
}

per! { counted:
    /// One member's part in disseminating the signatures on one statement, see [`gossip::Gossip`].
    #[derive(Clone)]
    Gossip, GossipOf
}

impl Aggregate {
    /// Creates the aggregate of one verified vote.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the vote was verified for another committee, or if its suite has no counts.
    pub fn from_vote(vote: &Verified<Vote>, committee: &Committee) -> Result<Verified<Self>> {
        each!(counted: committee, Committee, S, committee => {
            let vote = lower::<certificate::Vote<S>, _>(vote.clone())?;
            AggregateOf::from_vote(&vote, committee).map(lift)
        }, _ => Err(wrong_suite()))
    }

    /// Creates the aggregate of a certificate.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the suite of the certificate has no counts.
    pub fn from_certificate(certificate: &Verified<Certificate>) -> Result<Verified<Self>> {
        each!(counted: &**certificate, Certificate, S, _ => {
            let certificate = lower::<certificate::Certificate<S>, _>(certificate.clone())?;
            Ok(lift(AggregateOf::from_certificate(&certificate)))
        }, _ => Err(wrong_suite()))
    }

    /// Decodes an aggregate of this committee. Its signature is not verified yet.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another suite or epoch, and decoding errors.
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each!(counted: committee, Committee, S, committee => {
            AggregateOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// Verifies a batch, see [`gossip::Aggregate::verify_batch`], and returns a result for each aggregate in order.
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee,
        aggregates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        each!(counted: committee, Committee, S, committee => {
            batch(aggregates, |typed| AggregateOf::<S>::verify_batch(committee, typed, rng))
        }, _ => aggregates.iter().map(|_| Err(wrong_suite())).collect())
    }

    /// Verifies as [`verify_batch`](Aggregate::verify_batch), but without a random number generator.
    pub fn verify_batch_derived(committee: &Committee, aggregates: Vec<Self>) -> Vec<Result<Verified<Self>>> {
        each!(counted: committee, Committee, S, committee => {
            batch(aggregates, |typed| AggregateOf::<S>::verify_batch_derived(committee, typed))
        }, _ => aggregates.iter().map(|_| Err(wrong_suite())).collect())
    }
}

methods! { counted: self, Aggregate, S, aggregate =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = aggregate.encode();

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize = aggregate.encoded_len();

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement = aggregate.statement();

    /// Returns the signers.
    pub fn signers(&self) -> &SignerSet = aggregate.signers();

    /// Returns the count of each signer in the sum.
    pub fn counts(&self) -> &Counts = aggregate.counts();

    /// Returns the count of a member in the sum: 0 if it did not sign.
    pub fn count(&self, member: MemberIndex) -> u16 = aggregate.count(member);

    /// Returns the sum of the signatures.
    pub fn signature(&self) -> Signature = any_of::<S, _>(aggregate.signature().clone());

    /// Verifies the sum, see [`gossip::Aggregate::verify`] for the cost.
    ///
    /// # Errors
    /// As [`gossip::Aggregate::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        aggregate.verify(committee.try_into()?).map(lift);

    /// Verifies as [`verify`](Aggregate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Aggregate::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> = aggregate.check(committee.try_into()?);
}

impl Verified<Aggregate> {
    /// Merges two aggregates of one statement, see [`Verified::merge`](Verified#method.merge).
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite; [`Error::TooLarge`] if a count would exceed
    /// `limit`; [`Error::Infinity`] if the signatures cancel.
    pub fn merge(&self, other: &Self, limit: u16) -> Result<Self> {
        each!(counted: &**self, Aggregate, S, _ => {
            let (one, other) = (typed::<S>(self)?, typed::<S>(other)?);
            one.merge(&other, limit).map(lift)
        })
    }

    /// Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every
    /// signer in the sum at least once. Skips parts of another statement, committee or suite, and parts with signers
    /// that this aggregate lacks.
    pub fn normalised<'a>(&self, parts: impl IntoIterator<Item = &'a Self>) -> Self {
        each!(counted: &**self, Aggregate, S, _ => {
            let parts: Vec<_> = parts.into_iter().filter_map(|part| typed::<S>(part).ok()).collect();
            typed::<S>(self).map_or_else(|_| self.clone(), |one| lift(one.normalised(&parts)))
        })
    }

    /// Returns the certificate if the signers are a quorum.
    pub fn certificate(&self, committee: &Committee) -> Option<Verified<Certificate>> {
        each!(counted: &**self, Aggregate, S, _ => {
            typed::<S>(self).ok()?.certificate(committee.try_into().ok()?).map(lift)
        })
    }
}

impl Pool {
    /// Creates an empty pool of member `me`.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a committee of a suite without counts.
    pub fn new(
        committee: &Committee,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Result<Self> {
        each!(counted: committee, Committee, S, committee => {
            Ok(PoolOf::<S>::new(Arc::clone(committee), me, statement, parameters).into())
        }, _ => Err(wrong_suite()))
    }
}

methods! { counted: self, Pool, S, pool =>
    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement = pool.statement();

    /// Returns true if [`insert`](Pool::insert) would accept the aggregate, see [`gossip::Pool::wants`].
    ///
    /// # Errors
    /// As [`gossip::Pool::wants`], and [`Error::WrongContext`] for another suite.
    pub fn wants(&self, aggregate: &Aggregate) -> Result<bool> = pool.wants(aggregate.try_into()?);

    /// Inserts a verified aggregate. Returns false if it has no new signer, or if there is a certificate.
    ///
    /// # Errors
    /// As [`wants`](Pool::wants), and [`Error::WrongContext`] if it was verified for another committee.
    pub fn insert(&mut self, aggregate: Verified<Aggregate>) -> Result<bool> = pool.insert(lower(aggregate)?);

    /// Returns the signers of [`best`](Pool::best).
    pub fn signers(&self) -> &SignerSet = pool.signers();

    /// Returns the sum to send, or that of the certificate.
    pub fn best(&self) -> Option<Verified<Aggregate>> = pool.best().cloned().map(lift);

    /// Returns the aggregates of the pool.
    pub fn aggregates(&self) -> Vec<Verified<Aggregate>> = pool.aggregates().cloned().map(lift).collect();

    /// Returns the certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<Verified<Certificate>> = pool.certificate().cloned().map(lift);
}

impl Gossip {
    /// Creates the state of member `me` without any signature.
    ///
    /// # Errors
    /// As [`gossip::Gossip::new`], and [`Error::WrongContext`] for a committee of a suite without counts.
    pub fn new(
        committee: &Committee,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Result<Self> {
        each!(counted: committee, Committee, S, committee => {
            GossipOf::<S>::new(Arc::clone(committee), me, statement, parameters).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// Accepts an aggregate from a peer, without verifying it yet.
    pub fn receive(
        &mut self,
        from: MemberIndex,
        aggregate: Aggregate,
        now: Time,
        peers: &mut Peers,
    ) -> Received {
        each!(counted: self, Gossip, S, gossip => match aggregate.try_into() {
            Ok(aggregate) => gossip.receive(from, aggregate, now, peers),
            Err(error) => Received::Invalid(error),
        })
    }
}

methods! { counted: self, Gossip, S, gossip =>
    /// Returns the statement being signed.
    pub fn statement(&self) -> &Statement = gossip.statement();

    /// Adds a verified vote, in particular this member's own. Returns false if it was known.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite.
    pub fn vote(&mut self, vote: &Verified<Vote>) -> Result<bool> = gossip.vote(&lower(vote.clone())?);

    /// Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it
    /// adds no signer.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite.
    pub fn adopt(&mut self, aggregate: Verified<Aggregate>) -> Result<bool> = gossip.adopt(lower(aggregate)?);

    /// Returns the number of unverified aggregates.
    pub fn waiting(&self) -> usize = gossip.waiting();

    /// Verifies the newest unverified aggregates in one batch and merges the valid ones, see
    /// [`gossip::Gossip::check`].
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked =
        gossip.check(now, entropy, peers);

    /// Returns the next aggregate to send and its recipient, see [`gossip::Gossip::next`].
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate)> =
        gossip.next(now, draw, peers).map(|(to, aggregate)| (to, aggregate.into()));

    /// Returns the aggregate to send to a peer that the caller picked; `None` if the peer is known to have all of it.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate> = gossip.offer(to).map(Aggregate::from);

    /// Returns the members whose signatures are known and verified.
    pub fn signers(&self) -> &SignerSet = gossip.signers();

    /// Returns the pool of verified aggregates that do not belong to one half.
    pub fn pool(&self) -> Pool = gossip.pool().clone().into();

    /// Returns the certificate, once a quorum has signed.
    pub fn certificate(&self) -> Option<Verified<Certificate>> = gossip.certificate().cloned().map(lift);
}

/// Returns a verified aggregate of the scheme `S`, which shares the original's memory.
fn typed<S: gossip::Additive>(aggregate: &Verified<Aggregate>) -> Result<Verified<AggregateOf<S>>>
where
    AggregateOf<S>: TryFrom<Aggregate, Error = Error>,
{
    lower(aggregate.clone())
}
