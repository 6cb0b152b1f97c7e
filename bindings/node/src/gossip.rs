//! Aggregates that can be summed in any order, pools of them, and gossip.

use std::time::Duration;

use getrandom::SysRng;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Either};
use napi_derive::napi;
use quorate::any::{Aggregate, Certificate, Committee, Gossip, Pool, Signature, Vote};
use quorate::certificate::Statement;
use quorate::committee::{CommitteeId, SignerSet, Verified};
use quorate::gossip::{Checked, Parameters, Peers, Received};
use quorate::machine::Time;

use crate::glue::{Bytes, Flag, Promised, Result, Throw, array, bytes, failure, handle, number, queue};
use crate::handle::External;

/// A verified aggregate.
pub type Sum = External<Verified<Aggregate>>;
/// A verified certificate.
pub type Certified = External<Verified<Certificate>>;

fn at(now: &BigInt) -> Time {
    Time(number(now))
}

/// Returns the caller's randomness, or the operating system's.
fn draw_or_random(draw: Option<BigInt>) -> Result<u64> {
    match draw {
        Some(draw) => Ok(number(&draw)),
        None => getrandom::u64().map_err(|_| quorate::Error::Rng).throw(),
    }
}

#[napi(catch_unwind)]
pub fn gossip_parameters_new(
    limit: Option<u16>,
    preferred: Option<u16>,
    batch: Option<u32>,
    fan_out: Option<u32>,
    back_off: Option<BigInt>,
    send_timeout: Option<BigInt>,
) -> External<Parameters> {
    let default = Parameters::default();
    let span =
        |given: Option<BigInt>, default| given.map_or(default, |span| Duration::from_micros(number(&span)));
    External::new(Parameters {
        limit: limit.unwrap_or(default.limit),
        preferred: preferred.unwrap_or(default.preferred),
        batch: batch.map_or(default.batch, |batch| batch as usize),
        fan_out: fan_out.map_or(default.fan_out, |fan_out| fan_out as usize),
        back_off: span(back_off, default.back_off),
        send_timeout: span(send_timeout, default.send_timeout),
    })
}

#[napi(catch_unwind)]
pub fn aggregate_from_vote(vote: &External<Verified<Vote>>, committee: &External<Committee>) -> Result<Sum> {
    handle(Aggregate::from_vote(vote, committee))
}

#[napi(catch_unwind)]
pub fn aggregate_from_certificate(certificate: &External<Verified<Certificate>>) -> Result<Sum> {
    handle(Aggregate::from_certificate(certificate))
}

#[napi(catch_unwind)]
pub fn aggregate_decode(data: &[u8], committee: &External<Committee>) -> Result<External<Aggregate>> {
    handle(Aggregate::decode(data, committee))
}

#[napi(catch_unwind)]
pub fn aggregate_encode<'env>(env: &'env Env, aggregate: &External<Aggregate>) -> Result<Bytes<'env>> {
    bytes(env, aggregate.encode())
}

#[napi(catch_unwind)]
pub fn aggregate_encoded_length(aggregate: &External<Aggregate>) -> u32 {
    aggregate.encoded_len() as u32
}

#[napi(catch_unwind)]
pub fn aggregate_suite(aggregate: &External<Aggregate>) -> &'static str {
    aggregate.suite().name()
}

#[napi(catch_unwind)]
pub fn aggregate_statement(aggregate: &External<Aggregate>) -> External<Statement> {
    External::new(*aggregate.statement())
}

#[napi(catch_unwind)]
pub fn aggregate_signers(aggregate: &External<Aggregate>) -> External<SignerSet> {
    External::new(aggregate.signers().clone())
}

#[napi(catch_unwind)]
pub fn aggregate_counts(aggregate: &External<Aggregate>) -> Vec<u16> {
    aggregate.signers().iter().map(|signer| aggregate.count(signer)).collect()
}

#[napi(catch_unwind)]
pub fn aggregate_count(aggregate: &External<Aggregate>, member: u16) -> u16 {
    aggregate.count(member)
}

#[napi(catch_unwind)]
pub fn aggregate_signature(aggregate: &External<Aggregate>) -> External<Signature> {
    External::new(aggregate.signature())
}

#[napi(catch_unwind)]
pub fn aggregate_verify(aggregate: &External<Aggregate>, committee: &External<Committee>) -> Result<Sum> {
    handle(Aggregate::clone(aggregate).verify(committee))
}

#[napi(catch_unwind)]
pub fn aggregate_verify_async(
    aggregate: &External<Aggregate>,
    committee: &External<Committee>,
    cancelled: Option<&External<Flag>>,
) -> Promised<Sum> {
    let (aggregate, committee) = (Aggregate::clone(aggregate), Committee::clone(committee));
    queue(cancelled, move || aggregate.verify(&committee).map(External::new))
}

/// A verified aggregate, or its error.
pub type SumVerdict = Either<Sum, String>;

fn verdicts(committee: &Committee, aggregates: Vec<Aggregate>, derived: bool) -> Vec<SumVerdict> {
    let verdicts = if derived {
        Aggregate::verify_batch_derived(committee, aggregates)
    } else {
        Aggregate::verify_batch(committee, aggregates, &mut SysRng)
    };
    let show = |verdict: quorate::Result<_>| match verdict {
        Ok(verified) => Either::A(External::new(verified)),
        Err(error) => Either::B(failure(&error)),
    };
    verdicts.into_iter().map(show).collect()
}

#[napi(catch_unwind)]
pub fn aggregate_verify_batch(
    committee: &External<Committee>,
    aggregates: Vec<&External<Aggregate>>,
    derived: bool,
) -> Vec<SumVerdict> {
    let aggregates = aggregates.into_iter().map(|aggregate| Aggregate::clone(aggregate));
    verdicts(committee, aggregates.collect(), derived)
}

#[napi(catch_unwind)]
pub fn aggregate_verify_batch_async(
    committee: &External<Committee>,
    aggregates: Vec<&External<Aggregate>>,
    derived: bool,
    cancelled: Option<&External<Flag>>,
) -> Promised<Vec<SumVerdict>> {
    let committee = Committee::clone(committee);
    let aggregates: Vec<Aggregate> =
        aggregates.into_iter().map(|aggregate| Aggregate::clone(aggregate)).collect();
    queue(cancelled, move || Ok(verdicts(&committee, aggregates, derived)))
}

#[napi(catch_unwind)]
pub fn aggregate_equals(aggregate: &External<Aggregate>, other: &External<Aggregate>) -> bool {
    **aggregate == **other
}

#[napi(catch_unwind)]
pub fn verified_aggregate_value(aggregate: &External<Verified<Aggregate>>) -> External<Aggregate> {
    External::new(Aggregate::clone(aggregate))
}

#[napi(catch_unwind)]
pub fn verified_aggregate_committee(aggregate: &External<Verified<Aggregate>>) -> External<CommitteeId> {
    External::new(aggregate.committee())
}

#[napi(catch_unwind)]
pub fn verified_aggregate_merge(
    aggregate: &External<Verified<Aggregate>>,
    other: &External<Verified<Aggregate>>,
    limit: Option<u16>,
) -> Result<Sum> {
    handle(aggregate.merge(other, limit.unwrap_or(Parameters::default().limit)))
}

#[napi(catch_unwind)]
pub fn verified_aggregate_normalised(
    aggregate: &External<Verified<Aggregate>>,
    parts: Vec<&External<Verified<Aggregate>>>,
) -> Sum {
    External::new(aggregate.normalised(parts.into_iter().map(|part| &**part)))
}

#[napi(catch_unwind)]
pub fn verified_aggregate_certificate(
    aggregate: &External<Verified<Aggregate>>,
    committee: &External<Committee>,
) -> Option<Certified> {
    aggregate.certificate(committee).map(External::new)
}

#[napi(catch_unwind)]
pub fn pool_new(
    committee: &External<Committee>,
    me: u16,
    statement: &External<Statement>,
    parameters: &External<Parameters>,
) -> Result<External<Pool>> {
    handle(Pool::new(committee, me, **statement, **parameters))
}

#[napi(catch_unwind)]
pub fn pool_statement(pool: &External<Pool>) -> External<Statement> {
    External::new(*pool.statement())
}

#[napi(catch_unwind)]
pub fn pool_wants(pool: &External<Pool>, aggregate: &External<Aggregate>) -> Result<bool> {
    pool.wants(aggregate).throw()
}

#[napi(catch_unwind)]
pub fn pool_insert(pool: &mut External<Pool>, aggregate: &External<Verified<Aggregate>>) -> Result<bool> {
    pool.insert(Verified::clone(aggregate)).throw()
}

#[napi(catch_unwind)]
pub fn pool_signers(pool: &External<Pool>) -> External<SignerSet> {
    External::new(pool.signers().clone())
}

#[napi(catch_unwind)]
pub fn pool_best(pool: &External<Pool>) -> Option<Sum> {
    pool.best().map(External::new)
}

#[napi(catch_unwind)]
pub fn pool_aggregates(pool: &External<Pool>) -> Vec<Sum> {
    pool.aggregates().into_iter().map(External::new).collect()
}

#[napi(catch_unwind)]
pub fn pool_certificate(pool: &External<Pool>) -> Option<Certified> {
    pool.certificate().map(External::new)
}

#[napi(catch_unwind)]
pub fn peers_new(me: u16, members: u16, parameters: &External<Parameters>) -> External<Peers> {
    External::new(Peers::new(me, members, **parameters))
}

#[napi(catch_unwind)]
pub fn peers_pick(peers: &mut External<Peers>, draw: Option<BigInt>, now: BigInt) -> Result<Option<u16>> {
    Ok(peers.pick(at(&now), draw_or_random(draw)?))
}

#[napi(catch_unwind)]
pub fn peers_has_room(peers: &mut External<Peers>, now: BigInt) -> bool {
    peers.has_room(at(&now))
}

#[napi(catch_unwind)]
pub fn peers_is_available(peers: &External<Peers>, peer: u16, now: BigInt) -> bool {
    peers.is_available(peer, at(&now))
}

#[napi(catch_unwind)]
pub fn peers_begin(peers: &mut External<Peers>, peer: u16, now: BigInt) {
    peers.begin(peer, at(&now));
}

#[napi(catch_unwind)]
pub fn peers_left(peers: &mut External<Peers>, peer: u16) {
    peers.left(peer);
}

#[napi(catch_unwind)]
pub fn peers_sent(peers: &mut External<Peers>, peer: u16) {
    peers.sent(peer);
}

#[napi(catch_unwind)]
pub fn peers_failed(peers: &mut External<Peers>, peer: u16, now: BigInt) {
    peers.failed(peer, at(&now));
}

#[napi(catch_unwind)]
pub fn peers_heard(peers: &mut External<Peers>, peer: u16) {
    peers.heard(peer);
}

#[napi(catch_unwind)]
pub fn peers_accuse(peers: &mut External<Peers>, peer: u16, now: BigInt) {
    peers.accuse(peer, at(&now));
}

#[napi(catch_unwind)]
pub fn peers_is_refused(peers: &External<Peers>, peer: u16, now: BigInt) -> bool {
    peers.is_refused(peer, at(&now))
}

#[napi(catch_unwind)]
pub fn peers_next_free(peers: &External<Peers>) -> Option<u64> {
    peers.next_free().map(|time| time.0)
}

#[napi(catch_unwind)]
pub fn gossip_new(
    committee: &External<Committee>,
    me: u16,
    statement: &External<Statement>,
    parameters: &External<Parameters>,
) -> Result<External<Gossip>> {
    handle(Gossip::new(committee, me, **statement, **parameters))
}

#[napi(catch_unwind)]
pub fn gossip_statement(gossip: &External<Gossip>) -> External<Statement> {
    External::new(*gossip.statement())
}

#[napi(catch_unwind)]
pub fn gossip_vote(gossip: &mut External<Gossip>, vote: &External<Verified<Vote>>) -> Result<bool> {
    gossip.vote(vote).throw()
}

#[napi(catch_unwind)]
pub fn gossip_adopt(
    gossip: &mut External<Gossip>,
    aggregate: &External<Verified<Aggregate>>,
) -> Result<bool> {
    gossip.adopt(Verified::clone(aggregate)).throw()
}

#[napi(catch_unwind)]
pub fn gossip_receive(
    gossip: &mut External<Gossip>,
    peer: u16,
    aggregate: &External<Aggregate>,
    peers: &mut External<Peers>,
    now: BigInt,
) -> Result<&'static str> {
    match gossip.receive(peer, Aggregate::clone(aggregate), at(&now), peers) {
        Received::Waiting => Ok("waiting"),
        Received::NothingNew => Ok("nothing-new"),
        Received::Complete => Ok("complete"),
        Received::Refused => Ok("refused"),
        Received::Invalid(error) => Err(error).throw(),
    }
}

#[napi(catch_unwind)]
pub fn gossip_waiting(gossip: &External<Gossip>) -> u32 {
    gossip.waiting() as u32
}

/// A member's aggregate that does not verify; `evidence` is the verification error.
#[napi(object, object_from_js = false)]
pub struct GossipFault {
    pub culprit: u16,
    pub evidence: String,
}

/// Result of verifying queued aggregates.
#[napi(object, object_from_js = false)]
pub struct GossipChecked {
    pub faults: Vec<GossipFault>,
    pub aggregates: u32,
    pub signers: u32,
    pub grew: bool,
}

impl From<Checked> for GossipChecked {
    fn from(checked: Checked) -> Self {
        let faults = checked.faults.iter();
        Self {
            faults: faults
                .map(|fault| GossipFault { culprit: fault.culprit, evidence: failure(&fault.evidence) })
                .collect(),
            aggregates: checked.aggregates as u32,
            signers: checked.signers as u32,
            grew: checked.grew,
        }
    }
}

#[napi(catch_unwind)]
pub fn gossip_check(
    gossip: &mut External<Gossip>,
    peers: &mut External<Peers>,
    entropy: Option<&[u8]>,
    now: BigInt,
) -> Result<GossipChecked> {
    let entropy = entropy.map(|entropy| array("entropy", entropy)).transpose()?;
    Ok(gossip.check(at(&now), entropy.as_ref(), peers).into())
}

/// The next message and its recipient.
#[napi(object, object_from_js = false)]
pub struct GossipSend {
    pub to: u16,
    pub aggregate: External<Aggregate>,
}

#[napi(catch_unwind)]
pub fn gossip_next(
    gossip: &mut External<Gossip>,
    peers: &mut External<Peers>,
    draw: Option<BigInt>,
    now: BigInt,
) -> Result<Option<GossipSend>> {
    let send = gossip.next(at(&now), draw_or_random(draw)?, peers);
    Ok(send.map(|(to, aggregate)| GossipSend { to, aggregate: External::new(aggregate) }))
}

#[napi(catch_unwind)]
pub fn gossip_offer(gossip: &mut External<Gossip>, peer: u16) -> Option<External<Aggregate>> {
    gossip.offer(peer).map(External::new)
}

#[napi(catch_unwind)]
pub fn gossip_signers(gossip: &External<Gossip>) -> External<SignerSet> {
    External::new(gossip.signers().clone())
}

#[napi(catch_unwind)]
pub fn gossip_pool(gossip: &External<Gossip>) -> External<Pool> {
    External::new(gossip.pool())
}

#[napi(catch_unwind)]
pub fn gossip_certificate(gossip: &External<Gossip>) -> Option<Certified> {
    gossip.certificate().map(External::new)
}
