//! Commands that wait for a hanging Redis take bounded memory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme as _;
use quorate_audited_redis::frame::{Frame, MAGIC, SignatureScheme, SignedCommand, hello, message};
use quorate_audited_redis::now;
use quorate_audited_redis::resp::encode_command;
use support::Deployment;

#[test]
fn large_commands_wait_at_the_sender() {
    let deployment = Deployment::new();
    let key = deployment.key("alice");
    let (secret, public) = (key.secret_key().unwrap(), *key.public().unwrap().as_bytes());
    let mut stream = TcpStream::connect(&deployment.address).unwrap();
    stream.write_all(&[&MAGIC[..], &public].concat()).unwrap();
    let mut answer = [0; 72];
    stream.read_exact(&mut answer).unwrap();
    let (store, challenge) = (answer[8..40].try_into().unwrap(), answer[40..].try_into().unwrap());
    stream.write_all(&Ed25519::sign(&secret, &hello(&store, &challenge, &public)).to_bytes()).unwrap();
    stream.read_exact(&mut [0; 13]).unwrap();

    deployment.signal_redis("STOP");
    stream.set_write_timeout(Some(Duration::from_secs(8))).unwrap();
    let value = vec![b'x'; 8_000_000];
    let (mut taken, mut frame, began) = (0, Vec::new(), Instant::now());
    'sending: for sequence in 1..=20 {
        let (time, command) = (now(), encode_command(&[b"SET".as_slice(), b"a", &value]).unwrap());
        let signature = Ed25519::sign(&secret, &message(&store, sequence, time, &command)).to_bytes();
        let mut body = Vec::new();
        SignedCommand {
            scheme: SignatureScheme::Eddsa,
            sequence,
            time,
            signature: &signature,
            command: &command,
        }
        .encode_to(&mut body);
        frame.clear();
        Frame::Command(&body).encode_to(&mut frame);
        let mut rest = &frame[..];
        while !rest.is_empty() {
            match stream.write(rest) {
                Ok(written) => (taken, rest) = (taken + written, &rest[written..]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    // A busy machine may have queued little so far.
                    if taken > 32 << 20 || began.elapsed() > Duration::from_secs(120) {
                        break 'sending;
                    }
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    deployment.signal_redis("CONT");
    // 64 MiB wait; a group being sent to Redis, a command being read, and socket buffers take the rest.
    assert!(taken < 120 << 20, "the front uses {taken} bytes");
    assert!(taken > 32 << 20, "the front queues too little: it uses {taken} bytes");
}
