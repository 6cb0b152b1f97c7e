//! Aggregates that can be summed in any order, pools of them, and gossip.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use getrandom::SysRng;
use quorate::committee::Verified;
use quorate::machine::Time;
use quorate::{any, gossip};

use crate::certificates::VerifiedCertificate;
use crate::committees::Committee;
use crate::glue::{Failure, Result, hash32, lock};
use crate::keys::Signature;
use crate::signers::SignerSet;
use crate::statements::Statement;
use crate::votes::VerifiedVote;

#[derive(uniffi::Object)]
pub(crate) struct Aggregate(any::Aggregate);

#[uniffi::export]
impl Aggregate {
    #[uniffi::constructor]
    fn decode(bytes: Vec<u8>, committee: &Committee) -> Result<Self> {
        Ok(Self(any::Aggregate::decode(&bytes, &committee.0)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encoded_len(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn statement(&self) -> Statement {
        self.0.statement().into()
    }

    fn signers(&self) -> Arc<SignerSet> {
        SignerSet::from_core(self.0.signers().clone())
    }

    fn counts(&self) -> Vec<u16> {
        self.0.signers().iter().map(|signer| self.0.count(signer)).collect()
    }

    fn count(&self, member: u16) -> u16 {
        self.0.count(member)
    }

    fn signature(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.signature()))
    }

    fn verify(&self, committee: &Committee) -> Result<Arc<VerifiedAggregate>> {
        Ok(VerifiedAggregate::from_core(self.0.clone().verify(&committee.0)?))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedAggregate(Verified<any::Aggregate>);

impl VerifiedAggregate {
    fn from_core(aggregate: Verified<any::Aggregate>) -> Arc<Self> {
        Arc::new(Self(aggregate))
    }
}

#[uniffi::export]
impl VerifiedAggregate {
    #[uniffi::constructor]
    fn from_vote(vote: &VerifiedVote, committee: &Committee) -> Result<Self> {
        Ok(Self(any::Aggregate::from_vote(&vote.0, &committee.0)?))
    }

    #[uniffi::constructor]
    fn from_certificate(certificate: &VerifiedCertificate) -> Result<Self> {
        Ok(Self(any::Aggregate::from_certificate(&certificate.0)?))
    }

    fn value(&self) -> Arc<Aggregate> {
        Arc::new(Aggregate((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    fn merge(&self, other: &VerifiedAggregate, limit: u16) -> Result<Arc<VerifiedAggregate>> {
        Ok(Self::from_core(self.0.merge(&other.0, limit)?))
    }

    fn normalised(&self, parts: Vec<Arc<VerifiedAggregate>>) -> Arc<VerifiedAggregate> {
        Self::from_core(self.0.normalised(parts.iter().map(|part| &part.0)))
    }

    fn certificate(&self, committee: &Committee) -> Option<Arc<VerifiedCertificate>> {
        certified(self.0.certificate(&committee.0))
    }
}

/// Verdict on one aggregate of a batch.
#[derive(uniffi::Enum)]
enum AggregateVerdict {
    Valid { aggregate: Arc<VerifiedAggregate> },
    Invalid { error: Failure },
}

#[uniffi::export]
fn aggregate_verify_batch(committee: &Committee, aggregates: Vec<Arc<Aggregate>>) -> Vec<AggregateVerdict> {
    verdicts(any::Aggregate::verify_batch(&committee.0, inner(&aggregates), &mut SysRng))
}

#[uniffi::export]
fn aggregate_verify_batch_derived(
    committee: &Committee,
    aggregates: Vec<Arc<Aggregate>>,
) -> Vec<AggregateVerdict> {
    verdicts(any::Aggregate::verify_batch_derived(&committee.0, inner(&aggregates)))
}

fn inner(aggregates: &[Arc<Aggregate>]) -> Vec<any::Aggregate> {
    aggregates.iter().map(|aggregate| aggregate.0.clone()).collect()
}

fn verdicts(results: Vec<quorate::Result<Verified<any::Aggregate>>>) -> Vec<AggregateVerdict> {
    let verdict = |result| match result {
        Ok(aggregate) => AggregateVerdict::Valid { aggregate: VerifiedAggregate::from_core(aggregate) },
        Err(error) => AggregateVerdict::Invalid { error: quorate::Error::into(error) },
    };
    results.into_iter().map(verdict).collect()
}

fn certified(certificate: Option<Verified<any::Certificate>>) -> Option<Arc<VerifiedCertificate>> {
    certificate.map(|certificate| Arc::new(VerifiedCertificate(certificate)))
}

/// The core's parameters with Kotlin's integer types.
#[derive(uniffi::Record)]
struct GossipParameters {
    limit: u16,
    preferred: u16,
    batch: u32,
    fan_out: u32,
    back_off: Duration,
    send_timeout: Duration,
}

impl From<GossipParameters> for gossip::Parameters {
    fn from(parameters: GossipParameters) -> Self {
        let GossipParameters { limit, preferred, batch, fan_out, back_off, send_timeout } = parameters;
        Self { limit, preferred, batch: batch as usize, fan_out: fan_out as usize, back_off, send_timeout }
    }
}

/// Returns the caller's randomness, or the operating system's.
fn draw_or_random(draw: Option<u64>) -> Result<u64> {
    match draw {
        Some(draw) => Ok(draw),
        None => getrandom::u64().map_err(|_| quorate::Error::Rng.into()),
    }
}

#[derive(uniffi::Object)]
struct AggregatePool(Mutex<any::Pool>);

#[uniffi::export]
impl AggregatePool {
    #[uniffi::constructor]
    fn new(
        committee: &Committee,
        me: u16,
        statement: Statement,
        parameters: GossipParameters,
    ) -> Result<Self> {
        let pool = any::Pool::new(&committee.0, me, statement.try_into()?, parameters.into())?;
        Ok(Self(Mutex::new(pool)))
    }

    fn statement(&self) -> Statement {
        lock(&self.0).statement().into()
    }

    fn wants(&self, aggregate: &Aggregate) -> Result<bool> {
        Ok(lock(&self.0).wants(&aggregate.0)?)
    }

    fn insert(&self, aggregate: &VerifiedAggregate) -> Result<bool> {
        Ok(lock(&self.0).insert(aggregate.0.clone())?)
    }

    fn signers(&self) -> Arc<SignerSet> {
        SignerSet::from_core(lock(&self.0).signers().clone())
    }

    fn best(&self) -> Option<Arc<VerifiedAggregate>> {
        lock(&self.0).best().map(VerifiedAggregate::from_core)
    }

    fn aggregates(&self) -> Vec<Arc<VerifiedAggregate>> {
        lock(&self.0).aggregates().into_iter().map(VerifiedAggregate::from_core).collect()
    }

    fn certificate(&self) -> Option<Arc<VerifiedCertificate>> {
        certified(lock(&self.0).certificate())
    }
}

#[derive(uniffi::Object)]
struct GossipPeers(Mutex<gossip::Peers>);

#[uniffi::export]
impl GossipPeers {
    #[uniffi::constructor]
    fn new(me: u16, members: u16, parameters: GossipParameters) -> Self {
        Self(Mutex::new(gossip::Peers::new(me, members, parameters.into())))
    }

    fn pick(&self, draw: Option<u64>, now: u64) -> Result<Option<u16>> {
        let draw = draw_or_random(draw)?;
        Ok(lock(&self.0).pick(Time(now), draw))
    }

    fn has_room(&self, now: u64) -> bool {
        lock(&self.0).has_room(Time(now))
    }

    fn is_available(&self, peer: u16, now: u64) -> bool {
        lock(&self.0).is_available(peer, Time(now))
    }

    fn begin(&self, peer: u16, now: u64) {
        lock(&self.0).begin(peer, Time(now));
    }

    fn left(&self, peer: u16) {
        lock(&self.0).left(peer);
    }

    fn sent(&self, peer: u16) {
        lock(&self.0).sent(peer);
    }

    fn failed(&self, peer: u16, now: u64) {
        lock(&self.0).failed(peer, Time(now));
    }

    fn heard(&self, peer: u16) {
        lock(&self.0).heard(peer);
    }

    fn accuse(&self, peer: u16, now: u64) {
        lock(&self.0).accuse(peer, Time(now));
    }

    fn is_refused(&self, peer: u16, now: u64) -> bool {
        lock(&self.0).is_refused(peer, Time(now))
    }

    fn next_free(&self) -> Option<u64> {
        lock(&self.0).next_free().map(|time| time.0)
    }
}

/// Result of receiving an aggregate; an invalid one throws.
#[derive(uniffi::Enum)]
enum GossipReceived {
    Waiting,
    NothingNew,
    Complete,
    Refused,
}

#[derive(uniffi::Record)]
struct GossipFault {
    culprit: u16,
    evidence: Failure,
}

#[derive(uniffi::Record)]
struct GossipChecked {
    faults: Vec<GossipFault>,
    aggregates: u32,
    signers: u32,
    grew: bool,
}

impl From<gossip::Checked> for GossipChecked {
    fn from(checked: gossip::Checked) -> Self {
        let faults = checked.faults.into_iter();
        Self {
            faults: faults
                .map(|fault| GossipFault { culprit: fault.culprit, evidence: fault.evidence.into() })
                .collect(),
            aggregates: checked.aggregates as u32,
            signers: checked.signers as u32,
            grew: checked.grew,
        }
    }
}

#[derive(uniffi::Record)]
struct GossipSend {
    to: u16,
    aggregate: Arc<Aggregate>,
}

#[derive(uniffi::Object)]
struct Gossip(Mutex<any::Gossip>);

// Lock order: the gossip before the peers.
#[uniffi::export]
impl Gossip {
    #[uniffi::constructor]
    fn new(
        committee: &Committee,
        me: u16,
        statement: Statement,
        parameters: GossipParameters,
    ) -> Result<Self> {
        let gossip = any::Gossip::new(&committee.0, me, statement.try_into()?, parameters.into())?;
        Ok(Self(Mutex::new(gossip)))
    }

    fn statement(&self) -> Statement {
        lock(&self.0).statement().into()
    }

    fn vote(&self, vote: &VerifiedVote) -> Result<bool> {
        Ok(lock(&self.0).vote(&vote.0)?)
    }

    fn adopt(&self, aggregate: &VerifiedAggregate) -> Result<bool> {
        Ok(lock(&self.0).adopt(aggregate.0.clone())?)
    }

    fn receive(
        &self,
        peer: u16,
        aggregate: &Aggregate,
        peers: &GossipPeers,
        now: u64,
    ) -> Result<GossipReceived> {
        let mut gossip = lock(&self.0);
        match gossip.receive(peer, aggregate.0.clone(), Time(now), &mut lock(&peers.0)) {
            gossip::Received::Waiting => Ok(GossipReceived::Waiting),
            gossip::Received::NothingNew => Ok(GossipReceived::NothingNew),
            gossip::Received::Complete => Ok(GossipReceived::Complete),
            gossip::Received::Refused => Ok(GossipReceived::Refused),
            gossip::Received::Invalid(error) => Err(error.into()),
        }
    }

    fn waiting(&self) -> u32 {
        lock(&self.0).waiting() as u32
    }

    fn check(&self, peers: &GossipPeers, entropy: Option<Vec<u8>>, now: u64) -> Result<GossipChecked> {
        let entropy = entropy.map(|entropy| hash32("entropy", &entropy)).transpose()?;
        let mut gossip = lock(&self.0);
        Ok(gossip.check(Time(now), entropy.as_ref(), &mut lock(&peers.0)).into())
    }

    fn next(&self, peers: &GossipPeers, draw: Option<u64>, now: u64) -> Result<Option<GossipSend>> {
        let draw = draw_or_random(draw)?;
        let send = lock(&self.0).next(Time(now), draw, &mut lock(&peers.0));
        Ok(send.map(|(to, aggregate)| GossipSend { to, aggregate: Arc::new(Aggregate(aggregate)) }))
    }

    fn offer(&self, peer: u16) -> Option<Arc<Aggregate>> {
        lock(&self.0).offer(peer).map(|aggregate| Arc::new(Aggregate(aggregate)))
    }

    fn signers(&self) -> Arc<SignerSet> {
        SignerSet::from_core(lock(&self.0).signers().clone())
    }

    fn pool(&self) -> Arc<AggregatePool> {
        Arc::new(AggregatePool(Mutex::new(lock(&self.0).pool())))
    }

    fn certificate(&self) -> Option<Arc<VerifiedCertificate>> {
        certified(lock(&self.0).certificate())
    }
}

// Maximum sizes of a pool and of the verification queue. Not a documentation comment: uniffi would write it so that the
// function stays public.
#[uniffi::export]
fn gossip_limits() -> Vec<u32> {
    vec![gossip::MAX_POOL as u32, gossip::MAX_STACK as u32]
}
