//! A memo of valid signatures changes no verdict.
#![cfg(all(feature = "memo", feature = "ed25519"))]

use quorate::ed25519::Ed25519;
use quorate::scheme::{Claim, Keys, Scheme, SignerSet, with_memo};

#[test]
fn verdicts_are_the_same_as_without_a_memo() {
    let secrets = [1, 2, 3].map(|byte| Ed25519::secret_from_bytes(&[byte; 32]).unwrap());
    let keys: Vec<_> = secrets.iter().map(Ed25519::public_key).collect();
    let judge = || {
        let good: Vec<_> = secrets.iter().map(|secret| Ed25519::sign(secret, b"m")).collect();
        let other = Ed25519::sign(&secrets[2], b"other");
        let mut signers = SignerSet::new(3);
        assert!((0..3).all(|member| signers.insert(member)));
        let mut verdicts = Vec::new();
        for _ in 0..2 {
            verdicts.push(Ed25519::verify(&keys[0], b"m", &good[0]));
            verdicts.push(Ed25519::verify(&keys[1], b"m", &good[0]));
            verdicts.push(Ed25519::verify(&keys[0], b"n", &good[0]));
            for last in [&good[2], &other] {
                let proof = Ed25519::combine(&[(0, &good[0]), (1, &good[1]), (2, last)]);
                let claim = Claim { signers: &signers, message: b"m" };
                verdicts.push(Ed25519::verify_claims(Keys::new(&keys, &()), &[claim], &proof));
            }
        }
        verdicts
    };
    let plain = judge();
    assert_eq!(plain.iter().filter(|verdict| verdict.is_ok()).count(), 4);
    assert_eq!(with_memo(judge), plain);
}
