//! Haraka v2 (Kölbl, Lauridsen, Mendel, Rechberger: "Haraka v2 – Efficient Short-Input Hashing for Post-Quantum
//! Applications", 2016): 32 or 64 bytes to 32, out of ten AES rounds per block.
//!
//! This is the reference form, which the vectorised forms must equal. Its AES round runs in constant time on every
//! machine: it uses the processor's instruction where there is one, and a bit-sliced circuit without tables
//! elsewhere.

use aes::Block;
use aes::hazmat::cipher_round;

/// The round constants, as 128-bit little-endian numbers.
pub(super) const ROUND: [u128; 40] = [
    0x0684704c_e620c00a_b2c5fef0_75817b9d,
    0x8b66b4e1_88f3a06b_640f6ba4_2f08f717,
    0x3402de2d_53f28498_cf029d60_9f029114,
    0x0ed6eae6_2e7b4f08_bbf3bcaf_fd5b4f79,
    0xcbcfb0cb_4872448b_79eecd1c_be397044,
    0x7eeacdee_6e9032b7_8d5335ed_2b8a057b,
    0x67c28f43_5e2e7cd0_e2412761_da4fef1b,
    0x2924d9b0_afcacc07_675ffde2_1fc70b3b,
    0xab4d63f1_e6867fe9_ecdb8fca_b9d465ee,
    0x1c30bf84_d4b7cd64_5b2a404f_ad037e33,
    0xb2cc0bb9_941723bf_69028b2e_8df69800,
    0xfa0478a6_de6f5572_4aaa9ec8_5c9d2d8a,
    0xdfb49f2b_6b772a12_0efa4f2e_29129fd4,
    0x1ea10344_f449a236_32d611ae_bb6a12ee,
    0xaf044988_4b050084_5f9600c9_9ca8eca6,
    0x21025ed8_9d199c4f_78a2c7e3_27e593ec,
    0xbf3aaaf8_a759c9b7_b9282ecd_82d40173,
    0x6260700d_6186b017_37f2efd9_10307d6b,
    0x5aca45c2_21300443_81c29153_f6fc9ac6,
    0x9223973c_226b68bb_2caf92e8_36d1943a,
    0xd3bf9238_225886eb_6cbab958_e51071b4,
    0xdb863ce5_aef0c677_933dfddd_24e1128d,
    0xbb606268_ffeba09c_83e48de3_cb2212b1,
    0x734bd3dc_e2e4d19c_2db91a4e_c72bf77d,
    0x43bb47c3_61301b43_4b1415c4_2cb3924e,
    0xdba775a8_e707eff6_03b231dd_16eb6899,
    0x6df3614b_3c755977_8e5e2302_7eca472c,
    0xcda75a17_d6de7d77_6d1be5b9_b88617f9,
    0xec6b43f0_6ba8e9aa_9d6c069d_a946ee5d,
    0xcb1e6950_f957332b_a2531159_3bf327c1,
    0x2cee0c75_00da619c_e4ed0353_600ed0d9,
    0xf0b1a5a1_96e90cab_80bbbabc_63a4a350,
    0xae3db102_5e962988_ab0dde30_938dca39,
    0x17bb8f38_d554a40b_8814f3a8_2e75b442,
    0x34bb8a5b_5f427fd7_aeb6b779_360a16f6,
    0x26f65241_cbe55438_43ce5918_ffbaafde,
    0x4ce99a54_b9f3026a_a2ca9cf7_839ec978,
    0xae51a51a_1bdff7be_40c06e28_22901235,
    0xa0c1613c_ba7ed22b_c173bc0f_48a659cf,
    0x756acc03_02288288_4ad6bdfd_e9c59da1,
];

/// The round constants as bytes.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
pub(super) static CONSTANTS: [[u8; 16]; 40] = {
    let (mut bytes, mut i) = ([[0; 16]; 40], 0);
    #[allow(clippy::indexing_slicing, reason = "constant bounds, evaluated at compile time")]
    while i < 40 {
        bytes[i] = ROUND[i].to_le_bytes();
        i += 1;
    }
    bytes
};

/// Haraka-256 of 32 bytes.
pub(super) fn haraka256(input: &[u8; 32]) -> [u8; 32] {
    let (mut a, mut b) = split(input);
    let (first, second) = (a, b);
    for [k0, k1, k2, k3] in ROUND.as_chunks_of_four().take(5) {
        a = aes_round(aes_round(a, k0), k2);
        b = aes_round(aes_round(b, k1), k3);
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (words(a), words(b));
        (a, b) = (block([a0, b0, a1, b1]), block([a2, b2, a3, b3]));
    }
    join(a ^ first, b ^ second)
}

/// Haraka-512 of 64 bytes, truncated to 32 bytes as its specification defines.
pub(super) fn haraka512(input: &[u8; 64]) -> [u8; 32] {
    let (low, high) = halves(input);
    let ((mut a, mut b), (mut c, mut d)) = (split(&low), split(&high));
    let start = [a, b, c, d];
    let mut keys = ROUND.as_chunks_of_four();
    while let (Some([k0, k1, k2, k3]), Some([l0, l1, l2, l3])) = (keys.next(), keys.next()) {
        a = aes_round(aes_round(a, k0), l0);
        b = aes_round(aes_round(b, k1), l1);
        c = aes_round(aes_round(c, k2), l2);
        d = aes_round(aes_round(d, k3), l3);
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (words(a), words(b));
        let ([c0, c1, c2, c3], [d0, d1, d2, d3]) = (words(c), words(d));
        a = block([a3, c3, b3, d3]);
        b = block([c0, a0, d0, b0]);
        c = block([c1, a1, d1, b1]);
        d = block([a2, c2, b2, d2]);
    }
    let [s0, s1, s2, s3] = start;
    let low_half = u128::from(u64::MAX);
    join((a ^ s0) >> 64 | ((b ^ s1) >> 64) << 64, (c ^ s2) & low_half | (d ^ s3) << 64)
}

/// One AES round: SubBytes, ShiftRows, MixColumns, AddRoundKey.
fn aes_round(state: u128, key: u128) -> u128 {
    let mut state = Block::from(state.to_le_bytes());
    cipher_round(&mut state, &Block::from(key.to_le_bytes()));
    u128::from_le_bytes(state.into())
}

fn words(block: u128) -> [u32; 4] {
    [block as u32, (block >> 32) as u32, (block >> 64) as u32, (block >> 96) as u32]
}

fn block([a, b, c, d]: [u32; 4]) -> u128 {
    u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
}

fn halves(input: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    let (mut low, mut high) = ([0; 32], [0; 32]);
    let (first, second) = input.split_at(32);
    low.copy_from_slice(first);
    high.copy_from_slice(second);
    (low, high)
}

fn split(input: &[u8; 32]) -> (u128, u128) {
    let (mut a, mut b) = ([0; 16], [0; 16]);
    let (first, second) = input.split_at(16);
    a.copy_from_slice(first);
    b.copy_from_slice(second);
    (u128::from_le_bytes(a), u128::from_le_bytes(b))
}

fn join(a: u128, b: u128) -> [u8; 32] {
    let mut out = [0; 32];
    let (first, second) = out.split_at_mut(16);
    first.copy_from_slice(&a.to_le_bytes());
    second.copy_from_slice(&b.to_le_bytes());
    out
}

trait Fours {
    fn as_chunks_of_four(&self) -> impl Iterator<Item = [u128; 4]>;
}

impl Fours for [u128; 40] {
    fn as_chunks_of_four(&self) -> impl Iterator<Item = [u128; 4]> {
        self.chunks_exact(4).filter_map(|four| four.try_into().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting<const N: usize>() -> [u8; N] {
        core::array::from_fn(|i| i as u8)
    }

    #[test]
    fn the_authors_test_vectors_hold() {
        assert_eq!(
            hex::encode(haraka256(&counting())),
            "8027ccb87949774b78d0545fb72bf70c695c2a0923cbd47bba1159efbf2b2c1c"
        );
        assert_eq!(
            hex::encode(haraka512(&counting())),
            "be7f723b4e80a99813b292287f306f625a6d57331cae5f34dd9277b0945be2aa"
        );
    }
}
