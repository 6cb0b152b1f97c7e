use std::sync::Arc;
use std::time::Duration;

use quorate::committee::{ChainId, Committee};
use quorate::dsig::{SignerConfig, WotsBlake3};
use quorate::ed25519::{Ed25519, SecretKey};
use quorate::machine::MemberIndex;
use quorate::scheme::{Scheme, VerifiedKey};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::authentication::{Authentication, Dsig, Eddsa, Links};

/// DSig with seeded randomness.
pub type SimulatedDsig = Dsig<WotsBlake3, StdRng>;

/// An authentication that the simulator can create.
pub trait SimulatedAuthentication: Authentication {
    /// Creates the authentication of a member. `seed` must differ at each start, or one-time keys would repeat.
    fn make(group: Arc<Committee<Ed25519>>, member: MemberIndex, seed: [u8; 32]) -> Self;
}

impl SimulatedAuthentication for Links {
    fn make(_: Arc<Committee<Ed25519>>, _: MemberIndex, _: [u8; 32]) -> Self {
        Links
    }
}

impl SimulatedAuthentication for Eddsa {
    fn make(group: Arc<Committee<Ed25519>>, member: MemberIndex, _: [u8; 32]) -> Self {
        Eddsa::new(group, key(member))
    }
}

impl SimulatedAuthentication for SimulatedDsig {
    fn make(group: Arc<Committee<Ed25519>>, member: MemberIndex, seed: [u8; 32]) -> Self {
        // Few keys, so that a run reaches the end of batches and the exhaustion of keys.
        let config = SignerConfig { log2_batch: 3, low_water: 6, lifetime: Duration::from_secs(10) };
        Dsig::new(group, key(member), config, StdRng::from_seed(seed)).expect("a small batch")
    }
}

/// Returns `n` members of weight one, identical in every run.
pub fn group(n: usize) -> Arc<Committee<Ed25519>> {
    let members = (0..n).map(|i| (VerifiedKey::from_secret(&key(i as MemberIndex)), 1)).collect();
    Arc::new(Committee::new(ChainId::from_name("simulation"), 0, members).expect("distinct keys"))
}

fn key(member: MemberIndex) -> SecretKey {
    let mut bytes = [0; 32];
    bytes[..2].copy_from_slice(&(member + 1).to_le_bytes());
    Ed25519::secret_from_bytes(&bytes).expect("32 bytes")
}
