//! Properties of every suite, byte by byte.

use quorate::dsig::{
    Announced, DsigSuite, Haraka256, HorsF, HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsM, HorsMBlake3,
    HorsMHaraka256, HorsMSha256, OneTimeScheme, Signature, Wots, WotsBlake3, WotsBlake3Wide, WotsHaraka256,
    WotsHaraka512, WotsSha256,
};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};

use super::kit::{NOW, prepare, signer, verifier};

fn signs_and_verifies<S: DsigSuite>(len: usize) {
    let (mut signer, mut rng) = signer::<S>(1, vec![]);
    let key = signer.public_key().clone();
    let (mut announced, mut unannounced) = (verifier::<S>(&key), verifier::<S>(&key));
    let Announced { to, announcement } = signer.prepare(&mut rng, NOW).unwrap().unwrap();
    assert_eq!((to, announcement.keys(), announcement.encode().len()), (None, 4, 68 + 4 * 32));
    announced.announce(&key, &announcement.encode(), NOW).unwrap();
    for i in 0..4u8 {
        let bytes = signer.sign(&[i], &[], NOW).unwrap().encode();
        assert_eq!(bytes.len(), len);
        let signature = Signature::<S>::decode(&bytes, &()).unwrap();
        assert_eq!(signature.encode(), bytes);
        assert!(announced.can_verify_fast(&key, &signature));
        assert_eq!(
            unannounced.can_verify_fast(&key, &signature),
            i > 0,
            "the first signature makes the root known"
        );
        announced.verify(&key, &[i], &signature).unwrap();
        unannounced.verify(&key, &[i], &signature).unwrap();
        signature.verify(&key, &[i]).unwrap();
        assert_eq!(announced.verify(&key, b"other", &signature).unwrap_err().code(), "BAD_SIGNATURE");
        assert_eq!(signature.verify(&key, b"other").unwrap_err().code(), "BAD_SIGNATURE");
        announced.verify(&key, &[i], &signature).unwrap();
    }
    assert_eq!(signer.sign(b"x", &[], NOW).unwrap_err().code(), "EXHAUSTED");
}

#[test]
fn every_suite_signs_and_verifies_fast_and_slowly() {
    signs_and_verifies::<WotsHaraka512>(1_584);
    signs_and_verifies::<WotsHaraka256>(1_584);
    signs_and_verifies::<WotsBlake3>(1_584);
    signs_and_verifies::<WotsBlake3Wide>(3_552);
    signs_and_verifies::<HorsFBlake3>(4_456);
    signs_and_verifies::<HorsFHaraka256>(4_456);
    signs_and_verifies::<WotsSha256>(1_584);
    signs_and_verifies::<HorsFSha256>(4_456);
}

#[test]
fn merklified_suites_sign_and_verify_fast_and_slowly() {
    signs_and_verifies::<HorsMBlake3>(4_968);
    signs_and_verifies::<HorsMHaraka256>(4_968);
    signs_and_verifies::<HorsMSha256>(4_968);
}

#[test]
fn signatures_have_the_sizes_of_the_papers_table_2() {
    fn size<S: OneTimeScheme>() -> usize {
        360 + S::SIGNATURE_LEN
    }
    let factorized = [
        size::<HorsF<Haraka256, 8, { 1 << 19 }>>(),
        size::<HorsF<Haraka256, 16, 4096>>(),
        size::<HorsF<Haraka256, 32, 512>>(),
        size::<HorsF<Haraka256, 64, 256>>(),
    ];
    assert_eq!(factorized, [360 + (8 << 20), 360 + (64 << 10), 8_552, 4_456]);
    let merklified = [
        size::<HorsM<Haraka256, 8, { 1 << 19 }>>(),
        size::<HorsM<Haraka256, 16, 4096>>(),
        size::<HorsM<Haraka256, 32, 512>>(),
        size::<HorsM<Haraka256, 64, 256>>(),
    ];
    assert_eq!(merklified, [4_712, 4_968, 5_480, 6_504]);
    let wots = [
        size::<Wots<Haraka256, 18, 136, 1>>(),
        size::<Wots<Haraka256, 18, 68, 2>>(),
        size::<Wots<Haraka256, 18, 46, 3>>(),
        size::<Wots<Haraka256, 18, 35, 4>>(),
        size::<Wots<Haraka256, 18, 28, 5>>(),
    ];
    assert_eq!(wots, [2_808, 1_584, 1_188, 990, 864]);
}

/// Each row of the paper's table is a type with default methods only.
#[test]
fn custom_suites_are_types() {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Deep {}
    impl DsigSuite for Deep {
        const NUMBER: u8 = 200;
        const NAME: &'static str = "wots-32";
        type OneTime = Wots<Haraka256, 18, 28, 5>;
    }
    signs_and_verifies::<Deep>(864);
}

#[test]
fn changed_and_truncated_signatures_are_refused_on_both_paths() {
    every_byte_matters::<WotsBlake3>(1);
    every_byte_matters::<WotsHaraka256>(7);
    every_byte_matters::<HorsFHaraka256>(13);
    every_byte_matters::<HorsMHaraka256>(13);
}

/// Checks that each changed byte invalidates a signature; of the one-time signature, every `stride`th byte.
fn every_byte_matters<S: DsigSuite>(stride: usize) {
    let (mut signer, mut rng) = signer::<S>(1, vec![]);
    let key = signer.public_key().clone();
    let mut announced = verifier::<S>(&key);
    announced.announce(&key, &prepare(&mut signer, &mut rng, NOW), NOW).unwrap();
    let good = signer.sign(b"m", &[], NOW).unwrap().encode();
    for at in (0..360).chain((360..good.len()).step_by(stride)) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        let code = match Signature::<S>::decode(&bad, &()) {
            Err(error) => error.code(),
            Ok(signature) => {
                assert_eq!(signature.encode(), bad);
                let slow = signature.verify(&key, b"m").unwrap_err().code();
                assert_eq!(announced.verify(&key, b"m", &signature).unwrap_err().code(), slow, "byte {at}");
                slow
            }
        };
        let expected: &[&str] = match at {
            0 => &["WRONG_CONTEXT"],
            1 => &["NON_CANONICAL", "BAD_SIGNATURE"],
            3 => &["MALFORMED"],
            4..8 | 52..56 | 200..360 => &["NON_CANONICAL"],
            _ => &["BAD_SIGNATURE"],
        };
        assert!(expected.contains(&code), "{} byte {at}: {code}", S::NAME);
        assert_eq!(Signature::<S>::decode(&good[..at], &()).unwrap_err().code(), "MALFORMED");
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(Signature::<S>::decode(&longer, &()).unwrap_err().code(), "MALFORMED");
    assert_eq!(Signature::<WotsHaraka512>::decode(&good, &()).unwrap_err().code(), "WRONG_CONTEXT");
}

#[test]
fn signature_of_another_signer_or_root_is_refused() {
    let (mut signer, mut rng) = signer::<WotsBlake3>(1, vec![]);
    let key = signer.public_key().clone();
    signer.prepare(&mut rng, NOW).unwrap().unwrap();
    let signature = signer.sign(b"m", &[], NOW).unwrap();
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    assert_eq!(signature.verify(&other, b"m").unwrap_err().code(), "BAD_SIGNATURE");
    let mut verifier = verifier::<WotsBlake3>(&key);
    assert_eq!(verifier.verify(&other, b"m", &signature).unwrap_err().code(), "WRONG_CONTEXT");
    assert!(verifier.revoke(&key) && !verifier.revoke(&key));
    assert_eq!(verifier.verify(&key, b"m", &signature).unwrap_err().code(), "WRONG_CONTEXT");
}
