use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{Of, PublicKey, VerifiedKey, any_of, as_typed, each, per_suite, typed, whole};
use crate::certificate::{Kind, Statement};
use crate::committee::{self, ChainId, CommitteeId, RawSigners, Repeats, SignerSet};
use crate::machine::MemberIndex;
use crate::scheme::Scheme;
use crate::{Error, Result};

type Shared<S> = Arc<committee::Committee<S>>;

per_suite! {
    /// Who may sign, with which weight, see [`committee::Committee`]. A clone is another handle to the same one.
    #[derive(Clone)]
    Committee, Shared
}

impl Committee {
    /// A committee of members who proved to hold their keys, see
    /// [`Committee::new`](committee::Committee::new).
    ///
    /// # Errors
    /// As there, and [`Error::WrongContext`] if the keys are of different suites.
    pub fn new(chain: ChainId, epoch: u64, members: Vec<(VerifiedKey, u128)>) -> Result<Self> {
        let Some((first, _)) = members.first() else { return Err(nobody()) };
        each!(first.clone(), VerifiedKey, S, _ => {
            let members = all_typed::<S, _>(members)?;
            committee::Committee::<S>::new(chain, epoch, members).map(|committee| Arc::new(committee).into())
        })
    }

    /// A committee of keys whose possession somebody else attests, see
    /// [`Committee::from_attested`](committee::Committee::from_attested).
    ///
    /// # Errors
    /// As there, and [`Error::WrongContext`] if the keys are of different suites.
    pub fn from_attested(
        chain: ChainId,
        epoch: u64,
        members: Vec<(PublicKey, u128)>,
        repeats: Repeats,
    ) -> Result<Self> {
        let Some((first, _)) = members.first() else { return Err(nobody()) };
        each!(first.clone(), PublicKey, S, _ => {
            let members = all_typed::<S, _>(members)?;
            committee::Committee::<S>::from_attested(chain, epoch, members, repeats)
                .map(|committee| Arc::new(committee).into())
        })
    }

    /// What names this committee in everything that it signs.
    pub fn id(&self) -> CommitteeId {
        each!(self, Committee, S, committee => committee.id())
    }

    /// The chain that it belongs to.
    pub fn chain(&self) -> ChainId {
        each!(self, Committee, S, committee => committee.chain())
    }

    /// Its term.
    pub fn epoch(&self) -> u64 {
        each!(self, Committee, S, committee => committee.epoch())
    }

    /// How many members it has.
    pub fn len(&self) -> u16 {
        each!(self, Committee, S, committee => committee.len())
    }

    /// Never: a committee has members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> u128 {
        each!(self, Committee, S, committee => committee.total_weight())
    }

    /// The weight of a member.
    pub fn weight(&self, index: MemberIndex) -> Option<u128> {
        each!(self, Committee, S, committee => committee.weight(index))
    }

    /// The key of a member.
    pub fn key(&self, index: MemberIndex) -> Option<PublicKey> {
        each!(self, Committee, S, committee => committee.key(index).map(|key| any_of::<S, _>(key.clone())))
    }

    /// All keys, in the order of the members.
    pub fn keys(&self) -> Vec<PublicKey> {
        each!(self, Committee, S, committee => committee.keys().iter().map(|key| any_of::<S, _>(key.clone())).collect())
    }

    /// The member that has this key; the first one where keys repeat. A key of another suite is nobody's.
    pub fn position(&self, key: &PublicKey) -> Option<MemberIndex> {
        each!(self, Committee, S, committee => committee.position(as_typed::<S, _>(key).ok()?))
    }

    /// The smallest weight that makes a certificate: more than two thirds.
    pub fn quorum_weight(&self) -> u128 {
        each!(self, Committee, S, committee => committee.quorum_weight())
    }

    /// The smallest weight that contains an honest member: more than a third.
    pub fn honest_weight(&self) -> u128 {
        each!(self, Committee, S, committee => committee.honest_weight())
    }

    /// The weight of these members together.
    pub fn weight_of(&self, signers: &SignerSet) -> u128 {
        each!(self, Committee, S, committee => committee.weight_of(signers))
    }

    /// Whether these members make a certificate.
    pub fn has_quorum(&self, signers: &SignerSet) -> bool {
        each!(self, Committee, S, committee => committee.has_quorum(signers))
    }

    /// As [`has_quorum`](Committee::has_quorum), with the reason.
    ///
    /// # Errors
    /// [`Error::BelowQuorum`].
    pub fn require_quorum(&self, signers: &SignerSet) -> Result<()> {
        each!(self, Committee, S, committee => committee.require_quorum(signers))
    }

    /// Reads a set of members, see [`Committee::signer_set`](committee::Committee::signer_set).
    ///
    /// # Errors
    /// As there.
    pub fn signer_set(&self, signers: RawSigners<'_>) -> Result<SignerSet> {
        each!(self, Committee, S, committee => committee.signer_set(signers))
    }

    /// Checks an aggregate over bytes as they are, see [`Committee::verify_raw`](committee::Committee::verify_raw).
    /// `proof` is the encoded aggregate (BLS) or the signatures in ascending order of the signers (Ed25519).
    ///
    /// # Errors
    /// As there, and what is wrong with the bytes of the proof.
    pub fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &[u8]) -> Result<u128> {
        each!(self, Committee, S, committee => {
            let proof = whole(proof, |r| S::decode_proof(r, signers))?;
            committee.verify_raw(message, signers, &proof)
        })
    }

    /// A statement of this committee's epoch.
    pub fn statement(&self, kind: Kind, view: u64, digest: [u8; 32]) -> Statement {
        each!(self, Committee, S, committee => committee.statement(kind, view, digest))
    }
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

impl fmt::Debug for Committee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, Committee, S, committee => committee.fmt(f))
    }
}

fn all_typed<S: Scheme, A: Of<S>>(members: Vec<(A, u128)>) -> Result<Vec<(A::Typed, u128)>> {
    members.into_iter().map(|(key, weight)| Ok((typed::<S, A>(key)?, weight))).collect()
}

fn nobody() -> Error {
    Error::BadCommittee { rule: "it has no members" }
}
