//! Which process this is. A signature takes a fraction of a microsecond, in which there is no room for a system call.

/// Another number in a process that was forked off than in the one that it was forked from, the same otherwise.
pub(super) fn generation() -> u64 {
    #[cfg(all(target_os = "linux", feature = "std"))]
    if let Some(generation) = linux::generation() {
        return generation;
    }
    id().into()
}

/// The process's number, where there are processes.
pub(super) fn id() -> u32 {
    #[cfg(all(feature = "std", not(target_family = "wasm")))]
    return std::process::id();
    #[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
    return 0;
}

#[cfg(all(target_os = "linux", feature = "std"))]
#[allow(unsafe_code, reason = "a page that the system wipes in children")]
mod linux {
    use core::ptr;
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::OnceLock;

    /// `None` where Linux is older than 4.14.
    static PAGE: OnceLock<Option<&'static AtomicU64>> = OnceLock::new();
    /// The newest generation. A child inherits it, so that its own is the next.
    static NEWEST: AtomicU64 = AtomicU64::new(0);

    pub(super) fn generation() -> Option<u64> {
        let page = (*PAGE.get_or_init(page))?;
        match page.load(Relaxed) {
            // At first, and in a child: both read a page of zeros.
            0 => {
                let next = 1 + NEWEST.fetch_add(1, Relaxed);
                Some(page.compare_exchange(0, next, Relaxed, Relaxed).map_or_else(|other| other, |_| next))
            }
            generation => Some(generation),
        }
    }

    fn page() -> Option<&'static AtomicU64> {
        const LEN: usize = size_of::<AtomicU64>();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
        let page = unsafe { libc::mmap(ptr::null_mut(), LEN, access, kind, -1, 0) };
        if page == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the page is ours, and nothing is in it yet.
        if unsafe { libc::madvise(page, LEN, libc::MADV_WIPEONFORK) } != 0 {
            // SAFETY: the page is ours, and nobody else knows of it.
            unsafe { libc::munmap(page, LEN) };
            return None;
        }
        // SAFETY: at the start of a page, hence aligned; of zeros, hence a number; never unmapped; the system writes
        // to it only in a child that does not run yet.
        Some(unsafe { &*page.cast::<AtomicU64>() })
    }
}
