//! A signer with small batches, and its verifier.

use std::collections::BTreeSet;
use std::time::Duration;

use quorate::dsig::{DsigSuite, Signer, SignerConfig, Verifier, VerifierConfig};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const NOW: Time = Time(1_000_000);

pub(crate) fn small() -> SignerConfig {
    SignerConfig { log2_batch: 2, low_water: 1, lifetime: Duration::from_secs(10) }
}

pub(crate) fn signer<S: DsigSuite>(seed: u64, groups: Vec<BTreeSet<u16>>) -> (Signer<S>, StdRng) {
    let mut rng = StdRng::seed_from_u64(seed);
    let identity = Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    (Signer::new(identity, groups, small(), &mut rng).unwrap(), rng)
}

pub(crate) fn prepare<S: DsigSuite>(signer: &mut Signer<S>, rng: &mut StdRng, now: Time) -> Vec<u8> {
    signer.prepare(rng, now).unwrap().unwrap().announcement.encode()
}

pub(crate) fn verifier<S: DsigSuite>(key: &PublicKey) -> Verifier<S> {
    let mut verifier = Verifier::new(VerifierConfig::default());
    verifier.admit(key.clone());
    verifier
}

/// Runs `child` in a forked process and returns the bytes that it returns. A hanging child is killed.
#[cfg(unix)]
#[allow(unsafe_code, reason = "there is no safe fork")]
pub(crate) fn fork(child: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    use std::io::{Read, Write};
    let (mut ours, mut theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    // SAFETY: the child touches only its arguments, its end of the pipe, and _exit.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: sets a timer of the child's own.
        unsafe { libc::alarm(60) };
        let written = theirs.write_all(&child()).is_ok();
        drop(theirs);
        // SAFETY: ends the child without running the parent's handlers.
        unsafe { libc::_exit(if written { 0 } else { 1 }) };
    }
    drop(theirs);
    let (mut bytes, mut status) = (Vec::new(), 0);
    ours.read_to_end(&mut bytes).unwrap();
    // SAFETY: waits for the child made above, into a local.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    assert!(libc::WIFEXITED(status), "the child hung");
    assert_eq!(libc::WEXITSTATUS(status), 0);
    bytes
}
