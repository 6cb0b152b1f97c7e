//! Aggregates that can be summed in any order, pools of them, and gossip.

use std::time::Duration;

use quorate::committee::Verified;
use quorate::gossip;
use quorate::machine::Time;
use quorate::{Error, any};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::glue::{self, JsResult, OrThrow, array};
use crate::keys::Signature;
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::votes::VerifiedVote;

#[wasm_bindgen]
pub struct Aggregate(any::Aggregate);

#[wasm_bindgen]
impl Aggregate {
    pub fn decode(bytes: &[u8], committee: &Committee) -> JsResult<Self> {
        any::Aggregate::decode(bytes, &committee.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn encoded_length(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    pub fn signers(&self) -> SignerSet {
        SignerSet(self.0.signers().clone())
    }

    pub fn counts(&self) -> Vec<u16> {
        self.0.signers().iter().map(|signer| self.0.count(signer)).collect()
    }

    pub fn count(&self, member: u16) -> u16 {
        self.0.count(member)
    }

    pub fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedAggregate> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedAggregate)
    }
}

#[wasm_bindgen]
pub struct VerifiedAggregate(Verified<any::Aggregate>);

#[wasm_bindgen]
impl VerifiedAggregate {
    pub fn from_vote(vote: &VerifiedVote, committee: &Committee) -> JsResult<Self> {
        any::Aggregate::from_vote(&vote.0, &committee.0).or_throw().map(Self)
    }

    pub fn from_certificate(certificate: &VerifiedCertificate) -> JsResult<Self> {
        any::Aggregate::from_certificate(&certificate.0).or_throw().map(Self)
    }

    pub fn value(&self) -> Aggregate {
        Aggregate((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn merge(&self, other: &VerifiedAggregate, limit: Option<u16>) -> JsResult<Self> {
        let limit = limit.unwrap_or(gossip::Parameters::default().limit);
        self.0.merge(&other.0, limit).or_throw().map(Self)
    }

    pub fn normalised(&self, parts: Aggregates) -> Self {
        Self(self.0.normalised(&parts.verified))
    }

    pub fn certificate(&self, committee: &Committee) -> Option<VerifiedCertificate> {
        self.0.certificate(&committee.0).map(VerifiedCertificate)
    }
}

/// Aggregates that are verified together, or subtracted together.
#[wasm_bindgen]
#[derive(Default)]
pub struct Aggregates {
    plain: Vec<any::Aggregate>,
    verified: Vec<Verified<any::Aggregate>>,
}

#[wasm_bindgen]
impl Aggregates {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, aggregate: &Aggregate) {
        self.plain.push(aggregate.0.clone());
    }

    pub fn add_verified(&mut self, aggregate: &VerifiedAggregate) {
        self.verified.push(aggregate.0.clone());
    }

    pub fn verify(self, committee: &Committee) -> Vec<AggregateVerdict> {
        verdicts(any::Aggregate::verify_batch(&committee.0, self.plain, &mut getrandom::SysRng))
    }

    pub fn verify_derived(self, committee: &Committee) -> Vec<AggregateVerdict> {
        verdicts(any::Aggregate::verify_batch_derived(&committee.0, self.plain))
    }
}

/// Verdict on one of them.
#[wasm_bindgen]
pub struct AggregateVerdict(quorate::Result<Verified<any::Aggregate>>);

#[wasm_bindgen]
impl AggregateVerdict {
    pub fn error(&self) -> Option<JsValue> {
        self.0.as_ref().err().map(glue::error)
    }

    pub fn aggregate(self) -> Option<VerifiedAggregate> {
        self.0.ok().map(VerifiedAggregate)
    }
}

fn verdicts(results: Vec<quorate::Result<Verified<any::Aggregate>>>) -> Vec<AggregateVerdict> {
    results.into_iter().map(AggregateVerdict).collect()
}

/// Times are in microseconds; missing values have defaults.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub struct GossipParameters(gossip::Parameters);

#[wasm_bindgen]
impl GossipParameters {
    pub fn new(
        limit: Option<u16>,
        preferred: Option<u16>,
        batch: Option<u32>,
        fan_out: Option<u32>,
        back_off: Option<u64>,
        send_timeout: Option<u64>,
    ) -> Self {
        let default = gossip::Parameters::default();
        Self(gossip::Parameters {
            limit: limit.unwrap_or(default.limit),
            preferred: preferred.unwrap_or(default.preferred),
            batch: batch.map_or(default.batch, |batch| batch as usize),
            fan_out: fan_out.map_or(default.fan_out, |fan_out| fan_out as usize),
            back_off: back_off.map_or(default.back_off, Duration::from_micros),
            send_timeout: send_timeout.map_or(default.send_timeout, Duration::from_micros),
        })
    }
}

/// Randomness of the caller, or of the host.
fn draw_or_random(draw: Option<u64>) -> JsResult<u64> {
    match draw {
        Some(draw) => Ok(draw),
        None => getrandom::u64().map_err(|_| Error::Rng).or_throw(),
    }
}

#[wasm_bindgen]
pub struct Pool(any::Pool);

#[wasm_bindgen]
impl Pool {
    pub fn new(
        committee: &Committee,
        me: u16,
        statement: &Statement,
        parameters: GossipParameters,
    ) -> JsResult<Self> {
        any::Pool::new(&committee.0, me, statement.0, parameters.0).or_throw().map(Self)
    }

    pub fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    pub fn wants(&self, aggregate: &Aggregate) -> JsResult<bool> {
        self.0.wants(&aggregate.0).or_throw()
    }

    pub fn insert(&mut self, aggregate: &VerifiedAggregate) -> JsResult<bool> {
        self.0.insert(aggregate.0.clone()).or_throw()
    }

    pub fn signers(&self) -> SignerSet {
        SignerSet(self.0.signers().clone())
    }

    pub fn best(&self) -> Option<VerifiedAggregate> {
        self.0.best().map(VerifiedAggregate)
    }

    pub fn aggregates(&self) -> Vec<VerifiedAggregate> {
        self.0.aggregates().into_iter().map(VerifiedAggregate).collect()
    }

    pub fn certificate(&self) -> Option<VerifiedCertificate> {
        self.0.certificate().map(VerifiedCertificate)
    }
}

#[wasm_bindgen]
pub struct Peers(gossip::Peers);

#[wasm_bindgen]
impl Peers {
    pub fn new(me: u16, members: u16, parameters: GossipParameters) -> Self {
        Self(gossip::Peers::new(me, members, parameters.0))
    }

    pub fn pick(&mut self, draw: Option<u64>, now: u64) -> JsResult<Option<u16>> {
        Ok(self.0.pick(Time(now), draw_or_random(draw)?))
    }

    pub fn has_room(&mut self, now: u64) -> bool {
        self.0.has_room(Time(now))
    }

    pub fn is_available(&self, peer: u16, now: u64) -> bool {
        self.0.is_available(peer, Time(now))
    }

    pub fn begin(&mut self, peer: u16, now: u64) {
        self.0.begin(peer, Time(now));
    }

    pub fn left(&mut self, peer: u16) {
        self.0.left(peer);
    }

    pub fn sent(&mut self, peer: u16) {
        self.0.sent(peer);
    }

    pub fn failed(&mut self, peer: u16, now: u64) {
        self.0.failed(peer, Time(now));
    }

    pub fn heard(&mut self, peer: u16) {
        self.0.heard(peer);
    }

    pub fn accuse(&mut self, peer: u16, now: u64) {
        self.0.accuse(peer, Time(now));
    }

    pub fn is_refused(&self, peer: u16, now: u64) -> bool {
        self.0.is_refused(peer, Time(now))
    }

    pub fn next_free(&self) -> Option<u64> {
        self.0.next_free().map(|time| time.0)
    }
}

#[wasm_bindgen]
pub struct Gossip(any::Gossip);

#[wasm_bindgen]
impl Gossip {
    pub fn new(
        committee: &Committee,
        me: u16,
        statement: &Statement,
        parameters: GossipParameters,
    ) -> JsResult<Self> {
        any::Gossip::new(&committee.0, me, statement.0, parameters.0).or_throw().map(Self)
    }

    pub fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    pub fn vote(&mut self, vote: &VerifiedVote) -> JsResult<bool> {
        self.0.vote(&vote.0).or_throw()
    }

    pub fn adopt(&mut self, aggregate: &VerifiedAggregate) -> JsResult<bool> {
        self.0.adopt(aggregate.0.clone()).or_throw()
    }

    pub fn receive(
        &mut self,
        peer: u16,
        aggregate: &Aggregate,
        peers: &mut Peers,
        now: u64,
    ) -> JsResult<String> {
        let received = match self.0.receive(peer, aggregate.0.clone(), Time(now), &mut peers.0) {
            gossip::Received::Waiting => "waiting",
            gossip::Received::NothingNew => "nothing-new",
            gossip::Received::Complete => "complete",
            gossip::Received::Refused => "refused",
            gossip::Received::Invalid(error) => return Err(glue::error(&error)),
        };
        Ok(received.to_owned())
    }

    pub fn waiting(&self) -> u32 {
        self.0.waiting() as u32
    }

    pub fn check(
        &mut self,
        peers: &mut Peers,
        entropy: Option<Vec<u8>>,
        now: u64,
    ) -> JsResult<GossipChecked> {
        let entropy = entropy.map(|entropy| array(&entropy, "entropy")).transpose()?;
        Ok(GossipChecked(self.0.check(Time(now), entropy.as_ref(), &mut peers.0)))
    }

    pub fn next(&mut self, peers: &mut Peers, draw: Option<u64>, now: u64) -> JsResult<Option<GossipSend>> {
        Ok(self.0.next(Time(now), draw_or_random(draw)?, &mut peers.0).map(GossipSend))
    }

    pub fn offer(&mut self, peer: u16) -> Option<Aggregate> {
        self.0.offer(peer).map(Aggregate)
    }

    pub fn signers(&self) -> SignerSet {
        SignerSet(self.0.signers().clone())
    }

    pub fn pool(&self) -> Pool {
        Pool(self.0.pool())
    }

    pub fn certificate(&self) -> Option<VerifiedCertificate> {
        self.0.certificate().map(VerifiedCertificate)
    }
}

/// Result of a check; the faults are read last.
#[wasm_bindgen]
pub struct GossipChecked(gossip::Checked);

#[wasm_bindgen]
impl GossipChecked {
    pub fn aggregates(&self) -> u32 {
        self.0.aggregates as u32
    }

    pub fn signers(&self) -> u32 {
        self.0.signers as u32
    }

    pub fn grew(&self) -> bool {
        self.0.grew
    }

    pub fn culprits(&self) -> Vec<u16> {
        self.0.faults.iter().map(|fault| fault.culprit).collect()
    }

    pub fn evidence(self) -> Vec<JsValue> {
        self.0.faults.iter().map(|fault| glue::error(&fault.evidence)).collect()
    }
}

/// A message to send; the aggregate is read last.
#[wasm_bindgen]
pub struct GossipSend((u16, any::Aggregate));

#[wasm_bindgen]
impl GossipSend {
    pub fn to(&self) -> u16 {
        self.0.0
    }

    pub fn aggregate(self) -> Aggregate {
        Aggregate(self.0.1)
    }
}
