//! HORS (Reyzin and Reyzin, "Better than BiBa", 2002) with the two public-key compressions of the DSig paper.
//!
//! A key is `T` secrets of 16 bytes. The public value of secret i is the first 16 bytes of the hash of `secret ‖ salt
//! ‖ i u32`. A digest, read as a little-endian integer, is a list of `K` indices of log2 T bits, lowest first, and a
//! signature reveals the secrets at these indices. To forge, an attacker must find another digest whose indices are
//! all among the revealed ones. A random digest satisfies this with probability (K/T)ᴷ, so K·log2(T/K) should be at
//! least 128.
//!
//! * [`HorsF`], factorised: the signature holds T values in order: the secret at each index of the digest, and the
//!   public value elsewhere. The verifier hashes the secrets to obtain their public values.
//! * [`HorsM`], merklified: the public values are the leaves of `K` trees of T/K leaves. For each index, in the
//!   digest's order, the signature holds the secret, the neighbouring public value (16 bytes) and the siblings above
//!   it (32 bytes each, bottom first); then the K roots. A node is the 32-byte hash of its two children. The key is
//!   the hash of the salt and of the node above all roots.
//!
//! Deviation from the paper: a merklified key is announced by its 32-byte leaf like any other key. The paper sends
//! all public values ahead, so that verification only compares them. Here the paths are hashed in parallel, which
//! costs less than the cache misses reported in the paper and needs no background traffic.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::block::{Context, block};
use super::cell::{HashCell, HashRole, HashShape, KeySalt, Scratch};
use super::hash_chain::ChainHash;
use super::one_time::{KeyBuffer, OneTimeScheme, SecretBuffer, Secrets, bits};
use crate::wire::domain;

/// HORS with factorised public keys: 16·T bytes.
///
/// Parameters with less than 128 bits of security, or with a digest of more than 64 bytes, do not compile:
///
/// ```compile_fail,E0080
/// use quorate::dsig::{Blake3, HorsF, OneTimeScheme};
/// const LEN: usize = <HorsF<Blake3, 16, 2048> as OneTimeScheme>::DIGEST_LEN;
/// ```
/// ```compile_fail,E0080
/// use quorate::dsig::{Blake3, HorsF, OneTimeScheme};
/// const LEN: usize = <HorsF<Blake3, 64, 512> as OneTimeScheme>::DIGEST_LEN;
/// ```
pub struct HorsF<H, const K: usize, const T: usize>(PhantomData<H>);

/// HORS with merklified public keys: K·(64 + 32·log2(T/K) − 32) bytes. K and T are powers of two, and T ≥ 2K.
pub struct HorsM<H, const K: usize, const T: usize>(PhantomData<H>);

/// Length of a secret and of a public value, in bytes.
const N: usize = 16;
const SHAPE: HashShape = HashShape { input: N + 16, output: N };
/// The hash call from two public values to their parent.
const LOWEST: HashShape = HashShape { input: 2 * N, output: 32 };
const HIGHER: HashShape = HashShape { input: 64, output: 32 };
/// Number of cells hashed per call.
const CHUNK: usize = 64;

/// The T secrets and the public part of the key: the T values and, for merklified keys, all nodes above them.
pub struct HorsSecret {
    secrets: SecretBuffer,
    values: Vec<u8>,
    nodes: Vec<[u8; 32]>,
}

fn indices<const K: usize, const T: usize>(digest: &[u8; 64]) -> [u32; K] {
    core::array::from_fn(|i| bits(digest, T.ilog2() as usize, i))
}

const fn digest_len(k: usize, t: usize) -> usize {
    assert!(t.is_power_of_two() && k <= CHUNK && t.ilog2() <= 24);
    assert!(
        k > 0 && t >= k && security(k, t) >= 128,
        "another digest within a signature's indices is too easy to find"
    );
    let len = (k * t.ilog2() as usize).div_ceil(8);
    assert!(len <= 64, "a digest has at most 64 bytes");
    len
}

/// Returns the lower bound of k·log2(t/k) in bits. It is at most k below the exact value if k is no power of two.
const fn security(k: usize, t: usize) -> usize {
    let log2_k = k.next_power_of_two().ilog2() as usize;
    k * (t.ilog2() as usize).saturating_sub(log2_k)
}

fn generate<H: ChainHash>(
    t: usize,
    secrets: &mut Secrets,
    salt: &KeySalt,
    buffer: KeyBuffer,
    Scratch(cells): &mut Scratch<CHUNK>,
) -> (SecretBuffer, Vec<u8>) {
    let (mut all, mut values) = (SecretBuffer::zeros(buffer, t * N), vec![0; t * N]);
    secrets.fill(&mut all.0);
    let mut index = 0u32;
    for (secrets, values) in all.0.chunks(CHUNK * N).zip(values.chunks_mut(CHUNK * N)) {
        let cells = cells.get_mut(..secrets.len() / N).unwrap_or_default();
        for (cell, secret) in cells.iter_mut().zip(secrets.chunks_exact(N)) {
            *cell = HashCell::from_parts(&[secret, salt, &index.to_le_bytes()]);
            index += 1;
        }
        H::advance(HashRole::Chain, cells, SHAPE);
        values.chunks_exact_mut(N).zip(cells).for_each(|(value, cell)| value.copy_from_slice(cell.front(N)));
    }
    (all, values)
}

/// Returns the public values of the revealed secrets.
fn public_values<'a, H: ChainHash, const K: usize>(
    shown: impl Iterator<Item = (u32, &'a [u8])>,
    salt: &KeySalt,
) -> [HashCell; K] {
    let mut cells = [HashCell::ZERO; K];
    for (cell, (index, secret)) in cells.iter_mut().zip(shown) {
        *cell = HashCell::from_parts(&[secret, salt, &index.to_le_bytes()]);
    }
    H::advance(HashRole::Chain, &mut cells, SHAPE);
    cells
}

fn value(bytes: &[u8], index: u32) -> &[u8] {
    let at = index as usize * N;
    bytes.get(at..at + N).unwrap_or_default()
}

impl<H: ChainHash, const K: usize, const T: usize> OneTimeScheme for HorsF<H, K, T> {
    const DIGEST_LEN: usize = digest_len(K, T);
    const SIGNATURE_LEN: usize = T * N;
    type Secret = HorsSecret;
    type Signature = Vec<u8>;
    type Workspace = Scratch<CHUNK>;

    fn generate(
        secrets: &mut Secrets,
        salt: &KeySalt,
        buffer: KeyBuffer,
        work: &mut Scratch<CHUNK>,
    ) -> (HorsSecret, [u8; 32]) {
        let (secrets, values) = generate::<H>(T, secrets, salt, buffer, work);
        let public = H::compress(values.as_chunks::<N>().0, salt);
        (HorsSecret { secrets, values, nodes: vec![] }, public)
    }

    /// Does nothing: signing reads few bytes of the key.
    fn fetch(_: &HorsSecret) {}

    fn sign(secret: HorsSecret, digest: &[u8; 64], signature: &mut [u8]) -> KeyBuffer {
        signature.copy_from_slice(&secret.values);
        for index in indices::<K, T>(digest) {
            let at = index as usize * N;
            if let Some(slot) = signature.get_mut(at..at + N) {
                slot.copy_from_slice(value(&secret.secrets.0, index));
            }
        }
        secret.secrets.into_buffer()
    }

    fn recover(digest: &[u8; 64], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]> {
        if signature.len() != Self::SIGNATURE_LEN {
            return None;
        }
        let indices = indices::<K, T>(digest);
        let shown = indices.iter().map(|index| (*index, value(signature, *index)));
        let cells = public_values::<H, K>(shown, salt);
        let mut values = signature.to_vec();
        // An index may occur twice; then both cells hold the same value.
        for (index, cell) in indices.iter().zip(&cells) {
            let at = *index as usize * N;
            values.get_mut(at..at + N)?.copy_from_slice(cell.front(N));
        }
        Some(H::compress(values.as_chunks::<N>().0, salt))
    }
}

impl<H: ChainHash, const K: usize, const T: usize> HorsM<H, K, T> {
    const DEPTH: usize = (T / K).ilog2() as usize;
    /// Bytes of a secret and its path.
    const ENTRY: usize = 2 * N + 32 * (Self::DEPTH - 1);
}

impl<H: ChainHash, const K: usize, const T: usize> OneTimeScheme for HorsM<H, K, T> {
    const DIGEST_LEN: usize = {
        assert!(K.is_power_of_two() && T >= 2 * K);
        digest_len(K, T)
    };
    const SIGNATURE_LEN: usize = K * (Self::ENTRY + 32);
    type Secret = HorsSecret;
    type Signature = Vec<u8>;
    type Workspace = Scratch<CHUNK>;

    fn generate(
        secrets: &mut Secrets,
        salt: &KeySalt,
        buffer: KeyBuffer,
        work: &mut Scratch<CHUNK>,
    ) -> (HorsSecret, [u8; 32]) {
        let (secrets, values) = generate::<H>(T, secrets, salt, buffer, work);
        let mut nodes = level::<H>(&values, LOWEST);
        let mut below = 0;
        for _ in 1..Self::DEPTH {
            let above = level::<H>(nodes.get(below..).unwrap_or_default().as_flattened(), HIGHER);
            below = nodes.len();
            nodes.extend(above);
        }
        let public = fold::<H>(nodes.get(below..).unwrap_or_default().to_vec(), salt);
        (HorsSecret { secrets, values, nodes }, public)
    }

    /// Does nothing: signing reads few bytes of the key.
    fn fetch(_: &HorsSecret) {}

    fn sign(secret: HorsSecret, digest: &[u8; 64], signature: &mut [u8]) -> KeyBuffer {
        let (entries, roots) = signature.split_at_mut(K * Self::ENTRY);
        for (entry, index) in entries.chunks_exact_mut(Self::ENTRY).zip(indices::<K, T>(digest)) {
            let (front, siblings) = entry.split_at_mut(2 * N);
            let (shown, neighbour) = front.split_at_mut(N);
            shown.copy_from_slice(value(&secret.secrets.0, index));
            neighbour.copy_from_slice(value(&secret.values, index ^ 1));
            let (mut place, mut start, mut width) = (index as usize / 2, 0, T / 2);
            for sibling in siblings.chunks_exact_mut(32) {
                if let Some(node) = secret.nodes.get(start + (place ^ 1)) {
                    sibling.copy_from_slice(node);
                }
                (place, start, width) = (place / 2, start + width, width / 2);
            }
        }
        let first = secret.nodes.len().saturating_sub(K);
        roots
            .chunks_exact_mut(32)
            .zip(secret.nodes.iter().skip(first))
            .for_each(|(to, node)| to.copy_from_slice(node));
        secret.secrets.into_buffer()
    }

    fn recover(digest: &[u8; 64], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]> {
        if signature.len() != Self::SIGNATURE_LEN {
            return None;
        }
        let indices = indices::<K, T>(digest);
        let (entries, roots) = signature.split_at_checked(K * Self::ENTRY)?;
        let entry = |at: usize, from: usize, len: usize| {
            let start = at * Self::ENTRY + from;
            entries.get(start..start + len).unwrap_or_default()
        };
        let shown = indices.iter().enumerate().map(|(at, index)| (*index, entry(at, 0, N)));
        let mut cells = public_values::<H, K>(shown, salt);
        for height in 0..Self::DEPTH {
            let (len, from) = if height == 0 { (N, N) } else { (32, 2 * N + 32 * (height - 1)) };
            for (at, (cell, index)) in cells.iter_mut().zip(indices).enumerate() {
                let sibling = entry(at, from, len);
                let node = HashCell(cell.0);
                let right = index >> height & 1 == 1;
                *cell = if right {
                    HashCell::from_parts(&[sibling, node.front(len)])
                } else {
                    HashCell::from_parts(&[node.front(len), sibling])
                };
            }
            H::advance(HashRole::Forest, &mut cells, if height == 0 { LOWEST } else { HIGHER });
        }
        let roots: Vec<[u8; 32]> = roots.chunks_exact(32).filter_map(|root| root.try_into().ok()).collect();
        for (cell, index) in cells.iter().zip(indices) {
            if roots.get(index as usize >> Self::DEPTH)? != cell.front(32) {
                return None;
            }
        }
        Some(fold::<H>(roots, salt))
    }
}

/// Returns the parents of adjacent children; a pair of children is `shape.input` bytes.
fn level<H: ChainHash>(children: &[u8], shape: HashShape) -> Vec<[u8; 32]> {
    let mut cells: Vec<HashCell> =
        children.chunks_exact(shape.input).map(|pair| HashCell::from_parts(&[pair])).collect();
    H::advance(HashRole::Forest, &mut cells, shape);
    cells.iter().filter_map(|cell| cell.0.first_chunk().copied()).collect()
}

/// Computes the key from the roots (a power of two of them) and the salt. The salt must enter the key: an attacker
/// who could choose it would test its secrets against all keys at once.
fn fold<H: ChainHash>(mut nodes: Vec<[u8; 32]>, salt: &KeySalt) -> [u8; 32] {
    while nodes.len() > 1 {
        nodes = level::<H>(nodes.as_flattened(), HIGHER);
    }
    let (block, len) = block(&[salt, nodes.first().unwrap_or(&[0; 32])]);
    ROOTS.hash(&block, len)
}

const ROOTS: Context = Context::new(domain::DSIG_ROOTS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dsig::hash_chain::{Blake3, Haraka256};

    #[test]
    fn a_digests_bits_are_its_indices() {
        let digest: [u8; 64] = core::array::from_fn(|i| i as u8 * 3);
        assert_eq!(indices::<64, 256>(&digest), core::array::from_fn(|i| i as u32 * 3));
        let twelve = indices::<16, 4096>(&digest);
        assert_eq!(twelve[..3], [0x300, 0x060, 0xc09]);
        assert_eq!((digest_len(64, 256), digest_len(16, 4096), digest_len(8, 1 << 19)), (64, 24, 19));
    }

    fn key<S: OneTimeScheme>() -> (S::Secret, [u8; 32]) {
        S::generate(
            &mut Secrets::new(&[1; 32], 0, 5, 0),
            &[2; 12],
            KeyBuffer::default(),
            &mut S::Workspace::default(),
        )
    }

    #[test]
    fn signature_reveals_only_the_secrets_of_its_digest() {
        // Only the indices 0 to 3, repeated.
        let digest = core::array::from_fn(|i| i as u8 % 4);
        type Scheme = HorsF<Haraka256, 64, 256>;
        let (secret, public) = key::<Scheme>();
        let (secrets, values) = (secret.secrets.0.clone(), secret.values.clone());
        let mut signature = vec![0; Scheme::SIGNATURE_LEN];
        Scheme::sign(secret, &digest, &mut signature);
        assert_eq!(signature[..64], secrets[..64]);
        assert_eq!(signature[64..], values[64..]);
        assert_eq!(Scheme::recover(&digest, &[2; 12], &signature), Some(public));
    }

    #[test]
    fn a_merklified_path_must_lead_to_its_own_root() {
        type Scheme = HorsM<Blake3, 16, 4096>;
        let digest = core::array::from_fn(|i| (i as u8).wrapping_mul(37));
        let (secret, public) = key::<Scheme>();
        let mut signature = vec![0; Scheme::SIGNATURE_LEN];
        Scheme::sign(secret, &digest, &mut signature);
        assert_eq!(Scheme::recover(&digest, &[2; 12], &signature), Some(public));
        // The roots in another order would fold to another key; a root that no path reaches gives no key at all.
        signature[16 * Scheme::ENTRY..].rotate_left(32);
        assert_eq!(Scheme::recover(&digest, &[2; 12], &signature), None);
    }
}
