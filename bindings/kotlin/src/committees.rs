//! Committees.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::any;
use quorate::certificate::Kind;
use quorate::committee::{self, RawSigners, Repeats};
use quorate::scheme::Claim;

use crate::glue::{Failure, Result, Uint128, chain_id, ciphersuite, hash32};
use crate::keys::{PublicKey, VerifiedKey};
use crate::signers::SignerSet;
use crate::statements::Statement;

#[derive(uniffi::Record)]
struct Member {
    key: Arc<VerifiedKey>,
    weight: Uint128,
}

#[derive(uniffi::Record)]
struct AttestedMember {
    key: Arc<PublicKey>,
    weight: Uint128,
}

/// A member, and the message that it signed.
#[derive(uniffi::Record)]
struct MemberMessage {
    member: u16,
    message: Vec<u8>,
}

/// A message, its signers, and their proof.
#[derive(uniffi::Record)]
struct RawClaim {
    message: Vec<u8>,
    signers: Arc<SignerSet>,
    proof: Vec<u8>,
}

/// Verdict on one claim of a batch.
#[derive(uniffi::Enum)]
enum RawVerdict {
    Valid { weight: Uint128 },
    Invalid { error: Failure },
}

#[derive(uniffi::Object)]
pub(crate) struct Committee(pub(crate) any::Committee);

#[uniffi::export]
impl Committee {
    #[uniffi::constructor]
    fn new(chain: Vec<u8>, epoch: u64, members: Vec<Member>) -> Result<Self> {
        let members = members.into_iter().map(|member| (member.key.0.clone(), member.weight.0)).collect();
        Ok(Self(any::Committee::new(chain_id(&chain)?, epoch, members)?))
    }

    #[uniffi::constructor]
    fn from_attested(
        chain: Vec<u8>,
        epoch: u64,
        members: Vec<AttestedMember>,
        allow_repeats: bool,
    ) -> Result<Self> {
        let members = members.into_iter().map(|member| (member.key.0.clone(), member.weight.0)).collect();
        let repeats = if allow_repeats { Repeats::Allow } else { Repeats::Refuse };
        Ok(Self(any::Committee::from_attested(chain_id(&chain)?, epoch, members, repeats)?))
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn id(&self) -> Vec<u8> {
        self.0.id().0.to_vec()
    }

    fn chain(&self) -> Vec<u8> {
        self.0.chain().0.to_vec()
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn size(&self) -> u16 {
        self.0.len()
    }

    fn total_weight(&self) -> Uint128 {
        Uint128(self.0.total_weight())
    }

    fn quorum_weight(&self) -> Uint128 {
        Uint128(self.0.quorum_weight())
    }

    fn honest_weight(&self) -> Uint128 {
        Uint128(self.0.honest_weight())
    }

    fn weight(&self, index: u16) -> Option<Uint128> {
        self.0.weight(index).map(Uint128)
    }

    fn key(&self, index: u16) -> Option<Arc<PublicKey>> {
        self.0.key(index).map(|key| Arc::new(PublicKey(key)))
    }

    fn keys(&self) -> Vec<Arc<PublicKey>> {
        self.0.keys().into_iter().map(|key| Arc::new(PublicKey(key))).collect()
    }

    fn position(&self, key: &PublicKey) -> Option<u16> {
        self.0.position(&key.0)
    }

    fn weight_of(&self, signers: &SignerSet) -> Uint128 {
        Uint128(self.0.weight_of(&signers.get()))
    }

    fn has_quorum(&self, signers: &SignerSet) -> bool {
        self.0.has_quorum(&signers.get())
    }

    fn require_quorum(&self, signers: &SignerSet) -> Result<()> {
        Ok(self.0.require_quorum(&signers.get())?)
    }

    fn signers_by_index(&self, indices: Vec<u32>) -> Result<Arc<SignerSet>> {
        Ok(SignerSet::from_core(self.0.signer_set(RawSigners::Indices(&indices))?))
    }

    fn signers_lsb_first(&self, bitmap: Vec<u8>) -> Result<Arc<SignerSet>> {
        Ok(SignerSet::from_core(self.0.signer_set(RawSigners::LsbFirst(&bitmap))?))
    }

    fn signers_msb_first(&self, bitmap: Vec<u8>) -> Result<Arc<SignerSet>> {
        Ok(SignerSet::from_core(self.0.signer_set(RawSigners::MsbFirst(&bitmap))?))
    }

    fn verify_raw(&self, message: Vec<u8>, signers: &SignerSet, proof: Vec<u8>) -> Result<Uint128> {
        Ok(Uint128(self.0.verify_raw(&message, &signers.get(), &proof)?))
    }

    fn with_ciphersuite(&self, bytes: Vec<u8>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self(self.0.clone().with_ciphersuite(ciphersuite(&bytes)?)?)))
    }

    fn verify_raw_each(&self, signed: Vec<MemberMessage>, proof: Vec<u8>) -> Result<Uint128> {
        let signed: Vec<_> = signed.iter().map(|one| (one.member, one.message.as_slice())).collect();
        Ok(Uint128(self.0.verify_raw_each(&signed, &proof)?))
    }

    fn verify_raw_batch(&self, claims: Vec<RawClaim>) -> Vec<RawVerdict> {
        let sets: Vec<committee::SignerSet> = claims.iter().map(|claim| claim.signers.get()).collect();
        let items = claims.iter().zip(&sets);
        let items: Vec<_> = items
            .map(|(RawClaim { message, proof, .. }, signers)| (Claim { message, signers }, proof.as_slice()))
            .collect();
        let verdict = |result| match result {
            Ok(weight) => RawVerdict::Valid { weight: Uint128(weight) },
            Err(error) => RawVerdict::Invalid { error: quorate::Error::into(error) },
        };
        self.0.verify_raw_batch(&items, &mut SysRng).into_iter().map(verdict).collect()
    }

    fn statement(&self, kind: u8, view: u64, digest: Vec<u8>) -> Result<Statement> {
        let digest = hash32("digest", &digest)?;
        Ok((&self.0.statement(Kind::new(kind), view, digest)).into())
    }
}
