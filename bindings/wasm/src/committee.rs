//! Committees and their identifiers.

use quorate::any;
use quorate::certificate::Kind;
use quorate::committee::{ChainId as Chain, RawSigners, Repeats};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow, array, decode};
use crate::keys::PublicKey;
use crate::signers::SignerSet;
use crate::statement::Statement;

/// Returns the chain id derived from a name.
#[wasm_bindgen]
pub fn chain_from_name(name: &str) -> Vec<u8> {
    Chain::from_name(name).0.to_vec()
}

/// Members of a committee to be created.
#[wasm_bindgen]
#[derive(Default)]
pub struct AttestedMembers(Vec<(any::PublicKey, u128)>);

#[wasm_bindgen]
impl AttestedMembers {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, key: &PublicKey, weight: u128) {
        self.0.push((key.0.clone(), weight));
    }
}

#[wasm_bindgen]
pub struct Committee(pub(crate) any::Committee);

#[wasm_bindgen]
impl Committee {
    pub fn from_attested(
        chain: &[u8],
        epoch: u64,
        members: AttestedMembers,
        repeats: bool,
    ) -> JsResult<Self> {
        let repeats = if repeats { Repeats::Allow } else { Repeats::Refuse };
        any::Committee::from_attested(decode(chain)?, epoch, members.0, repeats).or_throw().map(Self)
    }

    pub fn share(&self) -> Self {
        Self(self.0.clone())
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn id(&self) -> Vec<u8> {
        self.0.id().0.to_vec()
    }

    pub fn chain(&self) -> Vec<u8> {
        self.0.chain().0.to_vec()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn size(&self) -> u16 {
        self.0.len()
    }

    pub fn total_weight(&self) -> u128 {
        self.0.total_weight()
    }

    pub fn quorum_weight(&self) -> u128 {
        self.0.quorum_weight()
    }

    pub fn honest_weight(&self) -> u128 {
        self.0.honest_weight()
    }

    pub fn weight(&self, member: u16) -> Option<u128> {
        self.0.weight(member)
    }

    pub fn key(&self, member: u16) -> Option<PublicKey> {
        self.0.key(member).map(PublicKey)
    }

    pub fn position(&self, key: &PublicKey) -> Option<u16> {
        self.0.position(&key.0)
    }

    pub fn weight_of(&self, signers: &SignerSet) -> u128 {
        self.0.weight_of(&signers.0)
    }

    pub fn has_quorum(&self, signers: &SignerSet) -> bool {
        self.0.has_quorum(&signers.0)
    }

    pub fn require_quorum(&self, signers: &SignerSet) -> JsResult<()> {
        self.0.require_quorum(&signers.0).or_throw()
    }

    pub fn signers_by_index(&self, indices: &[u32]) -> JsResult<SignerSet> {
        self.0.signer_set(RawSigners::Indices(indices)).or_throw().map(SignerSet)
    }

    pub fn signers_lsb_first(&self, bitmap: &[u8]) -> JsResult<SignerSet> {
        self.0.signer_set(RawSigners::LsbFirst(bitmap)).or_throw().map(SignerSet)
    }

    pub fn signers_msb_first(&self, bitmap: &[u8]) -> JsResult<SignerSet> {
        self.0.signer_set(RawSigners::MsbFirst(bitmap)).or_throw().map(SignerSet)
    }

    pub fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &[u8]) -> JsResult<u128> {
        self.0.verify_raw(message, &signers.0, proof).or_throw()
    }

    pub fn statement(&self, kind: u8, view: u64, digest: &[u8]) -> JsResult<Statement> {
        Ok(Statement(self.0.statement(Kind::new(kind), view, array(digest, "digest")?)))
    }
}

#[cfg(feature = "full")]
pub use full::Members;

#[cfg(feature = "full")]
mod full {
    use quorate::any;
    use wasm_bindgen::prelude::wasm_bindgen;

    use super::Committee;
    use crate::glue::{JsResult, OrThrow, decode};
    use crate::keys::VerifiedKey;

    /// Members with verified possession, of a committee to be created.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct Members(Vec<(any::VerifiedKey, u128)>);

    #[wasm_bindgen]
    impl Members {
        pub fn empty() -> Self {
            Self::default()
        }

        pub fn add(&mut self, key: &VerifiedKey, weight: u128) {
            self.0.push((key.0.clone(), weight));
        }
    }

    #[wasm_bindgen]
    impl Committee {
        pub fn new(chain: &[u8], epoch: u64, members: Members) -> JsResult<Self> {
            any::Committee::new(decode(chain)?, epoch, members.0).or_throw().map(Self)
        }
    }
}
