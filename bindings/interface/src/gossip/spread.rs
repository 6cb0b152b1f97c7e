//! The verified aggregates of one statement, and one member's part in spreading them.

use quorate::{Error, Result, any, gossip, machine};

use super::peers::draw_or_random;
use super::{Aggregate, Parameters, Peers, VerifiedAggregate, signed};
use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::votes::VerifiedVote;
use crate::{Locked, at, exactly};

class! {
    /// Some verified aggregates of one statement from any source, and single signatures: the sum of those that can be
    /// added with low counts. A gossip uses one beside its own sums; a protocol with another dissemination method needs
    /// only this. Threads may share it.
    object struct Pool(Locked<any::Pool>): Debug;
    shown |self, f| {
        f.write_str("Pool(")?;
        signed(f, &self.signers())?;
        f.write_str(")")
    };
    module const MAX_POOL: u32 = 8 == gossip::MAX_POOL, "Maximum number of aggregates in a pool.";
    /// Creates an empty pool of member `me`.
    /// [`Error::WrongContext`](quorate::Error) for a suite without counts.
    fn new(
        committee: &Committee,
        me: u16,
        statement: &Statement,
        parameters: Option<&Parameters>,
    ) -> Result<Self> {
        any::Pool::new(&committee.0, me, statement.0, Parameters::chosen(parameters)).map(Self::from_core)
    }
    /// The signed statement.
    getter fn statement(&self) -> Statement { Statement(*self.0.lock().statement()) }
    /// Returns true if [`Pool::insert`] would accept this: it adds a new signer, and there is no certificate yet. It
    /// uses no cryptography, so call it before verifying.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    /// [`Error::TooLarge`](quorate::Error) for a count above the limit.
    quick fn wants(&self, aggregate: &Aggregate) -> Result<bool> { self.0.lock().wants(&aggregate.0) }
    /// Inserts a verified aggregate. Returns false if it changes nothing.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    /// [`Error::TooLarge`](quorate::Error) for a count above the limit.
    fn insert(&self, aggregate: &VerifiedAggregate) -> Result<bool> {
        self.0.lock().insert(aggregate.0.clone())
    }
    /// A new set of all members whose signature is in some aggregate of the pool.
    getter fn signers(&self) -> SignerSet { self.0.lock().signers().clone().into() }
    /// The sum of all aggregates that can be added, or that of the certificate; nothing if the pool is empty.
    getter fn best(&self) -> Option<VerifiedAggregate> { self.0.lock().best().map(VerifiedAggregate) }
    /// All aggregates in the pool.
    getter fn aggregates(&self) -> Vec<VerifiedAggregate> {
        self.0.lock().aggregates().into_iter().map(VerifiedAggregate).collect()
    }
    /// The certificate, once the signers are a quorum.
    getter fn certificate(&self) -> Option<VerifiedCertificate> {
        self.0.lock().certificate().map(VerifiedCertificate)
    }
}

impl Pool {
    pub(super) fn from_core(pool: any::Pool) -> Self {
        Self(Locked::new(pool))
    }
}

class! {
    /// One member's part in spreading the signatures on one statement. It does no I/O: the caller transports the bytes
    /// and passes the time. [`Gossip::vote`] adds the member's own vote, [`Gossip::receive`] queues a received
    /// aggregate, [`Gossip::check`] verifies the queue together and merges the valid ones, [`Gossip::next`] returns the
    /// next message and its recipient, and [`Gossip::certificate`] is set once a quorum has signed. Threads may share
    /// it.
    ///
    /// In all functions `now` is in microseconds of the clock that [`Peers`] uses; it defaults to the system's.
    object struct Gossip(Locked<any::Gossip>): Debug;
    shown |self, f| {
        f.write_str("Gossip(")?;
        signed(f, &self.signers())?;
        write!(f, ", {} waiting)", self.waiting())
    };
    module const MAX_STACK: u32 = 64 == gossip::MAX_STACK,
        "Maximum number of aggregates queued for verification in a gossip.";
    /// Creates a gossip of member `me` that knows no signature on the statement yet.
    /// [`Error::WrongContext`](quorate::Error) for a statement of another epoch, and for a suite without counts.
    /// [`Error::UnknownSigner`](quorate::Error) for a member outside the committee.
    fn new(
        committee: &Committee,
        me: u16,
        statement: &Statement,
        parameters: Option<&Parameters>,
    ) -> Result<Self> {
        let gossip = any::Gossip::new(&committee.0, me, statement.0, Parameters::chosen(parameters))?;
        Ok(Self(Locked::new(gossip)))
    }
    /// The statement being signed.
    getter fn statement(&self) -> Statement { Statement(*self.0.lock().statement()) }
    /// Adds a verified vote, usually the member's own. Returns false if it was known.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    fn vote(&self, vote: &VerifiedVote) -> Result<bool> { self.0.lock().vote(&vote.0) }
    /// Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
    /// nothing new.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    fn adopt(&self, aggregate: &VerifiedAggregate) -> Result<bool> {
        self.0.lock().adopt(aggregate.0.clone())
    }
    /// Queues an aggregate that `peer` sent over an authenticated link, and returns the result. It is not verified yet.
    /// [`Error::WrongContext`](quorate::Error) for another committee or statement.
    /// [`Error::TooLarge`](quorate::Error) for a count above the limit.
    fn receive(&self, peer: u16, aggregate: &Aggregate, peers: &Peers, now: Option<u64>) -> Result<Received> {
        match self.0.lock().receive(peer, aggregate.0.clone(), at(now), &mut peers.lock()) {
            gossip::Received::Waiting => Ok(Received::Waiting),
            gossip::Received::NothingNew => Ok(Received::NothingNew),
            gossip::Received::Complete => Ok(Received::Complete),
            gossip::Received::Refused => Ok(Received::Refused),
            gossip::Received::Invalid(error) => Err(error),
        }
    }
    /// Number of aggregates queued for verification.
    getter fn waiting(&self) -> usize { self.0.lock().waiting() }
    /// Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
    /// suspended. The coefficients come from `entropy`, 32 unpredictable bytes; by default they are derived from all
    /// aggregates of the batch. Cost: as [`Aggregate::verify_batch`] of at most [`Parameters::batch`] aggregates.
    /// [`Error::Malformed`](quorate::Error) for entropy of another length.
    fn check(
        &self,
        peers: &Peers,
        #[cfg_attr(binding, option)] entropy: Option<&[u8]>,
        #[cfg_attr(binding, option)] now: Option<u64>,
    ) -> Result<Checked> {
        let entropy = entropy.map(|entropy| exactly(entropy, "entropy")).transpose()?;
        let checked = self.0.lock().check(at(now), entropy.as_ref(), &mut peers.lock());
        let gossip::Checked { faults, aggregates, signers, grew } = checked;
        let fault = |machine::Fault { culprit, evidence }: machine::Fault<Error>| Fault { culprit, evidence };
        Ok(Checked { faults: faults.into_iter().map(fault).collect(), aggregates, signers, grew })
    }
    /// Returns the next message and its recipient. Report to `peers` that it has [`Peers::left`], was [`Peers::sent`]
    /// or [`Peers::failed`]; until then it occupies a slot. Nothing if there is nothing to send now or no slot is free:
    /// call again when a slot is free, after an aggregate was added, or after 50 ms. `draw` is random; it defaults to
    /// the operating system's randomness.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    fn next(
        &self,
        peers: &Peers,
        #[cfg_attr(binding, option)] draw: Option<u64>,
        #[cfg_attr(binding, option)] now: Option<u64>,
    ) -> Result<Option<Send>> {
        let draw = draw_or_random(draw)?;
        let send = self.0.lock().next(at(now), draw, &mut peers.lock());
        Ok(send.map(|(to, aggregate)| Send { to, aggregate: Aggregate(aggregate) }))
    }
    /// Returns the aggregate to send to this peer, for a caller that picks peers itself; nothing if the peer lacks
    /// nothing.
    fn offer(&self, peer: u16) -> Option<Aggregate> { self.0.lock().offer(peer).map(Aggregate) }
    /// A new set of all members whose signature is known and verified.
    getter fn signers(&self) -> SignerSet { self.0.lock().signers().clone().into() }
    /// Snapshot of the added aggregates that do not lie within one half of the committee.
    getter fn pool(&self) -> Pool { Pool::from_core(self.0.lock().pool()) }
    /// The certificate, once a quorum has signed.
    getter fn certificate(&self) -> Option<VerifiedCertificate> {
        self.0.lock().certificate().map(VerifiedCertificate)
    }
}

/// Result of receiving an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It is queued for verification.
    Waiting,
    /// It adds no new signer.
    NothingNew,
    /// A certificate exists already.
    Complete,
    /// Its sender is suspended for now.
    Refused,
}

named! {
    Received, "result": Waiting "waiting", NothingNew "nothing-new", Complete "complete", Refused "refused"
}

/// A member sent an aggregate that does not verify. The link authenticates the sender.
pub struct Fault {
    /// The member that sent it.
    pub culprit: u16,
    /// The verification error.
    pub evidence: Error,
}

/// Result of verifying queued aggregates.
pub struct Checked {
    /// Members that sent aggregates that do not verify.
    pub faults: Vec<Fault>,
    /// Number of aggregates that were verified together.
    pub aggregates: usize,
    /// Total number of signers in these aggregates: the additions that the verification cost.
    pub signers: usize,
    /// True if new signers became known.
    pub grew: bool,
}

/// A message to send.
pub struct Send {
    /// Recipient.
    pub to: u16,
    /// Payload.
    pub aggregate: Aggregate,
}
