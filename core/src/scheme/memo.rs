//! Remembers which signatures and proofs are valid, so that a simulation verifies each one once, not once per member.
//!
//! Without the feature `memo`, or outside `with_memo`, every function does nothing and every verification is made.

#[cfg(feature = "memo")]
mod active {
    use core::cell::RefCell;
    use std::collections::HashSet;

    std::thread_local! {
        /// Hashes of valid statements; `None` outside `with_memo`.
        static VALID: RefCell<Option<HashSet<[u8; 32]>>> = const { RefCell::new(None) };
    }

    /// Restores the state before `with_memo`, also after a panic.
    struct Restore(Option<HashSet<[u8; 32]>>);

    impl Drop for Restore {
        fn drop(&mut self) {
            VALID.set(self.0.take());
        }
    }

    /// Runs `work` while this thread remembers which Ed25519 signatures, shares of the coin and of decryption, and ciphertexts
    /// it has made or found valid; it does not verify them again. The results of all verifications are the same as without.
    /// Other threads, and other schemes, remember nothing; a call within `work` begins with nothing.
    ///
    /// For simulations, in which the members of one process verify what another member of the process made. A node has
    /// no use for it. Memory: about 70 bytes for each signature and proof, freed at the end.
    ///
    /// Validity is a pure function of key, message and signature, which one hash identifies. Only valid ones are
    /// remembered: a forgery is verified each time.
    pub fn with_memo<T>(work: impl FnOnce() -> T) -> T {
        let _restore = Restore(VALID.replace(Some(HashSet::new())));
        work()
    }

    pub(crate) fn is_active() -> bool {
        VALID.with_borrow(Option::is_some)
    }

    /// Hashes the kind of a statement with its parts. All parts but the last have a fixed length for each kind.
    fn id(kind: u8, parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[kind]);
        for part in parts {
            hasher.update(part);
        }
        *hasher.finalize().as_bytes()
    }

    pub(crate) fn is_valid(kind: u8, parts: &[&[u8]]) -> bool {
        is_active() && {
            let id = id(kind, parts);
            VALID.with_borrow(|valid| valid.as_ref().is_some_and(|valid| valid.contains(&id)))
        }
    }

    pub(crate) fn remember(kind: u8, parts: &[&[u8]]) {
        if is_active() {
            let id = id(kind, parts);
            VALID.with_borrow_mut(|valid| valid.as_mut().map(|valid| valid.insert(id)));
        }
    }
}

#[cfg(not(feature = "memo"))]
mod active {
    #[cfg(feature = "ed25519")]
    pub(crate) const fn is_active() -> bool {
        false
    }

    pub(crate) const fn is_valid(_: u8, _: &[&[u8]]) -> bool {
        false
    }

    pub(crate) const fn remember(_: u8, _: &[&[u8]]) {}
}

#[cfg(feature = "ed25519")]
pub(crate) use active::is_active;
#[cfg(feature = "memo")]
pub use active::with_memo;
pub(crate) use active::{is_valid, remember};

/// Kind of an Ed25519 signature: key 32 ‖ signature 64 ‖ message.
#[cfg(feature = "ed25519")]
pub(crate) const ED25519: u8 = 1;
/// Kind of a proof of equal logarithms: challenge 32, which binds everything else, ‖ z 32.
#[cfg(feature = "threshold")]
pub(crate) const DLEQ: u8 = 2;
/// Kind of a ciphertext's header: key 32 ‖ header.
#[cfg(feature = "threshold")]
pub(crate) const TDH2: u8 = 3;

#[cfg(all(test, feature = "memo"))]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn the_memo_ends_with_its_scope_also_after_a_panic() {
        with_memo(|| {
            remember(0, &[b"outer"]);
            with_memo(|| assert!(!is_valid(0, &[b"outer"])));
            assert!(is_valid(0, &[b"outer"]) && !is_valid(1, &[b"outer"]));
        });
        assert!(catch_unwind(|| with_memo(|| panic!("a run"))).is_err());
        assert!(!is_active() && !is_valid(0, &[b"outer"]));
    }
}
