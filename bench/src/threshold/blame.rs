//! Threshold ECDSA shares of one message, some of them wrong, and a combiner.

use std::collections::VecDeque;

use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::combiner::{Counts, Outcome};
use quorate::threshold::ecdsa::{
    Curve, Opening, Plan, Presignatures, Signature, SignatureShare, Signing, Tag, TrustedDealer,
};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::{Class, Combiner, Tolerance};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The signed message.
pub(super) const MESSAGE: [u8; 32] = [7; 32];
/// Offset of s in an encoded share: after suite, member, epoch, index and digest.
const S: usize = 47;

/// The shares of all parties, and their openings.
pub(super) struct Shares<G: Curve, C: Class> {
    party: Presignatures<G>,
    tag: Tag<C>,
    tolerance: Tolerance,
    right: Vec<SignatureShare<G>>,
    openings: Vec<Vec<u8>>,
}

/// Result of adding shares to a combiner.
pub(super) struct Collected<G: Curve> {
    pub(super) signature: Option<Signature<G>>,
    /// Identified members, ascending.
    pub(super) culprits: Vec<MemberIndex>,
    pub(super) counts: Counts,
}

/// Order of wrong shares, and whether openings are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attack {
    /// f wrong shares first; requests for openings are answered.
    First,
    /// Each wrong share is the last missing one: the paper's worst case.
    Last,
    /// f wrong shares first, no openings, and all members' shares: they are decoded.
    Silent,
}

impl<G: Curve, C: Class> Shares<G, C> {
    /// Deals one presignature to all parties, and lets all sign.
    pub(super) fn new(tolerance: Tolerance, plan: Plan, tag: Tag<C>) -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(tolerance.parties().into());
        let dealer = TrustedDealer::<G>::new(CommitteeId([7; 32]), tolerance, &mut rng)?;
        let mut parties = dealer.deal(tag.epoch(), plan, &mut rng)?;
        let (mut right, mut openings) = (Vec::new(), Vec::new());
        for party in &mut parties {
            let mut guard = Guard::<Ed25519>::new(Ed25519::generate(&mut rng)?, ChainId::from_name("bench"));
            let signed = party.take(tag)?.sign(&mut guard, &MESSAGE)?;
            right.push(signed.share);
            openings.push(signed.opener.open()?.encode());
        }
        let party = parties.pop().ok_or(Error::Exhausted)?;
        Ok(Self { party, tag, tolerance, right, openings })
    }

    /// t.
    pub(super) fn needed(&self) -> usize {
        self.tolerance.threshold::<C>().needed().into()
    }

    fn faulty(&self) -> usize {
        self.tolerance.faulty().into()
    }

    /// The signature of t right shares.
    pub(super) fn sign(&self, cache: &mut Cache<G::Scalar>) -> Result<Signature<G>> {
        let mut combiner = Combiner::new(self.party.signing(self.tag, &MESSAGE)?);
        for share in self.right.iter().take(self.needed()) {
            let _ = combiner.add(cache, share.member(), share.clone())?;
        }
        combiner.signature().copied().ok_or(Error::BadSignature { signers: vec![] })
    }

    /// Returns true if a signature of the message is valid.
    pub(super) fn verify(&self, signature: &Signature<G>) -> Result<()> {
        self.party.key().verify(self.tag, &MESSAGE, signature)
    }

    /// The shares in order: the first f parties send wrong ones.
    pub(super) fn under(&self, attack: Attack) -> Result<Vec<SignatureShare<G>>> {
        let (culprits, honest) = self.right.split_at_checked(self.faulty()).unwrap_or_default();
        let wrong = culprits.iter().map(wrong).collect::<Result<Vec<_>>>()?;
        let early = if attack == Attack::Last { self.needed() - 1 } else { 0 };
        let (before, after) = honest.split_at_checked(early).unwrap_or_default();
        Ok([before, &wrong, after].concat())
    }

    /// Adds shares to a combiner until there is a signature and no pending opening. Openings are passed as bytes.
    pub(super) fn collect(
        &self,
        shares: &[SignatureShare<G>],
        attack: Attack,
        cache: &mut Cache<G::Scalar>,
    ) -> Result<Collected<G>> {
        let mut combiner = Combiner::new(self.party.signing(self.tag, &MESSAGE)?);
        let (mut culprits, mut wanted) = (Vec::new(), VecDeque::new());
        for share in shares {
            if combiner.signature().is_some() && attack != Attack::Silent {
                break;
            }
            let outcome = combiner.add(cache, share.member(), share.clone())?;
            note(outcome, &mut culprits, &mut wanted);
            while let Some(member) = wanted.pop_front().filter(|_| attack != Attack::Silent) {
                let unknown = Error::UnknownSigner { index: member.into() };
                let opening = Opening::decode(self.openings.get(usize::from(member)).ok_or(unknown)?, &())?;
                let outcome = combiner.open(cache, member, &opening)?;
                note(outcome, &mut culprits, &mut wanted);
            }
        }
        culprits.sort_unstable();
        Ok(Collected { signature: combiner.signature().copied(), culprits, counts: combiner.counts() })
    }

    /// Fails unless the signature is valid, exactly the culprits are identified, and the work is within the paper's bounds:
    /// t + f share checks, f + 1 combinations.
    pub(super) fn check(&self, collected: &Collected<G>) -> Result<()> {
        let named = collected.culprits.iter().copied().eq(0..self.tolerance.faulty());
        let Counts { combinations, share_checks, decodings } = collected.counts;
        let bounded = share_checks <= self.needed() + self.faulty()
            && combinations <= self.faulty() + 1
            && decodings <= 2 * self.faulty() + 1;
        match &collected.signature {
            Some(signature) if named && bounded => self.verify(signature),
            _ => Err(Error::BadShare { members: collected.culprits.clone() }),
        }
    }
}

fn note<G: Curve, C: Class>(
    outcome: Outcome<Signing<G, C>>,
    culprits: &mut Vec<MemberIndex>,
    wanted: &mut VecDeque<MemberIndex>,
) {
    culprits.extend(outcome.faults.iter().map(|fault| fault.culprit));
    wanted.extend(outcome.wanted);
}

/// The same with another s.
fn wrong<G: Curve>(share: &SignatureShare<G>) -> Result<SignatureShare<G>> {
    let mut bytes = share.encode();
    // In the middle of s: it stays below the order, whichever end is the higher one.
    if let Some(byte) = bytes.get_mut(S + 16) {
        *byte ^= 1;
    }
    SignatureShare::decode(&bytes, &())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::threshold::{Ristretto255, Secp256k1};

    fn culprits_are_named<G: Curve>() {
        let (agreed, unagreed) = (Plan::Agreed { count: 1 }, Plan::Unagreed { count: 1 });
        let tolerance = Tolerance::new(10, 3).unwrap();
        let shares = Shares::<G, _>::new(tolerance, agreed, agreed.agreed(1, 0).unwrap()).unwrap();
        // t = 4. First: three wrong shares and a right one do not combine; all four are checked, and four right ones
        // do. Last: each wrong share spoils a combination with three right ones, which are checked once, and it by
        // itself. Silent: the first four shares do not combine and are not opened; the next four are right and combine.
        // Without a signature it decodes when (held - t)/2 grows: at 6 held, without success. With one it decodes when
        // t + f others and an outlier can be held: at 8 and 9 without success, because these correct two invalid ones,
        // and at 10, which correct three.
        for (attack, share_checks, combinations, decodings) in
            [(Attack::First, 4, 2, 0), (Attack::Last, 6, 4, 0), (Attack::Silent, 0, 2, 4)]
        {
            let order = shares.under(attack).unwrap();
            let collected = shares.collect(&order, attack, &mut Cache::default()).unwrap();
            shares.check(&collected).unwrap();
            assert_eq!(collected.counts, Counts { combinations, share_checks, decodings }, "{attack:?}");
        }
        let shares = Shares::<G, _>::new(tolerance, unagreed, unagreed.unagreed(1, 0).unwrap()).unwrap();
        assert_eq!(shares.needed(), 7);
        let order = shares.under(Attack::First).unwrap();
        let collected = shares.collect(&order, Attack::First, &mut Cache::default()).unwrap();
        shares.check(&collected).unwrap();
    }

    #[test]
    fn invalid_shares_are_identified_in_every_order() {
        culprits_are_named::<Ristretto255>();
        culprits_are_named::<Secp256k1>();
    }

    #[test]
    fn a_missing_culprit_is_detected() {
        let plan = Plan::Agreed { count: 1 };
        let tolerance = Tolerance::new(4, 1).unwrap();
        let tag = plan.agreed(1, 0).unwrap();
        let shares = Shares::<Ristretto255, _>::new(tolerance, plan, tag).unwrap();
        let order = shares.under(Attack::First).unwrap();
        let collected = shares.collect(&order, Attack::First, &mut Cache::default()).unwrap();
        assert!(shares.check(&Collected { culprits: vec![], ..collected }).is_err());
    }
}
