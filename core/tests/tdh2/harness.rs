//! A dealt committee, and tools to change encodings.

use std::sync::Arc;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::scalar::Scalar;
use quorate::Result;
use quorate::committee::CommitteeId;
use quorate::threshold::tdh2::{
    Ciphertext, DecryptionShare, EncryptionKey, KeyShare, PublicKeys, ValidCiphertext, VerifiedShare,
};
use quorate::threshold::{Threshold, lagrange};
use quorate::wire::{Decode, Encode, domain};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const COMMITTEE: CommitteeId = CommitteeId([7; 32]);
pub(crate) const EPOCH: u64 = 12;
pub(crate) const PROPOSER: u16 = 3;
pub(crate) const PLAINTEXT: &[u8] = b"pay 5 to Bob";

pub(crate) struct Setup {
    pub(crate) rng: StdRng,
    pub(crate) keys: Arc<PublicKeys>,
    pub(crate) key: EncryptionKey,
    pub(crate) shares: Vec<KeyShare>,
    pub(crate) cache: lagrange::Cache<Scalar>,
}

pub(crate) fn setup(needed: u16, parties: u16) -> Setup {
    let mut rng = StdRng::seed_from_u64(u64::from(needed) << 16 | u64::from(parties));
    let threshold = Threshold::new(needed, parties).unwrap();
    let (keys, shares) = PublicKeys::deal(COMMITTEE, threshold, &mut rng).unwrap();
    let key = EncryptionKey::from_public_keys(&keys);
    Setup { rng, keys: Arc::new(keys), key, shares, cache: lagrange::Cache::default() }
}

impl Setup {
    pub(crate) fn encrypt(&mut self, plaintext: &[u8]) -> Ciphertext {
        self.key.encrypt(EPOCH, PROPOSER, plaintext, &mut self.rng).unwrap()
    }

    pub(crate) fn valid(&mut self, plaintext: &[u8]) -> ValidCiphertext {
        let ciphertext = self.encrypt(plaintext);
        ciphertext.check(&self.key, EPOCH, PROPOSER).unwrap()
    }

    pub(crate) fn share(&mut self, of: &ValidCiphertext, member: usize) -> DecryptionShare {
        self.shares[member].decryption_share(of, &mut self.rng).unwrap()
    }

    pub(crate) fn verified(&mut self, of: &ValidCiphertext, members: &[usize]) -> Vec<VerifiedShare> {
        let shares: Vec<_> = members.iter().map(|m| self.share(of, *m)).collect();
        let checked = self.keys.verify_shares(of.instance(), &shares).unwrap();
        assert!(checked.faults.is_empty());
        checked.verified
    }

    pub(crate) fn check(&self, bytes: &[u8]) -> Result<ValidCiphertext> {
        Ciphertext::decode(bytes, &())?.check(&self.key, EPOCH, PROPOSER)
    }

    /// Makes a ciphertext with any payload and a valid proof, as an author can with the same hash functions.
    pub(crate) fn forge_payload(&self, bytes: &[u8]) -> Vec<u8> {
        let (r, k) = (Scalar::from(77u64), Scalar::from(78u64));
        let mut wide = [0; 64];
        domain::hasher(domain::TDH2_GENERATOR).finalize_xof().fill(&mut wide);
        let g_bar = RistrettoPoint::from_uniform_bytes(&wide);
        let key = point(self.keys.key().as_bytes());
        let u = RistrettoPoint::mul_base(&r).compress();
        let u_bar = (r * g_bar).compress();
        let pad = *domain::hasher(domain::TDH2_PAD)
            .update(u.as_bytes())
            .update((r * key).compress().as_bytes())
            .finalize()
            .as_bytes();
        // The wrapped key is zero; the payload belongs to another key.
        let mut bytes = with(bytes, C, &pad);
        bytes = with(&bytes, U, u.as_bytes());
        bytes = with(&bytes, U_BAR, u_bar.as_bytes());
        bytes = with(&bytes, LABEL + 42, &domain::hash(domain::TDH2_PAYLOAD, &bytes[PAYLOAD..]));
        let doubled = |point: RistrettoPoint| (point + point).compress();
        let hash = *domain::hasher(domain::TDH2_VALIDITY)
            .update(self.keys.key().as_bytes())
            .update(&bytes[C..U])
            .update(&bytes[LABEL..LABEL + 74])
            .update(u.as_bytes())
            .update(doubled(RistrettoPoint::mul_base(&k)).as_bytes())
            .update(u_bar.as_bytes())
            .update(doubled(k * g_bar).as_bytes())
            .finalize()
            .as_bytes();
        let e = u128::from_le_bytes(hash[..16].try_into().unwrap());
        bytes = with(&bytes, E, &e.to_le_bytes());
        with(&bytes, F, (k + r * Scalar::from(e)).as_bytes())
    }
}

/// Returns the bytes with a part replaced.
pub(crate) fn with(bytes: &[u8], at: usize, piece: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[at..at + piece.len()].copy_from_slice(piece);
    changed
}

pub(crate) fn flip(bytes: &[u8], at: usize) -> Vec<u8> {
    with(bytes, at, &[bytes[at] ^ 1])
}

pub(crate) fn point(bytes: &[u8]) -> RistrettoPoint {
    CompressedRistretto::from_slice(bytes).unwrap().decompress().unwrap()
}

pub(crate) fn scalar(bytes: &[u8]) -> Scalar {
    Scalar::from_canonical_bytes(bytes.try_into().unwrap()).unwrap()
}

// Offsets of the fields of a ciphertext.
pub(crate) const C: usize = 0;
pub(crate) const U: usize = 32;
pub(crate) const U_BAR: usize = 64;
pub(crate) const E: usize = 96;
pub(crate) const F: usize = 128;
pub(crate) const LABEL: usize = 160;
pub(crate) const PAYLOAD: usize = 234 + 4;

/// A share with another point and the original proof.
pub(crate) fn damaged(share: &DecryptionShare) -> DecryptionShare {
    let bytes = share.encode();
    let other = (point(&bytes[2..34]) + RistrettoPoint::mul_base(&Scalar::ONE)).compress();
    DecryptionShare::decode(&with(&bytes, 2, other.as_bytes()), &()).unwrap()
}
