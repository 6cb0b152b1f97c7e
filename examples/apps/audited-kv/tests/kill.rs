//! `kill -9` of server and client, a torn log, a full disk: no request is executed without its entry in the log, and no
//! answered request is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quorate_audit::signed::SignatureScheme;
use quorate_audited_kv::command::Command;
use support::{Deployment, LIMIT, connect};

#[test]
fn every_answered_request_is_in_the_log_and_restored() {
    let mut deployment = Deployment::new();
    // Sequence number, entry and key of each answer.
    let mut answered = Vec::new();
    let mut first = 0;
    for round in 0..12 {
        // The random store determines the times, so that they differ between runs.
        let moment = Duration::from_micros(u64::from(deployment.store[round]) * 200 + 1000);
        let (server, endpoints) = (deployment.server.take().unwrap(), deployment.endpoints.clone());
        // On a busy machine no client connects within these times: in some rounds they begin with the first answer.
        let (is_answered, began) = (Arc::new(AtomicBool::new(round % 3 != 0)), Instant::now());
        let answer = is_answered.clone();
        let kill = std::thread::spawn(move || {
            while !answer.load(Ordering::Relaxed) && began.elapsed() < LIMIT {
                std::thread::sleep(Duration::from_micros(100));
            }
            std::thread::sleep(moment);
            drop(server);
        });
        std::thread::scope(|scope| {
            let writers = [("alice", 0), ("bob", 1)].map(|(name, at)| {
                let (deployment, endpoint, is_answered) = (&deployment, &endpoints[at], &is_answered);
                scope.spawn(move || {
                    let mut done = Vec::new();
                    let key = deployment.key(name);
                    let Ok(mut client) = connect(endpoint, key, SignatureScheme::Dsig) else { return done };
                    for number in first.. {
                        let text = format!("{name}-{number}");
                        let command = Command::Put { key: text.as_bytes(), value: text.as_bytes() };
                        match client.call(&command) {
                            Ok(answer) => {
                                done.push((answer.sequence, answer.entry, name, text));
                                is_answered.store(true, Ordering::Relaxed);
                            }
                            Err(failure) => {
                                assert!(["LOST", "TIMEOUT"].contains(&failure.code), "{failure}");
                                break;
                            }
                        }
                    }
                    done
                })
            });
            for writer in writers {
                answered.extend(writer.join().unwrap());
            }
        });
        kill.join().unwrap();
        first += 1_000_000;
        // A kill can cut a write between two pages: then its request was not executed.
        deployment.start();
    }
    let report = deployment.audit();
    assert!(report.ok, "{:?}", report.findings);
    let logged = deployment.logged();
    assert!(!answered.is_empty() && answered.len() <= logged.len());
    let mut client = deployment.client("alice");
    for (at, (sequence, entry, name, text)) in answered.iter().enumerate() {
        let signer = *deployment.key(name).public().unwrap().as_bytes();
        let words = vec![b"PUT".to_vec(), text.clone().into_bytes(), text.clone().into_bytes()];
        assert_eq!(logged[*entry as usize - 1], (signer, *sequence, words));
        // The store is restored from the log.
        if at % 64 == 0 {
            let answer = client.call(&Command::Get { key: text.as_bytes() }).unwrap();
            assert_eq!(answer.value, text.as_bytes());
        }
    }
}

#[test]
fn a_client_that_is_killed_at_any_step_does_not_disturb_others() {
    let deployment = Deployment::new();
    let mut alice = deployment.client("alice");
    for step in 0..12u64 {
        let server = deployment.endpoints[(step % 2) as usize].to_string();
        let mut call =
            deployment.command(&["call", "--server", &server, "--key", "bob.key", "PUT", "k", "v"]);
        let mut child = call.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 * step));
        let _ = child.kill();
        child.wait().unwrap();
        alice.call(&Command::Get { key: b"k" }).unwrap();
    }
    let mut bob = deployment.client("bob");
    bob.call(&Command::Put { key: b"k", value: b"w" }).unwrap();
    assert_eq!(alice.call(&Command::Get { key: b"k" }).unwrap().value, b"w");
    drop((alice, bob));
    let mut deployment = deployment;
    deployment.stop();
    assert!(deployment.audit().ok);
}

#[test]
fn a_torn_tail_is_moved_aside_and_damage_stops_the_start() {
    let mut deployment = Deployment::new();
    let mut alice = deployment.client("alice");
    for value in [b"1", b"2", b"3"] {
        alice.call(&Command::Put { key: b"n", value }).unwrap();
    }
    deployment.stop();
    let whole = std::fs::read(deployment.log()).unwrap();
    // As if the server was killed while it wrote the next entry.
    std::fs::write(deployment.log(), [&whole[..], &whole[40..900]].concat()).unwrap();
    let ready = deployment.start();
    assert_eq!((ready["entries"].as_u64(), ready["torn"]["bytes"].as_u64()), (Some(3), Some(860)));
    let aside = ready["torn"]["file"].as_str().unwrap();
    assert_eq!(std::fs::read(deployment.path(aside)).unwrap(), whole[40..900]);
    assert_eq!(std::fs::read(deployment.log()).unwrap(), whole);
    deployment.kill();
    // The hash of the last entry was not written yet: the request was executed, and the entry is completed.
    for missing in [1, 20, 32] {
        std::fs::write(deployment.log(), &whole[..whole.len() - missing]).unwrap();
        let ready = deployment.start();
        assert_eq!((ready["entries"].as_u64(), ready["torn"].is_null()), (Some(3), true));
        deployment.kill();
        assert_eq!(std::fs::read(deployment.log()).unwrap(), whole);
    }
    deployment.start();
    let mut alice = deployment.client("alice");
    assert_eq!(alice.call(&Command::Get { key: b"n" }).unwrap().value, b"3");
    deployment.stop();
    assert!(deployment.audit().ok);
    // Damage before the end is not a torn tail.
    let mut bytes = std::fs::read(deployment.log()).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(deployment.log(), bytes).unwrap();
    let (code, _, error) = deployment.run(&["serve", "--config", "kv.toml"]);
    assert!(code == 6 && error.contains("LOG_DAMAGED"), "{code}: {error}");
}

#[test]
fn a_full_disk_stops_the_server_before_execution() {
    for sync in ["kill", "always"] {
        let mut deployment = Deployment::with_sync(sync);
        deployment.stop();
        // Limits every file to 8 kB, with an error instead of a signal.
        let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" serve --json --config kv.toml";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", limited, env!("CARGO_BIN_EXE_audited-kv")]).current_dir(deployment.path(""));
        // The links' memory is limited too, so that the client uses TCP.
        let config = std::fs::read_to_string(deployment.path("kv.toml")).unwrap();
        std::fs::write(deployment.path("kv.toml"), config.replace("\"shm:kv.sock\", ", "")).unwrap();
        deployment.start_as(&mut shell);
        let mut alice = deployment.client_at(0, "alice", SignatureScheme::Dsig);
        let mut executed = 0u64;
        while alice.call(&Command::Put { key: b"n", value: executed.to_string().as_bytes() }).is_ok() {
            executed += 1;
            assert!(executed < 100, "the file size limit has no effect");
        }
        assert!(executed > 0);
        assert_eq!(deployment.server.take().unwrap().0.wait().unwrap().code(), Some(1));
        let ready = deployment.start();
        assert_eq!((ready["entries"].as_u64(), ready["torn"].is_null()), (Some(executed), false), "{sync}");
        let mut alice = deployment.client("alice");
        let last = (executed - 1).to_string();
        assert_eq!(alice.call(&Command::Get { key: b"n" }).unwrap().value, last.as_bytes());
        deployment.stop();
        assert!(deployment.audit().ok);
    }
}
