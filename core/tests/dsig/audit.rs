//! Logs, and evidence against a signer that used a key twice.

use quorate::dsig::{
    Auditor, Entry, Reuse, Signature, Signer, SignerConfig, WotsBlake3, WotsHaraka256, verify_all,
};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::kit::{NOW, prepare, signer, small};

type Signed<S> = (Vec<u8>, Signature<S>);

fn log(batches: usize) -> (PublicKey, Vec<Signed<WotsHaraka256>>) {
    let (mut signer, mut rng) = signer::<WotsHaraka256>(1, vec![]);
    let mut log = Vec::new();
    for batch in 0..batches {
        prepare(&mut signer, &mut rng, NOW);
        for i in 0..4 {
            let message = format!("{batch} {i}").into_bytes();
            let signature = signer.sign(&message, &[], NOW).unwrap();
            log.push((message, signature));
        }
    }
    (signer.public_key().clone(), log)
}

#[test]
fn log_verdicts_equal_those_of_single_entries() {
    let (key, mut log) = log(5);
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    log[3].0.push(b'!');
    let mut bytes = log[9].1.encode();
    bytes[100] ^= 1;
    log[9].1 = Signature::decode(&bytes, &()).unwrap();
    log.swap(1, 17);
    let (first, second) = (log[5].clone(), log[6].clone());
    log[5].1 = second.1;
    log[6].1 = first.1;
    let entries: Vec<_> = log
        .iter()
        .enumerate()
        .map(|(i, (message, signature))| Entry {
            signer: if i == 12 { &other } else { &key },
            message,
            signature,
        })
        .collect();
    let outcomes = verify_all(&entries);
    for (i, (entry, outcome)) in entries.iter().zip(&outcomes).enumerate() {
        assert_eq!(*outcome, entry.signature.verify(entry.signer, entry.message), "entry {i}");
    }
    let bad: Vec<_> = (0..20).filter(|i| outcomes[*i].is_err()).collect();
    assert_eq!(bad, [3, 5, 6, 9, 12]);
}

#[test]
fn auditor_evicts_the_oldest_batches() {
    let (key, log) = log(5);
    let mut auditor = Auditor::new(1);
    for _ in 0..2 {
        for (message, signature) in log.iter().chain(log.iter().rev()) {
            auditor.check(&key, message, signature).unwrap();
        }
    }
}

#[test]
fn only_two_uses_of_one_key_are_evidence() {
    let ((mut a, mut rng_a), (mut b, mut rng_b)) = (signer::<WotsBlake3>(1, vec![]), signer(1, vec![]));
    let key = a.public_key().clone();
    prepare(&mut a, &mut rng_a, NOW);
    prepare(&mut b, &mut rng_b, NOW);
    let (one, two) = (a.sign(b"1", &[], NOW).unwrap(), b.sign(b"2", &[], NOW).unwrap());
    let innocent = a.sign(b"2", &[], NOW).unwrap();

    let mut auditor = Auditor::new(8);
    auditor.check(&key, b"1", &one).unwrap();
    assert_eq!(auditor.check(&key, b"2", &two).unwrap_err().code(), "ONE_TIME_REUSE");

    let one = (b"1".to_vec(), one);
    let reuse = Reuse::new(key.clone(), one.clone(), (b"2".to_vec(), two.clone())).unwrap();
    assert_eq!(reuse.culprit(), &key);
    let bytes = reuse.encode();
    assert_eq!(bytes.len(), 32 + 2 * (4 + 1 + 1_584));
    let read = Reuse::<WotsBlake3>::decode(&bytes, &()).unwrap();
    assert_eq!(read.encode(), bytes);
    read.verify().unwrap();

    let code = |first: &Signed<WotsBlake3>, second, signer: &PublicKey| {
        Reuse::new(signer.clone(), first.clone(), second).unwrap_err().code()
    };
    assert_eq!(code(&one, one.clone(), &key), "NOT_EVIDENCE", "the same twice");
    assert_eq!(code(&one, (b"2".to_vec(), innocent), &key), "NOT_EVIDENCE", "two keys");
    assert_eq!(code(&one, (b"3".to_vec(), two.clone()), &key), "NOT_EVIDENCE", "not what was signed");
    let other = Ed25519::public_key(&Ed25519::secret_from_bytes(&[10; 32]).unwrap());
    assert_eq!(code(&one, (b"2".to_vec(), two), &other), "BAD_SIGNATURE", "not by this signer");
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        if let Ok(reuse) = Reuse::<WotsBlake3>::decode(&bad, &()) {
            assert!(reuse.verify().is_err(), "byte {at}");
        }
        assert!(Reuse::<WotsBlake3>::decode(&bytes[..at], &()).is_err());
    }
}

/// Batches of one key, the most memory that an attacker can cause with one signature.
#[test]
fn long_logs_are_verified_in_bounded_memory() {
    let config = SignerConfig { log2_batch: 0, ..small() };
    let identity = || Ed25519::secret_from_bytes(&[9; 32]).unwrap();
    let sign = |messages: std::ops::Range<u32>| {
        let mut rng = StdRng::seed_from_u64(1);
        let mut signer = Signer::<WotsHaraka256>::new(identity(), vec![], config.clone(), &mut rng).unwrap();
        let one = |message: u32| {
            prepare(&mut signer, &mut rng, NOW);
            let message = message.to_le_bytes().to_vec();
            let signature = signer.sign(&message, &[], NOW).unwrap();
            (message, signature)
        };
        messages.map(one).collect::<Vec<_>>()
    };
    let key = Ed25519::public_key(&identity());
    // Two memory images of one signer.
    let (log, mut again) = (sign(0..1025), sign(7..8));
    let outcomes = |log: &[Signed<WotsHaraka256>]| {
        let entries: Vec<_> =
            log.iter().map(|(m, signature)| Entry { signer: &key, message: m, signature }).collect();
        verify_all(&entries).into_iter().filter_map(Result::err).map(|error| error.code()).collect::<Vec<_>>()
    };
    let mut short = log[..1024].to_vec();
    short.append(&mut again.clone());
    assert_eq!(outcomes(&short), ["ONE_TIME_REUSE"]);
    let mut long = log;
    long.append(&mut again);
    assert!(outcomes(&long).is_empty(), "1,024 batches are remembered, and the first of 1,025 is not");
}
