//! A thread for the background plane (feature `driver`, off by default). The one place of this crate that starts a
//! thread and waits by the system's clock.
//!
//! ```text
//!   your threads ── sign ────────────▶ ┌────────┐ ◀── plan, add ── the thread ── announced ──▶ your closure
//!                ── sign_waiting ────▶ │ signer │                   makes keys, whenever a group is short of them
//!                   until a key is     └────────┘
//!                   there, or in time      a lock, held for moments only
//! ```
//!
//! * One batch is made at a time, and none that is not needed: at any moment a group has fewer keys than
//!   [`low_water`](super::SignerConfig::low_water) and one batch more.
//! * A batch is announced before any of its keys signs: your closure has returned by then. It runs on the thread,
//!   without the lock; what it takes, the next keys wait for, so let it put the announcement into a queue.
//! * Nothing fails in silence. The thread ends with its first error or panic; the keys that it left still sign, and
//!   then each call says why there are no more. [`Driver::failure`] says so at once.
//! * A process that is forked off has no thread and no keys: each call answers `FORKED`, whatever held the lock.
//!
//! **The clock is yours**, as everywhere in this crate, for one clock decides when keys expire and your program may
//! have its own. It is read with the lock held: else a signer that was interrupted between its clock and the lock
//! would find keys from its future, and drop them. It must be one that goes on while the machine sleeps
//! ([`Signer::sign`](super::Signer::sign)), which is why the system's time of day is right and `Instant` is wrong:
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

mod driven;
mod error;

pub use driven::Driven;
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

/// A signer that has its keys made by a thread of its own. To be shared by reference or in an `Arc`; when it is
/// dropped the thread ends, and the keys are wiped.
pub struct Driver<S: Driven> {
    shared: Arc<Shared<S>>,
    public: PublicKey,
    /// The process that it was started in.
    home: u64,
    thread: Option<JoinHandle<()>>,
}

struct Shared<S> {
    state: Mutex<State<S>>,
    /// For the thread: there may be work, or it is to end.
    work: Condvar,
    /// For those who wait: there are keys, or there will be none.
    keys: Condvar,
}

struct State<S> {
    signer: S,
    clock: Box<dyn FnMut() -> Time + Send>,
    /// The thread waits. Only then is it worth a system call to wake it.
    asleep: bool,
    stop: bool,
    /// Why the thread has ended before it was told to.
    failure: Option<DriverError>,
}

impl<S: Driven> Driver<S> {
    /// Starts the thread, which makes keys at once. `rng` should be the operating system's; `clock` is read for each
    /// signature; `announce` gets each announcement before its keys sign, on the thread.
    ///
    /// # Errors
    /// [`DriverError::NoThread`]: too many threads, or a system that has none, such as wasm32.
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
        Ok(Self { shared, public, home: process::generation(), thread })
    }

    /// The key that verifies what this driver signs.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Signs at once, or not at all. As [`Signer::sign`](super::Signer::sign). Cost: that, a lock, and your clock.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no fresh key is ready now; any [`DriverError`] if there will be none.
    pub fn sign(&self, message: &[u8], hint: &[MemberIndex]) -> Result<S::Signature, DriverError> {
        self.lock()?.sign(&self.shared.work, message, hint)
    }

    /// As [`sign`](Driver::sign), but waits for a key if none is ready, at most for so long.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no key came in time; any [`DriverError`], as soon as it is known that none will.
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
            // What is too far away for the clock never comes.
            let end = *end.get_or_insert_with(|| Instant::now().checked_add(timeout));
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Error::Exhausted.into());
            }
            state = wait(&self.shared.keys, state, left);
        }
    }

    /// As [`Signer::announcements`](super::Signer::announcements).
    ///
    /// # Errors
    /// [`DriverError::Forked`].
    pub fn announcements(&self) -> Result<Vec<S::Announced>, DriverError> {
        Ok(self.lock()?.signer.announcements())
    }

    /// How many keys are ready in all groups. Never any in a process that was forked off.
    pub fn ready(&self) -> usize {
        self.lock().map_or(0, |state| state.signer.ready())
    }

    /// Wipes every key, as [`Signer::invalidate`](super::Signer::invalidate), and has others made.
    ///
    /// # Errors
    /// [`DriverError::Forked`], where there are none.
    pub fn invalidate(&self) -> Result<(), DriverError> {
        let mut state = self.lock()?;
        state.signer.invalidate();
        state.wake(&self.shared.work);
        Ok(())
    }

    /// Why no more keys are made, if that is so.
    pub fn failure(&self) -> Option<DriverError> {
        self.lock().map_or_else(Some, |state| state.failure.clone())
    }

    /// Ends the thread and waits for it: for a batch at most, and for your closure.
    ///
    /// # Errors
    /// What the thread had ended with before.
    pub fn stop(mut self) -> Result<(), DriverError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), DriverError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        match self.lock() {
            Ok(mut state) => state.stop = true,
            Err(error) => {
                // Here is no such thread, and whoever waits for it waits for ever.
                mem::forget(thread);
                return Err(error);
            }
        }
        self.shared.work.notify_one();
        // The closure may own the last reference: a thread that waits for itself never ends.
        if thread.thread().id() != thread::current().id() {
            // What it panicked with has been printed, and is noted.
            let _ = thread.join();
        }
        self.failure().map_or(Ok(()), Err)
    }

    /// The state, in the process that it belongs to.
    fn lock(&self) -> Result<MutexGuard<'_, State<S>>, DriverError> {
        if process::generation() == self.home {
            return Ok(self.shared.lock());
        }
        // Whoever held the lock when this process was forked off does not exist here, and never gives it back. If
        // nobody did, the keys go.
        if let Ok(mut state) = self.shared.state.try_lock() {
            state.signer.invalidate();
        }
        Err(DriverError::Forked)
    }
}

impl<S: Driven> Drop for Driver<S> {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl<S: Driven> State<S> {
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

impl<S: Driven> Shared<S> {
    /// The thread.
    fn run(&self, rng: impl TryCryptoRng, announce: impl FnMut(S::Announced)) {
        // What is left behind by a panic is looked at no more, but for the signer, which calls nothing of its owner's
        // while it changes.
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
        let mut in_vain = 0;
        // A signer that finds itself copied each time that it looks would have keys made for ever.
        while in_vain < ATTEMPTS {
            if !self.wait_for_work() {
                return Ok(());
            }
            // Neither the generator, nor the making of keys, nor the closure keeps anybody from signing.
            let fresh = random_32(&mut rng)?;
            let Some(plan) = self.plan(&fresh)? else { continue };
            let batch = S::make(plan)?;
            let announced = self.lock().signer.announced(&batch);
            // Nothing if the keys were invalidated meanwhile, and these with them.
            let Some(announced) = announced else { continue };
            announce(announced);
            let mut state = self.lock();
            in_vain = if state.signer.add(batch) { 0 } else { in_vain + 1 };
            let expired = state.signer.take_expired();
            drop(state);
            self.keys.notify_all();
            drop(expired);
        }
        Err(Error::Exhausted)
    }

    /// Returns when a group is short of keys: true; or when the thread is to end: false.
    fn wait_for_work(&self) -> bool {
        let mut state = self.lock();
        // Nobody wakes it when keys grow old. They do so in a quarter of their life.
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
        // A clock that panics poisons it, and changes nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>, most: Duration) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
}
