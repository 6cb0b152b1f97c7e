//! Faults that every program survives: killed clients, a torn log, a full disk, and a client that does not read.
//!
//! A function starts a server, causes the fault, and asserts what must hold for every [`Engine`]. It returns the deployment, so
//! that a test can assert more about the state.

use std::process::Stdio;
use std::time::{Duration, Instant};

use quorate_audit::failure::Failure;
use quorate_audit::now;
use quorate_audit::signed::SignatureScheme;
use quorate_link::SendError;

use super::deployment::{Deployment, LIMIT, Program};
use super::raw_client::{RawClient, signed};
use crate::Engine;
use crate::client::Client;

/// The encoding of the command with this number. All commands of a load change the same few items.
pub type Load = fn(u64) -> Vec<u8>;

/// Sends a command and waits for the receipt too, if the server signs its answers. Returns the number of the entry.
pub fn call<E: Engine>(client: &mut Client<E>, command: &[u8]) -> Result<u64, Failure> {
    let answer = client.call(&E::decode(command).unwrap())?;
    client.receipt()?;
    Ok(answer.entry)
}

/// Number of entries of an answered request.
fn entries<E: Engine>() -> u64 {
    if E::SIGNS_ANSWERS { 2 } else { 1 }
}

/// Kills processes of `bob` at different steps while `alice` sends requests. `words` returns a request on the command line, with
/// the options that not every program has.
pub fn killed_clients<E: Engine>(
    program: Program,
    load: Load,
    words: impl Fn(&Deployment<E>) -> Vec<String>,
) -> Deployment<E> {
    let mut deployment = Deployment::new(program, "kill");
    let mut alice = deployment.client_at(0, "alice", SignatureScheme::Dsig);
    let mut sent = 0;
    for step in 0..12u64 {
        let server = deployment.endpoints[(step % 2) as usize].to_string();
        let fixed = ["call", "--server", &server, "--key", "bob.key"];
        let mut bob = deployment.command(&fixed);
        bob.args(words(&deployment));
        let mut child = bob.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(3 * step) {
            sent += 1;
            call(&mut alice, &load(sent)).unwrap();
        }
        let _ = child.kill();
        child.wait().unwrap();
        sent += 1;
        call(&mut alice, &load(sent)).unwrap();
    }
    assert_eq!(alice.answered(), sent);
    let mut bob = deployment.client_at(1, "bob", SignatureScheme::Dsig);
    call(&mut bob, &load(0)).unwrap();
    drop((alice, bob));
    deployment.stop();
    assert!(deployment.audit().ok);
    deployment.start();
    deployment
}

/// A server is killed while it writes an entry, or its last hash; then a byte before the end is changed.
pub fn torn_log<E: Engine>(program: Program, load: Load) -> Deployment<E> {
    let mut deployment = Deployment::<E>::new(program, "kill");
    let mut alice = deployment.client_at(0, "alice", SignatureScheme::Dsig);
    for number in 1..=3 {
        call(&mut alice, &load(number)).unwrap();
    }
    drop(alice);
    deployment.stop();
    let count = Some(3 * entries::<E>());
    let whole = std::fs::read(deployment.log()).unwrap();
    // As if the server was killed while it wrote the next entry.
    std::fs::write(deployment.log(), [&whole[..], &whole[40..900]].concat()).unwrap();
    let ready = deployment.start();
    assert_eq!((ready["entries"].as_u64(), ready["torn"]["bytes"].as_u64()), (count, Some(860)));
    let items = ready[E::ITEMS].clone();
    let aside = ready["torn"]["file"].as_str().unwrap();
    assert_eq!(std::fs::read(deployment.path(aside)).unwrap(), whole[40..900]);
    let holds = |deployment: &Deployment<E>| {
        let bytes = std::fs::read(deployment.log()).unwrap();
        // Behind the entries there is only reserved space.
        bytes.strip_prefix(&whole[..]).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
    };
    assert!(holds(&deployment));
    deployment.kill();
    // The hash of the last entry was not written yet: the request was executed, and the entry is completed.
    // Or only reserved space follows.
    for (missing, reserved) in [(1, 0), (20, 0), (32, 0), (0, 5000)] {
        let mut killed = whole[..whole.len() - missing].to_vec();
        killed.resize(killed.len() + reserved, 0);
        std::fs::write(deployment.log(), killed).unwrap();
        let ready = deployment.start();
        assert_eq!(
            (ready["entries"].as_u64(), ready["torn"].is_null()),
            (count, true),
            "{missing} {reserved}"
        );
        assert_eq!(ready[E::ITEMS], items);
        deployment.kill();
        assert!(holds(&deployment), "{missing} {reserved}");
    }
    // Damage before the end is not a torn tail.
    let mut bytes = whole.clone();
    bytes[1000] ^= 1;
    std::fs::write(deployment.log(), bytes).unwrap();
    let (code, _, error) = deployment.run(&["serve", "--config", &deployment.config()]);
    assert!(code == 6 && error.contains("LOG_DAMAGED"), "{code}: {error}");
    std::fs::write(deployment.log(), whole).unwrap();
    deployment.start();
    let mut alice = deployment.client_at(0, "alice", SignatureScheme::Dsig);
    assert_eq!(alice.answered(), 3);
    call(&mut alice, &load(4)).unwrap();
    drop(alice);
    deployment.stop();
    assert!(deployment.audit().ok);
    deployment.start();
    deployment
}

/// The log reaches a limit of its size, as on a full disk: the server stops, and no request is executed without its entry. Calls
/// `check` with the server that was started again and the number of answered requests.
pub fn full_disk<E: Engine>(program: Program, load: Load, check: impl Fn(&Deployment<E>, u64)) {
    for sync in ["kill", "always"] {
        let mut deployment = Deployment::<E>::new(program, sync);
        deployment.stop();
        // The links' memory is limited too, so that the client uses TCP.
        let config = deployment.path(&deployment.config());
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, text.replace(&format!("\"shm:{}.sock\", ", program.name), "")).unwrap();
        // Limits every file to 16 kB, with an error instead of a signal.
        let file = deployment.config();
        let script = format!("trap '' XFSZ; ulimit -f 32; exec \"$0\" serve --json --config {file}");
        let mut shell = deployment.shell(&script);
        deployment.start_as(&mut shell);
        let mut alice = deployment.client_at(0, "alice", SignatureScheme::Dsig);
        let mut answered = 0;
        loop {
            let bytes = load(answered + 1);
            if alice.call(&E::decode(&bytes).unwrap()).is_err() {
                break;
            }
            answered += 1;
            assert!(answered < 200, "the file size limit has no effect");
            if alice.receipt().is_err() {
                break;
            }
        }
        assert!(answered > 0);
        assert_eq!(deployment.server.take().unwrap().0.wait().unwrap().code(), Some(1), "{sync}");
        deployment.start();
        check(&deployment, answered);
        deployment.stop();
        let report = deployment.audit();
        assert!(report.ok, "{sync}: {:?}", report.findings);
        // The last answer of a server that could not log its receipt: the start signs it.
        assert!(report.entries >= answered * entries::<E>(), "{sync}: {} {answered}", report.entries);
    }
}

/// A client sends requests and reads no answer: it is disconnected, while another one is served, and the server's memory does
/// not grow with the answers.
pub fn unread_answers<E: Engine>(program: Program, load: Load) -> Deployment<E> {
    let mut deployment = Deployment::<E>::new(program, "kill");
    let (alice, began) = (deployment.key("alice"), Instant::now());
    let mut sequence = 0;
    for endpoint in &deployment.endpoints {
        let mut silent = RawClient::<E>::authenticated(endpoint, alice, alice).unwrap();
        let mut bob = deployment.client_at(0, "bob", SignatureScheme::Eddsa);
        let (before, first) = (deployment.memory(), sequence);
        // The server executes requests until the ring or the socket of the answers is full.
        loop {
            assert!(began.elapsed() < LIMIT, "the server serves a client that does not read");
            sequence += 1;
            let bytes = signed::<E>(alice, &silent.store, sequence, now(), &load(sequence));
            let mut sent = silent.link.send(&bytes);
            while sent == Err(SendError::Full) {
                assert!(began.elapsed() < LIMIT, "the server neither serves nor disconnects the client");
                std::thread::sleep(Duration::from_millis(1));
                sent = silent.link.send(&bytes);
            }
            if sent == Err(SendError::Closed) {
                break;
            }
            // Another client is served meanwhile.
            if sequence % 16 == 0 {
                call(&mut bob, &load(sequence)).unwrap();
            }
        }
        call(&mut bob, &load(0)).unwrap();
        assert!(sequence - first > 32, "{sequence}");
        let grown = deployment.memory().saturating_sub(before);
        assert!(grown < MAX_GROWTH, "the server's memory grew by {grown} bytes");
        drop((silent, bob));
        // The next sequence number is that after the last request in the log.
        sequence = deployment.connect(endpoint, "alice", SignatureScheme::Eddsa).unwrap().answered();
    }
    deployment.stop();
    assert!(deployment.audit().ok);
    deployment.start();
    deployment
}

/// Far more than the ring or the buffers of a link hold, and far less than all answers of a test.
const MAX_GROWTH: u64 = 8 << 20;
