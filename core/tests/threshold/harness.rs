use std::sync::Arc;

use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::combiner::Outcome;
use quorate::threshold::ecdsa::{
    Curve, Deal, Opener, Opening, Plan, Presignatures, SignatureShare, Signing, Tag, TrustedDealer,
};
use quorate::threshold::{Class, Combiner, Field, Tolerance, lagrange};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const MESSAGE: &[u8] = b"pay 5 to Bob";
pub(crate) const COMMITTEE: CommitteeId = CommitteeId([7; 32]);

/// Offset of s in an encoded share.
const S: std::ops::Range<usize> = 47..79;

pub(crate) fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub(crate) fn dealer<G: Curve>(parties: u16, faulty: u16) -> TrustedDealer<G> {
    TrustedDealer::new(COMMITTEE, Tolerance::new(parties, faulty).unwrap(), &mut rng(1)).unwrap()
}

/// A party with its guard and its durable journal.
pub(crate) struct Party<G: Curve> {
    pub(crate) secret: [u8; 32],
    pub(crate) guard: Guard<Ed25519>,
    pub(crate) presignatures: Presignatures<G>,
    pub(crate) log: Vec<GuardRecord>,
}

impl<G: Curve> Party<G> {
    pub(crate) fn new(presignatures: Presignatures<G>) -> Self {
        let secret = [presignatures.member() as u8 + 1; 32];
        Self { secret, guard: guard(&secret, []), presignatures, log: Vec::new() }
    }

    pub(crate) fn sign<C: Class>(
        &mut self,
        tag: Tag<C>,
        message: &[u8],
    ) -> quorate::Result<(SignatureShare<G>, Opener<G>)> {
        let signed = self.presignatures.take(tag)?.sign(&mut self.guard, message)?;
        self.log.extend(signed.record);
        Ok((signed.share, signed.opener))
    }
}

pub(crate) fn guard(secret: &[u8; 32], records: impl IntoIterator<Item = GuardRecord>) -> Guard<Ed25519> {
    let secret = Ed25519::secret_from_bytes(secret).unwrap();
    Guard::restore(secret, ChainId::from_name("threshold"), records).unwrap()
}

pub(crate) fn parties<G: Curve>(dealer: &TrustedDealer<G>, epoch: u64, plan: Plan) -> Vec<Party<G>> {
    dealer.deal(epoch, plan, &mut rng(epoch + 2)).unwrap().into_iter().map(Party::new).collect()
}

/// One message that all parties sign.
pub(crate) struct Ceremony<G: Curve, C: Class> {
    pub(crate) dealer: TrustedDealer<G>,
    pub(crate) deal: Arc<Deal>,
    pub(crate) tag: Tag<C>,
    pub(crate) shares: Vec<SignatureShare<G>>,
    pub(crate) openings: Vec<Opening<G>>,
    pub(crate) signing: Signing<G, C>,
}

pub(crate) fn ceremony<G: Curve, C: Class>(
    parties: u16,
    faulty: u16,
    plan: Plan,
    tag: impl Fn(Plan) -> quorate::Result<Tag<C>>,
) -> Ceremony<G, C> {
    let dealer = dealer::<G>(parties, faulty);
    let tag = tag(plan).unwrap();
    let mut parties = self::parties(&dealer, tag.epoch(), plan);
    let signing = parties[0].presignatures.signing(tag, MESSAGE).unwrap();
    let deal = parties[0].presignatures.deal().clone();
    let (shares, openings) = parties
        .iter_mut()
        .map(|party| party.sign(tag, MESSAGE).unwrap())
        .map(|(share, opener)| (share, opener.open().unwrap()))
        .unzip();
    Ceremony { dealer, deal, tag, shares, openings, signing }
}

pub(crate) fn agreed<G: Curve>(parties: u16, faulty: u16) -> Ceremony<G, quorate::threshold::Agreed> {
    ceremony(parties, faulty, Plan::Agreed { count: 3 }, |plan| plan.agreed(5, 1))
}

pub(crate) fn unagreed<G: Curve>(parties: u16, faulty: u16) -> Ceremony<G, quorate::threshold::Unagreed> {
    ceremony(parties, faulty, Plan::Unagreed { count: 3 }, |plan| plan.unagreed(5, 1))
}

/// Returns the share with another s.
pub(crate) fn with_s<G: Curve>(share: &SignatureShare<G>, s: G::Scalar) -> SignatureShare<G> {
    let mut bytes = share.encode();
    bytes[S].copy_from_slice(&s.to_bytes());
    SignatureShare::decode(&bytes, &()).unwrap()
}

/// Returns the share's s.
pub(crate) fn s<G: Curve>(share: &SignatureShare<G>) -> G::Scalar {
    G::Scalar::from_bytes(share.encode()[S].try_into().unwrap()).unwrap()
}

/// Returns the share, wrong by `by`.
pub(crate) fn wrong<G: Curve>(share: &SignatureShare<G>, by: u64) -> SignatureShare<G> {
    with_s(share, s(share) + G::Scalar::from_u64(by))
}

/// Adds shares in an order, with openings on request, and collects the results.
pub(crate) struct Run<G: Curve, C: Class> {
    pub(crate) combiner: Combiner<Signing<G, C>>,
    pub(crate) culprits: Vec<MemberIndex>,
    pub(crate) faults: Vec<quorate::threshold::ecdsa::ShareFault<G>>,
    pub(crate) asked: Vec<MemberIndex>,
    cache: lagrange::Cache<G::Scalar>,
}

impl<G: Curve, C: Class> Run<G, C> {
    pub(crate) fn new(signing: &Signing<G, C>) -> Self {
        let combiner = Combiner::new(signing.clone());
        let cache = lagrange::Cache::default();
        Self { combiner, culprits: Vec::new(), faults: Vec::new(), asked: Vec::new(), cache }
    }

    pub(crate) fn add(&mut self, share: &SignatureShare<G>) -> quorate::Result<Vec<MemberIndex>> {
        let outcome = self.combiner.add(&mut self.cache, share.member(), share.clone())?;
        Ok(self.note(outcome))
    }

    pub(crate) fn open(&mut self, opening: &Opening<G>) -> quorate::Result<Vec<MemberIndex>> {
        let outcome = self.combiner.open(&mut self.cache, opening.member(), opening)?;
        Ok(self.note(outcome))
    }

    /// As in a network without delay: a requested opening arrives at once.
    pub(crate) fn add_and_open(&mut self, share: &SignatureShare<G>, openings: &[Opening<G>]) {
        let mut wanted = self.add(share).unwrap();
        while let Some(member) = wanted.pop() {
            wanted.extend(self.open(&openings[usize::from(member)]).unwrap());
        }
    }

    pub(crate) fn signed(&self) -> bool {
        self.combiner.signature().is_some()
    }

    fn note(&mut self, outcome: Outcome<Signing<G, C>>) -> Vec<MemberIndex> {
        self.asked.extend(&outcome.wanted);
        for fault in outcome.faults {
            self.culprits.push(fault.culprit);
            self.faults.push(fault.evidence);
        }
        self.culprits.sort_unstable();
        outcome.wanted
    }
}
