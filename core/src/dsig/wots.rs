//! W-OTS⁺ with tweaked hash calls instead of bitmasks (Hülsing, "W-OTS+ – Shorter Signatures for Hash-Based Signature
//! Schemes", 2013; the tweaks are those of the literature on multi-target attacks).
//!
//! A digest, read as a little-endian integer, is a list of digits d of `B` bits, lowest first. The checksum Σ(2ᴮ − 1
//! − d) follows as digits of `B` bits, lowest first; its length is that of its largest value: 4 digits after 64
//! digits of 2 bits, 5 after 128. The checksum grows when a digit decreases, so an attacker cannot advance the chains
//! of a signature to another digest: at least one chain would have to be inverted.
//!
//! Chain i of a key starts at a secret x₀, and step s maps xₛ to xₛ₊₁: the first N bytes of the hash of `xₛ ‖ salt ‖
//! i u8 ‖ s u8`. A signature reveals x_d of every chain, and the verifier computes the last value of each. The signer
//! stores all values of each chain, so signing only copies bytes.

use core::marker::PhantomData;

use super::cell::{HashCell, HashShape, KeySalt, Scratch};
use super::fast::{self, sort_digits};
use super::hash_chain::ChainHash;
use super::key_tree;
use super::one_time::{KeyBuffer, OneTimeScheme, SecretBuffer, Secrets, bits};

/// W-OTS⁺ over the chain hash `H` with `N`-byte values on `L` chains of depth 2ᴮ (d in the paper). 68 chains of depth
/// 4 sign 128-bit digests, 133 sign 256-bit digests. Any other `L` must equal the number of digits and checksum
/// digits.
pub struct Wots<H, const N: usize, const L: usize, const B: usize = 2>(PhantomData<H>);

/// Returns the number of chains for a digest of `digest_len` bytes, including the checksum.
const fn chains(digest_len: usize, bits: usize) -> usize {
    let digits = (8 * digest_len).div_ceil(bits);
    let mut largest = digits * ((1 << bits) - 1);
    let mut checksum = 0;
    while largest > 0 {
        (largest, checksum) = (largest >> bits, checksum + 1);
    }
    digits + checksum
}

impl<H: ChainHash, const N: usize, const L: usize, const B: usize> Wots<H, N, L, B> {
    const SHAPE: HashShape = HashShape { input: N + 14, output: N };
    const LEVEL: usize = N * L;

    /// Always inlined, to be compiled with the vector instructions of the caller.
    #[inline(always)]
    fn digits(digest: &[u8; 64]) -> [u8; L] {
        let top = (1u32 << B) - 1;
        let mut digits = [0; L];
        let (shown, checksum) = digits.split_at_mut((8 * Self::DIGEST_LEN).div_ceil(B));
        let mut padded = [0; 64];
        padded.iter_mut().zip(digest).take(Self::DIGEST_LEN).for_each(|(to, from)| *to = *from);
        if B == 2 {
            // Spread the four digits of each byte over four bytes at once.
            for (digits, byte) in shown.as_chunks_mut::<4>().0.iter_mut().zip(padded) {
                let byte = u32::from(byte);
                let apart = byte | byte << 6 | byte << 12 | byte << 18;
                *digits = (apart & 0x0303_0303).to_le_bytes();
            }
        } else if 8 % B == 0 {
            // No digit spans two bytes.
            for (digits, byte) in shown.chunks_exact_mut(8 / B).zip(padded) {
                digits
                    .iter_mut()
                    .enumerate()
                    .for_each(|(place, digit)| *digit = byte >> (B * place) & top as u8);
            }
        } else {
            for (place, digit) in shown.iter_mut().enumerate() {
                *digit = bits(&padded, B, place) as u8;
            }
        }
        let rest = u64::from(shown.len() as u32 * top - sum(shown));
        // Assembled in a register before it is written: reading more bytes than the last store wrote stalls the
        // processor.
        let packed =
            (0..checksum.len()).fold(0, |packed, i| packed | (rest >> (B * i) & u64::from(top)) << (8 * i));
        checksum.iter_mut().zip(packed.to_le_bytes()).for_each(|(digit, byte)| *digit = byte);
        digits
    }

    /// Reference form of [`fast::select`].
    fn select(levels: &[u8], digest: &[u8; 64], selected: &mut [u8]) {
        let levels = levels.as_chunks::<N>().0;
        for (chain, (digit, value)) in
            Self::digits(digest).iter().zip(selected.as_chunks_mut::<N>().0).enumerate()
        {
            if let Some(levels) = levels.get(usize::from(*digit) * L + chain) {
                *value = *levels;
            }
        }
    }

    /// Builds the cell of a value before step 0. Values of up to 18 bytes are assembled in registers before they are
    /// written: reading more bytes than the last store wrote stalls the processor.
    #[inline]
    fn cell(value: &[u8; N], salt: &KeySalt, chain: u8) -> HashCell {
        let mut cell = HashCell::ZERO;
        match value.split_first_chunk::<16>() {
            Some((head, tail)) if N <= 18 => {
                let number =
                    |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte));
                let rest = number(tail) | number(salt) << (8 * (N - 16)) | u128::from(chain) << (8 * (N - 4));
                cell.put(0, head);
                cell.put(16, &rest.to_le_bytes());
            }
            _ => {
                cell.put(0, value);
                cell.put(N, salt);
                cell.set(N + 12, chain);
            }
        }
        cell
    }
}

impl<H: ChainHash, const N: usize, const L: usize, const B: usize> OneTimeScheme for Wots<H, N, L, B> {
    const DIGEST_LEN: usize = {
        assert!(B <= 5 && key_tree::arity(N) >= 2 && N + 14 <= H::MAX_INPUT);
        if chains(16, B) == L {
            16
        } else {
            assert!(chains(32, B) == L);
            32
        }
    };
    const SIGNATURE_LEN: usize = Self::LEVEL;
    /// The values of all chains, level by level.
    type Secret = SecretBuffer;
    type Signature = [[u8; N]; L];
    type Workspace = Scratch<L>;

    fn generate(
        secrets: &mut Secrets,
        salt: &KeySalt,
        buffer: KeyBuffer,
        Scratch(cells): &mut Scratch<L>,
    ) -> (SecretBuffer, [u8; 32]) {
        let mut all = SecretBuffer::zeros(buffer, Self::LEVEL << B);
        secrets.fill(all.0.get_mut(..Self::LEVEL).unwrap_or_default());
        let levels = all.0.as_chunks_mut::<N>().0.as_chunks_mut::<L>().0;
        if let Some(public) = H::grow(levels, salt) {
            return (all, public);
        }
        let mut levels = all.0.chunks_exact_mut(Self::LEVEL);
        if let Some(first) = levels.next() {
            let values = first.as_chunks::<N>().0;
            for (chain, (cell, value)) in (0u8..=255).zip(cells.iter_mut().zip(values)) {
                *cell = Self::cell(value, salt, chain);
            }
        }
        for (step, level) in (0u8..).zip(levels) {
            H::walk(cells, &[step; L], step + 1, Self::SHAPE);
            for (value, cell) in level.as_chunks_mut::<N>().0.iter_mut().zip(&*cells) {
                *value = *cell.0.first_chunk().unwrap_or(&[0; N]);
            }
        }
        let ends = all.0.get((Self::LEVEL << B) - Self::LEVEL..).unwrap_or_default();
        let public = H::compress(ends.as_chunks::<N>().0, salt);
        (all, public)
    }

    fn fetch(secret: &SecretBuffer) {
        fast::fetch(&secret.0);
    }

    fn sign(secret: SecretBuffer, digest: &[u8; 64], signature: &mut [u8]) -> KeyBuffer {
        if !fast::select::<N, L, B>(&secret.0, digest, signature) {
            Self::select(&secret.0, digest, signature);
        }
        secret.into_buffer()
    }

    /// Advances all chains at the same depth together. This fills the lanes of a vector unit, which chain by chain
    /// would not.
    fn recover(digest: &[u8; 64], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]> {
        if signature.len() != Self::SIGNATURE_LEN {
            return None;
        }
        let values = signature.as_chunks::<N>().0;
        if let Some(key) = H::recover::<N, L, B>(values.first_chunk()?, || Self::digits(digest), salt) {
            return Some(key);
        }
        let digits = Self::digits(digest);
        // Sort the chains by digit, so that chains that start together share a vector.
        let order = sort_digits(&digits, 1 << B);
        // A loop instead of `map`, to write each cell in its final place.
        let mut cells = [HashCell::ZERO; L];
        for (cell, chain) in cells.iter_mut().zip(order.chains::<L>()) {
            *cell = Self::cell(values.get(usize::from(*chain))?, salt, *chain);
        }
        H::walk(&mut cells, &order.digits::<L>(1 << B), ((1u32 << B) - 1) as u8, Self::SHAPE);
        let mut ends = [[0; N]; L];
        for (cell, chain) in cells.iter().zip(order.chains::<L>()) {
            *ends.get_mut(usize::from(*chain))? = *cell.0.first_chunk()?;
        }
        Some(H::compress(&ends, salt))
    }
}

/// Sums digits, eight at a time.
fn sum(digits: &[u8]) -> u32 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    let (words, rest) = digits.as_chunks();
    let four: u64 = words
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .map(|word| (word & EVEN) + (word >> 8 & EVEN))
        .sum();
    let in_words = four.wrapping_mul(0x0001_0001_0001_0001) >> 48;
    in_words as u32 + rest.iter().map(|digit| u32::from(*digit)).sum::<u32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsig::cell::HashRole;
    use crate::dsig::hash_chain::{Blake3, Haraka256, Haraka512, Sha256};
    use proptest::prelude::*;

    type Deep<const L: usize, const B: usize> = Wots<Haraka256, 18, L, B>;

    fn digest(bytes: &[u8]) -> [u8; 64] {
        core::array::from_fn(|i| bytes.get(i).copied().unwrap_or_default())
    }

    #[test]
    fn a_digests_zeros_have_the_largest_checksum() {
        let zero = Wots::<Blake3, 18, 68>::digits(&[0; 64]);
        assert_eq!((&zero[..64], &zero[64..]), (&[0; 64][..], &[0, 0, 0, 3][..]), "192 = 3·4³");
        let full = Wots::<Blake3, 18, 68>::digits(&[0xff; 64]);
        assert_eq!((&full[..64], &full[64..]), (&[3; 64][..], &[0; 4][..]));
        let wide = Wots::<Blake3, 24, 133>::digits(&[0; 64]);
        assert_eq!(&wide[128..], [0, 0, 0, 2, 1], "384 = 2·4³ + 4⁴");
    }

    fn below<const L: usize>(a: &[u8; L], b: &[u8; L]) -> bool {
        a.iter().zip(b).all(|(a, b)| a <= b)
    }

    /// Returns true if the fast form equals the reference form, or left the output untouched.
    fn select_alike<const N: usize, const L: usize>(seed: &[u8; 32], digest: &[u8; 64]) -> bool {
        let mut levels = alloc::vec![0; 4 * N * L];
        blake3::Hasher::new().update(seed).finalize_xof().fill(&mut levels);
        let [mut plain, mut found] = [(); 2].map(|()| alloc::vec![0; N * L]);
        Wots::<Haraka512, N, L>::select(&levels, digest, &mut plain);
        if fast::select::<N, L, 2>(&levels, digest, &mut found) {
            found == plain
        } else {
            found.iter().all(|byte| *byte == 0)
        }
    }

    proptest! {
        #[test]
        fn no_digest_dominates_another(a: [u8; 32], mut b: [u8; 32], near: bool, at in 0usize..16, by in 1u8..) {
            if near {
                b = a;
                b[at] = b[at].wrapping_add(by);
            }
            prop_assume!(a[..16] != b[..16]);
            let (a, b) = (digest(&a), digest(&b));
            macro_rules! apart { ($($type:ty),*) => { $({
                let (p, q) = (<$type>::digits(&a), <$type>::digits(&b));
                prop_assert!(!below(&p, &q) && !below(&q, &p), stringify!($type));
            })* } }
            apart!(Wots<Blake3, 18, 68>, Wots<Blake3, 24, 133>, Deep<136, 1>, Deep<46, 3>, Deep<35, 4>, Deep<28, 5>);
        }

        #[test]
        fn selection_equals_the_reference(seed: [u8; 32], bytes: [u8; 32]) {
            let digest = digest(&bytes);
            prop_assert!(select_alike::<18, 68>(&seed, &digest));
            prop_assert!(select_alike::<16, 68>(&seed, &digest));
            prop_assert!(select_alike::<17, 68>(&seed, &digest));
            prop_assert!(select_alike::<24, 68>(&seed, &digest));
            prop_assert!(select_alike::<18, 133>(&seed, &digest));
        }
    }

    #[test]
    fn signature_recovers_its_key() {
        fn signs_and_recovers<H: ChainHash, const N: usize, const L: usize, const B: usize>(seed: u8) {
            let (mut work, mut digest) = (Scratch::default(), [0; 64]);
            blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut digest);
            let mut secrets = Secrets::new(&[seed; 32], 7, 2, seed.into());
            let (secret, public) =
                Wots::<H, N, L, B>::generate(&mut secrets, &[seed; 12], KeyBuffer::default(), &mut work);
            let mut signature = [[0; N]; L];
            Wots::<H, N, L, B>::sign(secret, &digest, signature.as_flattened_mut());
            let found = Wots::<H, N, L, B>::recover(&digest, &[seed; 12], signature.as_flattened());
            assert_eq!(found, Some(public));
        }
        for seed in 0..10 {
            signs_and_recovers::<Haraka512, 18, 68, 2>(seed);
            signs_and_recovers::<Haraka256, 18, 68, 2>(seed);
            signs_and_recovers::<Blake3, 24, 133, 2>(seed);
            signs_and_recovers::<Haraka512, 18, 136, 1>(seed);
            signs_and_recovers::<Haraka256, 18, 136, 1>(seed);
            signs_and_recovers::<Haraka256, 18, 46, 3>(seed);
            signs_and_recovers::<Haraka256, 18, 35, 4>(seed);
            signs_and_recovers::<Haraka256, 18, 28, 5>(seed);
        }
    }

    #[test]
    fn recovery_equals_plain_chain_steps() {
        fn plain<H: ChainHash, const N: usize, const L: usize, const B: usize>(digest: &[u8; 64]) {
            let salt = [3; 12];
            let signature: alloc::vec::Vec<u8> = (0..N * L).map(|i| (i * 31) as u8).collect();
            let mut ends: alloc::vec::Vec<[u8; N]> = alloc::vec::Vec::new();
            for (chain, digit) in Wots::<H, N, L, B>::digits(digest).into_iter().enumerate() {
                let mut value = signature[chain * N..][..N].to_vec();
                for step in digit..((1u16 << B) - 1) as u8 {
                    let cell = HashCell::from_parts(&[&value, &salt, &[chain as u8, step]]);
                    value = H::hash(HashRole::Chain, &cell, N + 14)[..N].to_vec();
                }
                ends.push(value.try_into().unwrap());
            }
            let key = H::compress(&ends, &salt);
            assert_eq!(Wots::<H, N, L, B>::recover(digest, &salt, &signature), Some(key));
        }
        let drawn = (0..20u8).map(|seed| {
            let mut digest = [0; 64];
            blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut digest);
            digest
        });
        // Digests for which all chains but those of the checksum move in every step, or in none.
        for digest in drawn.chain([[0; 64], [0xff; 64]]) {
            plain::<Haraka512, 18, 68, 2>(&digest);
            plain::<Haraka256, 18, 68, 2>(&digest);
            plain::<Blake3, 18, 68, 2>(&digest);
            plain::<Blake3, 24, 133, 2>(&digest);
            plain::<Sha256, 18, 68, 2>(&digest);
            plain::<Haraka256, 18, 133, 2>(&digest);
            plain::<Haraka256, 18, 136, 1>(&digest);
            plain::<Haraka256, 18, 46, 3>(&digest);
            plain::<Haraka256, 18, 35, 4>(&digest);
            plain::<Haraka256, 18, 28, 5>(&digest);
            plain::<Haraka512, 18, 136, 1>(&digest);
            plain::<Haraka512, 18, 35, 4>(&digest);
            plain::<Blake3, 18, 136, 1>(&digest);
            plain::<Blake3, 18, 46, 3>(&digest);
            plain::<Blake3, 18, 35, 4>(&digest);
            plain::<Blake3, 18, 28, 5>(&digest);
            plain::<Blake3, 18, 133, 2>(&digest);
        }
    }
}
