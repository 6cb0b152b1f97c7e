use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::dispatch::{ForScheme, any_of, as_typed, typed, whole, wrong_suite};
use super::families::{each, methods, per};
use super::keys::{PublicKey, VerifiedKey};
#[cfg(feature = "bls")]
use crate::bls::Ciphersuite;
use crate::certificate::{Kind, Statement};
use crate::committee::{self, ChainId, CommitteeId, RawSigners, Repeats, SignerSet};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, Scheme};
use crate::{Error, Result};

type Shared<S> = Arc<committee::Committee<S>>;

per! { suite:
    /// Members and their weights, see [`committee::Committee`]. A clone shares the same committee.
    #[derive(Clone)]
    Committee, Shared
}

impl Committee {
    /// Creates a committee from keys with verified proofs of possession, see
    /// [`Committee::new`](committee::Committee::new).
    ///
    /// # Errors
    /// As [`Committee::new`](committee::Committee::new), and [`Error::WrongContext`] if the keys are of different
    /// suites.
    pub fn new(chain: ChainId, epoch: u64, members: Vec<(VerifiedKey, u128)>) -> Result<Self> {
        let Some((first, _)) = members.first() else { return Err(no_members()) };
        each!(first.clone(), VerifiedKey, S, _ => {
            let members = all_typed::<S, _>(members)?;
            committee::Committee::<S>::new(chain, epoch, members).map(|committee| Arc::new(committee).into())
        })
    }

    /// Creates a committee from keys whose proofs of possession were verified elsewhere, see
    /// [`Committee::from_attested`](committee::Committee::from_attested).
    ///
    /// # Errors
    /// As [`Committee::from_attested`](committee::Committee::from_attested), and [`Error::WrongContext`] if the keys
    /// are of different suites.
    pub fn from_attested(
        chain: ChainId,
        epoch: u64,
        members: Vec<(PublicKey, u128)>,
        repeats: Repeats,
    ) -> Result<Self> {
        let Some((first, _)) = members.first() else { return Err(no_members()) };
        each!(first.clone(), PublicKey, S, _ => {
            let members = all_typed::<S, _>(members)?;
            committee::Committee::<S>::from_attested(chain, epoch, members, repeats)
                .map(|committee| Arc::new(committee).into())
        })
    }

    /// Returns false: every committee has members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the same committee with another ciphersuite for the messages of another chain, see
    /// [`Committee::with_ciphersuite`](committee::Committee::with_ciphersuite).
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a ciphersuite other than the default unless the suite is 1 or 2.
    #[cfg(feature = "bls")]
    pub fn with_ciphersuite(self, ciphersuite: Ciphersuite) -> Result<Self> {
        match self {
            Self::MinSig(committee) => {
                Ok(Arc::new(Arc::unwrap_or_clone(committee).with_ciphersuite(ciphersuite)).into())
            }
            Self::MinPk(committee) => {
                Ok(Arc::new(Arc::unwrap_or_clone(committee).with_ciphersuite(ciphersuite)).into())
            }
            #[cfg(any(feature = "ed25519", feature = "gossip"))]
            other if ciphersuite == Ciphersuite::default() => Ok(other),
            #[cfg(any(feature = "ed25519", feature = "gossip"))]
            _ => Err(wrong_suite()),
        }
    }

    /// Verifies that `signers` signed the bytes of `message`, for chains with their own framing, see
    /// [`Committee::verify_raw`](committee::Committee::verify_raw).
    /// `proof` is the encoded aggregate (BLS) or the signatures in ascending order of the signers (Ed25519).
    ///
    /// # Errors
    /// As [`Committee::verify_raw`](committee::Committee::verify_raw), and the errors of an invalid encoding of the
    /// proof.
    pub fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &[u8]) -> Result<u128> {
        each!(self, Committee, S, committee => {
            let proof = whole(proof, |r| S::decode_proof(r, signers))?;
            committee.verify_raw(message, signers, &proof)
        })
    }

    /// Verifies that each member signed its own message, see
    /// [`Committee::verify_raw_each`](committee::Committee::verify_raw_each). `proof` is encoded as for
    /// [`verify_raw`](Committee::verify_raw).
    ///
    /// # Errors
    /// As [`Committee::verify_raw_each`](committee::Committee::verify_raw_each), and the errors of an invalid encoding
    /// of the proof.
    pub fn verify_raw_each(&self, signed: &[(MemberIndex, &[u8])], proof: &[u8]) -> Result<u128> {
        each!(self, Committee, S, committee => {
            let signers = committee.signers_of(signed)?;
            let proof = whole(proof, |r| S::decode_proof(r, &signers))?;
            committee.verify_raw_each(signed, &proof)
        })
    }

    /// Verifies many proofs, each over its own message, and returns the weight or the error of each, see
    /// [`Committee::verify_raw_batch`](committee::Committee::verify_raw_batch). Each proof is encoded as for
    /// [`verify_raw`](Committee::verify_raw).
    pub fn verify_raw_batch<R: TryCryptoRng + ?Sized>(
        &self,
        items: &[(Claim<'_>, &[u8])],
        rng: &mut R,
    ) -> Vec<Result<u128>> {
        each!(self, Committee, S, committee => {
            let proofs = items.iter().map(|(claim, proof)| whole(proof, |r| S::decode_proof(r, claim.signers)));
            let proofs: Vec<Result<_>> = proofs.collect();
            let decoded = items.iter().zip(&proofs);
            let decoded: Vec<_> =
                decoded.filter_map(|((claim, _), proof)| Some((*claim, proof.as_ref().ok()?))).collect();
            let mut results = committee.verify_raw_batch(&decoded, rng).into_iter();
            let result = |proof: Result<_>| proof.and_then(|_| results.next().unwrap_or(Err(wrong_suite())));
            proofs.into_iter().map(result).collect()
        })
    }
}

methods! { suite: self, Committee, S, committee =>
    /// Returns the identifier that every signed statement contains.
    pub fn id(&self) -> CommitteeId = committee.id();

    /// Returns the chain of this committee.
    pub fn chain(&self) -> ChainId = committee.chain();

    /// Returns the epoch of this committee.
    pub fn epoch(&self) -> u64 = committee.epoch();

    /// Returns the number of members.
    pub fn len(&self) -> u16 = committee.len();

    /// Returns the sum of all weights.
    pub fn total_weight(&self) -> u128 = committee.total_weight();

    /// Returns the weight of a member.
    pub fn weight(&self, index: MemberIndex) -> Option<u128> = committee.weight(index);

    /// Returns the key of a member.
    pub fn key(&self, index: MemberIndex) -> Option<PublicKey> =
        committee.key(index).map(|key| any_of::<S, _>(key.clone()));

    /// Returns all keys in the order of the members.
    pub fn keys(&self) -> Vec<PublicKey> =
        committee.keys().iter().map(|key| any_of::<S, _>(key.clone())).collect();

    /// Returns the index of the member with this key; the lowest index if the key is repeated. No member has a key of
    /// another suite.
    pub fn position(&self, key: &PublicKey) -> Option<MemberIndex> =
        committee.position(as_typed::<S, _>(key).ok()?);

    /// Returns the quorum: the smallest weight above two thirds of the total.
    pub fn quorum_weight(&self) -> u128 = committee.quorum_weight();

    /// Returns the smallest weight above one third of the total, which includes an honest member.
    pub fn honest_weight(&self) -> u128 = committee.honest_weight();

    /// Returns the weight of a set of members.
    pub fn weight_of(&self, signers: &SignerSet) -> u128 = committee.weight_of(signers);

    /// Returns true if the set weighs at least the quorum.
    pub fn has_quorum(&self, signers: &SignerSet) -> bool = committee.has_quorum(signers);

    /// Checks that a set has a quorum.
    ///
    /// # Errors
    /// [`Error::BelowQuorum`].
    pub fn require_quorum(&self, signers: &SignerSet) -> Result<()> = committee.require_quorum(signers);

    /// Decodes a set of signers, see [`Committee::signer_set`](committee::Committee::signer_set).
    ///
    /// # Errors
    /// As [`Committee::signer_set`](committee::Committee::signer_set).
    pub fn signer_set(&self, signers: RawSigners<'_>) -> Result<SignerSet> = committee.signer_set(signers);

    /// Precomputes the sums of groups of keys, see
    /// [`Committee::with_group_sums`](committee::Committee::with_group_sums).
    #[cfg(feature = "group-sums")]
    #[must_use]
    pub fn with_group_sums(self) -> Self = Arc::new(Arc::unwrap_or_clone(committee).with_group_sums()).into();

    /// Returns the size in bytes of the sums of groups; 0 without them.
    #[cfg(feature = "group-sums")]
    pub fn group_sums_size(&self) -> usize = committee.group_sums_size();

    /// Creates a statement in this committee's epoch.
    pub fn statement(&self, kind: Kind, view: u64, digest: [u8; 32]) -> Statement =
        committee.statement(kind, view, digest);
}

impl<'a, S: Scheme> TryFrom<&'a Committee> for &'a committee::Committee<S>
where
    &'a Shared<S>: TryFrom<&'a Committee, Error = Error>,
{
    type Error = Error;

    fn try_from(committee: &'a Committee) -> Result<Self> {
        <&Shared<S>>::try_from(committee).map(AsRef::as_ref)
    }
}

fn all_typed<S: Scheme, A: ForScheme<S>>(members: Vec<(A, u128)>) -> Result<Vec<(A::Typed, u128)>> {
    members.into_iter().map(|(key, weight)| Ok((typed::<S, A>(key)?, weight))).collect()
}

fn no_members() -> Error {
    Error::BadCommittee { rule: "no members; expected 1 to 65,535" }
}
