use crate::wire::domain;

/// Non-zero coefficients of a random linear combination.
///
/// With fresh entropy 64 bits suffice, because an attacker cannot choose inputs after seeing the coefficients. Without
/// entropy they are 128 bits of a hash over all inputs, which an attacker can recompute but can search only with 2¹²⁸
/// work.
pub(crate) struct Coefficients {
    stream: blake3::OutputReader,
    mask: u128,
}

/// Creates a stream of coefficients; `inputs` must feed everything that is verified into the hasher.
pub(crate) fn coefficients(
    entropy: Option<&[u8; 32]>,
    inputs: impl FnOnce(&mut blake3::Hasher),
) -> Coefficients {
    let mut hasher = domain::hasher(domain::BATCH_COEFFICIENTS);
    match entropy {
        Some(entropy) => {
            hasher.update(&[1]).update(entropy);
        }
        None => {
            hasher.update(&[0]);
            inputs(&mut hasher);
        }
    }
    let mask = if entropy.is_some() { u128::from(u64::MAX) } else { u128::MAX };
    Coefficients { stream: hasher.finalize_xof(), mask }
}

impl Coefficients {
    /// Returns the number of bits of a coefficient.
    #[cfg(feature = "bls")]
    pub(crate) fn bits(&self) -> usize {
        self.mask.count_ones() as usize
    }

    /// Returns the next coefficient.
    pub(crate) fn draw(&mut self) -> u128 {
        loop {
            let mut bytes = [0; 16];
            self.stream.fill(&mut bytes);
            match u128::from_le_bytes(bytes) & self.mask {
                0 => continue,
                coefficient => return coefficient,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::coefficients;

    #[test]
    fn entropy_gives_64_bits_and_inputs_give_derived_coefficients() {
        let mut random = coefficients(Some(&[7; 32]), |_| {});
        let (a, b) = (random.draw(), random.draw());
        assert!(a != b && a != 0 && a <= u128::from(u64::MAX));
        let derived = |input: &[u8]| {
            let feed = |hasher: &mut blake3::Hasher| {
                hasher.update(input);
            };
            coefficients(None, feed).draw()
        };
        assert_eq!(derived(b"x"), derived(b"x"));
        assert_ne!(derived(b"x"), derived(b"y"));
    }
}
