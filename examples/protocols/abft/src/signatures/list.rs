use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::committee::CommitteeId;
use quorate::ed25519::{Ed25519, PublicKey, SecretKey, Signature};
use quorate::machine::MemberIndex;
use quorate::scheme::{Claim, Keys, Scheme, SignerSet};
use quorate::threshold::combiner::Instance;
use quorate::threshold::{Agreement, Group, MAX_PARTIES, Ristretto255, ShareIndex, Threshold, Tolerance};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};
use rand_core::TryCryptoRng;

use super::collector::{Shares, collected};
use super::scheme::{Collected, ShareCollector, Signed, ThresholdScheme};
use crate::compose::Never;

/// Lists of t Ed25519 signatures. They need no dealer and little time, and t times the bytes of one signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ed25519List {}

/// The members' public keys for one threshold.
#[derive(Clone, Debug)]
pub struct ListKey {
    committee: CommitteeId,
    tolerance: Tolerance,
    agreement: Agreement,
    threshold: Threshold,
    members: Vec<PublicKey>,
}

/// A member's secret key with the public keys of all members.
pub struct ListKeyShare {
    key: Arc<ListKey>,
    member: MemberIndex,
    secret: SecretKey,
}

/// One member's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListShare {
    member: MemberIndex,
    signature: Signature,
}

/// The signatures of t members, ascending by member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSignature(Vec<ListShare>);

/// A statement that members sign.
#[derive(Clone, Debug)]
pub struct ListSigning {
    key: Arc<ListKey>,
    bytes: Vec<u8>,
}

impl ListKey {
    /// Creates a key from the public keys of all members.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] unless there is one key for each party.
    pub fn new(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        members: Vec<PublicKey>,
    ) -> Result<Self> {
        if members.len() != usize::from(tolerance.parties()) {
            return Err(Error::BadCommittee { rule: "one public key for each party" });
        }
        let (parties, faulty) = (tolerance.parties(), tolerance.faulty());
        let needed = match agreement {
            Agreement::Agreed => faulty + 1,
            Agreement::Unagreed => (parties + faulty) / 2 + 1,
        };
        let threshold = Threshold::new(needed, parties)?;
        Ok(Self { committee, tolerance, agreement, threshold, members })
    }

    /// Returns the signed bytes of a statement: the domain, the committee, the threshold's class, the statement.
    fn signed_bytes(&self, statement: &[u8]) -> Vec<u8> {
        let mut w = Writer::with_capacity(domain::ABFT_LIST.len() + 33 + statement.len());
        w.raw(domain::ABFT_LIST.as_bytes());
        w.raw(&self.committee.0);
        w.u8(match self.agreement {
            Agreement::Agreed => 1,
            Agreement::Unagreed => 2,
        });
        w.raw(statement);
        w.into_bytes()
    }

    /// Verifies signatures in a batch: the shares beside each message are ascending by member.
    fn verify_lists(&self, lists: &[(Vec<u8>, Vec<&ListShare>)]) -> Result<()> {
        let mut signed = Vec::with_capacity(lists.len());
        for (message, shares) in lists.iter().filter(|(_, shares)| !shares.is_empty()) {
            let members = shares.iter().map(|share| share.member);
            let signers = SignerSet::from_members(self.tolerance.parties(), members)?;
            let proof = shares.iter().map(|share| (share.member, share.signature.clone())).collect();
            signed.push((message.as_slice(), signers, proof));
        }
        let claims: Vec<(Claim<'_>, &Vec<_>)> =
            signed.iter().map(|(message, signers, proof)| (Claim { message, signers }, proof)).collect();
        match claims.as_slice() {
            [] => Ok(()),
            claims => Ed25519::verify_many(Keys::new(&self.members, &()), claims, None),
        }
    }

    fn verify_one(&self, bytes: &[u8], share: &ListShare) -> Result<()> {
        let unknown = Error::UnknownSigner { index: share.member.into() };
        let key = self.members.get(usize::from(share.member)).ok_or(unknown)?;
        Ed25519::verify(key, bytes, &share.signature)
            .map_err(|_| Error::BadSignature { signers: vec![share.member] })
    }
}

impl ListKeyShare {
    /// Combines a member's secret key with the public keys.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the secret is not that of the member's public key.
    pub fn new(key: Arc<ListKey>, member: MemberIndex, secret: SecretKey) -> Result<Self> {
        match key.members.get(usize::from(member)) {
            Some(public) if *public == Ed25519::public_key(&secret) => Ok(Self { key, member, secret }),
            _ => Err(Error::WrongContext { what: "secret of the key share" }),
        }
    }
}

impl Ed25519List {
    /// Creates the instance whose shares are combined.
    pub fn signing(key: &Arc<ListKey>, statement: &[u8]) -> ListSigning {
        ListSigning { bytes: key.signed_bytes(statement), key: key.clone() }
    }
}

impl ThresholdScheme for Ed25519List {
    type GroupKey = ListKey;
    type KeyShare = ListKeyShare;
    type Share = ListShare;
    type Signature = ListSignature;
    type Opening = Never;
    type Collector = Shares<ListSigning>;
    type Known = BTreeMap<MemberIndex, Signature>;

    fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        rng: &mut R,
    ) -> Result<Vec<ListKeyShare>> {
        let secrets =
            (0..tolerance.parties()).map(|_| Ed25519::generate(rng)).collect::<Result<Vec<SecretKey>>>()?;
        let members = secrets.iter().map(Ed25519::public_key).collect();
        let key = Arc::new(ListKey::new(committee, tolerance, agreement, members)?);
        let share = |(member, secret)| ListKeyShare { key: key.clone(), member, secret };
        Ok((0..tolerance.parties()).zip(secrets).map(share).collect())
    }

    fn group_key(share: &ListKeyShare) -> Arc<ListKey> {
        share.key.clone()
    }

    fn member(share: &ListKeyShare) -> MemberIndex {
        share.member
    }

    fn sign(share: &ListKeyShare, statement: &[u8]) -> ListShare {
        let signature = Ed25519::sign(&share.secret, &share.key.signed_bytes(statement));
        ListShare { member: share.member, signature }
    }

    fn collector(key: &Arc<ListKey>, statement: &[u8]) -> Shares<ListSigning> {
        Shares::new(Self::signing(key, statement))
    }

    /// Cost: one batch of t verifications for each list, all lists together.
    fn verify_all(key: &ListKey, signed: &[Signed<'_, Self>]) -> Result<()> {
        let needed = key.threshold.needed();
        let mut unknown = Vec::with_capacity(signed.len());
        for Signed { statement, signature: ListSignature(shares), known } in signed {
            if shares.len() != usize::from(needed) {
                return Err(Error::BelowQuorum { signed: shares.len() as u128, needed: needed.into() });
            }
            let is_unknown = |share: &&ListShare| {
                known.and_then(|known| known.get(&share.member)) != Some(&share.signature)
            };
            let shares: Vec<_> = shares.iter().filter(is_unknown).collect();
            unknown.push((key.signed_bytes(statement), shares));
        }
        key.verify_lists(&unknown)
    }

    fn remember(signature: &ListSignature, known: &mut Self::Known) {
        for share in &signature.0 {
            known.entry(share.member).or_insert_with(|| share.signature.clone());
        }
    }

    fn signature_len(key: &ListKey) -> usize {
        4 + 66 * usize::from(key.threshold.needed())
    }
}

impl ShareCollector<Ed25519List> for Shares<ListSigning> {
    fn add(&mut self, from: MemberIndex, share: ListShare) -> Result<Collected<Ed25519List>> {
        Ok(collected(Shares::add(self, from, share)?, |signature| signature, ListShare::encode))
    }

    fn open(&mut self, _: MemberIndex, opening: &Never) -> Result<Collected<Ed25519List>> {
        match *opening {}
    }
}

impl Instance for ListSigning {
    type Scalar = <Ristretto255 as Group>::Scalar;
    type Share = ListShare;
    type Opening = ();
    type Signature = ListSignature;
    type Evidence = ListShare;

    fn threshold(&self) -> Threshold {
        self.key.threshold
    }

    fn faulty(&self) -> u16 {
        self.key.tolerance.faulty()
    }

    fn index(&self, share: &ListShare) -> Result<ShareIndex> {
        let index = ShareIndex::from_member(share.member)?;
        self.key.threshold.check(index)?;
        Ok(index)
    }

    fn combine(&self, _: &[Self::Scalar], shares: &[&ListShare]) -> Option<ListSignature> {
        self.key.verify_lists(&[(self.bytes.clone(), shares.to_vec())]).ok()?;
        Some(ListSignature(shares.iter().map(|share| (*share).clone()).collect()))
    }

    fn check(&self, share: &ListShare, _: Option<&()>) -> Result<Option<bool>> {
        Ok(Some(self.key.verify_one(&self.bytes, share).is_ok()))
    }

    fn evidence(&self, share: &ListShare, _: Option<&()>) -> ListShare {
        share.clone()
    }
}

/// Encoding: member u16 ‖ signature 64.
impl Encode for ListShare {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.member);
        self.signature.encode_to(w);
    }
}

impl Decode for ListShare {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { member: r.u16()?, signature: Signature::decode_from(r, &())? })
    }
}

/// Encoding: the shares as a list with its length as u32.
impl Encode for ListSignature {
    fn encode_to(&self, w: &mut Writer) {
        w.list(&self.0);
    }
}

impl Decode for ListSignature {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let shares: Vec<ListShare> = r.list("list of signatures", MAX_PARTIES.into(), &())?;
        let repeated = shares.iter().zip(shares.iter().skip(1)).find(|(one, next)| one.member >= next.member);
        match repeated {
            Some((one, next)) if one.member == next.member => {
                Err(Error::DuplicateSigner { index: next.member.into() })
            }
            Some((_, next)) => Err(Error::OutOfOrder { index: next.member.into() }),
            None => Ok(Self(shares)),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    fn deal(committee: u8, agreement: Agreement) -> Vec<ListKeyShare> {
        let tolerance = Tolerance::new(4, 1).unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        Ed25519List::deal(CommitteeId([committee; 32]), tolerance, agreement, &mut rng).unwrap()
    }

    fn sign(shares: &[ListKeyShare], members: &[usize]) -> ListSignature {
        ListSignature(members.iter().map(|member| Ed25519List::sign(&shares[*member], b"text")).collect())
    }

    #[test]
    fn a_signature_has_exactly_the_threshold_of_members() {
        for (agreement, needed) in [(Agreement::Agreed, 2), (Agreement::Unagreed, 3)] {
            let shares = deal(1, agreement);
            let verify = |members: &[usize]| {
                Ed25519List::verify(&shares[0].key, b"text", &sign(&shares, members)).is_ok()
            };
            for count in 0..=4 {
                assert_eq!(verify(&[0, 1, 2, 3][..count]), count == needed, "{count} of {agreement:?}");
            }
            let bytes = sign(&shares, &[0, 1, 2, 3][..needed]).encode();
            assert_eq!(bytes.len(), Ed25519List::signature_len(&shares[0].key));
        }
    }

    #[test]
    fn a_signature_holds_for_its_statement_committee_and_class() {
        let shares = deal(1, Agreement::Agreed);
        let signature = sign(&shares, &[1, 3]);
        let code = |key: &ListKey, statement: &[u8]| {
            Ed25519List::verify(key, statement, &signature).map_err(|error| error.code())
        };
        assert_eq!(code(&shares[0].key, b"text"), Ok(()));
        assert_eq!(code(&shares[0].key, b"other text"), Err("BAD_SIGNATURE"));
        // The same secrets for another committee.
        assert_eq!(code(&deal(2, Agreement::Agreed)[0].key, b"text"), Err("BAD_SIGNATURE"));
        // One class never verifies as the other, even with the number of signatures that it needs.
        let unagreed = deal(1, Agreement::Unagreed);
        let three = sign(&shares, &[0, 1, 3]);
        assert!(Ed25519List::verify(&unagreed[0].key, b"text", &three).is_err());
        let mut other_member = signature.clone();
        other_member.0[0].member = 0;
        assert!(Ed25519List::verify(&shares[0].key, b"text", &other_member).is_err());
    }

    #[test]
    fn known_signatures_are_not_verified_again_and_others_are() {
        let shares = deal(1, Agreement::Unagreed);
        let (first, second) = (sign(&shares, &[0, 1, 2]), sign(&shares, &[1, 2, 3]));
        let verify = |signature: &ListSignature, known: &BTreeMap<_, _>| {
            let signed = Signed { statement: b"text", signature, known: Some(known) };
            Ed25519List::verify_all(&shares[0].key, &[signed]).is_ok()
        };
        let mut known = BTreeMap::new();
        Ed25519List::remember(&first, &mut known);
        assert!(verify(&first, &known) && verify(&second, &known));
        // A wrong signature of a known member, and one of an unknown member.
        for place in [0, 2] {
            let mut wrong = second.clone();
            wrong.0[place].signature = Ed25519::sign(&shares[0].secret, b"other text");
            assert!(!verify(&wrong, &known));
            // It passes only if it was remembered, so what is known costs nothing.
            let mut deceived = BTreeMap::new();
            Ed25519List::remember(&wrong, &mut deceived);
            assert!(verify(&wrong, &deceived));
        }
        let mut few = first.clone();
        few.0.pop();
        assert!(!verify(&few, &known));
    }

    #[test]
    fn several_lists_are_valid_only_if_all_are() {
        let shares = deal(1, Agreement::Unagreed);
        let statements: [&[u8]; 3] = [b"one", b"two", b"three"];
        let sign = |member: usize, statement: &[u8]| Ed25519List::sign(&shares[member], statement);
        let lists: Vec<_> = statements
            .iter()
            .map(|statement| ListSignature((0..3).map(|member| sign(member, statement)).collect()))
            .collect();
        let verify = |lists: &[ListSignature]| {
            let signed: Vec<_> = statements
                .iter()
                .zip(lists)
                .map(|(statement, signature)| Signed { statement, signature, known: None })
                .collect();
            Ed25519List::verify_all(&shares[0].key, &signed).is_ok()
        };
        assert!(verify(&lists) && verify(&[]));
        for (list, place) in (0..3).flat_map(|list| (0..3).map(move |place| (list, place))) {
            let mut wrong = lists.clone();
            wrong[list].0[place] = sign(place, statements[(list + 1) % 3]);
            assert!(!verify(&wrong), "signature {place} of list {list}");
        }
        // Two lists for each other's statements.
        let mut swapped = lists;
        swapped.swap(0, 1);
        assert!(!verify(&swapped));
    }

    #[test]
    fn lists_that_are_not_strictly_ascending_are_refused() {
        let shares = deal(1, Agreement::Agreed);
        let decode = |members: &[usize]| {
            ListSignature::decode(&sign(&shares, members).encode(), &()).map_err(|error| error.code())
        };
        assert_eq!(decode(&[0, 2]), Ok(sign(&shares, &[0, 2])));
        assert_eq!(decode(&[2, 0]), Err("DUPLICATE_SIGNER"));
        assert_eq!(decode(&[2, 2]), Err("DUPLICATE_SIGNER"));
    }

    #[test]
    fn keys_and_secrets_that_do_not_fit_are_refused() {
        let shares = deal(1, Agreement::Agreed);
        let key = &shares[0].key;
        let few = key.members[..3].to_vec();
        assert!(ListKey::new(key.committee, key.tolerance, key.agreement, few).is_err());
        let secret = Ed25519::generate(&mut StdRng::seed_from_u64(2)).unwrap();
        assert!(ListKeyShare::new(key.clone(), 0, secret).is_err());
    }
}
