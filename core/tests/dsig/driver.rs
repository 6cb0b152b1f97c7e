//! The thread that makes keys: how many it makes, when it wakes, and that it reports every failure.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use quorate::Error;
use quorate::dsig::driver::{Driver, DriverError};
use quorate::dsig::dynamic::{self, DynSigner, SuiteId};
use quorate::dsig::{Announced, Signer, SignerConfig, WotsBlake3};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rand_core::{TryCryptoRng, TryRng};

use super::kit::NOW;
#[cfg(unix)]
use super::kit::fork;

/// Longer than any operation here; immediate results take far less.
const LONG: Duration = Duration::from_secs(240);
const SHORT: Duration = Duration::from_millis(80);

type TestDriver = Driver<Signer<WotsBlake3>>;

/// A generator that waits for a permit for each batch, and fails once no more permits can come.
struct Gated(Receiver<()>, StdRng);

impl TryRng for Gated {
    type Error = std::io::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.1.random())
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.1.random())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.recv().map_err(std::io::Error::other)?;
        self.1.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Gated {}

fn signer(low_water: usize, log2_batch: u8) -> Signer<WotsBlake3> {
    // The thread polls only every eighth of the lifetime: for anything that it does earlier it was woken.
    let config = SignerConfig { log2_batch, low_water, lifetime: 100 * LONG };
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    Signer::new(identity, vec![], config, &mut getrandom::SysRng).unwrap()
}

/// A driver of batches of four keys that makes one for each permit. Drop the permits first, or it cannot end.
fn gated(low_water: usize) -> (Sender<()>, TestDriver, Receiver<Announced<WotsBlake3>>) {
    let ((permits, gate), (announce, announced)) = (channel(), channel());
    let rng = Gated(gate, StdRng::seed_from_u64(1));
    let driver = Driver::start(signer(low_water, 2), rng, || NOW, move |a| drop(announce.send(a))).unwrap();
    (permits, driver, announced)
}

fn code<T>(outcome: Result<T, DriverError>) -> &'static str {
    outcome.map_or_else(|error| error.code(), |_| "ok")
}

/// The result of a caller that waits while `event` happens, which must end the waiting.
fn while_waiting(driver: &TestDriver, event: impl FnOnce()) -> &'static str {
    thread::scope(|scope| {
        let (begun, begins) = channel();
        let waiting = scope.spawn(move || {
            begun.send(()).unwrap();
            let start = Instant::now();
            let outcome = code(driver.sign_waiting(b"m", &[], LONG));
            assert!(start.elapsed() < LONG / 2, "the waiting caller was not woken");
            outcome
        });
        begins.recv().unwrap();
        thread::sleep(SHORT);
        event();
        waiting.join().unwrap()
    })
}

#[test]
fn driver_makes_at_most_one_surplus_batch() {
    let (permits, driver, announced) = gated(6);
    (0..200).for_each(|_| permits.send(()).unwrap());
    announced.recv_timeout(LONG).unwrap();
    announced.recv_timeout(LONG).unwrap();
    assert!(announced.recv_timeout(SHORT).is_err(), "eight keys are enough for six");
    assert_eq!(driver.ready(), 8);
    driver.sign(b"m", &[]).unwrap();
    driver.sign(b"m", &[]).unwrap();
    assert!(announced.recv_timeout(SHORT).is_err(), "six keys are not below the low-water mark");
    driver.sign(b"m", &[]).unwrap();
    announced.recv_timeout(LONG).unwrap();
    for _ in 0..300 {
        driver.sign_waiting(b"m", &[], LONG).unwrap();
        assert!(driver.ready() < 6 + 4, "{}", driver.ready());
    }
    drop(permits);
    assert_eq!(code(driver.stop()), "ok", "the thread was asleep and did not wait for a permit");
}

#[test]
fn signing_without_keys_fails_or_waits() {
    let (permits, driver, _announced) = gated(1);
    // The thread calls its generator now, and no caller waits for that.
    assert_eq!(code(driver.sign(b"m", &[])), "EXHAUSTED");
    assert_eq!(code(driver.sign_waiting(b"m", &[], Duration::ZERO)), "EXHAUSTED");
    assert_eq!(while_waiting(&driver, || permits.send(()).unwrap()), "ok");
    for _ in 0..3 {
        driver.sign(b"m", &[3]).unwrap();
    }
    assert_eq!(code(driver.sign(b"m", &[])), "EXHAUSTED");
    permits.send(()).unwrap();
    // The longest timeout that the clock can represent.
    assert_eq!(code(driver.sign_waiting(b"m", &[7], Duration::MAX)), "ok");
    drop(permits);
}

#[test]
fn waiting_ends_at_the_timeout() {
    let (permits, driver, _announced) = gated(1);
    let start = Instant::now();
    assert_eq!(code(driver.sign_waiting(b"m", &[], SHORT)), "EXHAUSTED");
    assert!((SHORT..LONG).contains(&start.elapsed()));
    drop(permits);
}

#[test]
fn failing_generator_is_reported_to_all_callers() {
    let (permits, driver, announced) = gated(8);
    permits.send(()).unwrap();
    announced.recv_timeout(LONG).unwrap();
    assert_eq!(driver.failure(), None);
    for _ in 0..4 {
        driver.sign_waiting(b"m", &[], LONG).unwrap();
    }
    assert_eq!(while_waiting(&driver, move || drop(permits)), "RNG");
    assert_eq!(code(driver.sign(b"m", &[])), "RNG");
    assert_eq!(code(driver.sign_waiting(b"m", &[], LONG)), "RNG");
    assert_eq!(driver.failure(), Some(DriverError::Signer(Error::Rng)));
    assert_eq!(code(driver.stop()), "RNG");
}

#[test]
fn remaining_keys_sign_after_the_thread_ends() {
    let (permits, driver, announced) = gated(8);
    permits.send(()).unwrap();
    announced.recv_timeout(LONG).unwrap();
    drop(permits);
    while driver.failure().is_none() {
        thread::yield_now();
    }
    let codes: Vec<_> = (0..6).map(|_| code(driver.sign(b"m", &[]))).collect();
    assert_eq!(codes, ["ok", "ok", "ok", "ok", "RNG", "RNG"]);
}

#[test]
fn closure_panic_is_reported_to_all_callers() {
    let ((permits, gate), count) = (channel(), AtomicUsize::new(0));
    let announce = move |_| assert!(count.fetch_add(1, Relaxed) == 0, "this panic belongs to the test");
    let rng = Gated(gate, StdRng::seed_from_u64(1));
    let driver = Driver::start(signer(5, 2), rng, || NOW, announce).unwrap();
    permits.send(()).unwrap();
    for _ in 0..4 {
        driver.sign_waiting(b"m", &[], LONG).unwrap();
    }
    assert_eq!(while_waiting(&driver, || permits.send(()).unwrap()), "PANICKED");
    assert_eq!(code(driver.sign(b"m", &[])), "PANICKED", "keys that were never announced do not sign");
    assert_eq!((driver.failure(), driver.ready()), (Some(DriverError::Panicked), 0));
    assert_eq!(code(driver.stop()), "PANICKED");
}

#[test]
fn clock_panic_is_reported_to_all_callers() {
    let clock = || {
        assert_ne!(thread::current().name(), Some("dsig-keys"), "this panic belongs to the test");
        NOW
    };
    let driver = Driver::start(signer(1, 0), getrandom::SysRng, clock, drop).unwrap();
    assert_eq!(code(driver.sign_waiting(b"m", &[], LONG)), "PANICKED");
    drop(driver);
}

#[test]
fn concurrent_signers_never_reuse_a_key() {
    let announced = Arc::new(Mutex::new(BTreeSet::new()));
    let (signer, roots) = (signer(16, 3), announced.clone());
    let key = signer.public_key().clone();
    let announce = move |Announced { to, announcement }: Announced<WotsBlake3>| {
        assert_eq!((to, announcement.keys()), (None, 8));
        roots.lock().unwrap().insert(announcement.verify(&key).unwrap());
    };
    let driver = Driver::start(signer, getrandom::SysRng, || NOW, announce).unwrap();
    let sign = |thread: u8| {
        let one = |i: u8| {
            let signature = driver.sign_waiting(&[thread, i], &[], LONG).unwrap();
            assert!(announced.lock().unwrap().contains(signature.root()), "announced before it signs");
            signature.verify(driver.public_key(), &[thread, i]).unwrap();
            (*signature.root(), signature.index())
        };
        (0..150).map(one).collect::<Vec<_>>()
    };
    let used: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || sign(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(used.iter().collect::<BTreeSet<_>>().len(), 600, "a key signed twice");
    // For a verifier that joins late.
    let late =
        driver.announcements().unwrap().into_iter().map(|a| a.announcement.verify(driver.public_key()));
    assert!(late.map(Result::unwrap).all(|root| announced.lock().unwrap().contains(&root)));
}

#[test]
fn stopping_waits_for_the_thread() {
    let slow = || {
        let (begun, begins) = channel();
        let (token, held) = (Arc::new(()), Arc::new(()));
        let (inside, kept) = (token.clone(), held.clone());
        let announce = move |_| {
            let _ = (&kept, begun.send(()));
            thread::sleep(SHORT);
            let _ = &inside;
        };
        let driver = Driver::start(signer(1, 0), getrandom::SysRng, || NOW, announce).unwrap();
        begins.recv_timeout(LONG).unwrap();
        (driver, token)
    };
    let (driver, token) = slow();
    driver.stop().unwrap();
    assert_eq!(Arc::strong_count(&token), 1, "the closure is still there");
    let (driver, token) = slow();
    drop(driver);
    assert_eq!(Arc::strong_count(&token), 1, "the closure is still there");
}

#[test]
fn a_closure_that_drops_the_driver_does_not_wait_for_itself() {
    let owner: Arc<Mutex<Option<TestDriver>>> = Arc::default();
    let ((done, ended), (begun, begins)) = (channel(), channel());
    let inside = owner.clone();
    let announce = move |_| {
        begun.send(()).unwrap();
        while inside.lock().unwrap().take().is_none() {
            thread::yield_now();
        }
        done.send(()).unwrap();
    };
    let driver = Driver::start(signer(1, 0), getrandom::SysRng, || NOW, announce).unwrap();
    begins.recv_timeout(LONG).unwrap();
    *owner.lock().unwrap() = Some(driver);
    ended.recv_timeout(LONG).unwrap();
}

#[test]
fn idle_driver_replaces_keys_before_they_expire() {
    let lifetime = Duration::from_millis(80);
    let config = SignerConfig { log2_batch: 1, low_water: 1, lifetime };
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    let signer = DynSigner::new(SuiteId::WotsBlake3, identity, vec![], config, &mut getrandom::SysRng);
    let (time, (announce, announced)) = (Arc::new(AtomicU64::new(NOW.0)), channel());
    let clock = time.clone();
    let now = move || Time(clock.load(Relaxed));
    let driver =
        Driver::start(signer.unwrap(), getrandom::SysRng, now, move |a| drop(announce.send(a))).unwrap();
    announced.recv_timeout(LONG).unwrap();
    driver.sign_waiting(b"m", &[], LONG).unwrap();
    for _ in 0..5 {
        time.fetch_add(70_000, Relaxed);
        announced.recv_timeout(LONG).unwrap();
        driver.sign(b"m", &[]).expect("never without a key");
    }
    // The last batch is announced but may not be added yet; the one before has signed both its messages by then.
    let signature = driver.sign_waiting(b"m", &[], LONG).unwrap();
    dynamic::verify(driver.public_key(), b"m", &signature).unwrap();
}

#[test]
fn invalidated_keys_are_replaced() {
    let (permits, driver, announced) = gated(1);
    permits.send(()).unwrap();
    announced.recv_timeout(LONG).unwrap();
    let before = driver.sign_waiting(b"m", &[], LONG).unwrap();
    driver.invalidate().unwrap();
    assert_eq!((driver.ready(), driver.announcements().unwrap().len()), (0, 0));
    permits.send(()).unwrap();
    announced.recv_timeout(LONG).unwrap();
    assert_ne!(driver.sign_waiting(b"m", &[], LONG).unwrap().root(), before.root());
    drop(permits);
}

#[test]
fn a_hook_that_finds_a_copy_each_time_ends_the_thread() {
    let (mut signer, answers) = (signer(1, 0), AtomicU64::new(0));
    signer.detect_copies(move || answers.fetch_add(1, Relaxed));
    let driver = Driver::start(signer, getrandom::SysRng, || NOW, drop).unwrap();
    let start = Instant::now();
    assert_eq!(code(driver.sign_waiting(b"m", &[], LONG)), "EXHAUSTED");
    assert!(start.elapsed() < LONG / 2 && driver.failure().is_some());
    assert_eq!(code(driver.stop()), "EXHAUSTED");
}

#[cfg(unix)]
#[test]
fn driver_reports_a_fork() {
    let (permits, driver, announced) = gated(1);
    permits.send(()).unwrap();
    announced.recv_timeout(LONG).unwrap();
    driver.sign_waiting(b"m", &[], LONG).unwrap();
    let expected = "FORKED FORKED FORKED FORKED FORKED 0 FORKED";
    let answers = |driver: TestDriver| {
        let answers = [
            code(driver.sign(b"m", &[])),
            code(driver.sign_waiting(b"m", &[], LONG)),
            code(driver.announcements()),
            code(driver.invalidate()),
            driver.failure().map_or("none", |failure| failure.code()),
            if driver.ready() == 0 { "0" } else { "keys" },
        ];
        // Neither stop nor drop waits for the thread, which does not exist here.
        format!("{} {}", answers.join(" "), code(driver.stop())).into_bytes()
    };
    let parents = &driver;
    let in_child = || {
        let error = parents.sign(b"m", &[]).unwrap_err();
        assert_eq!(parents.ready(), 0);
        error.code().into()
    };
    assert_eq!(fork(in_child), b"FORKED");
    assert_eq!(code(driver.sign(b"m", &[])), "ok", "the parent continues to sign");
    drop(permits);
    assert_eq!(String::from_utf8(fork(|| answers(driver))).unwrap(), expected);

    // A thread holds the lock while the process forks: in the child it is never released.
    let ((begun, begins), (release, held)) = (channel(), channel::<()>());
    let main = thread::current().id();
    let clock = move || {
        if thread::current().id() != main && thread::current().name() != Some("dsig-keys") {
            begun.send(()).unwrap();
            held.recv().unwrap();
        }
        NOW
    };
    let driver = Driver::start(signer(1, 2), getrandom::SysRng, clock, drop).unwrap();
    driver.sign_waiting(b"m", &[], LONG).unwrap();
    thread::scope(|scope| {
        // Ends with any failure here, so that no thread waits for it.
        let release = release;
        let held = scope.spawn(|| code(driver.sign(b"m", &[])));
        begins.recv_timeout(LONG).unwrap();
        let in_child = || {
            let all = [code(driver.sign(b"m", &[])), code(driver.sign_waiting(b"m", &[], LONG))];
            all.join(" ").into_bytes()
        };
        let answered = fork(in_child);
        release.send(()).unwrap();
        assert_eq!(answered, b"FORKED FORKED");
        assert_eq!(held.join().unwrap(), "ok");
    });
}

#[test]
fn every_error_has_a_unique_code_and_advice() {
    let own =
        [DriverError::Forked, DriverError::Panicked, DriverError::NoThread(std::io::ErrorKind::OutOfMemory)];
    assert_eq!(own.each_ref().map(DriverError::code), DriverError::CODES);
    assert!(DriverError::CODES.iter().all(|code| !Error::CODES.contains(code)));
    assert!(own.iter().all(|error| error.to_string().len() > 40), "{own:?}");
    let passed_on = DriverError::from(Error::Exhausted);
    assert_eq!((passed_on.code(), passed_on.to_string()), ("EXHAUSTED", Error::Exhausted.to_string()));
}
