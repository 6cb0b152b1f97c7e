use quorate::certificate::Certificate;
use quorate::wire::{Decode, Encode};

use crate::harness::{Spoil, World};

fn verdicts<S: Spoil>(world: &World<S>, certificates: &[Certificate<S>]) -> Vec<bool> {
    let derived = Certificate::verify_batch_derived(&world.committee, certificates.to_vec());
    let random = Certificate::verify_batch(&world.committee, certificates.to_vec(), &mut getrandom::SysRng);
    for (result, certificate) in derived.iter().chain(&random).zip(certificates.iter().cycle()) {
        if let Ok(verified) = result {
            assert_eq!(**verified, *certificate);
        }
    }
    let good = |results: &[quorate::Result<_>]| results.iter().map(Result::is_ok).collect::<Vec<_>>();
    assert_eq!(good(&derived), good(&random));
    good(&random)
}

/// Returns the certificate with another digest: well-formed, but its signatures do not verify.
fn with_digest<S: Spoil>(world: &World<S>, certificate: &Certificate<S>, digest: u8) -> Certificate<S> {
    let mut bytes = certificate.encode();
    bytes[18..50].fill(digest);
    Certificate::decode(&bytes, &world.committee).unwrap()
}

pub(crate) fn good_certificates_verify_in_random_and_derived_batches<S: Spoil>() {
    let world = World::<S>::new(7);
    let certificates: Vec<Certificate<S>> = [(0, 1), (0, 2), (1, 3), (2, 4), (2, 4)]
        .map(|(first, digest)| world.certificate(first..first + 5, digest).into_inner())
        .into();
    for count in 0..=certificates.len() {
        assert_eq!(verdicts(&world, &certificates[..count]), vec![true; count]);
    }
}

pub(crate) fn a_batch_identifies_each_bad_certificate<S: Spoil>() {
    let world = World::<S>::new(7);
    let good: Vec<Certificate<S>> =
        (0..6).map(|i| world.certificate(i % 3..i % 3 + 5, i as u8).into_inner()).collect();
    for bad in [vec![0], vec![5], vec![1, 4], vec![0, 1, 2, 3, 4, 5]] {
        let mut certificates = good.clone();
        for i in &bad {
            certificates[*i] = with_digest(&world, &good[*i], 99);
        }
        let expected: Vec<bool> = (0..6).map(|i| !bad.contains(&i)).collect();
        assert_eq!(verdicts(&world, &certificates), expected);
    }
    // A certificate of another epoch does not enter the combination.
    let later = World::<S>::weighted(&[1; 7], 4);
    let mixed = [good[0].clone(), later.certificate(0..5, 1).into_inner()];
    assert_eq!(verdicts(&world, &mixed), [true, false]);
}

/// Without coefficients, or with equal ones, these two certificates would verify.
pub(crate) fn certificates_that_cancel_are_both_rejected<S: Spoil>() {
    let world = World::<S>::new(7);
    let good = world.certificate(0..5, 1).into_inner();
    let other = world.certificate(0..5, 2).into_inner();
    let split = |c: &Certificate<S>| {
        let bytes = c.encode();
        let (head, last) = bytes.split_at(bytes.len() - S::SIGNATURE_LEN);
        (head.to_vec(), S::Signature::decode(last, &()).unwrap())
    };
    let ((head_a, a), (head_b, b)) = (split(&good), split(&other));
    let (a, b) = S::shifted(&a, &b);
    let join = |head: Vec<u8>, signature: S::Signature| {
        Certificate::<S>::decode(&[head, signature.encode()].concat(), &world.committee).unwrap()
    };
    let certificates = [join(head_a, a), join(head_b, b), good];
    assert_eq!(verdicts(&world, &certificates), [false, false, true]);
}
