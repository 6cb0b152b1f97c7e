//! A background thread that makes keys (feature `driver`, off by default). This is the only part of the crate that
//! starts a thread and waits by the system's clock.
//!
//! ```text
//!   your threads ── sign ────────────▶ ┌────────┐ ◀── plan, add ── the thread ── announced ──▶ your closure
//!                ── sign_waiting ────▶ │ signer │                   makes keys, whenever a group is short of them
//!                   until a key is     └────────┘
//!                   there, or in time      a lock, held for moments only
//! ```
//!
//! * One batch is made at a time, and only if needed: a group never has more than
//!   [`low_water`](super::SignerConfig::low_water) − 1 fresh keys plus one batch.
//! * A batch is announced before any of its keys signs: your closure has returned by then. The closure runs on the
//!   thread, without the lock. The next keys wait until it returns, so let it put the announcement into a queue.
//! * Every failure is reported. The thread ends with its first error or panic. The remaining keys still sign; after
//!   that each call returns the reason. [`Driver::failure`] returns it at once.
//! * A forked process has no thread and no keys: each call returns `FORKED`, whichever thread held the lock.
//!
//! **The caller provides the clock**, as everywhere in this crate: one clock decides when keys expire, and your program
//! may have its own. It is read with the lock held; otherwise a call that was interrupted between reading the clock and
//! locking would find keys dated in its future and drop them. The clock must advance while the machine sleeps
//! ([`Signer::sign`](super::Signer::sign)), so use the system's time of day and not `Instant`:
//!
//! ```
//! use quorate::dsig::driver::Driver;
//! use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
//! use quorate::ed25519::Ed25519;
//! use quorate::machine::Time;
//! use quorate::scheme::Scheme;
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! fn now() -> Time {
//!     Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as u64))
//! }
//!
//! let mut rng = getrandom::SysRng;
//! let config = SignerConfig { low_water: 64, ..SignerConfig::default() };
//! let signer = Signer::<WotsBlake3>::new(Ed25519::generate(&mut rng)?, vec![], config, &mut rng)?;
//!
//! let (announcements, to_be_sent) = std::sync::mpsc::channel();
//! let driver = Driver::start(signer, rng, now, move |announced| drop(announcements.send(announced)))?;
//! let signature = driver.sign_waiting(b"SET a 1", &[], Duration::from_secs(5))?;
//! signature.verify(driver.public_key(), b"SET a 1")?;
//! assert_eq!(to_be_sent.recv()?.announcement.verify(driver.public_key())?, *signature.root());
//! driver.stop()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod drivable;
mod error;

pub use drivable::DrivableSigner;
pub use error::DriverError;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rand_core::TryCryptoRng;

use super::process;
use super::signer::ATTEMPTS;
use crate::Error;
use crate::ed25519::PublicKey;
use crate::machine::{MemberIndex, Time};
use crate::scheme::random_32;

/// A signer whose keys are made by a background thread. Share it by reference or in an `Arc`. Dropping it ends the
/// thread and wipes the keys.
pub struct Driver<S: DrivableSigner> {
    shared: Arc<Shared<S>>,
    public: PublicKey,
    /// Generation of the process that started the driver.
    generation: u64,
    thread: Option<JoinHandle<()>>,
}

struct Shared<S> {
    state: Mutex<State<S>>,
    /// Wakes the thread when there may be work or the driver stops.
    work: Condvar,
    /// Wakes waiting callers when there are keys, or when there will be none.
    keys: Condvar,
}

struct State<S> {
    signer: S,
    clock: Box<dyn FnMut() -> Time + Send>,
    /// True while the thread waits. Only then is a system call needed to wake it.
    asleep: bool,
    stop: bool,
    /// Reason why the thread ended on its own.
    failure: Option<DriverError>,
}

impl<S: DrivableSigner> Driver<S> {
    /// Starts the thread, which makes keys at once. `rng` should be the operating system's. `clock` is read for each
    /// signature. `announce` receives each announcement, on the thread, before its keys sign.
    /// # Errors
    /// [`DriverError::NoThread`]: too many threads, or a system without threads, such as wasm32.
    pub fn start(
        signer: S,
        rng: impl TryCryptoRng + Send + 'static,
        clock: impl FnMut() -> Time + Send + 'static,
        announce: impl FnMut(S::Announced) + Send + 'static,
    ) -> Result<Self, DriverError> {
        let public = signer.public_key().clone();
        let state = State { signer, clock: Box::new(clock), asleep: false, stop: false, failure: None };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), work: Condvar::new(), keys: Condvar::new() });
        let threads = shared.clone();
        let started =
            thread::Builder::new().name(String::from("dsig-keys")).spawn(move || threads.run(rng, announce));
        let thread = Some(started.map_err(|error| DriverError::NoThread(error.kind()))?);
        Ok(Self { shared, public, generation: process::generation(), thread })
    }

    /// Returns the key that verifies this driver's signatures.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Signs without waiting, see [`Signer::sign`](super::Signer::sign). Cost: the same, plus a lock and a call of your
    /// clock.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no fresh key is ready now; any [`DriverError`] if there will be none.
    pub fn sign(&self, message: &[u8], hint: &[MemberIndex]) -> Result<S::Signature, DriverError> {
        self.lock()?.sign(&self.shared.work, message, hint)
    }

    /// Signs as [`sign`](Driver::sign), but waits up to `timeout` for a key if none is ready.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no key was ready in time; any [`DriverError`] as soon as it is certain that there will
    /// be none.
    pub fn sign_waiting(
        &self,
        message: &[u8],
        hint: &[MemberIndex],
        timeout: Duration,
    ) -> Result<S::Signature, DriverError> {
        let (mut state, mut end) = (self.lock()?, None);
        loop {
            match state.sign(&self.shared.work, message, hint) {
                Err(DriverError::Signer(Error::Exhausted)) if state.failure.is_none() => {}
                outcome => return outcome,
            }
            // An end beyond the clock's range means no timeout.
            let end = *end.get_or_insert_with(|| Instant::now().checked_add(timeout));
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Error::Exhausted.into());
            }
            state = wait(&self.shared.keys, state, left);
        }
    }

    /// Returns the announcements of all batches that still have keys, see
    /// [`Signer::announcements`](super::Signer::announcements).
    ///
    /// # Errors
    /// [`DriverError::Forked`].
    pub fn announcements(&self) -> Result<Vec<S::Announced>, DriverError> {
        Ok(self.lock()?.signer.announcements())
    }

    /// Returns the number of keys ready in all groups. Zero in a forked process.
    pub fn ready(&self) -> usize {
        self.lock().map_or(0, |state| state.signer.ready())
    }

    /// Wipes every key, as [`Signer::invalidate`](super::Signer::invalidate), and wakes the thread to make new ones.
    ///
    /// # Errors
    /// [`DriverError::Forked`].
    pub fn invalidate(&self) -> Result<(), DriverError> {
        let mut state = self.lock()?;
        state.signer.invalidate();
        state.wake(&self.shared.work);
        Ok(())
    }

    /// Returns why no more keys are made, if the thread failed.
    pub fn failure(&self) -> Option<DriverError> {
        self.lock().map_or_else(Some, |state| state.failure.clone())
    }

    /// Ends the thread and waits for it: at most for one batch and one call of your closure.
    ///
    /// # Errors
    /// The error that the thread had ended with before.
    pub fn stop(mut self) -> Result<(), DriverError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), DriverError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        match self.lock() {
            Ok(mut state) => state.stop = true,
            Err(error) => {
                // The thread does not exist in this process, so joining it would never return.
                mem::forget(thread);
                return Err(error);
            }
        }
        self.shared.work.notify_one();
        // The closure may own the last reference, and a thread must not join itself.
        if thread.thread().id() != thread::current().id() {
            // The panic has been printed and recorded.
            let _ = thread.join();
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// Locks the state, in the process that owns it.
    fn lock(&self) -> Result<MutexGuard<'_, State<S>>, DriverError> {
        if process::generation() == self.generation {
            return Ok(self.shared.lock());
        }
        // The thread that held the lock at the fork does not exist in this process and never releases it. If the lock
        // is free, wipe the keys.
        if let Ok(mut state) = self.shared.state.try_lock() {
            state.signer.invalidate();
        }
        Err(DriverError::Forked)
    }
}

impl<S: DrivableSigner> Drop for Driver<S> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl<S: DrivableSigner> State<S> {
    fn sign(
        &mut self,
        work: &Condvar,
        message: &[u8],
        hint: &[MemberIndex],
    ) -> Result<S::Signature, DriverError> {
        let now = (self.clock)();
        let signed = self.signer.sign(message, hint, now);
        if self.asleep && self.signer.is_short(now) {
            self.wake(work);
        }
        signed.map_err(|error| match (error, &self.failure) {
            (Error::Exhausted, Some(failure)) => failure.clone(),
            (error, _) => error.into(),
        })
    }

    fn wake(&mut self, work: &Condvar) {
        if mem::take(&mut self.asleep) {
            work.notify_one();
        }
    }
}

impl<S: DrivableSigner> Shared<S> {
    /// Body of the thread: makes keys until the driver stops or fails.
    fn run(&self, rng: impl TryCryptoRng, announce: impl FnMut(S::Announced)) {
        // After a panic only the signer is used again, and the signer calls none of its owner's code while it changes
        // state.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.make_keys(rng, announce)));
        let failure = match &outcome {
            Ok(done) => done.as_ref().err().cloned().map(DriverError::Signer),
            Err(_) => Some(DriverError::Panicked),
        };
        self.lock().failure = failure;
        self.keys.notify_all();
        if let Err(panic) = outcome {
            resume_unwind(panic);
        }
    }

    fn make_keys(
        &self,
        mut rng: impl TryCryptoRng,
        mut announce: impl FnMut(S::Announced),
    ) -> crate::Result<()> {
        let mut failed_attempts = 0;
        // Bounds the attempts of a signer whose copy-detection hook returns a different value on each call.
        while failed_attempts < ATTEMPTS {
            if !self.wait_for_work() {
                return Ok(());
            }
            // The generator, `make` and the closure run without the lock, so signing continues.
            let fresh = random_32(&mut rng)?;
            let Some(plan) = self.plan(&fresh)? else { continue };
            let batch = S::make(plan)?;
            let announced = self.lock().signer.announced(&batch);
            // `None` if the keys were invalidated meanwhile, and these with them.
            let Some(announced) = announced else { continue };
            announce(announced);
            let mut state = self.lock();
            failed_attempts = if state.signer.add(batch) { 0 } else { failed_attempts + 1 };
            let expired = state.signer.take_expired();
            drop(state);
            self.keys.notify_all();
            drop(expired);
        }
        Err(Error::Exhausted)
    }

    /// Waits for work. Returns true if a group is below `low_water`, false if the thread is to end.
    fn wait_for_work(&self) -> bool {
        let mut state = self.lock();
        // No event signals that keys grow old, which takes a quarter of their lifetime; so poll.
        let pause = (state.signer.lifetime() / 8).max(Duration::from_millis(1));
        while !state.stop {
            let now = (state.clock)();
            if state.signer.is_short(now) {
                return true;
            }
            state.asleep = true;
            state = wait(&self.work, state, pause);
            state.asleep = false;
        }
        false
    }

    fn plan(&self, fresh: &[u8; 32]) -> crate::Result<Option<S::Plan>> {
        let mut state = self.lock();
        let now = (state.clock)();
        state.signer.plan(fresh, now)
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        // A panicking clock poisons the lock but changes no state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>, most: Duration) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
}
