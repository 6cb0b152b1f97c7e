//! Hash of a run's trace. It compares runs, faces no adversary and is therefore fast rather than cryptographic; it is
//! the same on every platform.

use core::hash::{BuildHasherDefault, Hasher};

/// A running hash over numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceHash(u64);

impl TraceHash {
    pub(crate) fn new() -> Self {
        Self(0x51_7c_c1_b7_27_22_0a_95)
    }

    pub(crate) fn add(&mut self, value: u64) {
        let x = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = x ^ (x >> 29);
    }

    pub(crate) fn value(self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        z ^ (z >> 33)
    }
}

/// Returns the hash of a byte string.
pub(crate) fn bytes(bytes: &[u8]) -> u64 {
    let mut hash = TraceHash::new();
    hash.add(bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash.add(u64::from_le_bytes(*word));
    }
    hash.add(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    hash.value()
}

/// A map for look-ups only, whose hasher does not differ between runs.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<MapHasher>>;

pub(crate) struct MapHasher(TraceHash);

impl Default for MapHasher {
    fn default() -> Self {
        Self(TraceHash::new())
    }
}

impl Hasher for MapHasher {
    fn finish(&self) -> u64 {
        self.0.value()
    }

    fn write(&mut self, data: &[u8]) {
        self.0.add(bytes(data));
    }

    fn write_u32(&mut self, value: u32) {
        self.0.add(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0.add(value);
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn every_bit_and_the_length_count() {
        let message = [7u8; 20];
        for bit in 0..160 {
            let mut other = message;
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(bytes(&message), bytes(&other), "bit {bit}");
        }
        assert_ne!(bytes(&[0; 8]), bytes(&[0; 9]));
        assert_ne!(bytes(&[]), bytes(&[0]));
    }
}
