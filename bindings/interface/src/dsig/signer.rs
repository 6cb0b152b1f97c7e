//! Signers of one-time keys.

use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use getrandom::SysRng;
use quorate::committee::MAX_MEMBERS;
use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::{DynAnnounced, DynSigner};
use quorate::{Error, Result, any};

use super::Suite;
use crate::at;
use crate::keys::{PublicKey, SecretKey};

class! {
    /// Generates one-time keys ahead of time and signs with each of them once. The keys are never copied or stored:
    /// they are wiped when they expire, in a forked child, and when the signer is closed. A thread in `prepare` never
    /// blocks one in `sign`. In all functions `now` is in microseconds of a clock that continues while the machine
    /// sleeps; it defaults to the system's time of day.
    #[cfg_attr(binding, within = "Dsig")]
    object secret stateful struct Signer {
        suite: Suite,
        public: PublicKey,
        signer: Mutex<DynSigner>,
        /// The hook's last answer, which the core reads. It belongs to the holder of the lock.
        copy: Arc<AtomicU64>,
    }:;
    shown |self, f| write!(f, "Signer({}, {} keys ready)", self.suite, self.ready());
    /// Creates a signer under an Ed25519 key, whose ownership it takes: `secret` is closed afterwards, also if this
    /// fails. `groups` are sets of likely verifiers; the group of all verifiers always exists. A batch has 2 to the
    /// power of `log2_batch` keys, at most 128; a group with fewer keys than `low_water` gets another batch; keys older
    /// than `lifetime` are wiped, so that a copied or suspended machine does not continue to use them.
    /// [`Error::WrongContext`](quorate::Error) for a key of another scheme, or an unknown suite.
    /// [`Error::TooLarge`](quorate::Error) for batches of more than 128 keys.
    fn new(
        secret: SecretKey,
        #[cfg_attr(binding, option = "positional")] suite: Option<&Suite>,
        #[cfg_attr(binding, option, limit = 65_535)] groups: Option<&[Vec<u16>]>,
        #[cfg_attr(binding, option, default = 7)] log2_batch: Option<u8>,
        #[cfg_attr(binding, option, default = 512)] low_water: Option<usize>,
        #[cfg_attr(binding, option, default = 10_000_000)] lifetime: Option<Duration>,
    ) -> Result<Self> {
        let secret = secret.0.try_into()?;
        let groups = groups.unwrap_or_default();
        at_most(groups.len(), "DSig groups")?;
        let group = |members: &Vec<u16>| {
            at_most(members.len(), "DSig group").map(|()| members.iter().copied().collect::<BTreeSet<_>>())
        };
        let groups = groups.iter().map(group).collect::<Result<Vec<_>>>()?;
        let default = SignerConfig::default();
        let config = SignerConfig {
            log2_batch: log2_batch.unwrap_or(default.log2_batch),
            low_water: low_water.unwrap_or(default.low_water),
            lifetime: lifetime.unwrap_or(default.lifetime),
        };
        let suite = Suite::chosen(suite);
        let signer = DynSigner::new(suite, secret, groups, config, &mut SysRng)?;
        let public = PublicKey(any::PublicKey::from(signer.public_key().clone()));
        Ok(Self { suite: suite.into(), public, signer: Mutex::new(signer), copy: Arc::default() })
    }
    /// Sets a hook that distinguishes copies of this machine: it returns a virtual machine's generation identifier, a
    /// counter of restored checkpoints, or any other 64-bit integer. It is called now, and first by `sign` and
    /// `prepare`, on the calling thread. When its answer changes, all keys are wiped. If it fails, nothing is signed,
    /// and the caller gets its exception. It may use this signer. Forks are detected without it; undetected copies are
    /// limited by the keys' lifetime.
    hook quick fn detect_copies(&self, #[cfg_attr(binding, answer = "detect_copies")] copy: u64) {
        let mut signer = self.lock();
        self.copy.store(copy, Ordering::Relaxed);
        let answer = self.copy.clone();
        signer.detect_copies(move || answer.load(Ordering::Relaxed));
    }
    /// Takes an answer of the hook, so that a call that waits does not replace it by an older one.
    early fn copied(&self, copy: u64) { drop(self.answered(Some(copy))); }
    /// Background work: generates one batch for the group with the fewest keys and returns the announcement to send;
    /// nothing if no group needs a batch. Call it until it returns nothing, and again during the signer's lifetime.
    /// Make one call at a time: concurrent calls make a batch each. Cost: 128 times the cost of making and verifying a
    /// signature, and more in the HORS suites.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    slow fn prepare(
        &self,
        now: Option<u64>,
        #[cfg_attr(binding, answer = "detect_copies")] copy: Option<u64>,
    ) -> Result<Option<Announced>> {
        let now = at(now);
        let mut plan = self.answered(copy).plan(&mut SysRng, now)?;
        while let Some(planned) = plan {
            // Without the lock, so that other threads can sign.
            let batch = planned.make()?;
            let mut signer = self.lock();
            if let Some(announced) = signer.add(batch) {
                return Ok(Some(announced.into()));
            }
            // The keys were invalidated meanwhile, and this batch with them.
            plan = signer.plan(&mut SysRng, now)?;
        }
        Ok(None)
    }
    /// Returns the announcements of all batches that still have keys, for a verifier that joins late or restarts.
    quick fn announcements(&self) -> Vec<Announced> {
        self.lock().announcements().into_iter().map(Announced::from).collect()
    }
    /// Signs with a fresh key of the smallest group that contains all of `hint` and has a key; an empty hint means all
    /// verifiers. The hint determines which verifiers verify fast, never which can verify. Cost: one hash of the
    /// message and one copy.
    /// [`Error::Exhausted`](quorate::Error) if no fresh key is left: call [`Signer::prepare`] and sign again.
    quick fn sign(
        &self,
        message: &[u8],
        #[cfg_attr(binding, option = "positional", limit = 65_535)] hint: Option<&[u16]>,
        #[cfg_attr(binding, option = "positional")] now: Option<u64>,
        #[cfg_attr(binding, answer = "detect_copies")] copy: Option<u64>,
    ) -> Result<Vec<u8>> {
        let hint = hint.unwrap_or_default();
        at_most(hint.len(), "DSig hint")?;
        self.answered(copy).sign(message, hint, at(now))
    }
    /// The suite.
    getter fn suite(&self) -> Suite { self.suite }
    /// The key that verifies this signer's signatures.
    getter fn public_key(&self) -> PublicKey { self.public.clone() }
    /// Number of fresh keys in all groups.
    getter fn ready(&self) -> usize { self.lock().ready() }
    /// Wipes every one-time key. Call it when the machine was copied, or is about to be.
    quick fn invalidate(&self) { self.lock().invalidate(); }
}

impl Signer {
    /// Locks the signer, and stores the hook's answer, if there is one.
    fn answered(&self, copy: Option<u64>) -> MutexGuard<'_, DynSigner> {
        let signer = self.lock();
        if let Some(copy) = copy {
            self.copy.store(copy, Ordering::Relaxed);
        }
        signer
    }

    fn lock(&self) -> MutexGuard<'_, DynSigner> {
        self.signer.lock().unwrap_or_else(|panicked| {
            // It is unknown which of its keys are still unused.
            let mut signer = panicked.into_inner();
            signer.invalidate();
            signer
        })
    }
}

/// Announcement of a new batch of one-time keys.
#[cfg_attr(binding, within = "Dsig")]
pub struct Announced {
    /// Recipients: the members of the batch's group, ascending; nothing for all verifiers.
    pub to: Option<Vec<u16>>,
    /// Bytes to send to the recipients, for `announce` of their verifiers.
    pub announcement: Vec<u8>,
}

impl From<DynAnnounced> for Announced {
    fn from(DynAnnounced { to, announcement }: DynAnnounced) -> Self {
        Self { to: to.map(|members| members.into_iter().collect()), announcement }
    }
}

/// A language passes at most one item above the limit of a list.
fn at_most(len: usize, what: &'static str) -> Result<()> {
    if len > MAX_MEMBERS { Err(Error::TooLarge { what, limit: MAX_MEMBERS as u64 }) } else { Ok(()) }
}
