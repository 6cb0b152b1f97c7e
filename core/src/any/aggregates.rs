use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use super::certificates::Certificate;
use super::committee::Committee;
use super::dispatch::{any_of, batch, conversions, lift, lower, wrong_suite};
use super::keys::Signature;
use super::suite::Suite;
use super::votes::Vote;
use crate::bls::{Counted, MinPk, MinSig};
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

/// An enum with one variant per suite whose aggregates count.
macro_rules! per_counted {
    ($(#[$doc:meta])* $name:ident, $of:ident) => {
        $(#[$doc])*
        pub enum $name {
            /// BLS12-381 with short signatures.
            MinSigCounted($of<Counted<MinSig>>),
            /// BLS12-381 with short keys.
            MinPkCounted($of<Counted<MinPk>>),
        }

        conversions!($name, MinSigCounted, $of<Counted<MinSig>>);
        conversions!($name, MinPkCounted, $of<Counted<MinPk>>);

        impl $name {
            /// Of which suite it is.
            pub fn suite(&self) -> Suite {
                match self {
                    $name::MinSigCounted(_) => Suite::MinSigCounted,
                    $name::MinPkCounted(_) => Suite::MinPkCounted,
                }
            }
        }
    };
}

/// Does the same with the typed value; `$rest` is for enums that have other suites too.
macro_rules! each_counted {
    ($any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr $(, $rest:pat => $other:expr)?) => {
        match $any {
            $name::MinSigCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = Counted<MinSig>;
                $body
            }
            $name::MinPkCounted($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = Counted<MinPk>;
                $body
            }
            $($rest => $other,)?
        }
    };
}

per_counted! {
    /// Some members' signatures on one statement, summed in any order, see [`gossip::Aggregate`]. A clone shares the
    /// original's memory.
    #[derive(Clone, PartialEq, Eq)]
    Aggregate, AggregateOf
}

per_counted! {
    /// The verified aggregates of one statement that a member keeps, see [`gossip::Pool`].
    #[derive(Clone, Debug)]
    Pool, PoolOf
}

per_counted! {
    /// One member's part in spreading the signatures on one statement, see [`gossip::Gossip`].
    #[derive(Clone, Debug)]
    Gossip, GossipOf
}

impl Aggregate {
    /// The aggregate of one vote that was checked by itself.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if it was checked against another committee, or is of a suite without counts.
    pub fn of_vote(vote: &Verified<Vote>, committee: &Committee) -> Result<Verified<Self>> {
        each_counted!(committee, Committee, S, committee => {
            let vote = lower::<certificate::Vote<S>, _>(vote.clone())?;
            AggregateOf::of_vote(&vote, committee).map(lift)
        }, _ => Err(wrong_suite()))
    }

    /// The aggregate that a certificate is.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if it is of a suite without counts.
    pub fn of_certificate(certificate: &Verified<Certificate>) -> Result<Verified<Self>> {
        each_counted!(&**certificate, Certificate, S, _ => {
            let certificate = lower::<certificate::Certificate<S>, _>(certificate.clone())?;
            Ok(lift(AggregateOf::of_certificate(&certificate)))
        }, _ => Err(wrong_suite()))
    }

    /// Reads an aggregate of this committee. The signature is not checked yet.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another suite or epoch, and what is wrong with the bytes.
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each_counted!(committee, Committee, S, committee => {
            AggregateOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// The canonical bytes.
    pub fn encode(&self) -> Vec<u8> {
        each_counted!(self, Aggregate, S, aggregate => aggregate.encode())
    }

    /// Bytes of the encoding.
    pub fn encoded_len(&self) -> usize {
        each_counted!(self, Aggregate, S, aggregate => aggregate.encoded_len())
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        each_counted!(self, Aggregate, S, aggregate => aggregate.statement())
    }

    /// Who signed.
    pub fn signers(&self) -> &SignerSet {
        each_counted!(self, Aggregate, S, aggregate => aggregate.signers())
    }

    /// How often each signer's signature is in the sum.
    pub fn counts(&self) -> &Counts {
        each_counted!(self, Aggregate, S, aggregate => aggregate.counts())
    }

    /// How often a member's signature is in the sum: 0 for who did not sign.
    pub fn count(&self, member: MemberIndex) -> u16 {
        each_counted!(self, Aggregate, S, aggregate => aggregate.count(member))
    }

    /// The sum.
    pub fn signature(&self) -> Signature {
        each_counted!(self, Aggregate, S, aggregate => any_of::<S, _>(aggregate.signature().clone()))
    }

    /// Checks the sum, see [`gossip::Aggregate::verify`] for the cost.
    ///
    /// # Errors
    /// As there.
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> {
        each_counted!(self, Aggregate, S, aggregate => aggregate.verify(committee.try_into()?).map(lift))
    }

    /// As [`verify`](Aggregate::verify), for an aggregate that stays where it is.
    ///
    /// # Errors
    /// As [`verify`](Aggregate::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> {
        each_counted!(self, Aggregate, S, aggregate => aggregate.check(committee.try_into()?))
    }

    /// Checks many at once, see [`gossip::Aggregate::verify_batch`]: a verdict for each, in their order.
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee,
        aggregates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        each_counted!(committee, Committee, S, committee => {
            batch(aggregates, |typed| AggregateOf::<S>::verify_batch(committee, typed, rng))
        }, _ => aggregates.iter().map(|_| Err(wrong_suite())).collect())
    }

    /// As [`verify_batch`](Aggregate::verify_batch) where there is no random number generator.
    pub fn verify_batch_derived(committee: &Committee, aggregates: Vec<Self>) -> Vec<Result<Verified<Self>>> {
        each_counted!(committee, Committee, S, committee => {
            batch(aggregates, |typed| AggregateOf::<S>::verify_batch_derived(committee, typed))
        }, _ => aggregates.iter().map(|_| Err(wrong_suite())).collect())
    }
}

impl Verified<Aggregate> {
    /// The sum of two aggregates of one statement, see [`Verified::merge`](Verified#method.merge).
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite; [`Error::TooLarge`] if a count would be above
    /// `limit`; [`Error::Infinity`] if the two cancel.
    pub fn merge(&self, other: &Self, limit: u16) -> Result<Self> {
        each_counted!(&**self, Aggregate, S, _ => {
            let (one, other) = (typed::<S>(self)?, typed::<S>(other)?);
            one.merge(&other, limit).map(lift)
        })
    }

    /// The same signers with lower counts: of each of `parts`, in their order, as much is taken away as leaves every
    /// signer in at least once. Parts of another statement, committee or suite, and those whose signers are not all in
    /// this aggregate, are passed over.
    pub fn normalised<'a>(&self, parts: impl IntoIterator<Item = &'a Self>) -> Self {
        each_counted!(&**self, Aggregate, S, _ => {
            let parts: Vec<_> = parts.into_iter().filter_map(|part| typed::<S>(part).ok()).collect();
            typed::<S>(self).map_or_else(|_| self.clone(), |one| lift(one.normalised(&parts)))
        })
    }

    /// The certificate that this is once the signers are a quorum.
    pub fn certificate(&self, committee: &Committee) -> Option<Verified<Certificate>> {
        each_counted!(&**self, Aggregate, S, _ => {
            typed::<S>(self).ok()?.certificate(committee.try_into().ok()?).map(lift)
        })
    }
}

impl fmt::Debug for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_counted!(self, Aggregate, S, aggregate => aggregate.fmt(f))
    }
}

impl Pool {
    /// An empty pool of member `me`.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a committee of a suite without counts.
    pub fn new(
        committee: &Committee,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Result<Self> {
        each_counted!(committee, Committee, S, committee => {
            Ok(PoolOf::<S>::new(Arc::clone(committee), me, statement, parameters).into())
        }, _ => Err(wrong_suite()))
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        each_counted!(self, Pool, S, pool => pool.statement())
    }

    /// Whether [`insert`](Pool::insert) would change anything, see [`gossip::Pool::wants`].
    ///
    /// # Errors
    /// As there, and [`Error::WrongContext`] for another suite.
    pub fn wants(&self, aggregate: &Aggregate) -> Result<bool> {
        each_counted!(self, Pool, S, pool => pool.wants(aggregate.try_into()?))
    }

    /// Takes in an aggregate that was verified. False if nothing changes by it.
    ///
    /// # Errors
    /// As [`wants`](Pool::wants), and [`Error::WrongContext`] if it was verified against another committee.
    pub fn insert(&mut self, aggregate: Verified<Aggregate>) -> Result<bool> {
        each_counted!(self, Pool, S, pool => pool.insert(lower(aggregate)?))
    }

    /// Everybody whose signature is in some aggregate of the pool.
    pub fn signers(&self) -> &SignerSet {
        each_counted!(self, Pool, S, pool => pool.signers())
    }

    /// The sum of everything that can be added, or the certificate's.
    pub fn best(&self) -> Option<Verified<Aggregate>> {
        each_counted!(self, Pool, S, pool => pool.best().cloned().map(lift))
    }

    /// All aggregates that are kept.
    pub fn aggregates(&self) -> Vec<Verified<Aggregate>> {
        each_counted!(self, Pool, S, pool => pool.aggregates().cloned().map(lift).collect())
    }

    /// The certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<Verified<Certificate>> {
        each_counted!(self, Pool, S, pool => pool.certificate().cloned().map(lift))
    }
}

impl Gossip {
    /// Nothing is known yet.
    ///
    /// # Errors
    /// As [`gossip::Gossip::new`], and [`Error::WrongContext`] for a committee of a suite without counts.
    pub fn new(
        committee: &Committee,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Result<Self> {
        each_counted!(committee, Committee, S, committee => {
            GossipOf::<S>::new(Arc::clone(committee), me, statement, parameters).map(Self::from)
        }, _ => Err(wrong_suite()))
    }

    /// What is being signed.
    pub fn statement(&self) -> &Statement {
        each_counted!(self, Gossip, S, gossip => gossip.statement())
    }

    /// Takes in a vote that was checked by itself, above all one's own. False if it was known.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite.
    pub fn vote(&mut self, vote: &Verified<Vote>) -> Result<bool> {
        each_counted!(self, Gossip, S, gossip => gossip.vote(&lower(vote.clone())?))
    }

    /// Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, statement or suite.
    pub fn adopt(&mut self, aggregate: Verified<Aggregate>) -> Result<bool> {
        each_counted!(self, Gossip, S, gossip => gossip.adopt(lower(aggregate)?))
    }

    /// Takes in what a peer sent. Nothing is verified yet.
    pub fn receive(
        &mut self,
        from: MemberIndex,
        aggregate: Aggregate,
        now: Time,
        peers: &mut Peers,
    ) -> Received {
        each_counted!(self, Gossip, S, gossip => match aggregate.try_into() {
            Ok(aggregate) => gossip.receive(from, aggregate, now, peers),
            Err(error) => Received::Invalid(error),
        })
    }

    /// How many aggregates wait for their check.
    pub fn waiting(&self) -> usize {
        each_counted!(self, Gossip, S, gossip => gossip.waiting())
    }

    /// Verifies the newest of what waits, together, and merges what is good, see [`gossip::Gossip::check`].
    pub fn check(&mut self, now: Time, entropy: Option<&[u8; 32]>, peers: &mut Peers) -> Checked {
        each_counted!(self, Gossip, S, gossip => gossip.check(now, entropy, peers))
    }

    /// What to send, and to whom, see [`gossip::Gossip::next`].
    pub fn next(&mut self, now: Time, draw: u64, peers: &mut Peers) -> Option<(MemberIndex, Aggregate)> {
        each_counted!(self, Gossip, S, gossip => {
            gossip.next(now, draw, peers).map(|(to, aggregate)| (to, aggregate.into()))
        })
    }

    /// What to send to this peer, which somebody else picked; `None` if it is known to have all of it.
    pub fn offer(&mut self, to: MemberIndex) -> Option<Aggregate> {
        each_counted!(self, Gossip, S, gossip => gossip.offer(to).map(Aggregate::from))
    }

    /// Everybody whose signature is known and verified.
    pub fn signers(&self) -> &SignerSet {
        each_counted!(self, Gossip, S, gossip => gossip.signers())
    }

    /// The verified aggregates.
    pub fn pool(&self) -> Pool {
        each_counted!(self, Gossip, S, gossip => gossip.pool().clone().into())
    }

    /// The certificate, once a quorum has signed.
    pub fn certificate(&self) -> Option<Verified<Certificate>> {
        each_counted!(self, Gossip, S, gossip => gossip.certificate().cloned().map(lift))
    }
}

/// A checked aggregate of the scheme `S`, which shares the original's memory.
fn typed<S: gossip::Additive>(aggregate: &Verified<Aggregate>) -> Result<Verified<AggregateOf<S>>>
where
    AggregateOf<S>: TryFrom<Aggregate, Error = Error>,
{
    lower(aggregate.clone())
}
