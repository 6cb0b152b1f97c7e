//! `kill -9` of server and client, a torn log, a full disk, a suspended server, a client that does not read: no request is executed
//! without its entry in the log, and no answered request is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quorate_audit::signed::SignatureScheme;
use quorate_audited_kv::client::Client;
use quorate_audited_kv::command::{Command, Store};
use quorate_service::testing::{Deployment as Server, faults};
use support::{Deployment, LIMIT, PROGRAM, connect, encoded};

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

/// Writes the number.
fn numbered(number: u64) -> Vec<u8> {
    encoded(&Command::Put { key: b"n", value: number.to_string().as_bytes() })
}

fn read(client: &mut Client) -> Vec<u8> {
    client.call(&Command::Get { key: b"n" }).unwrap().value
}

#[test]
fn a_client_that_is_killed_at_any_step_does_not_disturb_others() {
    let deployment: Deployment =
        faults::killed_clients(PROGRAM, numbered, |_| ["PUT", "k", "v"].map(str::to_owned).into()).into();
    assert_eq!(read(&mut deployment.client("alice")), b"0");
}

#[test]
fn a_torn_tail_is_moved_aside_and_damage_stops_the_start() {
    let deployment: Deployment = faults::torn_log(PROGRAM, numbered).into();
    assert_eq!(read(&mut deployment.client("alice")), b"4");
}

/// Writes the number and 1000 spaces.
fn numbered_and_long(number: u64) -> Vec<u8> {
    encoded(&Command::Put { key: b"n", value: format!("{number}{:1000}", "").as_bytes() })
}

/// Each request in the log was answered, and the last one was executed.
fn each_entry_was_answered(deployment: &Server<Store>, answered: u64) {
    assert_eq!(deployment.logged().len() as u64, answered);
    let mut alice =
        connect(&deployment.endpoints[0], deployment.key("alice"), SignatureScheme::Dsig).unwrap();
    assert_eq!(read(&mut alice).trim_ascii_end(), answered.to_string().as_bytes());
}

#[test]
fn a_full_disk_stops_the_server_before_execution() {
    faults::full_disk::<Store>(PROGRAM, numbered, each_entry_was_answered);
}

#[test]
fn a_disk_that_is_full_later_stops_the_server_before_execution() {
    faults::full_disk_behind_a_window::<Store>(PROGRAM, numbered_and_long, each_entry_was_answered);
}

#[test]
fn a_server_that_is_suspended_is_given_up_and_goes_on() {
    let deployment: Deployment = faults::suspended_server(PROGRAM, numbered).into();
    assert_eq!(read(&mut deployment.client("alice")), b"1");
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let load = |number| match number {
        1 => encoded(&Command::Put { key: b"k", value: &[b'v'; 1024] }),
        _ => encoded(&Command::Get { key: b"k" }),
    };
    let deployment: Deployment = faults::unread_answers(PROGRAM, load).into();
    let answer = deployment.client("alice").call(&Command::Get { key: b"k" }).unwrap();
    assert_eq!(answer.value.len(), 1024);
}
