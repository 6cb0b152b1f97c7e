use alloc::sync::Arc;
use alloc::vec::Vec;
use core::{fmt, slice};

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::scheme::BlsScheme;
use super::share::SignatureShare;
use crate::bls::{Fr, PublicKey, SecretKey, Signature};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Keys, Scheme, SignerSet};
use crate::threshold::index::{ShareIndex, Threshold};
use crate::threshold::sharing::{Polynomial, SecretScalar};
use crate::threshold::tolerance::{Agreement, Tolerance};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The public part of a shared key: the group's public key, and each party's key, under which its shares verify.
#[derive(Clone)]
pub struct GroupKey<V: BlsScheme> {
    /// Hash of the encoded key.
    id: [u8; 32],
    committee: CommitteeId,
    tolerance: Tolerance,
    agreement: Agreement,
    public: PublicKey<V>,
    parties: Vec<PublicKey<V>>,
    /// Computed from `public`.
    cache: Arc<V::Cache>,
}

/// One party's share of the key. It is wiped when dropped, and has no `Clone` or `Debug` of the secret.
pub struct KeyShare<V: BlsScheme> {
    key: Arc<GroupKey<V>>,
    member: MemberIndex,
    secret: SecretKey<V>,
}

/// Generates a key and shares it. **The process that runs this knows the key**, see
/// [`TrustedDealer`](crate::threshold::ecdsa::TrustedDealer). Cost: a multiplication of the generator for each party, and the
/// precomputation of the key's lines, of which a key of [`MinSig`](crate::bls::MinSig) holds 40 kB.
///
/// # Errors
/// [`Error::Rng`] if the generator fails.
pub fn deal<V: BlsScheme, R: TryCryptoRng + ?Sized>(
    committee: CommitteeId,
    tolerance: Tolerance,
    agreement: Agreement,
    rng: &mut R,
) -> Result<Vec<KeyShare<V>>> {
    // A share of zero is no key; draw again. The probability is negligible.
    let (secret, shares) = loop {
        let secret = SecretScalar::<Fr>::random(rng)?;
        let polynomial = Polynomial::sharing(&secret, tolerance.threshold_of(agreement), rng)?;
        let secrets: Option<Vec<SecretKey<V>>> = polynomial
            .shares(tolerance.parties())
            .map(|share| SecretKey::from_scalar(*share.value.expose()))
            .collect();
        if let (Some(secret), Some(secrets)) = (SecretKey::<V>::from_scalar(*secret.expose()), secrets) {
            break (secret, secrets);
        }
    };
    let parties = shares.iter().map(V::public_key).collect();
    let key = Arc::new(GroupKey::new(committee, tolerance, agreement, V::public_key(&secret), parties)?);
    let share = |(member, secret)| KeyShare { key: key.clone(), member, secret };
    Ok((0..tolerance.parties()).zip(shares).map(share).collect())
}

impl<V: BlsScheme> GroupKey<V> {
    fn new(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        public: PublicKey<V>,
        parties: Vec<PublicKey<V>>,
    ) -> Result<Self> {
        let cache = Arc::new(V::cache(slice::from_ref(&public))?);
        let mut key = Self { id: [0; 32], committee, tolerance, agreement, public, parties, cache };
        key.id = domain::hash(domain::THRESHOLD_KEY, &key.encode());
        Ok(key)
    }

    /// Returns the key's identifier, which every share binds.
    pub fn id(&self) -> &[u8; 32] {
        &self.id
    }

    /// Returns the committee that holds the key.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns the number of parties and of faulty parties.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }

    /// Returns the number of shares that a signature needs.
    pub fn threshold(&self) -> Threshold {
        self.tolerance.threshold_of(self.agreement)
    }

    /// Returns the public key of the signatures, for verifiers that have no `GroupKey`.
    pub fn public(&self) -> &PublicKey<V> {
        &self.public
    }

    /// Verifies a signature of the group. The verdict is that of [`Scheme::verify`] under the [public
    /// key](Self::public). Cost: a hash to the curve, a subgroup check and two pairings; those of 48-byte signatures with
    /// precomputed lines.
    ///
    /// # Errors
    /// Those of [`Scheme::verify`].
    pub fn verify(&self, message: &[u8], signature: &Signature<V>) -> Result<()> {
        V::verify_claims(self.keys(), &[Claim { message, signers: &SignerSet::full(1) }], signature)
    }

    /// Verifies signatures of the group, each with its message, by a random linear combination. Cost: a hash to the curve, a
    /// subgroup check and two short multiplications for each, and two pairings.
    ///
    /// # Errors
    /// Those of [`Scheme::verify`]; an error does not identify the wrong signature.
    pub fn verify_many(&self, signed: &[(&[u8], &Signature<V>)]) -> Result<()> {
        if signed.is_empty() {
            return Ok(());
        }
        let signers = SignerSet::full(1);
        let claims =
            signed.iter().map(|(message, signature)| (Claim { message, signers: &signers }, *signature));
        V::verify_many(self.keys(), &claims.collect::<Vec<_>>(), None)
    }

    fn keys(&self) -> Keys<'_, V> {
        Keys::new(slice::from_ref(&self.public), &*self.cache)
    }

    /// Returns the public key of one party's shares.
    pub fn party(&self, index: ShareIndex) -> Option<&PublicKey<V>> {
        self.parties.get(usize::from(index.member()))
    }

    pub(super) fn digest(&self, message: &[u8]) -> [u8; 32] {
        *domain::hasher(domain::THRESHOLD_SIGNING).update(&self.id).update(message).finalize().as_bytes()
    }
}

impl<V: BlsScheme> PartialEq for GroupKey<V> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<V: BlsScheme> Eq for GroupKey<V> {}

impl<V: BlsScheme> fmt::Debug for GroupKey<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupKey({:?}, {:?})", self.tolerance, self.public)
    }
}

impl<V: BlsScheme> KeyShare<V> {
    /// Signs a message. Signing is deterministic; the caller decides whether the message may be signed. Cost: a hash
    /// to the curve and a multiplication.
    pub fn sign(&self, message: &[u8]) -> SignatureShare<V> {
        let signature: Signature<V> = V::sign(&self.secret, message);
        SignatureShare::new(self.member, self.key.digest(message), signature)
    }

    /// Returns the member that holds the share.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the public part.
    pub fn key(&self) -> &Arc<GroupKey<V>> {
        &self.key
    }

    /// Returns the encoded share: **secret**, to be [sealed](crate::threshold::seal) for its party. The key, member
    /// u16, secret 32.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let head = self.key.encode();
        // Allocate the full length at once: a growing vector leaves copies behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(head.len() + 34));
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&self.member.to_le_bytes());
        bytes.extend_from_slice(&*V::secret_to_bytes(&self.secret));
        bytes
    }

    /// Decodes the encoding of [`to_bytes`](KeyShare::to_bytes). Cost: a square root and a subgroup check for each
    /// party.
    ///
    /// # Errors
    /// Decoding errors; [`Error::WrongContext`] if the secret does not match the member's public key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let key = GroupKey::decode_from(&mut r, &())?;
        let member = r.u16()?;
        let secret = V::secret_from_bytes(r.raw(32)?)?;
        r.finish()?;
        let party = key.parties.get(usize::from(member));
        if party.ok_or(Error::UnknownSigner { index: member.into() })? != &V::public_key(&secret) {
            return Err(Error::WrongContext { what: "secret of the key share" });
        }
        Ok(Self { key: Arc::new(key), member, secret })
    }
}

/// Omits the secret.
impl<V: BlsScheme> fmt::Debug for KeyShare<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyShare(member {})", self.member)
    }
}

/// Encoding: 16 + suite 1 ‖ committee 32 ‖ parties u16 ‖ faulty u16 ‖ agreement 1 (1 agreed, 2 unagreed) ‖ key ‖ each
/// party's key. Adding 16 separates these suites from those of the other groups.
impl<V: BlsScheme> Encode for GroupKey<V> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(16 + <V as Scheme>::SUITE);
        self.committee.encode_to(w);
        w.u16(self.tolerance.parties());
        w.u16(self.tolerance.faulty());
        w.u8(match self.agreement {
            Agreement::Agreed => 1,
            Agreement::Unagreed => 2,
        });
        self.public.encode_to(w);
        self.parties.iter().for_each(|key| key.encode_to(w));
    }
}

/// Cost: a square root and a subgroup check for each party, and the precomputation of the key's lines.
impl<V: BlsScheme> Decode for GroupKey<V> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.expect_u8("suite of the threshold key", 16 + <V as Scheme>::SUITE)?;
        let committee = CommitteeId::decode_from(r, &())?;
        let tolerance = Tolerance::new(r.u16()?, r.u16()?)?;
        let agreement = match r.u8()? {
            1 => Agreement::Agreed,
            2 => Agreement::Unagreed,
            _ => return Err(Error::Malformed { what: "agreement of the threshold key" }),
        };
        let public = PublicKey::decode_from(r, &())?;
        let mut parties = Vec::new();
        for _ in 0..tolerance.parties() {
            parties.push(PublicKey::decode_from(r, &())?);
        }
        Self::new(committee, tolerance, agreement, public, parties)
    }
}
