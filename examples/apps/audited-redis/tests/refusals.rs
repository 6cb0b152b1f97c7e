//! Refused commands get a code, are recorded, and change neither the log nor Redis.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audited_redis::frame::{Frame, MAGIC, SignatureScheme, SignedCommand, hello, message};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::now;
use quorate_audited_redis::resp::{Value, encode_command};
use quorate_audited_redis::suites::{DynSigner, signer};
use support::Deployment;

/// Time limit of a read: only a front that does not answer reaches it.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Time that the front gives a client for the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// A raw connection that can send invalid frames.
struct RawClient {
    stream: TcpStream,
    store: [u8; 32],
}

impl RawClient {
    /// Performs the handshake with `key` in the name of the signer `named`.
    fn connect(deployment: &Deployment, named: &Key, key: &Key) -> (Self, Vec<u8>) {
        let mut stream = TcpStream::connect(&deployment.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let public = *named.public().unwrap().as_bytes();
        stream.write_all(&[&MAGIC[..], &public].concat()).unwrap();
        let mut answer = [0; 72];
        stream.read_exact(&mut answer).unwrap();
        let (store, challenge) = (answer[8..40].try_into().unwrap(), answer[40..].try_into().unwrap());
        let proof = Ed25519::sign(&key.secret_key().unwrap(), &hello(&store, &challenge, &public));
        stream.write_all(&proof.to_bytes()).unwrap();
        let mut client = Self { stream, store };
        let first = client.frame();
        (client, first)
    }

    /// Returns the next frame, without its length.
    fn frame(&mut self) -> Vec<u8> {
        let mut len = [0; 4];
        self.stream.read_exact(&mut len).unwrap();
        let mut frame = vec![0; u32::from_le_bytes(len) as usize];
        self.stream.read_exact(&mut frame).unwrap();
        frame
    }

    fn send(&mut self, frame: &Frame<'_>) {
        let mut bytes = Vec::new();
        frame.encode_to(&mut bytes);
        self.stream.write_all(&bytes).unwrap();
    }

    /// Sends a command and returns the frame type and the text of the answer.
    fn ask(&mut self, signed: &SignedCommand<'_>) -> (u8, String) {
        let mut body = Vec::new();
        signed.encode_to(&mut body);
        self.send(&Frame::Command(&body));
        let frame = self.frame();
        let at = if frame[0] == 0x82 { 17 } else { 9 };
        (frame[0], String::from_utf8_lossy(&frame[at..]).into_owned())
    }
}

fn dsig(key: &Key) -> Box<dyn DynSigner> {
    let config = SignerConfig { log2_batch: 5, low_water: 1, lifetime: Duration::from_secs(600) };
    let mut signer = signer(SuiteId::WotsBlake3, key.secret_key().unwrap(), config).unwrap();
    let work = signer.plan(now()).unwrap().unwrap();
    signer.add(work().unwrap()).unwrap();
    signer
}

fn base<'a>(sequence: u64, time: Time, signature: &'a [u8], command: &'a [u8]) -> SignedCommand<'a> {
    SignedCommand { scheme: SignatureScheme::Dsig, sequence, time, signature, command }
}

#[test]
fn invalid_commands_are_refused_and_recorded() {
    let deployment = Deployment::with("[\"dsig\"]", 30_000);
    let alice = deployment.key("alice");
    let (mut client, welcome) = RawClient::connect(&deployment, alice, alice);
    assert_eq!(welcome, [&[0x81][..], &[0; 8]].concat());
    let (store, mut signer) = (client.store, dsig(alice));
    let command = encode_command(&["INCR", "n"]).unwrap();
    let other = encode_command(&["FLUSHALL"]).unwrap();
    let mut sign = |sequence, time: Time, command: &[u8]| {
        signer.sign(&message(&store, sequence, time, command), now()).unwrap()
    };
    let mut expected = Vec::new();
    let mut refused = |client: &mut RawClient, code: &'static str, signed: SignedCommand<'_>| {
        let (kind, text) = client.ask(&signed);
        assert!(kind == 0x83 && text.starts_with(&format!("-{code} ")), "{code}: {kind:x} {text}");
        expected.push((code, signed.sequence));
    };
    let time = now();
    let later = Time(time.0 + 1000);
    let good = sign(1, later, &command);
    let unsigned =
        SignedCommand { scheme: SignatureScheme::None, sequence: 1, time, signature: &[], command: &command };
    refused(&mut client, "UNSIGNED", unsigned);
    let eddsa = Ed25519::sign(&alice.secret_key().unwrap(), &message(&store, 1, time, &command)).to_bytes();
    refused(
        &mut client,
        "SCHEME",
        SignedCommand { scheme: SignatureScheme::Eddsa, signature: &eddsa, ..unsigned },
    );
    for age in [-40_000_000i64, 40_000_000] {
        let then = Time(time.0.wrapping_add_signed(age));
        let signature = sign(1, then, &command);
        refused(&mut client, "STALE", base(1, then, &signature, &command));
    }
    // A signature of another command, time or store; by another client; with a flipped bit.
    refused(&mut client, "FORGED", base(1, later, &good, &other));
    refused(&mut client, "FORGED", base(1, time, &good, &command));
    let elsewhere = dsig(alice).sign(&message(&[9; 32], 1, time, &command), now()).unwrap();
    refused(&mut client, "FORGED", base(1, time, &elsewhere, &command));
    let by_bob = dsig(deployment.key("bob")).sign(&message(&store, 1, time, &command), now()).unwrap();
    refused(&mut client, "FORGED", base(1, time, &by_bob, &command));
    for at in [10, 50, 90, 200, 700, 1583] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        refused(&mut client, "FORGED", base(1, later, &bad, &command));
    }
    let early = sign(2, time, &command);
    refused(&mut client, "GAP", base(2, time, &early, &command));
    let select = encode_command(&["SELECT", "1"]).unwrap();
    let signature = sign(1, time, &select);
    refused(&mut client, "NOT_ALLOWED", base(1, time, &signature, &select));
    let inline = b"INCR n\r\n";
    let signature = sign(1, time, inline);
    refused(&mut client, "BAD_COMMAND", base(1, time, &signature, inline));

    // The valid command is executed afterwards, once.
    assert_eq!(client.ask(&base(1, later, &good, &command)), (0x82, ":1\r\n".into()));
    refused(&mut client, "REPLAYED", base(1, later, &good, &command));
    // A command is not executed after its client received a refusal of it.
    refused(&mut client, "STALE", base(2, time, &early, &command));
    let two = sign(2, later, &command);
    assert_eq!(client.ask(&base(2, later, &two, &command)), (0x82, ":2\r\n".into()));
    refused(&mut client, "REPLAYED", base(1, later, &good, &command));

    let recorded: Vec<_> = deployment
        .refusals(expected.len())
        .iter()
        .map(|record| (record["code"].as_str().unwrap().to_owned(), record["sequence"].as_u64().unwrap()))
        .collect();
    let expected: Vec<_> = expected.iter().map(|(code, sequence)| ((*code).to_owned(), *sequence)).collect();
    assert_eq!(recorded, expected);
    assert!(deployment.refusals(1).iter().all(|record| record["client"] == "alice"));
    assert_eq!(deployment.redis(&["GET", "n"]), Value::Bulk(Some(b"2".into())));
    let report = deployment.audit();
    assert!(report.ok && report.entries == 2, "{:?}", report.findings);
}

#[test]
fn one_time_key_reuse_is_refused() {
    // Two signers with the same memory, such as those of a cloned virtual machine.
    let deployment = Deployment::with("[\"dsig\"]", 30_000);
    let alice = deployment.key("alice");
    let (mut client, _) = RawClient::connect(&deployment, alice, alice);
    let (store, time) = (client.store, now());
    let command = encode_command(&["INCR", "n"]).unwrap();
    let copies = twice(alice, &message(&store, 1, time, &command), &message(&store, 2, time, &command));
    let ask = |client: &mut RawClient, sequence, signature: &[u8]| {
        client.ask(&SignedCommand {
            scheme: SignatureScheme::Dsig,
            sequence,
            time,
            signature,
            command: &command,
        })
    };
    assert_eq!(ask(&mut client, 1, &copies.0), (0x82, ":1\r\n".into()));
    let (kind, text) = ask(&mut client, 2, &copies.1);
    assert!(kind == 0x83 && text.starts_with("-KEY_REUSE "), "{text}");
    // It is refused for its time from then on, even if the front has forgotten the key.
    let (kind, text) = ask(&mut client, 2, &copies.1);
    assert!(kind == 0x83 && text.starts_with("-STALE "), "{text}");
    assert_eq!(deployment.refusals(1)[0]["code"], "KEY_REUSE");
}

/// Returns two signatures with one one-time key: two signers with the same random bytes sign at the same time.
fn twice(key: &Key, first: &[u8], second: &[u8]) -> (Vec<u8>, Vec<u8>) {
    use quorate::dsig::{Signer, WotsBlake3};
    use quorate::wire::Encode;

    struct FixedGenerator;
    impl rand_core::TryRng for FixedGenerator {
        type Error = std::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            Ok(7)
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(7)
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
            bytes.fill(7);
            Ok(())
        }
    }
    impl rand_core::TryCryptoRng for FixedGenerator {}

    let sign = |message: &[u8]| {
        let config = SignerConfig { log2_batch: 0, low_water: 1, ..SignerConfig::default() };
        let secret = key.secret_key().unwrap();
        let mut signer = Signer::<WotsBlake3>::new(secret, vec![], config, &mut FixedGenerator).unwrap();
        signer.prepare(&mut FixedGenerator, Time(1)).unwrap();
        signer.sign(message, &[], Time(1)).unwrap().encode()
    };
    (sign(first), sign(second))
}

#[test]
fn unknown_signers_impostors_and_plain_clients_are_refused() {
    let deployment = Deployment::new();
    let (alice, mallory) = (deployment.key("alice"), Key::generate().unwrap());
    let (_, answer) = RawClient::connect(&deployment, &mallory, &mallory);
    assert!(answer[0] == 0x83 && answer[9..].starts_with(b"-UNKNOWN_SIGNER "));
    let (_, answer) = RawClient::connect(&deployment, alice, &mallory);
    assert!(answer[0] == 0x83 && answer[9..].starts_with(b"-IMPOSTOR "));
    // Plain Redis clients: one sends fewer bytes than a hello, one more than the socket buffers before it reads.
    let large = encode_command(&[&b"ECHO"[..], &vec![b'x'; 6 << 20]]).unwrap();
    for plain in [&b"*1\r\n$4\r\nPING\r\n"[..], b"PING\r\n", b"QAREDIS2", &large] {
        let mut stream = TcpStream::connect(&deployment.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.write_all(plain).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("-UNSIGNED ") && answer.ends_with("\r\n"), "{answer:?}");
    }
    let codes: Vec<_> = deployment.refusals(6).iter().map(|record| record["code"].clone()).collect();
    assert_eq!(codes, ["UNKNOWN_SIGNER", "IMPOSTOR", "UNSIGNED", "UNSIGNED", "UNSIGNED", "UNSIGNED"]);
    assert_eq!(deployment.audit().entries, 0);
}

#[test]
fn silent_connections_make_room_for_new_ones() {
    // A busy machine may take longer than the time limit of the handshake, and then an attempt shows nothing.
    assert!((0..20).any(|_| silent_connection_makes_room()));
}

/// Returns false if the handshake's time limit may have closed a connection.
fn silent_connection_makes_room() -> bool {
    let (deployment, began) = (Deployment::new(), Instant::now());
    let mut silent: Vec<_> = (0..257).map(|_| TcpStream::connect(&deployment.address).unwrap()).collect();
    silent[0].set_read_timeout(Some(TIMEOUT)).unwrap();
    assert_eq!(silent[0].read(&mut [0; 1]).unwrap(), 0, "the oldest connection is closed");
    let alice = deployment.key("alice");
    assert_eq!(RawClient::connect(&deployment, alice, alice).1[0], 0x81);
    let last = silent.last_mut().unwrap();
    last.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    let is_open = last.read(&mut [0; 1]).is_err();
    let in_time = began.elapsed() < HANDSHAKE_TIMEOUT;
    assert!(is_open || !in_time, "a connection within the limit was closed");
    in_time
}

#[test]
fn garbage_closes_only_its_connection() {
    let deployment = Deployment::new();
    let alice = deployment.key("alice");
    for garbage in [
        &[0, 0, 0, 0][..],
        &[255; 16],
        &[1, 0, 0, 0, 9],
        &[2, 0, 0, 0, 2, 2],
        &[9, 0, 0, 0, 0x81, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        let (mut client, _) = RawClient::connect(&deployment, alice, alice);
        client.stream.write_all(garbage).unwrap();
        let answer = client.frame();
        assert!(answer[0] == 0x83 && answer[9..].starts_with(b"-BAD_FRAME "), "{garbage:?}");
        assert_eq!(client.stream.read(&mut [0; 1]).unwrap_or(0), 0);
    }
    // An announcement above the maximum size is not verified.
    let (mut client, _) = RawClient::connect(&deployment, alice, alice);
    client.send(&Frame::Announcement(&[3; 4165]));
    let known = deployment.refusals(6);
    assert_eq!(known[5]["code"], "BAD_ANNOUNCEMENT");
    assert!(known[5]["message"].as_str().unwrap().contains("exceeds the maximum size"), "{}", known[5]);
    // Malformed announcements use up the rate limit, and the connection continues.
    let (mut client, _) = RawClient::connect(&deployment, alice, alice);
    for number in 0..50u8 {
        client.send(&Frame::Announcement(&[3, 7, 0, 0, number]));
    }
    let (time, command) = (now(), encode_command(&["PING"]).unwrap());
    let signature = dsig(alice).sign(&message(&client.store, 1, time, &command), now()).unwrap();
    let signed = SignedCommand {
        scheme: SignatureScheme::Dsig,
        sequence: 1,
        time,
        signature: &signature,
        command: &command,
    };
    assert_eq!(client.ask(&signed), (0x82, "+PONG\r\n".into()));
    assert!(deployment.audit().ok);
}
