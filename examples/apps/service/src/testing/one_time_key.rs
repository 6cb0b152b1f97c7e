use std::convert::Infallible;

use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
use quorate::machine::Time;
use quorate::wire::Encode;
use quorate_audit::keys::Key;

/// A DSig signature that is made with the same one-time key each time, as on two copies of a machine.
pub fn sign_with_one_key(key: &Key, message: &[u8]) -> Vec<u8> {
    let config = SignerConfig { log2_batch: 0, low_water: 1, ..SignerConfig::default() };
    let secret = key.secret_key().unwrap();
    let mut signer = Signer::<WotsBlake3>::new(secret, vec![], config, &mut FixedGenerator).unwrap();
    signer.prepare(&mut FixedGenerator, Time(1)).unwrap();
    signer.sign(message, &[], Time(1)).unwrap().encode()
}

/// A generator with constant output.
struct FixedGenerator;

impl rand_core::TryRng for FixedGenerator {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(7)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(7)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(7);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for FixedGenerator {}
