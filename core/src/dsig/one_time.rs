use alloc::vec;
use alloc::vec::Vec;

use super::chain::KeySalt;
use super::fast::{self, LANES};
use super::short::{Context, block, wipe, words};
use crate::wire::domain;
use zeroize::Zeroize;

/// A one-time signature scheme: a secret signs one digest, and a signature leads to the public key by itself. The
/// three of this crate; no other can be written outside of it.
pub trait OneTime: Send + Sync + 'static {
    /// Bytes of a digest, at most 64.
    const DIGEST_LEN: usize;
    /// Bytes of a signature.
    const SIGNATURE_LEN: usize;
    /// What signs once. It wipes itself; it has neither `Clone` nor `Debug`, nor can it be serialised.
    type Secret: Send + Sync;
    /// Room for a signature.
    type Body: Body;
    /// Where keys are made, one after the other. It wipes itself.
    type Work: Default;

    /// A key of the next bytes of `secrets`, and 32 bytes that stand for its public key.
    fn generate(
        secrets: &mut Secrets,
        salt: &KeySalt,
        room: Room,
        work: &mut Self::Work,
    ) -> (Self::Secret, [u8; 32]);

    /// Lets the processor fetch what signing reads of a key, for whoever signs with it soon.
    fn fetch(secret: &Self::Secret);

    /// Signs the first `DIGEST_LEN` bytes of a digest into `SIGNATURE_LEN` bytes and consumes the key: what is left
    /// of it is room.
    fn sign(secret: Self::Secret, digest: &[u8; 64], signature: &mut [u8]) -> Room;

    /// The 32 bytes of the one public key under which `signature` would be valid. `None` if there can be none, or if
    /// it is not of `SIGNATURE_LEN` bytes.
    fn recover(digest: &[u8; 64], salt: &KeySalt, signature: &[u8]) -> Option<[u8; 32]>;
}

/// Bytes of a length that the type knows, or that is given once.
pub trait Body: Clone + Eq + Send + Sync + 'static {
    /// `len` zeros.
    fn zeros(len: usize) -> Self;
    /// All bytes.
    fn bytes(&self) -> &[u8];
    /// All bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];
}

impl<const N: usize, const L: usize> Body for [[u8; N]; L] {
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

impl Body for Vec<u8> {
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

/// An endless string of secret bytes for one key: BLAKE3's extended output under
/// [`DSIG_SECRETS`](domain::DSIG_SECRETS) of seed 32 ‖ time u64 ‖ suite u8 ‖ index u16. It wipes itself.
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

    /// The next bytes.
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
    /// The next blocks of output, which differ in their counters only.
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

/// Secret bytes on the heap. They wipe themselves.
pub struct Wiped(pub(super) Vec<u8>);

/// Memory of a key that is wiped, so that the next can be made in it: a system that is asked for memory gives pages
/// that it has to clear first, which would take longer than making the key.
#[derive(Default)]
pub struct Room(Vec<u8>);

impl Wiped {
    /// Zeros, in this room if it is of that size.
    pub(super) fn zeros(room: Room, len: usize) -> Self {
        Self(if room.0.len() == len { room.0 } else { vec![0; len] })
    }

    pub(super) fn into_room(mut self) -> Room {
        fast::wipe(&mut self.0);
        Room(core::mem::take(&mut self.0))
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        // Nothing is left of what became room, and to overwrite nothing takes its time, too.
        if !self.0.is_empty() {
            fast::wipe(&mut self.0);
        }
    }
}

/// The number in bits `place * width ..` of a digest that is read as a little-endian integer.
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
    fn secrets_are_the_same_however_they_are_taken() {
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
