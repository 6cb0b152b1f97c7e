//! Faulty, slow and impersonated parties; unauthenticated clients at a party's port; two concurrent requesters.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_threshold_signing::coordinator::{Coordinator, PartyStatus, Signed, SigningOptions};
use quorate_threshold_signing::failure::Failure;
use quorate_threshold_signing::protocol::{MAX_REQUEST, RefusalReason, Reply, Request, RequestKind};
use quorate_threshold_signing::{dealer, evidence};
use support::{Running, TestGroup};

const MESSAGE: &[u8] = b"pay 5 to Bob";
/// Shorter than the slowest party takes, and long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

fn coordinator(setup: &TestGroup, requester: &str) -> Coordinator {
    let identity = setup.keys(requester).identity().unwrap();
    Coordinator::new(setup.group.clone(), setup.public.clone(), identity).unwrap()
}

async fn sign(coordinator: &mut Coordinator, check_all: bool) -> Result<Signed, Failure> {
    coordinator.sign(MESSAGE, SigningOptions { timeout: TIMEOUT, check_all, index: None }).await
}

/// Starts all parties, some of them with a misbehaviour.
fn start(setup: &TestGroup, how: &[(usize, &str)]) -> Vec<Running> {
    let start = |i| match how.iter().find(|(party, _)| *party == i) {
        Some((_, how)) => setup.start(i, &["--misbehave", how]),
        None => setup.start(i, &[]),
    };
    (0..setup.addresses.len()).map(start).collect()
}

#[tokio::test]
async fn an_invalid_share_is_named_with_evidence_and_replaced() {
    let setup = TestGroup::new(4, 8);
    let _parties = start(&setup, &[(1, "wrong-shares"), (3, "slow:400")]);
    let mut coordinator = coordinator(&setup, "client");
    let signed = sign(&mut coordinator, false).await.unwrap();
    setup.public.key.verify_message(MESSAGE, &signed.signature).unwrap();
    // At most t + f checks, and one combination more than failed ones.
    assert_eq!((signed.counts.combinations, signed.counts.share_checks), (2, 3));
    assert!(matches!(signed.parties[1], PartyStatus::Invalid(_)), "{:?}", signed.parties);
    let fault = &coordinator.faults()[&1];
    assert_eq!(evidence::check(&setup.group, &setup.public, fault).unwrap(), 1);
    // The party is excluded now: the next message takes one combination, and waits for the slow party.
    let signed = sign(&mut coordinator, false).await.unwrap();
    assert_eq!((signed.counts.combinations, signed.counts.share_checks), (1, 0));
    assert!(matches!(signed.parties[1], PartyStatus::Misbehaved(_)));
}

#[tokio::test]
async fn an_honest_party_cannot_be_accused() {
    let setup = TestGroup::new(4, 8);
    let _parties = start(&setup, &[(2, "wrong-shares")]);
    let mut coordinator = coordinator(&setup, "client");
    let signed = sign(&mut coordinator, true).await.unwrap();
    assert!([0, 1, 3].iter().all(|i| signed.parties[*i] == PartyStatus::Valid), "{:?}", signed.parties);
    let fault = coordinator.faults()[&2].clone();
    let check = |bytes: &[u8]| {
        let fault = Decode::decode(bytes, &()).map_err(Failure::from)?;
        evidence::check(&setup.group, &setup.public, &fault)
    };
    let bytes = fault.encode();
    assert_eq!(check(&bytes).unwrap(), 2);
    // Evidence with any bit changed is invalid.
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert!(check(&other).is_err(), "byte {at}");
    }
    // Evidence of one deal is invalid for another deal.
    let other = TestGroup::new(4, 8);
    assert_eq!(evidence::check(&other.group, &other.public, &fault).unwrap_err().code, "BAD_SIGNATURE");
    let again = dealer::deal(&setup.group, 8, None).unwrap().public;
    assert_eq!(evidence::check(&setup.group, &again, &fault).unwrap_err().code, "WRONG_CONTEXT");
    assert_eq!(evidence::check(&setup.group, &other.public, &fault).unwrap_err().code, "SETUP");
}

#[tokio::test]
async fn any_behaviour_of_one_of_four_is_tolerated() {
    for how in ["closed", "silent", "garbage", "false-next", "slow:600000"] {
        let setup = TestGroup::new(4, 4);
        let _parties = start(&setup, &[(0, how)]);
        let mut coordinator = coordinator(&setup, "client");
        let begin = Instant::now();
        // All presignatures can be used: a faulty party cannot make them appear spent.
        for index in 0..4 {
            let signed = sign(&mut coordinator, false).await.unwrap_or_else(|e| panic!("{how}: {e}"));
            assert_eq!(signed.index, index, "{how}");
        }
        assert!(begin.elapsed() < TIMEOUT, "{how}: {:?}", begin.elapsed());
        assert_eq!(sign(&mut coordinator, false).await.unwrap_err().code, "EXHAUSTED", "{how}");
    }
}

#[tokio::test]
async fn two_faulty_of_four_prevent_a_signature_and_are_named() {
    let setup = TestGroup::new(4, 8);
    let mut parties = start(&setup, &[(0, "wrong-shares")]);
    parties[2].kill();
    let mut coordinator = coordinator(&setup, "client");
    let begin = Instant::now();
    let failure = sign(&mut coordinator, false).await.unwrap_err();
    assert_eq!(failure.code, "BELOW_QUORUM");
    assert!(failure.message.contains("p0: sent an INVALID share"), "{failure}");
    assert!(failure.message.contains("p1: sent a valid share"), "{failure}");
    assert!(failure.message.contains(&format!("p2: {}", setup.addresses[2])), "{failure}");
    assert!(coordinator.faults().contains_key(&0), "evidence exists without a signature");
    assert!(begin.elapsed() < TIMEOUT);
    let mut fresh = self::coordinator(&setup, "client");
    parties[3].kill();
    let failure = sign(&mut fresh, false).await.unwrap_err();
    assert!(failure.message.contains("p1: available, but not asked"), "{failure}");
    parties[3] = setup.start(3, &[]);
    // The message is completed later with the same presignature, when enough parties are available.
    parties[2] = setup.start(2, &[]);
    let options = SigningOptions { index: Some(0), ..SigningOptions::default() };
    let signed = coordinator.sign(MESSAGE, options).await.unwrap();
    setup.public.key.verify_message(MESSAGE, &signed.signature).unwrap();
}

#[tokio::test]
async fn a_server_without_the_partys_key_gets_no_request() {
    let setup = TestGroup::new(4, 8);
    let mut parties = start(&setup, &[]);
    parties[1].kill();
    // A server with another party's keys at that address.
    let address = setup.addresses[1].to_string();
    let _impostor = {
        parties[3].kill();
        setup.started(1, setup.party(3, &["--listen", &address]))
    };
    parties[3] = Running(setup.command(&["--help"]).spawn().unwrap());
    let failure = sign(&mut coordinator(&setup, "client"), false).await.unwrap_err();
    assert!(
        failure.message.contains("p1: ") && failure.message.contains("does not prove the key"),
        "{failure}"
    );
}

#[tokio::test]
async fn concurrent_requesters_never_share_a_presignature() {
    let setup = TestGroup::new(4, 400);
    let _parties = start(&setup, &[]);
    let (mut one, mut two) = (coordinator(&setup, "client"), coordinator(&setup, "rival"));
    let (mut indexes, mut failed) = (BTreeSet::new(), 0);
    for number in 0..20 {
        let texts = ["client", "rival"].map(|name| format!("{name} {number}"));
        let options = SigningOptions::default();
        let both =
            tokio::join!(one.sign(texts[0].as_bytes(), options), two.sign(texts[1].as_bytes(), options));
        for (signed, text) in [both.0, both.1].into_iter().zip(&texts) {
            match signed {
                Ok(signed) => {
                    setup.public.key.verify_message(text.as_bytes(), &signed.signature).unwrap();
                    assert!(indexes.insert(signed.index), "presignature {} was used twice", signed.index);
                }
                Err(_) => failed += 1,
            }
        }
    }
    println!("{} signed, {failed} gave up", indexes.len());
    assert!(failed <= 2, "{failed} of 40 gave up");
}

#[tokio::test]
async fn garbage_and_unknown_keys_lose_only_their_connection() {
    let setup = TestGroup::new(4, 8);
    let _parties = start(&setup, &[]);
    // Bytes that are not TLS, and silence: more connections than handshake slots.
    let mut held = Vec::new();
    for _ in 0..80 {
        let mut stream = std::net::TcpStream::connect(setup.addresses[0]).unwrap();
        if held.len() % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        }
        held.push(stream);
    }
    // A key that is not in the group file, and a party's key, which is not a requester's.
    for identity in [Ed25519::generate(&mut getrandom::SysRng).unwrap(), setup.keys("p1").identity().unwrap()]
    {
        let mut unknown_requester =
            Coordinator::new(setup.group.clone(), setup.public.clone(), identity).unwrap();
        let failure = sign(&mut unknown_requester, false).await.unwrap_err();
        assert_eq!(failure.code, "BELOW_QUORUM");
        assert_eq!(failure.message.matches("does not know this requester's key").count(), 4, "{failure}");
    }
    // Silent connections are closed after five seconds.
    let mut silent = held.swap_remove(1);
    silent.set_read_timeout(Some(TIMEOUT)).unwrap();
    assert_eq!(silent.read(&mut [0; 16]).unwrap_or(0), 0);
    drop(held);

    let connect = || async {
        let begin = Instant::now();
        loop {
            match setup.connect("client", 0).await {
                Ok(link) => return link,
                Err(error) => assert!(begin.elapsed() < TIMEOUT, "no connection: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let mut link = connect().await;
    let reason = |reply| match reply {
        Reply::Refused(refusal) => refusal.reason,
        other => panic!("{other:?}"),
    };
    let wrong = Request { deal: [9; 32], kind: RequestKind::Status };
    assert_eq!(reason(link.exchange(&wrong.encode()).await.unwrap()), RefusalReason::WrongDeal);
    assert_eq!(reason(link.sign(8, MESSAGE).await.unwrap()), RefusalReason::Exhausted);
    assert_eq!(reason(link.sign(u32::MAX, MESSAGE).await.unwrap()), RefusalReason::Exhausted);
    for garbage in [&[][..], &[7], &[1; 40], &[0xff; 300]] {
        assert_eq!(reason(connect().await.exchange(garbage).await.unwrap()), RefusalReason::Malformed);
    }
    // A frame with a length above the limit.
    let mut long = connect().await;
    tokio::io::AsyncWriteExt::write_all(&mut long.stream, &(MAX_REQUEST as u32 + 1).to_le_bytes())
        .await
        .unwrap();
    assert!(tokio::io::AsyncReadExt::read(&mut long.stream, &mut [0; 1]).await.unwrap_or(0) == 0);
    // A repeated request gets the same share, and the party continues to serve.
    let first = link.sign(3, MESSAGE).await.unwrap();
    assert_eq!(link.sign(3, MESSAGE).await.unwrap(), first);
    assert_eq!(connect().await.sign(3, MESSAGE).await.unwrap(), first);
    assert_eq!(reason(link.sign(3, b"another").await.unwrap()), RefusalReason::Contradiction);
}
