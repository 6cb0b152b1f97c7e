//! That what signs once is gone from memory afterwards: an allocator looks at every block that is given back.
#![allow(clippy::unwrap_used, unsafe_code, reason = "an allocator")]
#![cfg(feature = "dsig")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use quorate::dsig::{HorsFBlake3, Signer, SignerConfig, Suite, WotsBlake3, WotsBlake3Wide};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;

/// Counts freed blocks of the size that is watched: those that are all zero, and others.
struct Watching;

static SIZE: AtomicUsize = AtomicUsize::new(usize::MAX);
static WIPED: AtomicUsize = AtomicUsize::new(0);
static LEFT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, looked at before a block goes.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() == SIZE.load(Relaxed) {
            // SAFETY: the block was allocated as zeros of this layout, and is still the caller's.
            let bytes = unsafe { core::slice::from_raw_parts(block, layout.size()) };
            let counter = if bytes.iter().all(|byte| *byte == 0) { &WIPED } else { &LEFT };
            counter.fetch_add(1, Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

fn watch<S: Suite>(secret: usize) {
    SIZE.store(secret, Relaxed);
    let mut rng = getrandom::SysRng;
    let config = SignerConfig { log2_batch: 3, low_water: 1, lifetime: Duration::from_secs(10) };
    let identity = Ed25519::generate(&mut rng).unwrap();
    let mut signer = Signer::<S>::new(identity, vec![], config, &mut rng).unwrap();
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    assert_eq!((WIPED.load(Relaxed), LEFT.load(Relaxed)), (0, 0), "the keys are still there");
    for used in 1..=3 {
        signer.sign(b"m", &[], Time(1)).unwrap();
        assert_eq!(WIPED.load(Relaxed), used, "a key goes as it signs");
    }
    signer.invalidate();
    assert_eq!(WIPED.load(Relaxed), 8, "and all go that are invalidated");
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    assert!(signer.sign(b"m", &[], Time(20_000_000)).is_err());
    assert_eq!(WIPED.load(Relaxed), 16, "and those that expire");
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    drop(signer);
    assert_eq!((WIPED.load(Relaxed), LEFT.load(Relaxed)), (24, 0));
    SIZE.store(usize::MAX, Relaxed);
    WIPED.store(0, Relaxed);
}

#[test]
fn no_freed_block_holds_a_secret() {
    watch::<WotsBlake3>(4 * 68 * 18);
    watch::<WotsBlake3Wide>(4 * 133 * 24);
    // The public values of HORS are not secret and as long, and there is no telling them from secrets by their size;
    // so each key gives back one block that is wiped and one that is not.
    SIZE.store(256 * 16, Relaxed);
    let mut rng = getrandom::SysRng;
    let config = SignerConfig { log2_batch: 3, low_water: 1, lifetime: Duration::from_secs(10) };
    let identity = Ed25519::generate(&mut rng).unwrap();
    let mut signer = Signer::<HorsFBlake3>::new(identity, vec![], config, &mut rng).unwrap();
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    drop(signer);
    assert_eq!((WIPED.load(Relaxed), LEFT.load(Relaxed)), (8, 8));
}
