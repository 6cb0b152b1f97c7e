//! Detection of forked processes, without a system call: signing takes a fraction of a microsecond.
//!
//! This is the only global state of the crate. It belongs to the process, because a fork copies the whole process.

/// Returns a number that differs between a process and its forked children, and is constant within a process.
pub(super) fn generation() -> u64 {
    #[cfg(target_os = "linux")]
    if let Some(generation) = linux::generation() {
        return generation;
    }
    id().into()
}

/// Returns the process identifier.
#[cfg(unix)]
#[allow(unsafe_code, reason = "a system call that `no_std` builds need too")]
pub(super) fn id() -> u32 {
    // SAFETY: `getpid` has no arguments, accesses no memory and cannot fail.
    unsafe { libc::getpid() }.unsigned_abs()
}

/// Returns 0: processes do not fork on this platform.
#[cfg(not(unix))]
pub(super) fn id() -> u32 {
    0
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "a page that the system wipes in children")]
mod linux {
    use core::ffi::{c_int, c_void};
    use core::ptr::{self, NonNull};
    use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
    use core::sync::atomic::{AtomicPtr, AtomicU64};

    /// Null at first; [`NONE`] where the system does not wipe pages on fork.
    static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
    static NONE: AtomicU64 = AtomicU64::new(0);
    /// The newest generation. A child inherits it and takes the next number.
    static NEWEST: AtomicU64 = AtomicU64::new(0);

    const LEN: usize = size_of::<AtomicU64>();

    pub(super) fn generation() -> Option<u64> {
        let page = match PAGE.load(Acquire) {
            page if page.is_null() => first(),
            page => page,
        };
        if ptr::eq(page, &NONE) {
            return None;
        }
        // SAFETY: PAGE holds a page from `page`, which is never unmapped once stored.
        let page = unsafe { &*page };
        match page.load(Relaxed) {
            // In the first call of a process, parent or child: the page is zero.
            0 => {
                let next = 1 + NEWEST.fetch_add(1, Relaxed);
                Some(page.compare_exchange(0, next, Relaxed, Relaxed).map_or_else(|other| other, |_| next))
            }
            generation => Some(generation),
        }
    }

    /// Maps the page, or stores [`NONE`] where that is impossible.
    #[cold]
    fn first() -> *mut AtomicU64 {
        // SAFETY: the page is ours and its contents are unused.
        let ours = page(|page, advice| unsafe { libc::madvise(page, LEN, advice) });
        let new = ours.map_or((&raw const NONE).cast_mut(), |page| page.cast().as_ptr());
        match PAGE.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
            Ok(_) => new,
            Err(theirs) => {
                if let Some(page) = ours {
                    unmap(page);
                }
                theirs
            }
        }
    }

    /// Maps a page that the system zeroes in every child. Returns `None` on Linux before 4.14, and in emulators that
    /// accept any advice and ignore it.
    fn page(advise: impl Fn(*mut c_void, c_int) -> c_int) -> Option<NonNull<c_void>> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the system's choice affects no existing memory.
        let page = unsafe { libc::mmap(ptr::null_mut(), LEN, access, kind, -1, 0) };
        if page == libc::MAP_FAILED {
            return None;
        }
        let page = NonNull::new(page)?;
        const UNKNOWN: c_int = -1;
        if advise(page.as_ptr(), UNKNOWN) != 0 && advise(page.as_ptr(), libc::MADV_WIPEONFORK) == 0 {
            return Some(page);
        }
        unmap(page);
        None
    }

    fn unmap(page: NonNull<c_void>) {
        // SAFETY: the page is from `page`, and there is no other reference to it.
        unsafe { libc::munmap(page.as_ptr(), LEN) };
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn emulator_that_ignores_advice_is_detected() {
            assert!(page(|_, _| 0).is_none());
            assert!(page(|_, _| -1).is_none(), "an old kernel");
            let knows = |_, advice| if advice == libc::MADV_WIPEONFORK { 0 } else { -1 };
            unmap(page(knows).unwrap());
        }

        #[test]
        fn every_thread_sees_one_generation() {
            extern crate std;
            let seen: [_; 8] = std::thread::scope(|scope| {
                [(); 8].map(|()| scope.spawn(generation)).map(|thread| thread.join().unwrap())
            });
            assert!(seen.iter().all(|generation| *generation == seen[0]));
        }
    }
}
