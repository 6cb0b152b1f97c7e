//! Decryption, also with wrong shares and payloads that do not open.

use std::sync::Arc;

use quorate::threshold::tdh2::{Decryption, EncryptionKey, OVERHEAD, PublicKeys, ShareFault};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

use super::harness::{EPOCH, PAYLOAD, PLAINTEXT, PROPOSER, damaged, flip, setup};

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
fn precomputed_tables_change_no_result() {
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
