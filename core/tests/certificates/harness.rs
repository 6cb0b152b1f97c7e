//! Committees with their secrets, and ways to corrupt signatures.

use std::sync::Arc;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::Scalar;
use quorate::bls::{Counted, MinPk, MinSig};
use quorate::certificate::{Certificate, Kind, Statement, Suspects, TimeoutVote, Vote, VoteCollector};
use quorate::committee::{ChainId, Committee, Verified};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const VOTE: Kind = Kind::new(1);
pub(crate) const TIMEOUT: Kind = Kind::new(2);
pub(crate) const VIEW: u64 = 7;

/// A committee with the secrets of all members.
pub(crate) struct World<S: Scheme> {
    pub(crate) secrets: Vec<S::SecretKey>,
    pub(crate) committee: Arc<Committee<S>>,
}

impl<S: Scheme> World<S> {
    pub(crate) fn new(n: usize) -> Self {
        Self::weighted(&vec![1; n], 3)
    }

    pub(crate) fn weighted(weights: &[u128], epoch: u64) -> Self {
        Self::with_chain(weights, epoch, "test")
    }

    pub(crate) fn with_chain(weights: &[u128], epoch: u64, chain: &str) -> Self {
        let mut rng = StdRng::seed_from_u64(1);
        let secrets: Vec<_> = weights.iter().map(|_| S::generate(&mut rng).unwrap()).collect();
        let members = secrets.iter().map(VerifiedKey::from_secret).zip(weights.iter().copied()).collect();
        let committee = Arc::new(Committee::new(ChainId::from_name(chain), epoch, members).unwrap());
        Self { secrets, committee }
    }

    pub(crate) fn statement(&self, digest: u8) -> Statement {
        self.committee.statement(VOTE, VIEW, [digest; 32])
    }

    pub(crate) fn vote(&self, signer: u16, digest: u8) -> Vote<S> {
        Vote::sign_unguarded(&self.secrets[usize::from(signer)], &self.committee, self.statement(digest))
            .unwrap()
    }

    /// Returns a vote in the name of `signer` that the next member signed.
    pub(crate) fn forged(&self, signer: u16, digest: u8) -> Vote<S> {
        let other = &self.secrets[(usize::from(signer) + 1) % self.secrets.len()];
        let signature = S::sign(other, &self.statement(digest).signed_bytes(&self.committee.id()));
        Vote::new(self.statement(digest), signer, signature)
    }

    pub(crate) fn with_signature(&self, vote: &Vote<S>, signature: S::Signature) -> Vote<S> {
        Vote::new(*vote.statement(), vote.signer(), signature)
    }

    pub(crate) fn timeout(&self, signer: u16, value: u64) -> TimeoutVote<S> {
        TimeoutVote::sign_unguarded(&self.secrets[usize::from(signer)], &self.committee, TIMEOUT, VIEW, value)
            .unwrap()
    }

    pub(crate) fn collector(&self) -> VoteCollector<S> {
        VoteCollector::new(self.committee.clone(), VOTE, VIEW)
    }

    /// Returns a certificate of exactly these signers. They must reach the quorum with the last one and not before.
    pub(crate) fn certificate(
        &self,
        signers: impl IntoIterator<Item = u16>,
        digest: u8,
    ) -> Verified<Certificate<S>> {
        self.certify(signers.into_iter().map(|signer| self.vote(signer, digest))).unwrap()
    }

    /// Collects votes into a certificate, verified together; panics on faults.
    pub(crate) fn certify(
        &self,
        votes: impl IntoIterator<Item = Vote<S>>,
    ) -> Option<Verified<Certificate<S>>> {
        let mut suspects = Suspects::new();
        let mut collector = self.collector().with_batch_threshold(2);
        let mut certificate = None;
        for vote in votes {
            let collected = collector.add(vote, &mut suspects);
            assert_eq!(collected.faults, []);
            certificate = certificate.or(collected.certificate);
        }
        certificate
    }

    /// Encodes a certificate from arbitrary parts, with the absent members as a list. The list is the canonical form only
    /// if fewer than a quarter of the members are absent.
    pub(crate) fn raw_certificate(&self, statement: &Statement, absent: &[u8], proof: &[u8]) -> Vec<u8> {
        let mut bytes = vec![S::SUITE];
        bytes.extend(statement.encode());
        bytes.extend([1, absent.len() as u8]);
        bytes.extend(absent);
        bytes.extend(proof);
        bytes
    }
}

/// Ways to corrupt a signature.
pub(crate) trait Spoil: Scheme {
    /// Length of a signature in bytes.
    const SIGNATURE_LEN: usize;

    /// Returns the length of a certificate's proof for `signers` signers with a count of 1 each.
    fn proof_bytes(signers: usize) -> usize {
        if Self::SUMMED { Self::SIGNATURE_LEN } else { signers * Self::SIGNATURE_LEN }
    }

    /// Returns the signature plus a point of small order (BLS: outside the subgroup).
    fn with_torsion(signature: &Self::Signature) -> Self::Signature;

    /// Returns σ₁ + X and σ₂ − X.
    fn shifted(a: &Self::Signature, b: &Self::Signature) -> (Self::Signature, Self::Signature);
}

/// Sums two signatures through the proof of a certificate.
fn sum<S: Scheme<Proof = <S as Scheme>::Signature>>(a: &S::Signature, b: &S::Signature) -> S::Signature {
    S::combine(&[(0, a), (1, b)])
}

/// Returns a point times the group order: the result has no component in the subgroup.
fn torsion<S: Scheme<Proof = <S as Scheme>::Signature>>(len: usize) -> S::Signature {
    const ORDER: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    let point = (1..=255u8)
        .find_map(|x| {
            let mut bytes = vec![0; len];
            bytes[0] = 0x80;
            bytes[len - 1] = x;
            S::Signature::decode(&bytes, &()).ok()
        })
        .expect("every second x is the coordinate of a point");
    let bits: Vec<bool> = hex::decode(ORDER)
        .unwrap()
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1))
        .collect();
    let mut product = point.clone();
    for bit in bits.into_iter().skip_while(|bit| !bit).skip(1) {
        product = sum::<S>(&product, &product);
        if bit {
            product = sum::<S>(&product, &point);
        }
    }
    product
}

fn negated<S: Scheme>(signature: &S::Signature) -> S::Signature {
    let mut bytes = signature.encode();
    bytes[0] ^= 0x20;
    S::Signature::decode(&bytes, &()).unwrap()
}

macro_rules! spoil_bls {
    ($scheme:ty, $len:literal) => {
        impl Spoil for $scheme {
            const SIGNATURE_LEN: usize = $len;

            fn with_torsion(signature: &Self::Signature) -> Self::Signature {
                sum::<Self>(signature, &torsion::<Self>($len))
            }

            fn shifted(a: &Self::Signature, b: &Self::Signature) -> (Self::Signature, Self::Signature) {
                let x = Self::sign(&Self::generate(&mut StdRng::seed_from_u64(99)).unwrap(), b"x");
                (sum::<Self>(a, &x), sum::<Self>(b, &negated::<Self>(&x)))
            }
        }
    };
}

spoil_bls!(MinSig, 48);
spoil_bls!(MinPk, 96);

/// The schemes with counts share their signatures with the plain ones.
macro_rules! spoil_counted {
    ($scheme:ty, $len:literal) => {
        impl Spoil for Counted<$scheme> {
            const SIGNATURE_LEN: usize = $len;

            /// The counts take one byte.
            fn proof_bytes(_: usize) -> usize {
                1 + $len
            }

            fn with_torsion(signature: &Self::Signature) -> Self::Signature {
                <$scheme>::with_torsion(signature)
            }

            fn shifted(a: &Self::Signature, b: &Self::Signature) -> (Self::Signature, Self::Signature) {
                <$scheme>::shifted(a, b)
            }
        }
    };
}

spoil_counted!(MinSig, 48);
spoil_counted!(MinPk, 96);

impl Spoil for Ed25519 {
    const SIGNATURE_LEN: usize = 64;

    fn with_torsion(signature: &Self::Signature) -> Self::Signature {
        let (r, s) = ed25519_parts(signature);
        let r = CompressedEdwardsY(r).decompress().unwrap() + EIGHT_TORSION[1];
        ed25519_signature(r.compress().to_bytes(), s)
    }

    fn shifted(a: &Self::Signature, b: &Self::Signature) -> (Self::Signature, Self::Signature) {
        let ((ra, sa), (rb, sb)) = (ed25519_parts(a), ed25519_parts(b));
        (ed25519_signature(ra, sa + Scalar::ONE), ed25519_signature(rb, sb - Scalar::ONE))
    }
}

fn ed25519_parts(signature: &<Ed25519 as Scheme>::Signature) -> ([u8; 32], Scalar) {
    let bytes = signature.encode();
    let (r, s) = bytes.split_at(32);
    (r.try_into().unwrap(), Scalar::from_canonical_bytes(s.try_into().unwrap()).unwrap())
}

fn ed25519_signature(r: [u8; 32], s: Scalar) -> <Ed25519 as Scheme>::Signature {
    Decode::decode(&[r, s.to_bytes()].concat(), &()).unwrap()
}
