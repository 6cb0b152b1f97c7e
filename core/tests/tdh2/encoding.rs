//! Encodings and limits.

use quorate::Error;
use quorate::threshold::tdh2::{
    Ciphertext, DecryptionShare, EncryptionKey, KeyShare, MAX_PLAINTEXT, OVERHEAD, PublicKeys,
};
use quorate::threshold::{Threshold, coin};
use quorate::wire::{Decode, Encode};

use super::harness::{COMMITTEE, E, EPOCH, F, PAYLOAD, PLAINTEXT, PROPOSER, U, U_BAR, setup, with};

#[test]
fn coin_keys_cannot_decrypt() {
    let mut s = setup(2, 4);
    let (keys, shares) =
        coin::PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    let wrong = Some(Error::WrongContext { what: "purpose" });
    assert_eq!(PublicKeys::decode(&keys.encode(), &()).err(), wrong);
    assert_eq!(KeyShare::from_bytes(&*shares[0].to_bytes()).err(), wrong);
    assert_eq!(EncryptionKey::decode(&keys.encode()[..65], &()).err(), wrong);
    assert_eq!(EncryptionKey::decode(&s.keys.encode()[..65], &()).unwrap().encode(), s.key.encode());
}

#[test]
fn decoders_accept_one_encoding_only() {
    let mut s = setup(2, 4);
    let ciphertext = s.valid(PLAINTEXT);
    let share = s.share(&ciphertext, 1).encode();
    let bytes = ciphertext.into_inner().encode();
    let decode = |bytes: &[u8]| Ciphertext::decode(bytes, &()).err().map(|error| error.code());
    let decode_share = |bytes: &[u8]| DecryptionShare::decode(bytes, &()).err().map(|error| error.code());
    for cut in [0, 1, 31, 32, 100, 159, 160, 233, 234, 237, PAYLOAD, bytes.len() - 1] {
        assert_eq!(decode(&bytes[..cut]), Some("MALFORMED"), "cut at {cut}");
    }
    for cut in [0, 1, 2, 33, 129] {
        assert_eq!(decode_share(&share[..cut]), Some("MALFORMED"), "cut at {cut}");
    }
    assert_eq!(decode(&[&bytes[..], &[0]].concat()), Some("MALFORMED"));
    assert_eq!(decode_share(&[&share[..], &[0]].concat()), Some("MALFORMED"));

    let order = hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
    let prime = {
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        p
    };
    let negative = {
        // p − s encodes the same as s if signs are ignored.
        let (mut negative, mut borrow) = ([0; 32], 0i32);
        for i in 0..32 {
            let digit = i32::from(prime[i]) - i32::from(bytes[U + i]) - borrow;
            (negative[i], borrow) = (digit.rem_euclid(256) as u8, i32::from(digit < 0));
        }
        negative
    };
    for at in [U, U_BAR] {
        assert_eq!(decode(&with(&bytes, at, &[0; 32])), Some("INFINITY"));
        assert_eq!(decode(&with(&bytes, at, &prime)), Some("NON_CANONICAL"));
        assert_eq!(decode(&with(&bytes, at, &negative)), Some("NON_CANONICAL"));
        assert_eq!(decode(&with(&bytes, at, &[0xff; 32])), Some("NON_CANONICAL"));
    }
    for at in [2, 34, 66] {
        assert_eq!(decode_share(&with(&share, at, &[0; 32])), Some("INFINITY"));
        assert_eq!(decode_share(&with(&share, at, &negative)), Some("NON_CANONICAL"));
    }
    assert_eq!(decode(&with(&bytes, F, &order)), Some("NON_CANONICAL"));
    assert_eq!(decode_share(&with(&share, 98, &order)), Some("NON_CANONICAL"));
    assert_eq!(decode_share(&with(&share, 0, &[0xff, 0xff])), Some("UNKNOWN_SIGNER"));
    assert_eq!(decode(&with(&bytes, E + 16, &[1])), Some("NON_CANONICAL"), "e of more than 128 bits");
    let huge = (MAX_PLAINTEXT as u32 + OVERHEAD as u32 + 1).to_le_bytes();
    assert_eq!(decode(&with(&bytes, PAYLOAD - 4, &huge)), Some("TOO_LARGE"));
    let short = [&bytes[..PAYLOAD - 4], &47u32.to_le_bytes(), &bytes[PAYLOAD..PAYLOAD + 47]].concat();
    assert_eq!(decode(&short), Some("MALFORMED"), "shorter than its overhead");
}

#[test]
fn a_payload_has_a_limit_and_a_failing_generator_is_an_error() {
    struct Broken;
    impl rand::TryRng for Broken {
        type Error = std::io::Error;
        fn try_next_u32(&mut self) -> std::io::Result<u32> {
            Err(std::io::ErrorKind::Other.into())
        }
        fn try_next_u64(&mut self) -> std::io::Result<u64> {
            Err(std::io::ErrorKind::Other.into())
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> std::io::Result<()> {
            Err(std::io::ErrorKind::Other.into())
        }
    }
    impl rand::TryCryptoRng for Broken {}

    let mut s = setup(2, 4);
    let too_long = vec![0; MAX_PLAINTEXT + 1];
    let refused = s.key.encrypt(EPOCH, PROPOSER, &too_long, &mut s.rng).err();
    assert_eq!(refused, Some(Error::TooLarge { what: "payload to encrypt", limit: MAX_PLAINTEXT as u64 }));
    let ciphertext = s.valid(PLAINTEXT);
    assert_eq!(s.key.encrypt(EPOCH, PROPOSER, PLAINTEXT, &mut Broken).err(), Some(Error::Rng));
    assert_eq!(s.shares[0].decryption_share(&ciphertext, &mut Broken).err(), Some(Error::Rng));
    assert_eq!(
        PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut Broken).err(),
        Some(Error::Rng)
    );
}
