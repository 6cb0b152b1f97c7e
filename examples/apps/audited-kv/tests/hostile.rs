//! Clients and servers that break the rules.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audit::keys::Key;
use quorate_audit::now;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audited_kv::KV;
use quorate_audited_kv::command::{Command, Store};
use quorate_link::{Endpoint, Listener, Pace};
use quorate_service::frame::Frame;
use quorate_service::testing::{code, sign_with_one_key, signed};
use support::{Deployment, LIMIT, connect, encoded};

const PROTOCOL: &[u8; 8] = b"QAKVSTO1";

type RawClient = quorate_service::testing::RawClient<Store>;

fn put(value: &[u8]) -> Vec<u8> {
    encoded(&Command::Put { key: b"k", value })
}

fn eddsa(key: &Key, store: &[u8; 32], sequence: u64, time: Time, command: &[u8]) -> [u8; 64] {
    Ed25519::sign(&key.secret_key().unwrap(), &KV.message(store, sequence, time, command)).to_bytes()
}

#[test]
fn dishonest_requests_are_refused_recorded_and_not_executed() {
    let mut deployment = Deployment::new();
    let (alice, bob, mallory) = (deployment.key("alice"), deployment.key("bob"), Key::generate().unwrap());
    for endpoint in &deployment.endpoints {
        let denied = RawClient::authenticated(endpoint, &mallory, &mallory);
        assert_eq!(denied.err().as_deref(), Some("UNKNOWN_SIGNER"));
        let denied = RawClient::authenticated(endpoint, alice, &mallory);
        assert_eq!(denied.err().as_deref(), Some("IMPOSTOR"));
    }
    let mut client = RawClient::authenticated(&deployment.endpoints[0], alice, alice).unwrap();
    let (store, time) = (client.store, now());
    assert_eq!(client.ask(1, time, &put(b"0"), &[]), "UNSIGNED");
    // Signed by another client, for another store, for another request.
    assert_eq!(client.ask(1, time, &put(b"0"), &eddsa(bob, &store, 1, time, &put(b"0"))), "FORGED");
    assert_eq!(client.ask(1, time, &put(b"0"), &eddsa(alice, &[9; 32], 1, time, &put(b"0"))), "FORGED");
    assert_eq!(client.ask(1, time, &put(b"1"), &eddsa(alice, &store, 1, time, &put(b"0"))), "FORGED");
    let by_bob = sign_with_one_key(bob, &KV.message(&store, 1, time, &put(b"0")));
    assert_eq!(client.ask(1, time, &put(b"0"), &by_bob), "FORGED");
    let old = Time(time.0 - 60_000_000);
    assert_eq!(client.ask(1, old, &put(b"0"), &eddsa(alice, &store, 1, old, &put(b"0"))), "STALE");
    // A request that was executed is sent again, also on a new connection.
    let good = eddsa(alice, &store, 1, time, &put(b"1"));
    assert_eq!(client.ask(1, time, &put(b"1"), &good), "");
    assert_eq!(client.ask(1, time, &put(b"1"), &good), "REPLAYED");
    let mut client = RawClient::authenticated(&deployment.endpoints[1], alice, alice).unwrap();
    assert_eq!(client.ask(1, time, &put(b"1"), &good), "REPLAYED");
    // One one-time key signs two requests.
    assert_eq!(
        client.ask(2, time, &put(b"2"), &sign_with_one_key(alice, &KV.message(&store, 2, time, &put(b"2")))),
        ""
    );
    let second = sign_with_one_key(alice, &KV.message(&store, 3, time, &put(b"3")));
    assert_eq!(client.ask(3, time, &put(b"3"), &second), "KEY_REUSE");
    // It is refused for its time from then on, even if the server has forgotten the key.
    assert_eq!(client.ask(3, time, &put(b"3"), &second), "STALE");
    // Nothing that was refused was executed or is in the log.
    let get = [1, 1, b'k'];
    client.link.send(&signed::<Store>(alice, &store, 3, now(), &get)).unwrap();
    assert!(matches!(client.receive(), Some(Frame::Reply { entry: 3, answer: b"\x012", .. })));
    drop(client);
    // Each refusal names the client; the reused key is evidence with all its bytes.
    let refusals = deployment.refusals(14);
    let reuse = refusals.iter().find(|refusal| refusal["code"] == "KEY_REUSE").unwrap();
    assert_eq!((&reuse["client"], &reuse["cut"]), (&"alice".into(), &false.into()));
    assert!(reuse["bytes"].as_str().unwrap().contains(&hex::encode(&second)));
    deployment.stop();
    let report = deployment.audit();
    assert!(report.ok && report.entries == 3, "{:?}", report.findings);
}

#[test]
fn a_key_used_on_two_machines_is_named_by_the_audit() {
    // The server restarts in between and has forgotten the first use; the log has not.
    let mut deployment = Deployment::new();
    for sequence in 1..=2 {
        let alice = deployment.key("alice");
        let mut client = RawClient::authenticated(&deployment.endpoints[0], alice, alice).unwrap();
        let (store, time, command) = (client.store, now(), put(&[sequence as u8]));
        let signature = sign_with_one_key(alice, &KV.message(&store, sequence, time, &command));
        assert_eq!(client.ask(sequence, time, &command, &signature), "");
        drop(client);
        deployment.kill();
        deployment.start();
    }
    deployment.stop();
    let findings = deployment.audit().findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].code, findings[0].entry), ("KEY_REUSE", 2));
    assert!(findings[0].detail.contains("alice"), "{}", findings[0].detail);
}

#[test]
fn garbage_closes_only_its_link() {
    let deployment = Deployment::new();
    let alice = deployment.key("alice");
    for endpoint in &deployment.endpoints {
        for bytes in [&b""[..], b"GET / HTTP/1.1", &[0x84; 40], &[1; 41]] {
            let mut client = RawClient::open(endpoint);
            client.link.send(bytes).unwrap();
            match client.receive() {
                Some(Frame::Refused { sequence: 0, reason }) => assert_eq!(code(reason), "BAD_FRAME"),
                other => panic!("{other:?}"),
            }
            assert!(client.receive().is_none());
        }
        let mut client = RawClient::authenticated(endpoint, alice, alice).unwrap();
        client.send(&Frame::Announcement(b"nothing"));
        assert_eq!(client.receive(), Some(Frame::Learned(false)));
        client.send(&Frame::Request(b"nothing"));
        assert!(matches!(client.receive(), Some(Frame::Refused { .. })));
        assert!(client.receive().is_none());
    }
    deployment.client("alice").call(&Command::Get { key: b"k" }).unwrap();
}

#[test]
fn a_new_connection_closes_the_earlier_ones_of_its_client() {
    let deployment = Deployment::new();
    let alice = deployment.key("alice");
    for (sequence, endpoint) in (1..).zip(&deployment.endpoints) {
        let mut old = RawClient::authenticated(endpoint, alice, alice).unwrap();
        let mut new = RawClient::authenticated(endpoint, alice, alice).unwrap();
        match old.receive() {
            Some(Frame::Refused { sequence: 0, reason }) => assert_eq!(code(reason), "SUPERSEDED"),
            other => panic!("{other:?}"),
        }
        // A request on the old connection is not executed: its number is free.
        let _ = old.link.send(&signed::<Store>(alice, &old.store, sequence, now(), &put(b"late")));
        let time = now();
        let good = eddsa(alice, &new.store, sequence, time, &put(b"new"));
        assert_eq!(new.ask(sequence, time, &put(b"new"), &good), "");
        assert!(old.receive().is_none());
    }
    for endpoint in 0..2 {
        let mut old = deployment.client_at(endpoint, "alice", SignatureScheme::Eddsa);
        old.call(&Command::Get { key: b"k" }).unwrap();
        let mut new = deployment.client_at(endpoint, "alice", SignatureScheme::Eddsa);
        new.call(&Command::Get { key: b"k" }).unwrap();
        let failure = old.call(&Command::Get { key: b"k" }).unwrap_err();
        assert!(failure.code == "LOST" && failure.message.contains("SUPERSEDED"), "{failure}");
    }
    // More connections than the server permits, all of one client, leave room for another client.
    let connect = |_| RawClient::authenticated(&deployment.endpoints[1], alice, alice).unwrap();
    let open: Vec<_> = (0..300).map(connect).collect();
    deployment.client("bob").call(&Command::Get { key: b"k" }).unwrap();
    drop(open);
}

#[test]
fn a_busy_client_does_not_keep_others_from_connecting() {
    let deployment = Deployment::new();
    let (alice, tcp) = (deployment.key("alice"), deployment.endpoints[1].clone());
    // Signed in advance, so that a request waits in each round of the server.
    let sign = |sequence| signed::<Store>(alice, &deployment.store, sequence, now(), &put(b"v"));
    let requests: Vec<_> = (1..=8_000).map(sign).collect();
    let (all, waiting) = (requests.len(), 500);
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (alice, stopped, count) =
        (Key::load(&KV, &deployment.path("alice.key")), stop.clone(), answered.clone());
    let load = std::thread::spawn(move || {
        let alice = alice.unwrap();
        let mut busy = RawClient::authenticated(&tcp, &alice, &alice).unwrap();
        for (sent, bytes) in requests.iter().enumerate() {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            busy.link.send(bytes).unwrap();
            if sent >= waiting {
                assert!(matches!(busy.receive(), Some(Frame::Reply { .. })));
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    support::eventually("the first client is served", || answered.load(Ordering::Relaxed) > 0);
    let mut before = 0;
    for endpoint in &deployment.endpoints {
        // With DSig, so that the server verifies announcements, too.
        let mut bob = connect(endpoint, deployment.key("bob"), SignatureScheme::Dsig).unwrap();
        bob.call(&Command::Get { key: b"k" }).unwrap();
        let count = answered.load(Ordering::Relaxed);
        assert!(count > before, "the first client was not served meanwhile");
        assert!(count < all - waiting, "the second client was served only after the first one");
        before = count;
    }
    stop.store(true, Ordering::Relaxed);
    load.join().unwrap();
}

/// A server whose log ends with this request of the client, and that answers each request with this frame, or not at all.
fn answering(folder: &std::path::Path, last: u64, answer: fn(u64) -> Option<Frame<'static>>) -> Endpoint {
    let endpoint = Endpoint::SharedMemory(folder.join("false.sock"));
    let (listening, ready) = (endpoint.clone(), std::sync::mpsc::channel());
    std::thread::spawn(move || {
        let mut listener = Listener::bind(&listening).unwrap();
        ready.0.send(()).unwrap();
        let mut link = loop {
            if let Some(link) = listener.accept().unwrap() {
                break link;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let (mut message, mut out) = (Vec::new(), Vec::new());
        while link.receive_within(&mut message, Pace::Sleep, LIMIT) == Ok(true) {
            let frame = match Frame::decode(&message).unwrap() {
                Frame::Hello { .. } => {
                    Frame::Challenge { protocol: PROTOCOL, store: &[7; 32], challenge: &[8; 32] }
                }
                Frame::Proof(_) => Frame::Welcome { last },
                Frame::Request(body) => match answer(SignedCommand::decode(body).unwrap().sequence) {
                    Some(frame) => frame,
                    None => continue,
                },
                other => panic!("{other:?}"),
            };
            frame.encode_into(&mut out);
            link.send(&out).unwrap();
        }
    });
    ready.1.recv().unwrap();
    endpoint
}

#[test]
fn a_server_that_violates_the_protocol_is_named() {
    let key = Key::generate().unwrap();
    let answers: [fn(u64) -> Option<Frame<'static>>; 7] = [
        |sequence| Some(Frame::Reply { sequence: sequence + 1, entry: 9, answer: &[0] }),
        |sequence| Some(Frame::Reply { sequence, entry: 0, answer: &[0] }),
        |sequence| Some(Frame::Reply { sequence, entry: 9, answer: &[2] }),
        |sequence| Some(Frame::Refused { sequence: sequence - 1, reason: b"STALE it is old" }),
        |_| Some(Frame::Welcome { last: 0 }),
        |_| Some(Frame::Learned(true)),
        |_| Some(Frame::Receipt(b"")),
    ];
    for answer in answers {
        let folder = tempfile::tempdir().unwrap();
        let endpoint = answering(folder.path(), 4, answer);
        let mut client = connect(&endpoint, &key, SignatureScheme::Eddsa).unwrap();
        let failure = client.call(&Command::Get { key: b"k" }).unwrap_err();
        assert_eq!(failure.code, "VIOLATION", "{failure}");
        // The client does not guess the state of such a server.
        assert_eq!(client.call(&Command::Get { key: b"k" }).unwrap_err().code, "LOST");
    }
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    use quorate_audited_kv::client::{Client, ClientOptions};

    let (key, folder) = (Key::generate().unwrap(), tempfile::tempdir().unwrap());
    let endpoint = answering(folder.path(), 4, |_| None);
    let limit = Duration::from_millis(200);
    let options = ClientOptions { scheme: SignatureScheme::Eddsa, limit, ..ClientOptions::default() };
    let mut client = Client::connect(&endpoint, &key, options).unwrap();
    let failure = client.call(&Command::Get { key: b"k" }).unwrap_err();
    assert_eq!(failure.code, "TIMEOUT", "{failure}");
    assert_eq!(client.call(&Command::Get { key: b"k" }).unwrap_err().code, "LOST");
}

#[test]
fn a_welcome_that_leaves_no_sequence_number_is_a_violation() {
    let key = Key::generate().unwrap();
    let answer = |sequence| Some(Frame::Reply { sequence, entry: 9, answer: &[0] });
    let folder = tempfile::tempdir().unwrap();
    let endpoint = answering(folder.path(), u64::MAX, answer);
    let failure = connect(&endpoint, &key, SignatureScheme::Eddsa).err().unwrap();
    assert_eq!(failure.code, "VIOLATION", "{failure}");
    let folder = tempfile::tempdir().unwrap();
    let endpoint = answering(folder.path(), u64::MAX - 2, answer);
    let mut client = connect(&endpoint, &key, SignatureScheme::Eddsa).unwrap();
    client.call(&Command::Get { key: b"k" }).unwrap();
    let failure = client.call(&Command::Get { key: b"k" }).unwrap_err();
    assert_eq!((failure.code, client.answered()), ("VIOLATION", u64::MAX - 1), "{failure}");
}

#[test]
fn a_server_that_lost_entries_is_refused() {
    use quorate_audited_kv::client::{Client, ClientOptions};

    let mut deployment = Deployment::new();
    let before = std::fs::read(deployment.log()).unwrap();
    let mut client = deployment.client("alice");
    client.call(&Command::Put { key: b"k", value: b"v" }).unwrap();
    let (answered, store) = (client.answered(), Some(*client.store()));
    drop(client);
    deployment.kill();
    std::fs::write(deployment.log(), before).unwrap();
    deployment.start();
    let options = ClientOptions { answered, store, limit: LIMIT, ..ClientOptions::default() };
    let failure = Client::connect(&deployment.endpoints[0], deployment.key("alice"), options).err().unwrap();
    assert_eq!(failure.code, "ROLLED_BACK", "{failure}");
}
