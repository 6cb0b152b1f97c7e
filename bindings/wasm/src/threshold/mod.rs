//! Threshold cryptography: operations that need t of n members.
//!
//! | module | concepts |
//! |---|---|
//! | [`dleq`], [`tdh2`], [`coin`] | threshold encryption and the coin, and their common parts |
//! | [`deal`], [`ecdsa`], [`signing`] | the dealer, presignatures, and signing with them |
//! | [`bls`] | signatures of shared keys |
//! | [`seal`] | files sealed to one recipient |

pub mod bls;
pub mod coin;
pub mod deal;
pub mod dleq;
pub mod ecdsa;
pub mod seal;
pub mod signing;
pub mod tdh2;

use std::cell::RefCell;
use std::rc::Rc;

use quorate::Error;
use quorate::any::threshold::Cache;
use quorate::machine::MemberIndex;
use quorate::threshold::combiner::Counts;
use quorate::threshold::{Agreed, Agreement, MAX_PARTIES, Threshold, Tolerance, Unagreed};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow};

/// The limits that JavaScript's copies are compared with.
#[wasm_bindgen]
pub fn threshold_limits() -> Vec<u32> {
    use quorate::threshold::{Secp256k1, ecdsa, seal, tdh2};
    let sizes = [
        tdh2::MAX_PLAINTEXT,
        tdh2::OVERHEAD,
        seal::MAX_CONTENT,
        seal::OVERHEAD,
        ecdsa::SignatureShare::<Secp256k1>::MAX_ATTESTATION,
    ];
    let counts = [MAX_PARTIES.into(), ecdsa::Plan::ROUNDS.into(), ecdsa::Plan::MAX_COUNT];
    counts.into_iter().chain(sizes.map(|size| size as u32)).collect()
}

#[wasm_bindgen]
pub struct ThresholdHandle(pub(crate) Threshold);

#[wasm_bindgen]
impl ThresholdHandle {
    pub fn new(needed: u16, parties: u16) -> JsResult<Self> {
        Threshold::new(needed, parties).or_throw().map(Self)
    }

    pub fn needed(&self) -> u16 {
        self.0.needed()
    }

    pub fn parties(&self) -> u16 {
        self.0.parties()
    }
}

#[wasm_bindgen]
pub struct ToleranceHandle(pub(crate) Tolerance);

#[wasm_bindgen]
impl ToleranceHandle {
    pub fn new(parties: u16, faulty: u16) -> JsResult<Self> {
        Tolerance::new(parties, faulty).or_throw().map(Self)
    }

    pub fn parties(&self) -> u16 {
        self.0.parties()
    }

    pub fn faulty(&self) -> u16 {
        self.0.faulty()
    }

    pub fn threshold(&self, agreement: &str) -> JsResult<ThresholdHandle> {
        Ok(ThresholdHandle(match parse_agreement(agreement)? {
            Agreement::Agreed => self.0.threshold::<Agreed>(),
            Agreement::Unagreed => self.0.threshold::<Unagreed>(),
        }))
    }
}

/// Returns the name of an agreement.
pub(crate) fn agreement_name(agreement: Agreement) -> String {
    match agreement {
        Agreement::Agreed => "agreed",
        Agreement::Unagreed => "unagreed",
    }
    .to_owned()
}

/// Returns the agreement with this name.
pub(crate) fn parse_agreement(name: &str) -> JsResult<Agreement> {
    match name {
        "agreed" => Ok(Agreement::Agreed),
        "unagreed" => Ok(Agreement::Unagreed),
        _ => Err(Error::UnknownName {
            what: "agreement",
            given: name.chars().take(64).collect(),
            known: &["agreed", "unagreed"],
        }),
    }
    .or_throw()
}

/// A cache of the coefficients of recently used sets of members. Callers that take one take a reference to it.
#[wasm_bindgen]
#[derive(Default)]
pub struct CombinerCache(Rc<RefCell<Cache>>);

#[wasm_bindgen]
impl CombinerCache {
    pub fn new(capacity: Option<u32>) -> Self {
        let cache = capacity.map_or_else(Cache::default, |capacity| Cache::new(capacity as usize));
        Self(Rc::new(RefCell::new(cache)))
    }

    pub fn share(&self) -> Self {
        Self(self.0.clone())
    }
}

impl CombinerCache {
    /// Its users never call back, so it is never borrowed twice; if it were, a new cache is used.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Cache) -> T) -> T {
        match self.0.try_borrow_mut() {
            Ok(mut cache) => work(&mut cache),
            Err(_) => work(&mut Cache::default()),
        }
    }
}

/// Combinations, checks of shares, decodings.
pub(crate) fn counted(counts: Counts) -> Vec<u32> {
    [counts.combinations, counts.share_checks, counts.decodings].map(|count| count as u32).into()
}

/// An attestation for the user to verify: that a member attested these bytes.
#[wasm_bindgen]
pub struct Attestation {
    member: MemberIndex,
    bytes: Vec<u8>,
    attestation: Vec<u8>,
}

#[wasm_bindgen]
impl Attestation {
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    pub fn attestation(self) -> Vec<u8> {
        self.attestation
    }
}

/// A culprit, provided that the user accepts all attestations.
#[wasm_bindgen]
pub struct EvidenceVerdict {
    culprit: MemberIndex,
    attestations: Vec<Attestation>,
}

#[wasm_bindgen]
impl EvidenceVerdict {
    pub fn culprit(&self) -> MemberIndex {
        self.culprit
    }

    pub fn attestations(self) -> Vec<Attestation> {
        self.attestations
    }
}

/// Runs `verify` as if all attestations were valid, and collects them.
pub(crate) fn accuse(
    verify: impl FnOnce(
        &mut dyn FnMut(MemberIndex, &[u8], &[u8]) -> quorate::Result<()>,
    ) -> quorate::Result<MemberIndex>,
) -> JsResult<EvidenceVerdict> {
    let mut attestations = Vec::new();
    let culprit = verify(&mut |member, bytes, attestation| {
        let (bytes, attestation) = (bytes.to_vec(), attestation.to_vec());
        attestations.push(Attestation { member, bytes, attestation });
        Ok(())
    })
    .or_throw()?;
    Ok(EvidenceVerdict { culprit, attestations })
}

/// The error if one of them is invalid.
#[wasm_bindgen]
pub fn not_evidence() -> JsResult<()> {
    Err(Error::NotEvidence).or_throw()
}
