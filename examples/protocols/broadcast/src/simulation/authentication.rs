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

/// DSig with randomness from a seed.
pub type SimulatedDsig = Dsig<WotsBlake3, StdRng>;

/// A way of authentication that the simulator can make.
pub trait SimulatedAuthentication: Authentication {
    /// For a member; `seed` differs in each of its lives, or its one-time keys would come again.
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
        // Few keys at once, so that a run meets the end of a batch, and of all batches.
        let config = SignerConfig { log2_batch: 3, low_water: 6, lifetime: Duration::from_secs(10) };
        Dsig::new(group, key(member), config, StdRng::from_seed(seed)).expect("a small batch")
    }
}

/// `n` members of weight one, the same in every run.
pub fn group(n: usize) -> Arc<Committee<Ed25519>> {
    let members = (0..n).map(|i| (VerifiedKey::of(&key(i as MemberIndex)), 1)).collect();
    Arc::new(Committee::new(ChainId::from_name("simulation"), 0, members).expect("distinct keys"))
}

fn key(member: MemberIndex) -> SecretKey {
    let mut bytes = [0; 32];
    bytes[..2].copy_from_slice(&(member + 1).to_le_bytes());
    Ed25519::secret_from_bytes(&bytes).expect("32 bytes")
}
