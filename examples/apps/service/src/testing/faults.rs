//! Faults that every program survives: killed clients, a torn log, a full disk, a suspended server, and a client that does not read.
//!
//! A function starts a server, causes the fault, and asserts what must hold for every [`Engine`]. It returns the deployment, so
//! that a test can assert more about the state.

use std::process::Stdio;
use std::time::{Duration, Instant};

use quorate_audit::failure::Failure;
use quorate_audit::now;
use quorate_audit::signed::SignatureScheme;
use quorate_link::{MAX_MESSAGE, SendError};

use super::deployment::{CLIENTS, Deployment, LIMIT, Program, eventually, options};
use super::raw_client::{RawClient, signed};
use crate::Engine;
use crate::client::{Client, ClientOptions};

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
        // 16 kB: no space can be reserved for a log in memory, so that the server writes to a plain file.
        let answered = fill_disk(&mut deployment, 32, load);
        goes_on_with_space(&mut deployment, answered, load, &check);
    }
}

/// [`full_disk`] for a log in memory: its first window of 8 MiB finds space, and the second one does not. The commands of the load
/// should be long.
pub fn full_disk_behind_a_window<E: Engine>(
    program: Program,
    load: Load,
    check: impl Fn(&Deployment<E>, u64),
) {
    let mut deployment = Deployment::<E>::new(program, "kill");
    deployment.stop();
    // 9 MiB, which is enough for the links in shared memory.
    let answered = fill_disk(&mut deployment, 9 << 11, load);
    // The whole window was used.
    assert!(deployment.log().metadata().unwrap().len() > (8 << 20) - (1 << 14));
    goes_on_with_space(&mut deployment, answered, load, &check);
}

/// Starts the server with a limit of the size of its files, in units of 512 bytes, and sends requests until it stops. Returns the
/// number of answered requests.
fn fill_disk<E: Engine>(deployment: &mut Deployment<E>, limit: u64, load: Load) -> u64 {
    // An error instead of a signal.
    let file = deployment.config();
    let script =
        format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" serve --json --config {file} 2> stop.txt");
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
        assert!(answered < limit * 512 / 128, "the file size limit has no effect");
        if alice.receipt().is_err() {
            break;
        }
    }
    assert!(answered > 0);
    assert_eq!(deployment.server.take().unwrap().0.wait().unwrap().code(), Some(1));
    let stop = std::fs::read_to_string(deployment.path("stop.txt")).unwrap();
    assert!(stop.contains("LOG_NOT_WRITTEN") && stop.contains("make room on its disk"), "{stop}");
    answered
}

/// Starts the server without a limit: each answered request is in its log, and it serves further ones.
fn goes_on_with_space<E: Engine>(
    deployment: &mut Deployment<E>,
    answered: u64,
    load: Load,
    check: impl Fn(&Deployment<E>, u64),
) {
    deployment.start();
    check(deployment, answered);
    call(&mut deployment.client_at(0, "alice", SignatureScheme::Dsig), &load(answered + 1)).unwrap();
    deployment.stop();
    let report = deployment.audit();
    assert!(report.ok, "{:?}", report.findings);
    // The last answer of a server that could not log its receipt: the start signs it.
    assert!(report.entries > answered * entries::<E>(), "{} {answered}", report.entries);
}

/// The server is suspended, so that it neither reads nor accepts: each client gets an error with a code in bounded time, wherever
/// it waits, and its memory does not grow. A server that goes on serves new connections.
pub fn suspended_server<E: Engine>(program: Program, load: Load) -> Deployment<E> {
    let mut deployment = Deployment::<E>::new(program, "kill");
    for (at, endpoint) in deployment.endpoints.iter().enumerate() {
        let limit = Duration::from_millis(300);
        let options = ClientOptions { limit, ..options(deployment.server_key(), SignatureScheme::Eddsa) };
        let connect = || Client::<E>::connect(endpoint, deployment.key("alice"), options.clone());
        let mut alice = None;
        eventually("the server answers within a short limit", || {
            alice = connect().ok();
            alice.is_some()
        });
        let (mut alice, bob) = (alice.unwrap(), deployment.key("bob"));
        let mut flood = RawClient::<E>::authenticated(endpoint, bob, bob).unwrap();
        deployment.signal("STOP");
        eventually("the server is stopped", || deployment.status("State").starts_with('T'));
        // No message of the protocol, so that the server closes the link once it reads it.
        let (message, mut sent) = (vec![0xff; MAX_MESSAGE], 0);
        while flood.link.send(&message) == Ok(()) {
            sent += 1;
            assert!(sent < 1 << 14, "messages to a server that does not read are accepted without limit");
        }
        assert_eq!(flood.link.send(&message), Err(SendError::Full));
        let command = load(0);
        let mut call = || alice.call(&E::decode(&command).unwrap()).map(|answer| answer.entry);
        assert_eq!(call().unwrap_err().code, "TIMEOUT");
        assert_eq!(call().unwrap_err().code, "LOST");
        let code = connect().err().unwrap().code;
        assert_eq!(code, ["UNREACHABLE", "TIMEOUT"][at]);
        deployment.signal("CONT");
        for name in CLIENTS {
            let mut client = deployment.client_at(at, name, SignatureScheme::Dsig);
            self::call(&mut client, &load(1)).unwrap();
        }
    }
    deployment.stop();
    assert!(deployment.audit().ok);
    deployment.start();
    deployment
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
