//! Keys, possession proofs, signatures, and signer sets in the formats of other chains.

use quorate::committee::RawSigners;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Encode, Reader, Writer};

use crate::fixture::Fixed;
use crate::identity;
use crate::scheme::{ForScheme, choose, seeds_of_each};
use crate::seeds::from_vectors;
use quorate::bls::{Ciphersuite, Counted, MinPk, MinSig};
use quorate::ed25519::Ed25519;

/// Keys, possession proofs and signatures of one member, and ciphersuites.
pub(crate) fn keys(bytes: &[u8]) {
    struct Keys;
    impl ForScheme for Keys {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            identity::<S::PublicKey, ()>(bytes, &());
            identity::<Ciphersuite, ()>(bytes, &());
            let fixture = S::fixture();
            if let (Some(signature), Some(key)) =
                (identity::<S::Signature, ()>(bytes, &()), fixture.committee.key(0))
            {
                // No member has signed this message: no decoded signature may verify, by any method.
                assert!(S::verify(key, b"never signed", &signature).is_err());
                assert!(
                    S::verify_possession(key, &signature).is_err() || is_possession_of_first::<S>(&signature)
                );
            }
            link_identity::<S>(bytes);
            if let Some(key) = identity::<UnverifiedKey<S>, ()>(bytes, &())
                && let Ok(verified) = key.verify()
            {
                assert_eq!(verified.public(), key.public());
            }
            if let Ok(secret) = S::secret_from_bytes(bytes) {
                assert_eq!(S::secret_to_bytes(&secret).as_slice(), bytes);
            }
        }
    }
    choose(bytes, Keys);
}

fn is_possession_of_first<S: Fixed>(signature: &S::Signature) -> bool {
    S::fixture().secrets.first().is_some_and(|secret| S::prove_possession(secret) == *signature)
}

/// The direct-link encoding is canonical too.
fn link_identity<S: Scheme>(bytes: &[u8]) {
    let mut r = Reader::new(bytes);
    if let Ok(signature) = S::decode_link(&mut r) {
        let mut w = Writer::new();
        S::encode_link(&signature, &mut w);
        let read = bytes.len() - r.remaining();
        assert_eq!(Some(w.into_bytes().as_slice()), bytes.get(..read));
    }
}

/// Seeds of [`keys`].
pub(crate) fn key_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed>() -> Vec<Vec<u8>> {
        let mut seeds: Vec<Vec<u8>> =
            from_vectors().iter().filter(|seed| seed.len() <= 300).cloned().collect();
        for secret in S::fixture().secrets.iter().take(2) {
            let signature = S::sign(secret, b"signed");
            let mut link = Writer::new();
            S::encode_link(&signature, &mut link);
            seeds.extend([signature.encode(), link.into_bytes(), UnverifiedKey::<S>::prove(secret).encode()]);
            seeds.extend([S::public_key(secret).encode(), S::secret_to_bytes(secret).to_vec()]);
        }
        seeds
    }
    seeds_of_each([
        seeds_for::<MinSig>,
        seeds_for::<MinPk>,
        seeds_for::<Ed25519>,
        seeds_for::<Counted<MinSig>>,
        seeds_for::<Counted<MinPk>>,
    ])
}

/// Signers as indices and as bitmaps of either bit order.
pub(crate) fn signer_sets(bytes: &[u8]) {
    let committee = &Ed25519::fixture().committee;
    let indices: Vec<u32> = bytes
        .chunks(4)
        .map(|chunk| chunk.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte)))
        .collect();
    if let Ok(set) = committee.signer_set(RawSigners::Indices(&indices)) {
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        assert_eq!(set.iter().map(u32::from).collect::<Vec<_>>(), sorted, "the indices differ");
    }
    let flipped: Vec<u8> = bytes.iter().map(|byte| byte.reverse_bits()).collect();
    let lsb = committee.signer_set(RawSigners::LsbFirst(bytes));
    assert_eq!(lsb, committee.signer_set(RawSigners::MsbFirst(&flipped)), "the two bit orders disagree");
    if let Ok(set) = lsb {
        let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(set.len(), ones as usize);
        assert_eq!(set.complement().complement(), set);
        assert_eq!(
            committee.weight_of(&set) + committee.weight_of(&set.complement()),
            committee.total_weight()
        );
    }
}

/// Seeds of [`signer_sets`].
pub(crate) fn signer_set_seeds() -> Vec<Vec<u8>> {
    vec![
        vec![0b0101_1011],
        vec![0x7f],
        vec![0xff],
        vec![0, 0],
        vec![0, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0],
        vec![],
    ]
}
