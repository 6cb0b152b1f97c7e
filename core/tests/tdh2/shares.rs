//! Shares that were changed, moved or repeated.

use quorate::Error;
use quorate::threshold::tdh2::{DecryptionShare, ValidCiphertext, VerifiedShare};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::harness::{E, PLAINTEXT, PROPOSER, Setup, U, setup, with};

#[test]
fn a_share_is_valid_for_one_member_and_ciphertext_only() {
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
