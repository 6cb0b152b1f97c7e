//! DSig: one-time keys sign, and Ed25519 signs them in batches.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use getrandom::SysRng;
use quorate::committee::MAX_MEMBERS;
use quorate::dsig::dynamic::{self, DynAnnounced, DynAuditor, DynSigner, DynVerifier, SuiteId};
use quorate::dsig::{SignerConfig, VerifierConfig};
use quorate::machine::{MemberIndex, Time};
use quorate::{Error, any, ed25519};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::glue::{JsResult, OrThrow, error};
use crate::keys::{PublicKey, SecretKey};

#[wasm_bindgen]
pub fn dsig_suites() -> Vec<String> {
    SuiteId::ALL.iter().map(|suite| suite.name().to_owned()).collect()
}

#[wasm_bindgen]
pub fn dsig_signature_len(suite: &str) -> JsResult<u32> {
    Ok(suite.parse::<SuiteId>().or_throw()?.signature_len() as u32)
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

    pub fn add(&mut self, members: &[MemberIndex]) -> JsResult<()> {
        at_most(self.0.len() + 1, "DSig groups")?;
        at_most(members.len(), "DSig group")?;
        self.0.push(members.iter().copied().collect());
        Ok(())
    }
}

/// A signer, and the hook's last identifier of this copy of the machine. The core reads it: `dsig.ts` calls the
/// hook while nothing is borrowed here.
#[wasm_bindgen]
pub struct DsigSigner {
    signer: DynSigner,
    copy: Arc<AtomicU64>,
}

impl DsigSigner {
    /// Returns the signer after storing the hook's answer, if there is one.
    fn with_answer(&mut self, copy: Option<u64>) -> &mut DynSigner {
        if let Some(copy) = copy {
            self.copy.store(copy, Ordering::Relaxed);
        }
        &mut self.signer
    }
}

#[wasm_bindgen]
impl DsigSigner {
    pub fn new(
        secret: SecretKey,
        suite: Option<String>,
        groups: DsigGroups,
        log2_batch: Option<u8>,
        low_water: Option<u32>,
        lifetime: Option<u64>,
    ) -> JsResult<Self> {
        let default = SignerConfig::default();
        let config = SignerConfig {
            log2_batch: log2_batch.unwrap_or(default.log2_batch),
            low_water: low_water.map_or(default.low_water, |keys| keys as usize),
            lifetime: lifetime.map_or(default.lifetime, Duration::from_micros),
        };
        let identity = quorate_interface::taken(secret.0).try_into().or_throw()?;
        let signer = DynSigner::new(suite_of(suite)?, identity, groups.0, config, &mut SysRng).or_throw()?;
        Ok(Self { signer, copy: Arc::default() })
    }

    pub fn detect_copies(&mut self, copy: u64) {
        let answer = self.copy.clone();
        self.with_answer(Some(copy)).detect_copies(move || answer.load(Ordering::Relaxed));
    }

    pub fn prepare(&mut self, now: u64, copy: Option<u64>) -> JsResult<Option<DsigAnnounced>> {
        let announced = self.with_answer(copy).prepare(&mut SysRng, Time(now)).or_throw()?;
        Ok(announced.map(DsigAnnounced))
    }

    pub fn announcements(&self) -> Vec<DsigAnnounced> {
        self.signer.announcements().into_iter().map(DsigAnnounced).collect()
    }

    pub fn sign(
        &mut self,
        message: &[u8],
        hint: &[MemberIndex],
        now: u64,
        copy: Option<u64>,
    ) -> JsResult<Vec<u8>> {
        at_most(hint.len(), "DSig hint")?;
        self.with_answer(copy).sign(message, hint, Time(now)).or_throw()
    }

    pub fn suite(&self) -> String {
        self.signer.suite().to_string()
    }

    pub fn public_key(&self) -> PublicKey {
        shown(self.signer.public_key().clone())
    }

    pub fn ready(&self) -> u32 {
        self.signer.ready() as u32
    }

    pub fn invalidate(&mut self) {
        self.signer.invalidate();
    }
}

/// An announcement and its recipients; none stands for all verifiers.
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

/// A verifier, and the hook's answer whether the current signer is revoked. As [`DsigSigner`].
#[wasm_bindgen]
pub struct DsigVerifier {
    verifier: DynVerifier,
    revoked: Arc<AtomicBool>,
}

impl DsigVerifier {
    fn with_answer(&mut self, revoked: bool) -> &mut DynVerifier {
        self.revoked.store(revoked, Ordering::Relaxed);
        &mut self.verifier
    }
}

#[wasm_bindgen]
impl DsigVerifier {
    pub fn new(
        suite: Option<String>,
        announced: Option<u32>,
        checked: Option<u32>,
        burst: Option<u32>,
        interval: Option<u64>,
    ) -> JsResult<Self> {
        let default = VerifierConfig::default();
        let config = VerifierConfig {
            announced: announced.map_or(default.announced, |batches| batches as usize),
            checked: checked.map_or(default.checked, |batches| batches as usize),
            burst: burst.unwrap_or(default.burst),
            interval: interval.map_or(default.interval, Duration::from_micros),
        };
        let mut verifier = DynVerifier::new(suite_of(suite)?, config);
        let revoked = Arc::new(AtomicBool::default());
        let answer = revoked.clone();
        verifier.check_revocation(move |_| answer.load(Ordering::Relaxed));
        Ok(Self { verifier, revoked })
    }

    pub fn suite(&self) -> String {
        self.verifier.suite().to_string()
    }

    pub fn admit(&mut self, signer: &PublicKey) -> JsResult<()> {
        self.verifier.admit(key(signer)?.clone());
        Ok(())
    }

    pub fn revoke(&mut self, signer: &PublicKey) -> JsResult<bool> {
        Ok(self.verifier.revoke(key(signer)?))
    }

    pub fn announce(
        &mut self,
        signer: &PublicKey,
        announcement: &[u8],
        now: u64,
        revoked: bool,
    ) -> JsResult<()> {
        self.with_answer(revoked).announce(key(signer)?, announcement, Time(now)).or_throw()
    }

    pub fn can_verify_fast(&mut self, signer: &PublicKey, signature: &[u8], revoked: bool) -> JsResult<bool> {
        self.with_answer(revoked).can_verify_fast(key(signer)?, signature).or_throw()
    }

    pub fn verify(
        &mut self,
        signer: &PublicKey,
        message: &[u8],
        signature: &[u8],
        revoked: bool,
    ) -> JsResult<()> {
        self.with_answer(revoked).verify(key(signer)?, message, signature).or_throw()
    }
}

#[wasm_bindgen]
pub struct DsigAuditor(DynAuditor);

#[wasm_bindgen]
impl DsigAuditor {
    pub fn new(suite: Option<String>, roots: Option<u32>) -> JsResult<Self> {
        let roots = roots.map_or(1024, |roots| roots as usize);
        Ok(Self(DynAuditor::new(suite_of(suite)?, roots)))
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &[u8]) -> JsResult<()> {
        self.0.check(key(signer)?, message, signature).or_throw()
    }
}

/// Entries of a log; `dsig-parts.ts` counts their bytes.
#[wasm_bindgen]
#[derive(Default)]
pub struct DsigEntries(Vec<(ed25519::PublicKey, Vec<u8>, Vec<u8>)>);

#[wasm_bindgen]
impl DsigEntries {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, signer: &PublicKey, message: Vec<u8>, signature: Vec<u8>) -> JsResult<()> {
        self.0.push((key(signer)?.clone(), message, signature));
        Ok(())
    }

    /// `undefined` or an error for each.
    pub fn verify(self, suite: &str) -> JsResult<Vec<JsValue>> {
        let entries = self.0.iter().map(|(signer, message, signature)| (signer, &**message, &**signature));
        let entries: Vec<_> = entries.collect();
        let outcomes = dynamic::verify_all(suite.parse().or_throw()?, &entries).into_iter();
        Ok(outcomes.map(|outcome| outcome.map_or_else(|e| error(&e), |()| JsValue::UNDEFINED)).collect())
    }
}

#[wasm_bindgen]
pub fn dsig_verify(signer: &PublicKey, message: &[u8], signature: &[u8]) -> JsResult<()> {
    dynamic::verify(key(signer)?, message, signature).or_throw()
}

#[wasm_bindgen]
pub fn dsig_reuse(
    signer: &PublicKey,
    first: &[u8],
    first_signature: &[u8],
    second: &[u8],
    second_signature: &[u8],
) -> JsResult<Vec<u8>> {
    dynamic::reuse(key(signer)?, (first, first_signature), (second, second_signature)).or_throw()
}

#[wasm_bindgen]
pub fn dsig_verify_reuse(suite: &str, evidence: &[u8]) -> JsResult<PublicKey> {
    let culprit = dynamic::verify_reuse(suite.parse().or_throw()?, evidence).or_throw()?;
    Ok(shown(culprit))
}

fn suite_of(name: Option<String>) -> JsResult<SuiteId> {
    name.map_or(Ok(SuiteId::WotsBlake3), |name| name.parse()).or_throw()
}

fn key(signer: &PublicKey) -> JsResult<&ed25519::PublicKey> {
    let key: &any::PublicKey = (*signer.0).as_ref();
    <&ed25519::PublicKey>::try_from(key).or_throw()
}

fn shown(key: ed25519::PublicKey) -> PublicKey {
    PublicKey(Rc::new(any::PublicKey::from(key).into()))
}

/// `dsig-parts.ts` reads at most one item above the limit of a list.
fn at_most(length: usize, what: &'static str) -> JsResult<()> {
    let limit = MAX_MEMBERS as u64;
    if length > MAX_MEMBERS { Err(Error::TooLarge { what, limit }).or_throw() } else { Ok(()) }
}
