//! DSig: one-time keys that sign, and that Ed25519 signs in batches.

use std::collections::BTreeSet;
use std::time::Duration;

use getrandom::SysRng;
use quorate::committee::MAX_MEMBERS;
use quorate::dsig::dynamic::{self, DynAnnounced, DynSigner, DynVerifier, SuiteId};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::machine::{MemberIndex, Time};
use quorate::{Error, ed25519};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{OrThrow, Thrown};
use crate::keys::{PublicKey, SecretKey};

#[wasm_bindgen]
pub fn dsig_suites() -> Vec<String> {
    SuiteId::ALL.iter().map(|suite| suite.name().to_owned()).collect()
}

/// Sets of likely verifiers.
#[wasm_bindgen]
#[derive(Default)]
pub struct DsigGroups(Vec<BTreeSet<MemberIndex>>);

#[wasm_bindgen]
impl DsigGroups {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, members: &[MemberIndex]) -> Thrown<()> {
        at_most(self.0.len() + 1, "DSig groups")?;
        at_most(members.len(), "DSig group")?;
        self.0.push(members.iter().copied().collect());
        Ok(())
    }
}

#[wasm_bindgen]
pub struct DsigSigner(DynSigner);

#[wasm_bindgen]
impl DsigSigner {
    pub fn of(
        secret: SecretKey,
        suite: Option<String>,
        groups: DsigGroups,
        log2_batch: Option<u8>,
        low_water: Option<u32>,
        lifetime: Option<u64>,
    ) -> Thrown<Self> {
        let default = SignerConfig::default();
        let config = SignerConfig {
            log2_batch: log2_batch.unwrap_or(default.log2_batch),
            low_water: low_water.map_or(default.low_water, |keys| keys as usize),
            lifetime: lifetime.map_or(default.lifetime, Duration::from_micros),
        };
        let identity = secret.0.try_into().or_throw()?;
        DynSigner::new(suite_of(suite)?, identity, groups.0, config, &mut SysRng).or_throw().map(Self)
    }

    pub fn prepare(&mut self, now: u64) -> Thrown<Option<DsigAnnounced>> {
        let announced = self.0.prepare(&mut SysRng, Time(now)).or_throw()?;
        Ok(announced.map(DsigAnnounced))
    }

    pub fn announcements(&self) -> Vec<DsigAnnounced> {
        self.0.announcements().into_iter().map(DsigAnnounced).collect()
    }

    pub fn sign(&mut self, message: &[u8], hint: &[MemberIndex], now: u64) -> Thrown<Vec<u8>> {
        at_most(hint.len(), "DSig hint")?;
        self.0.sign(message, hint, Time(now)).or_throw()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.public_key().clone().into())
    }

    pub fn ready(&self) -> u32 {
        self.0.ready() as u32
    }

    pub fn invalidate(&mut self) {
        self.0.invalidate();
    }
}

/// What to send, and to whom: nobody in particular is everybody.
#[wasm_bindgen]
pub struct DsigAnnounced(DynAnnounced);

#[wasm_bindgen]
impl DsigAnnounced {
    pub fn to(&self) -> Option<Vec<MemberIndex>> {
        self.0.to.as_ref().map(|members| members.iter().copied().collect())
    }

    pub fn announcement(self) -> Vec<u8> {
        self.0.announcement
    }
}

#[wasm_bindgen]
pub struct DsigVerifier(DynVerifier);

#[wasm_bindgen]
impl DsigVerifier {
    pub fn of(
        suite: Option<String>,
        announced: Option<u32>,
        checked: Option<u32>,
        burst: Option<u32>,
        interval: Option<u64>,
    ) -> Thrown<Self> {
        let default = VerifierConfig::default();
        let config = VerifierConfig {
            announced: announced.map_or(default.announced, |batches| batches as usize),
            checked: checked.map_or(default.checked, |batches| batches as usize),
            burst: burst.unwrap_or(default.burst),
            interval: interval.map_or(default.interval, Duration::from_micros),
        };
        Ok(Self(DynVerifier::new(suite_of(suite)?, config)))
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn admit(&mut self, signer: &PublicKey) -> Thrown<()> {
        self.0.admit(key(signer)?.clone());
        Ok(())
    }

    pub fn revoke(&mut self, signer: &PublicKey) -> Thrown<bool> {
        Ok(self.0.revoke(key(signer)?))
    }

    pub fn announce(&mut self, signer: &PublicKey, announcement: &[u8], now: u64) -> Thrown<()> {
        self.0.announce(key(signer)?, announcement, Time(now)).or_throw()
    }

    pub fn can_verify_fast(&self, signer: &PublicKey, signature: &[u8]) -> Thrown<bool> {
        self.0.can_verify_fast(key(signer)?, signature).or_throw()
    }

    pub fn verify(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> Thrown<()> {
        self.0.verify(key(signer)?, message, signature).or_throw()
    }
}

#[wasm_bindgen]
pub fn dsig_verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> Thrown<()> {
    dynamic::verify(key(signer)?, message, signature).or_throw()
}

#[wasm_bindgen]
pub fn dsig_reuse(
    signer: &PublicKey,
    first: &[u8],
    first_signature: &[u8],
    second: &[u8],
    second_signature: &[u8],
) -> Thrown<Vec<u8>> {
    dynamic::reuse(key(signer)?, (first, first_signature), (second, second_signature)).or_throw()
}

#[wasm_bindgen]
pub fn dsig_verify_reuse(suite: &str, evidence: &[u8]) -> Thrown<PublicKey> {
    let culprit = dynamic::verify_reuse(suite.parse().or_throw()?, evidence).or_throw()?;
    Ok(PublicKey(culprit.into()))
}

fn suite_of(name: Option<String>) -> Thrown<SuiteId> {
    name.map_or(Ok(SuiteId::WotsBlake3), |name| name.parse()).or_throw()
}

fn key(signer: &PublicKey) -> Thrown<&ed25519::PublicKey> {
    <&ed25519::PublicKey>::try_from(&signer.0).or_throw()
}

/// `js/dsig-api.js` reads no more than one above the limit of a list, however long it is.
fn at_most(length: usize, what: &'static str) -> Thrown<()> {
    let limit = MAX_MEMBERS as u64;
    if length > MAX_MEMBERS { Err(Error::TooLarge { what, limit }).or_throw() } else { Ok(()) }
}
