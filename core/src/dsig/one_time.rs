use alloc::vec;
use alloc::vec::Vec;

use super::block::{Context, block, wipe, words};
use super::cell::KeySalt;
use super::fast::{self, LANES};
use crate::wire::domain;
use zeroize::Zeroize;

/// A one-time signature scheme: a secret signs one digest, and the public key is recovered from the signature. The
/// trait is sealed: this crate has three implementations.
pub trait OneTimeScheme: Send + Sync + 'static {
    /// Length of a digest in bytes, at most 64.
    const DIGEST_LEN: usize;
    /// Length of a signature in bytes.
    const SIGNATURE_LEN: usize;
    /// The secret of a key, which signs once. It is wiped when dropped, and has no `Clone`, `Debug` or serialised
    /// form.
    type Secret: Send + Sync;
    /// Storage of a signature.
    type Signature: SignatureBytes;
    /// Working memory for key generation, reused from key to key. Wiped when dropped.
    type Workspace: Default;

    /// Generates a key from the next bytes of `secrets`, in the memory of `buffer` if it has the right size. Returns
    /// the secret and the 32-byte public key.
    fn generate(
        secrets: &mut Secrets,
        salt: &KeySalt,
        buffer: KeyBuffer,
        work: &mut Self::Workspace,
    ) -> (Self::Secret, [u8; 32]);

    /// Prefetches the bytes that signing with this key reads into the cache.
    fn fetch(secret: &Self::Secret);

    /// Signs the first `DIGEST_LEN` bytes of a digest and writes `SIGNATURE_LEN` bytes. Consumes the key, and returns
    /// its wiped memory.
    fn sign(secret: Self::Secret, digest: &[u8; 64], signature: &mut [u8]) -> KeyBuffer;

    /// Recovers the 32-byte public key under which `signature` is valid. Returns `None` if there is no such key, or
    /// if the length is not `SIGNATURE_LEN`.
    fn recover(digest: &[u8; 64], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]>;
}

/// Bytes of a one-time signature: an array where the type knows the length, a vector elsewhere.
pub trait SignatureBytes: Clone + Eq + Send + Sync + 'static {
    /// Returns `len` zero bytes.
    fn zeros(len: usize) -> Self;
    /// Returns all bytes.
    fn bytes(&self) -> &[u8];
    /// Returns all bytes for writing.
    fn bytes_mut(&mut self) -> &mut [u8];
}

impl<const N: usize, const L: usize> SignatureBytes for [[u8; N]; L] {
    fn zeros(_: usize) -> Self {
        [[0; N]; L]
    }

    fn bytes(&self) -> &[u8] {
        self.as_flattened()
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self.as_flattened_mut()
    }
}

impl SignatureBytes for Vec<u8> {
    fn zeros(len: usize) -> Self {
        vec![0; len]
    }

    fn bytes(&self) -> &[u8] {
        self
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        self
    }
}

/// The stream of secret bytes of one key: BLAKE3's extended output under [`DSIG_SECRETS`](domain::DSIG_SECRETS) of
/// seed 32 ‖ time u64 ‖ suite u8 ‖ index u16. Wiped when dropped.
pub struct Secrets {
    input: [u8; 64],
    len: usize,
    output: [[u8; 64]; LANES],
    taken: usize,
    counter: u32,
}

const KEY: Context = Context::new(domain::DSIG_SECRETS);

impl Secrets {
    pub(super) fn new(seed: &[u8; 32], time: u64, suite: u8, index: u16) -> Self {
        let (input, len) = block(&[seed, &time.to_le_bytes(), &[suite], &index.to_le_bytes()]);
        Self { input, len, output: [[0; 64]; LANES], taken: 64 * LANES, counter: 0 }
    }

    /// Fills `bytes` with the next bytes of the stream.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.taken == 64 * LANES {
                self.refill();
            }
            let ready = self.output.as_flattened().get(self.taken..).unwrap_or_default();
            let n = ready.len().min(rest.len());
            let (head, tail) = rest.split_at_mut(n);
            head.copy_from_slice(ready.get(..n).unwrap_or_default());
            (rest, self.taken) = (tail, self.taken + n);
        }
    }
}

impl Secrets {
    /// Computes the next `LANES` blocks of output, which differ in their counters only.
    fn refill(&mut self) {
        let mut m = words(&self.input);
        fast::extend(&KEY.key, &m, self.len as u32, self.counter, &mut self.output);
        m.zeroize();
        (self.taken, self.counter) = (0, self.counter + LANES as u32);
    }
}

impl Drop for Secrets {
    fn drop(&mut self) {
        wipe(&mut self.input);
        wipe(self.output.as_flattened_mut());
    }
}

/// Secret bytes on the heap. Wiped when dropped.
pub struct SecretBuffer(pub(super) Vec<u8>);

/// Wiped memory of a used key, for the next key to reuse. The system clears each page that it hands out, which would
/// take longer than generating the key.
#[derive(Default)]
pub struct KeyBuffer(Vec<u8>);

impl SecretBuffer {
    /// Returns `len` zero bytes, in the memory of `buffer` if it has that length.
    pub(super) fn zeros(buffer: KeyBuffer, len: usize) -> Self {
        Self(if buffer.0.len() == len { buffer.0 } else { vec![0; len] })
    }

    pub(super) fn into_buffer(mut self) -> KeyBuffer {
        fast::wipe(&mut self.0);
        KeyBuffer(core::mem::take(&mut self.0))
    }
}

impl Drop for SecretBuffer {
    fn drop(&mut self) {
        // The vector is empty if its memory was moved out; skip the call.
        if !self.0.is_empty() {
            fast::wipe(&mut self.0);
        }
    }
}

/// Returns the number in bits `place * width ..` of a digest, read as a little-endian integer.
pub(super) fn bits(digest: &[u8], width: usize, place: usize) -> u32 {
    let (byte, shift) = (place * width / 8, place * width % 8);
    let mut window = [0; 4];
    match digest.get(byte..byte + 4) {
        Some(bytes) => window.copy_from_slice(bytes),
        None => window.iter_mut().zip(digest.iter().skip(byte)).for_each(|(to, from)| *to = *from),
    }
    (u32::from_le_bytes(window) >> shift) & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_bytes_do_not_depend_on_the_read_sizes() {
        let mut whole = [0; 1300];
        Secrets::new(&[5; 32], 9, 3, 258).fill(&mut whole);
        let mut expected = [0; 1300];
        let input = [&[5u8; 32][..], &9u64.to_le_bytes(), &[3], &[2, 1]].concat();
        domain::hasher(domain::DSIG_SECRETS).update(&input).finalize_xof().fill(&mut expected);
        assert_eq!(whole, expected);
        let (mut parts, mut secrets) = ([0; 1300], Secrets::new(&[5; 32], 9, 3, 258));
        parts.chunks_mut(7).for_each(|part| secrets.fill(part));
        assert_eq!(parts, whole);
    }

    #[test]
    fn bits_are_taken_lowest_first() {
        let digest = [0b1110_0100, 0xff, 0x01, 0, 0];
        assert_eq!([0, 1, 2, 3, 4].map(|i| bits(&digest, 2, i)), [0, 1, 2, 3, 3]);
        assert_eq!([0, 1, 2].map(|i| bits(&digest, 12, i)), [0xfe4, 0x01f, 0]);
        assert_eq!([0, 1, 2, 3].map(|i| bits(&digest, 3, i)), [4, 4, 7, 7]);
        assert_eq!(bits(&digest, 19, 0), 0x1_ffe4);
        assert_eq!(bits(&[0xff; 16], 3, 42), 3, "a last digit of fewer bits");
    }
}
