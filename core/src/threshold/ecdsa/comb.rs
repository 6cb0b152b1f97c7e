//! Sums of multiples of fixed points of secp256k1, in variable time: for a public key and public numbers.
//!
//! A number is written in signed digits, Σ dᵢ·2⁶ⁱ with −31 ≤ dᵢ ≤ 32. The table has the multiples 1 to 32 of 2⁶ⁱ·P
//! for every fourth position i. Thus a product takes 43 additions, and all products of a sum share 18 doublings.
//! Without a table a product takes 128 doublings, and its multiples are computed first.

use alloc::vec::Vec;

use k256::elliptic_curve::BatchNormalize;
use k256::{AffinePoint, ProjectivePoint, Scalar};

/// Bits of a digit.
const WIDTH: usize = 6;
/// Number of multiples of each point that digits select from.
const MULTIPLES: usize = 1 << (WIDTH - 1);
/// Number of digits: all bits, and one for the last carry.
const DIGITS: usize = 257usize.div_ceil(WIDTH);
/// One of `SPACING` positions has a row of its own; the others are reached by doubling.
const SPACING: usize = 4;

/// The multiples of one point: 352 points of 84 or 88 bytes.
#[derive(Clone, Debug)]
pub struct Comb(Vec<AffinePoint>);

impl Comb {
    /// Computes the table. Cost: about five multiplications.
    pub(super) fn new(point: &ProjectivePoint) -> Self {
        let mut multiples = Vec::with_capacity(DIGITS.div_ceil(SPACING) * MULTIPLES);
        let mut first = *point;
        for _ in 0..DIGITS.div_ceil(SPACING) {
            let mut multiple = first;
            for _ in 0..MULTIPLES {
                multiples.push(multiple);
                multiple += first;
            }
            (0..WIDTH * SPACING).for_each(|_| first = first.double());
        }
        Self(ProjectivePoint::batch_normalize_vartime(multiples.as_slice()))
    }

    /// Returns the multiples for each position that has a row.
    fn rows(&self) -> impl Iterator<Item = &[AffinePoint]> {
        self.0.chunks(MULTIPLES)
    }
}

/// Returns Σ scalarᵢ · pointᵢ, for points given by their multiples.
pub(super) fn sum<const N: usize>(terms: [(&Scalar, &Comb); N]) -> ProjectivePoint {
    let terms = terms.map(|(scalar, comb)| (digits(scalar), comb));
    let mut sum = ProjectivePoint::IDENTITY;
    for offset in (0..SPACING).rev() {
        if offset + 1 < SPACING {
            (0..WIDTH).for_each(|_| sum = sum.double());
        }
        for (digits, comb) in &terms {
            for (digit, row) in digits.iter().skip(offset).step_by(SPACING).zip(comb.rows()) {
                let multiple =
                    usize::from(digit.unsigned_abs()).checked_sub(1).and_then(|place| row.get(place));
                match multiple {
                    Some(multiple) if *digit > 0 => sum += *multiple,
                    Some(multiple) => sum -= *multiple,
                    None => {}
                }
            }
        }
    }
    sum
}

/// Returns the digits, lowest first.
fn digits(scalar: &Scalar) -> [i8; DIGITS] {
    let bytes = scalar.to_bytes();
    let mut bytes = bytes.iter().rev();
    // Bits that were read but not used, including a carry.
    let (mut pool, mut bits) = (0u32, 0);
    let mut digits = [0; DIGITS];
    for digit in &mut digits {
        if bits < WIDTH {
            pool += u32::from(bytes.next().copied().unwrap_or(0)) << bits;
            bits += 8;
        }
        let value = (pool % (1 << WIDTH)) as i8;
        pool >>= WIDTH;
        bits -= WIDTH;
        *digit = value;
        if usize::from(value.unsigned_abs()) > MULTIPLES {
            *digit -= 1 << WIDTH;
            pool += 1;
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::{Field, Group, Secp256k1};
    use getrandom::SysRng;

    fn power(exponent: u32) -> Scalar {
        (0..exponent).fold(Scalar::ONE, |power, _| power + power)
    }

    fn numbers() -> Vec<Scalar> {
        let mut numbers = alloc::vec![Scalar::ZERO, Scalar::ONE, -Scalar::ONE];
        for exponent in 0..256 {
            let power = power(exponent);
            // Digits of 32, of 33 and of 63, and carries through all of them.
            numbers.extend([power, -power, power - Scalar::ONE, power * Scalar::from(33u32)]);
        }
        numbers.extend((0..50).map(|_| <Scalar as Field>::random(&mut SysRng).unwrap()));
        numbers
    }

    #[test]
    fn digits_are_small_and_add_up() {
        for number in numbers() {
            let digits = digits(&number);
            assert!(digits.iter().all(|digit| (-31..=32).contains(digit)));
            let value = digits.iter().rev().fold(Scalar::ZERO, |value, digit| {
                let size = Scalar::from(u32::from(digit.unsigned_abs()));
                value * Scalar::from(64u32) + if *digit < 0 { -size } else { size }
            });
            assert_eq!(value, number);
        }
    }

    #[test]
    fn sums_equal_those_without_tables() {
        let point = Secp256k1::base(&Field::random(&mut SysRng).unwrap());
        let [on_generator, on_point] = [ProjectivePoint::GENERATOR, point].map(|point| Comb::new(&point));
        let numbers = numbers();
        for (a, b) in numbers.iter().zip(numbers.iter().rev()) {
            assert_eq!(sum([(a, &on_point), (b, &on_generator)]), Secp256k1::public_double(a, &point, b));
        }
        // The neutral element as an intermediate value, and as the result.
        assert_eq!(sum([(&Scalar::ONE, &on_point), (&-Scalar::ONE, &on_point)]), ProjectivePoint::IDENTITY);
        assert_eq!(sum([(&power(70), &Comb::new(&ProjectivePoint::IDENTITY))]), ProjectivePoint::IDENTITY);
    }
}
