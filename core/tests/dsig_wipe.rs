//! Used secrets are wiped from memory: an allocator inspects every freed block, and those that are reused for the next
//! keys.
#![allow(clippy::unwrap_used, unsafe_code, reason = "an allocator")]
#![cfg(feature = "dsig")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use quorate::dsig::{DsigSuite, HorsFBlake3, Signer, SignerConfig, WotsBlake3, WotsBlake3Wide};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;

/// Counts freed blocks of the watched size: those that are all zero, and others.
struct Watching;

static SIZE: AtomicUsize = AtomicUsize::new(usize::MAX);
static WIPED: AtomicUsize = AtomicUsize::new(0);
static LEFT: AtomicUsize = AtomicUsize::new(0);
/// Blocks of that size in use.
static LIVE: [AtomicPtr<u8>; 64] = [const { AtomicPtr::new(ptr::null_mut()) }; 64];

fn exchange(old: *mut u8, new: *mut u8) {
    let _ = LIVE.iter().any(|slot| slot.compare_exchange(old, new, Relaxed, Relaxed).is_ok());
}

/// Returns the number of blocks in use, and how many of them are all zero.
fn live() -> (usize, usize) {
    let blocks: Vec<*mut u8> =
        LIVE.iter().map(|slot| slot.load(Relaxed)).filter(|block| !block.is_null()).collect();
    // SAFETY: blocks of this size that are not freed, and no other thread writes to them.
    let bytes = blocks.iter().map(|block| unsafe { core::slice::from_raw_parts(*block, SIZE.load(Relaxed)) });
    (blocks.len(), bytes.filter(|bytes| bytes.iter().all(|byte| *byte == 0)).count())
}

// SAFETY: the system's allocator, with an inspection before each block is freed.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        let block = unsafe { System.alloc_zeroed(layout) };
        if layout.size() == SIZE.load(Relaxed) {
            exchange(ptr::null_mut(), block);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() == SIZE.load(Relaxed) {
            // SAFETY: the block was allocated as zeros of this layout, and still belongs to the caller.
            let bytes = unsafe { core::slice::from_raw_parts(block, layout.size()) };
            let counter = if bytes.iter().all(|byte| *byte == 0) { &WIPED } else { &LEFT };
            counter.fetch_add(1, Relaxed);
            exchange(block, ptr::null_mut());
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

fn watch<S: DsigSuite>(secret: usize) {
    SIZE.store(secret, Relaxed);
    let mut rng = getrandom::SysRng;
    let config = SignerConfig { log2_batch: 3, low_water: 1, lifetime: Duration::from_secs(10) };
    let identity = Ed25519::generate(&mut rng).unwrap();
    let mut signer = Signer::<S>::new(identity, vec![], config, &mut rng).unwrap();
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    assert_eq!(live(), (8, 0), "eight keys exist");
    for used in 1..=3 {
        signer.sign(b"m", &[], Time(1)).unwrap();
        assert_eq!(live(), (8, used), "signing wipes a key and keeps its block");
    }
    signer.invalidate();
    assert_eq!((live(), WIPED.load(Relaxed)), ((3, 3), 5), "invalidated keys are wiped");
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    assert_eq!(live(), (8, 0), "the blocks are reused");
    expires::<S>(signer);
    assert_eq!((live(), LEFT.load(Relaxed)), ((0, 0), 0));
    SIZE.store(usize::MAX, Relaxed);
    WIPED.store(0, Relaxed);
}

/// Signing only sets expired keys aside; planning, making, invalidating and dropping wipe them.
fn expires<S: DsigSuite>(mut signer: Signer<S>) {
    let (mut rng, mut now) = (getrandom::SysRng, Time(1));
    let mut expire = |signer: &mut Signer<S>| {
        now = Time(now.0 + 20_000_000);
        assert!(signer.sign(b"m", &[], now).is_err());
        assert_eq!((signer.ready(), live()), (0, (8, 0)), "expired keys are set aside");
        (now, WIPED.load(Relaxed))
    };
    let (now, wiped) = expire(&mut signer);
    let plan = signer.plan(&mut rng, now).unwrap().unwrap();
    assert_eq!((live(), WIPED.load(Relaxed)), ((8, 0), wiped), "signing wipes no expired key");
    let batch = plan.make().unwrap();
    assert_eq!((live(), WIPED.load(Relaxed)), ((8, 0), wiped + 8), "making other keys wipes them");
    signer.add(batch).unwrap();

    let (now, wiped) = expire(&mut signer);
    drop(signer.plan(&mut rng, now).unwrap().unwrap());
    assert_eq!((live(), WIPED.load(Relaxed)), ((0, 0), wiped + 8), "dropping a plan wipes them");
    signer.prepare(&mut rng, now).unwrap().unwrap();

    let (now, wiped) = expire(&mut signer);
    signer.invalidate();
    assert_eq!((live(), WIPED.load(Relaxed)), ((0, 0), wiped + 8), "invalidating wipes them");
    signer.prepare(&mut rng, now).unwrap().unwrap();

    let (_, wiped) = expire(&mut signer);
    drop(signer);
    assert_eq!((live(), WIPED.load(Relaxed)), ((0, 0), wiped + 8), "dropping the signer wipes them");
}

#[test]
fn no_freed_block_holds_a_secret() {
    watch::<WotsBlake3>(4 * 68 * 18);
    watch::<WotsBlake3Wide>(4 * 133 * 24);
    // The public values of HORS are not secret and have the same length, so size does not tell them from secrets;
    // each key frees one wiped block and one that is not.
    SIZE.store(256 * 16, Relaxed);
    let mut rng = getrandom::SysRng;
    let config = SignerConfig { log2_batch: 3, low_water: 1, lifetime: Duration::from_secs(10) };
    let identity = Ed25519::generate(&mut rng).unwrap();
    let mut signer = Signer::<HorsFBlake3>::new(identity, vec![], config, &mut rng).unwrap();
    signer.prepare(&mut rng, Time(1)).unwrap().unwrap();
    drop(signer);
    assert_eq!((WIPED.load(Relaxed), LEFT.load(Relaxed)), (8, 8));
}
