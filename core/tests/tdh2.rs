//! Threshold encryption: valid decryptions, and attacks that must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "threshold")]

use std::sync::Arc;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::scalar::Scalar;
use quorate::committee::CommitteeId;
use quorate::threshold::tdh2::{
    Ciphertext, Decryption, DecryptionShare, EncryptionKey, KeyShare, MAX_PLAINTEXT, OVERHEAD, PublicKeys,
    ShareFault, ValidCiphertext, VerifiedShare,
};
use quorate::threshold::{Threshold, coin, lagrange};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

const COMMITTEE: CommitteeId = CommitteeId([7; 32]);
const EPOCH: u64 = 12;
const PROPOSER: u16 = 3;
const PLAINTEXT: &[u8] = b"pay 5 to Bob";

struct Setup {
    rng: StdRng,
    keys: Arc<PublicKeys>,
    key: EncryptionKey,
    shares: Vec<KeyShare>,
    cache: lagrange::Cache<Scalar>,
}

fn setup(needed: u16, parties: u16) -> Setup {
    let mut rng = StdRng::seed_from_u64(u64::from(needed) << 16 | u64::from(parties));
    let threshold = Threshold::new(needed, parties).unwrap();
    let (keys, shares) = PublicKeys::deal(COMMITTEE, threshold, &mut rng).unwrap();
    let key = EncryptionKey::from_public_keys(&keys);
    Setup { rng, keys: Arc::new(keys), key, shares, cache: lagrange::Cache::default() }
}

impl Setup {
    fn encrypt(&mut self, plaintext: &[u8]) -> Ciphertext {
        self.key.encrypt(EPOCH, PROPOSER, plaintext, &mut self.rng).unwrap()
    }

    fn valid(&mut self, plaintext: &[u8]) -> ValidCiphertext {
        let ciphertext = self.encrypt(plaintext);
        ciphertext.check(&self.key, EPOCH, PROPOSER).unwrap()
    }

    fn share(&mut self, of: &ValidCiphertext, member: usize) -> DecryptionShare {
        self.shares[member].decryption_share(of, &mut self.rng).unwrap()
    }

    fn verified(&mut self, of: &ValidCiphertext, members: &[usize]) -> Vec<VerifiedShare> {
        let shares: Vec<_> = members.iter().map(|m| self.share(of, *m)).collect();
        let checked = self.keys.verify_shares(of.instance(), &shares).unwrap();
        assert!(checked.faults.is_empty());
        checked.verified
    }

    fn check(&self, bytes: &[u8]) -> Result<ValidCiphertext> {
        Ciphertext::decode(bytes, &())?.check(&self.key, EPOCH, PROPOSER)
    }
}

/// Returns the bytes with a part replaced.
fn with(bytes: &[u8], at: usize, piece: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[at..at + piece.len()].copy_from_slice(piece);
    changed
}

fn flip(bytes: &[u8], at: usize) -> Vec<u8> {
    with(bytes, at, &[bytes[at] ^ 1])
}

fn point(bytes: &[u8]) -> RistrettoPoint {
    CompressedRistretto::from_slice(bytes).unwrap().decompress().unwrap()
}

fn scalar(bytes: &[u8]) -> Scalar {
    Scalar::from_canonical_bytes(bytes.try_into().unwrap()).unwrap()
}

// Offsets of the fields of a ciphertext.
const C: usize = 0;
const U: usize = 32;
const U_BAR: usize = 64;
const E: usize = 96;
const F: usize = 128;
const LABEL: usize = 160;
const PAYLOAD: usize = 234 + 4;

#[test]
fn any_threshold_of_members_decrypts_and_fewer_do_not() {
    let mut s = setup(3, 5);
    for plaintext in [&b""[..], b"x", PLAINTEXT, &[9; 5_000]] {
        let ciphertext = s.valid(plaintext);
        assert_eq!(ciphertext.clone().into_inner().encode().len(), PAYLOAD + plaintext.len() + OVERHEAD);
        for mask in 0u32..32 {
            let members: Vec<_> = (0..5).filter(|i| mask >> i & 1 == 1).collect();
            let shares = s.verified(&ciphertext, &members);
            let opened = ciphertext.combine(&s.keys, &shares, &mut s.cache);
            match members.len() {
                0 => assert_eq!(opened, Err(Error::BelowQuorum { signed: 0, needed: 1 })),
                n if n < 3 => assert_eq!(opened, Err(Error::BelowQuorum { signed: n as u128, needed: 3 })),
                _ => assert_eq!(opened.as_deref(), Ok(plaintext)),
            }
        }
    }
}

#[test]
fn tables_change_nothing_but_the_time() {
    let mut s = setup(2, 4);
    let plain = s.encrypt(PLAINTEXT).encode();
    s.key = EncryptionKey::from_public_keys(&s.keys).precomputed();
    s.keys = Arc::new(PublicKeys::decode(&s.keys.encode(), &()).unwrap().precomputed());
    let ciphertext = s.check(&plain).unwrap();
    let shares = s.verified(&ciphertext, &[3, 1]);
    assert_eq!(ciphertext.combine(&s.keys, &shares, &mut s.cache).unwrap(), PLAINTEXT);
    let with_tables = s.valid(PLAINTEXT);
    let fresh = EncryptionKey::from_public_keys(&s.keys);
    with_tables.into_inner().check(&fresh, EPOCH, PROPOSER).unwrap();
}

#[test]
fn a_scaled_ciphertext_gives_no_share() {
    let mut s = setup(2, 4);
    let bytes = s.encrypt(PLAINTEXT).encode();
    let (u, u_bar) = (point(&bytes[U..U_BAR]), point(&bytes[U_BAR..E]));
    let (e, f) = (scalar(&bytes[E..F]), scalar(&bytes[F..LABEL]));
    let a = Scalar::from(3u64);
    // The aim of the scaling: shares of a·u are a times the shares of u.
    let scaled =
        with(&with(&bytes, U, (a * u).compress().as_bytes()), U_BAR, (a * u_bar).compress().as_bytes());
    let and_f = with(&scaled, F, (a * f).as_bytes());
    let half_scaled = with(&bytes, U, (a * u).compress().as_bytes());
    // Moved by a·G and a·Ḡ, with an f that compensates: the commitments are equal, the hash is not.
    let g_bar = {
        let mut wide = [0; 64];
        quorate::wire::domain::hasher(quorate::wire::domain::TDH2_GENERATOR).finalize_xof().fill(&mut wide);
        RistrettoPoint::from_uniform_bytes(&wide)
    };
    let moved = with(&bytes, U, (u + RistrettoPoint::mul_base(&a)).compress().as_bytes());
    let moved = with(&moved, U_BAR, (u_bar + a * g_bar).compress().as_bytes());
    let moved = with(&moved, F, (f + e * a).as_bytes());
    let other_key = flip(&bytes, C);
    let negated = with(&with(&bytes, U, (-u).compress().as_bytes()), U_BAR, (-u_bar).compress().as_bytes());
    let swapped = with(&with(&bytes, U, &bytes[U_BAR..E]), U_BAR, &bytes[U..U_BAR]);
    for (what, bytes) in [
        ("scaled", scaled),
        ("and f", and_f),
        ("u alone", half_scaled),
        ("moved", moved),
        ("another wrapped key", other_key),
        ("negated", negated),
        ("swapped", swapped),
        ("e", flip(&bytes, E)),
        ("f", with(&bytes, F, (f + Scalar::ONE).as_bytes())),
    ] {
        assert_eq!(s.check(&bytes).err(), Some(Error::BadCiphertext), "{what}");
    }
}

#[test]
fn a_label_belongs_to_its_ciphertext() {
    let mut s = setup(2, 4);
    let good = s.encrypt(PLAINTEXT);
    let wrong = |what| Some(Error::WrongContext { what });
    assert_eq!(good.clone().check(&s.key, EPOCH + 1, PROPOSER).err(), wrong("epoch"));
    assert_eq!(good.clone().check(&s.key, EPOCH, PROPOSER + 1).err(), wrong("proposer"));
    let (elsewhere, _) =
        PublicKeys::deal(CommitteeId([8; 32]), Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(
        good.clone().check(&EncryptionKey::from_public_keys(&elsewhere), EPOCH, PROPOSER).err(),
        wrong("committee")
    );

    // The label rewritten to the wanted context, with the original proof.
    let bytes = good.encode();
    let relabelled =
        |at: usize, piece: &[u8]| Ciphertext::decode(&with(&bytes, LABEL + at, piece), &()).unwrap();
    let bad = Some(Error::BadCiphertext);
    assert_eq!(relabelled(32, &(EPOCH + 1).to_le_bytes()).check(&s.key, EPOCH + 1, PROPOSER).err(), bad);
    assert_eq!(relabelled(40, &(PROPOSER + 1).to_le_bytes()).check(&s.key, EPOCH, PROPOSER + 1).err(), bad);
    let to_elsewhere = relabelled(0, &[8; 32]);
    assert_eq!(to_elsewhere.check(&EncryptionKey::from_public_keys(&elsewhere), EPOCH, PROPOSER).err(), bad);

    // Other keys of the same committee.
    let (redealt, shares) = PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(good.clone().check(&EncryptionKey::from_public_keys(&redealt), EPOCH, PROPOSER).err(), bad);
    let valid = good.check(&s.key, EPOCH, PROPOSER).unwrap();
    assert_eq!(shares[0].decryption_share(&valid, &mut s.rng).err(), wrong("key"));
    let share = s.share(&valid, 0);
    assert_eq!(redealt.verify_share(valid.instance(), &share).err(), wrong("key"));
    assert_eq!(elsewhere.verify_share(valid.instance(), &share).err(), wrong("committee"));
    assert_eq!(Decryption::new(Arc::new(redealt), valid).err(), wrong("key"));
}

#[test]
fn a_payload_belongs_to_its_label() {
    let mut s = setup(2, 4);
    let bytes = s.encrypt(PLAINTEXT).encode();
    for at in [PAYLOAD, PAYLOAD + 31, PAYLOAD + 32, bytes.len() - 1] {
        let tampered = flip(&bytes, at);
        assert_eq!(s.check(&tampered).err(), Some(Error::BadCiphertext), "payload, byte {at}");
        // With a matching hash in the label.
        let hash = quorate::wire::domain::hash(quorate::wire::domain::TDH2_PAYLOAD, &tampered[PAYLOAD..]);
        let rehashed = with(&tampered, LABEL + 42, &hash);
        assert_eq!(s.check(&rehashed).err(), Some(Error::BadCiphertext), "rehashed, byte {at}");
    }
    let other = s.encrypt(b"pay 9 to Eve").encode();
    let header_of_one_payload_of_other = [&bytes[..PAYLOAD], &other[PAYLOAD..]].concat();
    assert_eq!(s.check(&header_of_one_payload_of_other).err(), Some(Error::BadCiphertext));
}

#[test]
fn a_share_is_of_one_member_and_one_ciphertext() {
    let mut s = setup(2, 4);
    let (first, second) = (s.valid(PLAINTEXT), s.valid(PLAINTEXT));
    let share = s.share(&first, 1);
    s.keys.verify_share(first.instance(), &share).unwrap();
    let bad = |member| Some(Error::BadShare { members: vec![member] });
    assert_eq!(s.keys.verify_share(second.instance(), &share).err(), bad(1), "another ciphertext");
    let bytes = share.encode();
    for member in [0u16, 2, 3] {
        let moved = DecryptionShare::decode(&with(&bytes, 0, &member.to_le_bytes()), &()).unwrap();
        assert_eq!(s.keys.verify_share(first.instance(), &moved).err(), bad(member), "another index");
    }
    let outside = DecryptionShare::decode(&with(&bytes, 0, &4u16.to_le_bytes()), &()).unwrap();
    let unknown = Some(Error::UnknownSigner { index: 4 });
    assert_eq!(s.keys.verify_share(first.instance(), &outside).err(), unknown);
    assert_eq!(s.keys.verify_shares(first.instance(), &[share, outside]).err(), unknown);
    // One u under two labels: the author knows r and may do that. The share point is the same, its proof is not.
    let other = s.share(&first, 1).encode();
    for at in [2, 34, 66, 98] {
        let mixed = with(&bytes, at, &other[at..at + 32]);
        let mixed = DecryptionShare::decode(&mixed, &()).unwrap();
        let verdict = s.keys.verify_share(first.instance(), &mixed).err();
        // Both proofs are of the same point, which has the same bytes.
        assert_eq!(verdict, if at == 2 { None } else { bad(1) }, "field at {at}");
    }
}

#[test]
fn one_u_under_two_labels_needs_two_proofs() {
    let mut s = setup(2, 4);
    // The same randomness twice, for two epochs.
    let encrypt = |s: &Setup, epoch| {
        let mut rng = StdRng::seed_from_u64(99);
        let ciphertext = s.key.encrypt(epoch, PROPOSER, PLAINTEXT, &mut rng).unwrap();
        ciphertext.check(&s.key, epoch, PROPOSER).unwrap()
    };
    let (first, second) = (encrypt(&s, 1), encrypt(&s, 2));
    assert_eq!(first.clone().into_inner().encode()[U..E], second.clone().into_inner().encode()[U..E]);
    let share = s.share(&first, 0);
    s.keys.verify_share(first.instance(), &share).unwrap();
    let moved = s.keys.verify_share(second.instance(), &share).err();
    assert_eq!(moved, Some(Error::BadShare { members: vec![0] }), "the same base, and another epoch");
}

#[test]
fn only_verified_shares_of_distinct_members_combine() {
    let mut s = setup(2, 4);
    let (first, second) = (s.valid(PLAINTEXT), s.valid(PLAINTEXT));
    let (of_first, of_second) = (s.verified(&first, &[0, 1]), s.verified(&second, &[2, 3]));
    let mut combine = |shares: &[VerifiedShare]| first.combine(&s.keys, shares, &mut s.cache).err();
    assert_eq!(combine(&[of_first[0], of_first[0]]), Some(Error::DuplicateSigner { index: 0 }));
    assert_eq!(
        combine(&[of_first[0], of_second[0]]),
        Some(Error::WrongContext { what: "instance of a share" })
    );
    assert_eq!(combine(&[of_first[1]]), Some(Error::BelowQuorum { signed: 1, needed: 2 }));
    assert_eq!(combine(&[of_first[1], of_first[0]]), None);
}

#[test]
fn decryption_opens_with_the_first_shares() {
    let mut s = setup(3, 7);
    let ciphertext = s.valid(PLAINTEXT);
    let mut decryption = Decryption::new(s.keys.clone(), ciphertext.clone()).unwrap();
    for (member, expected) in [(4, None), (4, None), (0, None), (6, Some(PLAINTEXT)), (1, None)] {
        let share = s.share(&ciphertext, member);
        let got = decryption.add(share, &mut s.cache).unwrap();
        assert!(got.faults.is_empty());
        assert_eq!(got.output.map(Result::unwrap).as_deref(), expected);
    }
    assert!(decryption.is_done());
}

/// A share with another point and the original proof.
fn damaged(share: &DecryptionShare) -> DecryptionShare {
    let bytes = share.encode();
    let other = (point(&bytes[2..34]) + RistrettoPoint::mul_base(&Scalar::ONE)).compress();
    DecryptionShare::decode(&with(&bytes, 2, other.as_bytes()), &()).unwrap()
}

#[test]
fn decryption_drops_and_blames_wrong_shares() {
    let mut s = setup(3, 7);
    let ciphertext = s.valid(PLAINTEXT);
    for wrong in [vec![0], vec![2], vec![1, 2], vec![0, 1, 2], vec![0, 3, 4, 5]] {
        let mut decryption = Decryption::new(s.keys.clone(), ciphertext.clone()).unwrap();
        let (mut faults, mut opened) = (Vec::new(), None);
        for member in 0..7 {
            let mut share = s.share(&ciphertext, member);
            if wrong.contains(&member) {
                share = damaged(&share);
            }
            let got = decryption.add(share, &mut s.cache).unwrap();
            faults.extend(got.faults.iter().map(|fault| usize::from(fault.member())));
            if let Some(output) = got.output {
                assert!(opened.replace(output.unwrap()).is_none(), "opened twice");
                break;
            }
        }
        assert_eq!(opened.as_deref(), Some(PLAINTEXT), "{wrong:?}");
        assert_eq!(faults, wrong);
    }
}

#[test]
fn forged_share_does_not_displace_the_members_own() {
    let mut s = setup(3, 4);
    let ciphertext = s.valid(PLAINTEXT);
    let mut decryption = Decryption::new(s.keys.clone(), ciphertext.clone()).unwrap();
    let mut all_faults = Vec::new();
    for (member, forge) in [(0, true), (0, false), (1, false), (1, true), (2, true), (2, false)] {
        let share = s.share(&ciphertext, member);
        let share = if forge { damaged(&share) } else { share };
        let got = decryption.add(share, &mut s.cache).unwrap();
        all_faults.extend(got.faults);
        assert_eq!(got.output.is_some(), (member, forge) == (2, false));
    }
    assert!(all_faults.iter().all(|fault| matches!(fault, ShareFault::Forged { .. })));
    assert_eq!(all_faults.iter().map(ShareFault::member).collect::<Vec<_>>(), [0, 2]);
}

/// The author's fault, with a valid proof: the payload does not match the wrapped key. All members find the same,
/// whichever shares arrive first, with a wrong one among them or not.
#[test]
fn unopenable_payload_blames_the_author_only() {
    let mut s = setup(2, 4);
    let bytes = s.encrypt(PLAINTEXT).encode();
    for at in [PAYLOAD, PAYLOAD + OVERHEAD - 1] {
        let bytes = s.forge_payload(&flip(&bytes, at));
        let ciphertext = s.check(&bytes).expect("the proof holds");
        let shares = s.verified(&ciphertext, &[0, 3]);
        let combined = ciphertext.combine(&s.keys, &shares, &mut s.cache);
        assert_eq!(combined, Err(Error::BadCiphertext));
        for with_a_wrong_one in [false, true] {
            let mut decryption = Decryption::new(s.keys.clone(), ciphertext.clone()).unwrap();
            let (mut outputs, mut faults) = (Vec::new(), Vec::new());
            for member in 0..4 {
                let share = s.share(&ciphertext, member);
                let share = if with_a_wrong_one && member == 0 { damaged(&share) } else { share };
                let got = decryption.add(share, &mut s.cache).unwrap();
                outputs.extend(got.output);
                faults.extend(got.faults);
            }
            assert_eq!(outputs, [Err(Error::BadCiphertext)]);
            assert_eq!(faults.len(), usize::from(with_a_wrong_one));
        }
    }
}

impl Setup {
    /// Makes a ciphertext with any payload and a valid proof, as its author can with the same hash functions.
    fn forge_payload(&self, bytes: &[u8]) -> Vec<u8> {
        use quorate::wire::domain;
        let (r, k) = (Scalar::from(77u64), Scalar::from(78u64));
        let mut wide = [0; 64];
        domain::hasher(domain::TDH2_GENERATOR).finalize_xof().fill(&mut wide);
        let g_bar = RistrettoPoint::from_uniform_bytes(&wide);
        let key = point(self.keys.key().as_bytes());
        let u = RistrettoPoint::mul_base(&r).compress();
        let u_bar = (r * g_bar).compress();
        let pad = *domain::hasher(domain::TDH2_PAD)
            .update(u.as_bytes())
            .update((r * key).compress().as_bytes())
            .finalize()
            .as_bytes();
        // The wrapped key is zero; the payload belongs to another key.
        let mut bytes = with(bytes, C, &pad);
        bytes = with(&bytes, U, u.as_bytes());
        bytes = with(&bytes, U_BAR, u_bar.as_bytes());
        bytes = with(&bytes, LABEL + 42, &domain::hash(domain::TDH2_PAYLOAD, &bytes[PAYLOAD..]));
        let doubled = |point: RistrettoPoint| (point + point).compress();
        let hash = *domain::hasher(domain::TDH2_VALIDITY)
            .update(self.keys.key().as_bytes())
            .update(&bytes[C..U])
            .update(&bytes[LABEL..LABEL + 74])
            .update(u.as_bytes())
            .update(doubled(RistrettoPoint::mul_base(&k)).as_bytes())
            .update(u_bar.as_bytes())
            .update(doubled(k * g_bar).as_bytes())
            .finalize()
            .as_bytes();
        let e = u128::from_le_bytes(hash[..16].try_into().unwrap());
        bytes = with(&bytes, E, &e.to_le_bytes());
        with(&bytes, F, (k + r * Scalar::from(e)).as_bytes())
    }
}

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

/// Two proofs with one k and different challenges reveal the secret: z − z′ = (c − c′)·xᵢ.
#[test]
fn repeated_randomness_reveals_no_secret() {
    let mut s = setup(2, 4);
    let (first, second) = (s.valid(PLAINTEXT), s.valid(PLAINTEXT));
    let share = |of: &ValidCiphertext| {
        s.shares[0].decryption_share(of, &mut StdRng::seed_from_u64(1)).unwrap().encode()
    };
    let (one, again, other) = (share(&first), share(&first), share(&second));
    assert_eq!(one, again);
    assert_ne!(one[34..66], other[34..66], "A₁ is k·G");
}
