//! W-OTS⁺ of depth 4 with tweaked hash calls in the place of bitmasks (Hülsing, "W-OTS+ – Shorter Signatures for
//! Hash-Based Signature Schemes", 2013; the tweaks are those of multi-target attacks' literature).
//!
//! A digest is read as base-4 digits d, lowest first within each byte. The checksum Σ(3 − d) follows as base-4
//! digits, lowest first: 4 of them for 64 digits, 5 for 128. It grows when a digit falls, so that nobody who saw a
//! signature can advance its chains to another digest: some chain would have to go back.
//!
//! Chain i of a key starts at a secret x₀, and step s leads from xₛ to xₛ₊₁. A signature shows x_d of every chain; a
//! verifier goes on to x₃. The signer keeps all four values of each chain, so that signing is copying.

use alloc::vec::Vec;
use core::array;
use core::marker::PhantomData;

use blake3::OutputReader;
use zeroize::{Zeroize, Zeroizing};

use super::chain::{ChainHash, KeySalt, Link};

/// A one-time signature scheme: a secret signs one digest, and a signature leads to the public key by itself.
pub trait OneTime: Send + Sync + 'static {
    /// Bytes of a digest.
    const DIGEST_LEN: usize;
    /// Bytes of a signature.
    const SIGNATURE_LEN: usize;
    /// What signs once. It wipes itself; it has neither `Clone` nor `Debug`, nor can it be serialised.
    type Secret: Send + Sync;

    /// A key of the next bytes of `secrets`, and 32 bytes that stand for its public key.
    fn generate(secrets: &mut OutputReader, salt: &KeySalt) -> (Self::Secret, [u8; 32]);

    /// Signs the first `DIGEST_LEN` bytes of a digest and consumes the key.
    fn sign(secret: Self::Secret, digest: &[u8; 32], signature: &mut Vec<u8>);

    /// The 32 bytes of the one public key under which `signature` would be valid; `None` if it has another length.
    fn recover(digest: &[u8; 32], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]>;
}

/// W-OTS⁺ over the chain hash `H` with `N`-byte values on `L` chains: 68 for 128-bit digests, 133 for 256-bit ones.
pub struct Wots<H, const N: usize, const L: usize>(PhantomData<H>);

/// The values of all chains at all four depths.
pub struct Secret<const N: usize>(Vec<[[u8; N]; 4]>);

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<H: ChainHash, const N: usize, const L: usize> OneTime for Wots<H, N, L> {
    const DIGEST_LEN: usize = (L - 4) / 4;
    const SIGNATURE_LEN: usize = N * L;
    type Secret = Secret<N>;

    fn generate(secrets: &mut OutputReader, salt: &KeySalt) -> (Secret<N>, [u8; 32]) {
        let mut links = Zeroizing::new([[0; N]; L]);
        links.iter_mut().for_each(|value| secrets.fill(value));
        let mut levels = Secret(links.iter().map(|value| [*value, [0; N], [0; N], [0; N]]).collect());
        let mut moving: [Link<N>; L] = array::from_fn(|i| Link { value: [0; N], chain: i as u8 });
        moving.iter_mut().zip(links.iter()).for_each(|(link, value)| link.value = *value);
        for step in 0..3u8 {
            H::step_all(&mut moving, salt, step);
            for (levels, link) in levels.0.iter_mut().zip(&moving) {
                levels.iter_mut().skip(usize::from(step) + 1).take(1).for_each(|at| *at = link.value);
            }
        }
        // The ends are public, the array held secrets on its way there only.
        (levels, H::compress(&moving.map(|link| link.value), salt))
    }

    fn sign(secret: Secret<N>, digest: &[u8; 32], signature: &mut Vec<u8>) {
        let digits = digits::<L>(digest, Self::DIGEST_LEN);
        for (levels, digit) in secret.0.iter().zip(digits) {
            levels
                .iter()
                .skip(usize::from(digit))
                .take(1)
                .for_each(|value| signature.extend_from_slice(value));
        }
    }

    /// All chains that are at a depth take their step together: that fills the lanes of a vector unit, which going
    /// chain by chain would not.
    fn recover(digest: &[u8; 32], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]> {
        if signature.len() != Self::SIGNATURE_LEN {
            return None;
        }
        let digits = digits::<L>(digest, Self::DIGEST_LEN);
        let mut links = [Link { value: [0; N], chain: 0 }; L];
        let mut counts = [0usize; 4];
        let mut slots = links.iter_mut();
        for depth in 0..4u8 {
            for (chain, (value, digit)) in (0u8..).zip(signature.chunks_exact(N).zip(digits)) {
                if digit == depth {
                    let slot = slots.next()?;
                    *slot = Link { value: value.try_into().ok()?, chain };
                    *counts.get_mut(usize::from(depth))? += 1;
                }
            }
        }
        let mut behind = 0;
        for (step, count) in (0..3u8).zip(counts) {
            behind += count;
            H::step_all(links.get_mut(..behind)?, salt, step);
        }
        let mut ends = [[0; N]; L];
        for link in links {
            *ends.get_mut(usize::from(link.chain))? = link.value;
        }
        Some(H::compress(&ends, salt))
    }
}

/// The digits of a digest and of its checksum.
fn digits<const L: usize>(digest: &[u8; 32], digest_len: usize) -> [u8; L] {
    let message = digest.iter().take(digest_len).flat_map(|byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3));
    let sum: u32 = message.clone().map(|digit| u32::from(3 - digit)).sum();
    let checksum = (0..8).map(|i| (sum >> (2 * i)) as u8 & 3);
    let mut all = message.chain(checksum);
    array::from_fn(|_| all.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsig::chain::{Blake3, Haraka256, Haraka512};
    use proptest::prelude::*;

    #[test]
    fn the_zero_digest_has_the_largest_checksum() {
        let zero: [u8; 68] = digits(&[0; 32], 16);
        assert_eq!(zero[64..], [0, 0, 0, 3], "192 in base 4");
        let wide: [u8; 133] = digits(&[0; 32], 32);
        assert_eq!(wide[128..], [0, 0, 0, 2, 1], "384 in base 4");
        assert_eq!(digits::<68>(&[0xff; 32], 16)[64..], [0; 4]);
    }

    proptest! {
        #[test]
        fn no_encoding_dominates_another(a: [u8; 32], mut b: [u8; 32], near: bool, at in 0usize..16, by in 1u8..) {
            if near {
                b = a;
                b[at] = b[at].wrapping_add(by);
            }
            prop_assume!(a[..16] != b[..16]);
            let below = |x: &[u8], y: &[u8]| x.iter().zip(y).all(|(x, y)| x <= y);
            let (p, q): ([u8; 68], [u8; 68]) = (digits(&a, 16), digits(&b, 16));
            prop_assert!(!below(&p, &q) && !below(&q, &p));
            let (p, q): ([u8; 133], [u8; 133]) = (digits(&a, 32), digits(&b, 32));
            prop_assert!(!below(&p, &q) && !below(&q, &p));
        }
    }

    fn signs_and_refuses<O: OneTime>() {
        let material = || blake3::Hasher::new_derive_key("a test of W-OTS").update(b"seed").finalize_xof();
        let (salt, digest) = ([7; 12], core::array::from_fn(|i| 37u8.wrapping_mul(i as u8 + 1)));
        let (secret, public) = O::generate(&mut material(), &salt);
        let mut signature = Vec::new();
        O::sign(secret, &digest, &mut signature);
        assert_eq!(signature.len(), O::SIGNATURE_LEN);
        assert_eq!(O::recover(&digest, &salt, &signature), Some(public));
        assert_ne!(O::recover(&digest, &[8; 12], &signature), Some(public));
        assert_eq!(O::recover(&digest, &salt, &signature[1..]), None);
        for at in 0..signature.len() {
            signature[at] ^= 1;
            assert_ne!(O::recover(&digest, &salt, &signature), Some(public), "byte {at}");
            signature[at] ^= 1;
        }
        for at in 0..O::DIGEST_LEN {
            let mut other = digest;
            other[at] ^= 0x40;
            assert_ne!(O::recover(&other, &salt, &signature), Some(public), "digest byte {at}");
        }
    }

    #[test]
    fn every_changed_byte_leads_to_another_key() {
        signs_and_refuses::<Wots<Haraka512, 18, 68>>();
        signs_and_refuses::<Wots<Haraka256, 18, 68>>();
        signs_and_refuses::<Wots<Blake3, 18, 68>>();
        signs_and_refuses::<Wots<Blake3, 24, 133>>();
    }

    #[test]
    fn a_recovered_key_is_the_one_that_plain_steps_lead_to() {
        fn plain<H: ChainHash, const N: usize, const L: usize>(digest: &[u8; 32]) {
            let salt = [3; 12];
            let signature: Vec<u8> = (0..N * L).map(|i| (i * 31) as u8).collect();
            let digits = digits::<L>(digest, Wots::<H, N, L>::DIGEST_LEN);
            let ends: Vec<[u8; N]> = (signature.chunks(N).zip(digits).enumerate())
                .map(|(chain, (value, digit))| {
                    (digit..3).fold(value.try_into().unwrap(), |x, s| H::step(&x, &salt, chain as u8, s))
                })
                .collect();
            assert_eq!(Wots::<H, N, L>::recover(digest, &salt, &signature), Some(H::compress(&ends, &salt)));
        }
        for seed in 0..20 {
            let digest = *blake3::hash(&[seed]).as_bytes();
            plain::<Haraka512, 18, 68>(&digest);
            plain::<Haraka256, 18, 68>(&digest);
            plain::<Blake3, 18, 68>(&digest);
            plain::<Blake3, 24, 133>(&digest);
        }
    }
}
