//! Replicas as real processes: kills, restarts, hostile clients, and a reader that does not read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use quorate_link::SendError;
use quorate_replicate::node::client::connect_as;
use quorate_replicate::node::group;
use quorate_replicate::node::handshake::Party;
use support::{Deployment, LIMIT, PROGRAM, Process, replicate};

#[test]
fn kills_of_replicas_lose_and_repeat_nothing() {
    let mut deployment = Deployment::new("dsig");
    let mut client = deployment.client(0);
    let mut sum = 0;
    // Each replica in turn, the leader first, and sometimes with its successor.
    for turn in 0..6 {
        deployment.kill(turn % 4);
        for _ in 0..12 {
            sum += 1;
            assert_eq!(deployment.add(&mut client, 1), sum);
        }
        deployment.start(turn % 4);
        sum += 1;
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
    // All at once: what was answered is durable.
    (0..4).for_each(|i| deployment.kill(i));
    (0..4).for_each(|i| deployment.start(i));
    let mut client = deployment.client(0);
    sum += 5;
    assert_eq!(deployment.add(&mut client, 5), sum);
}

#[test]
fn a_replayed_request_is_executed_once_and_an_impostor_is_refused() {
    let deployment = Deployment::new("eddsa");
    let mut client = deployment.client(0);
    let first = client.call_numbered(100, 5u64.to_le_bytes(), LIMIT).unwrap();
    assert_eq!(first.answer, 5u64.to_le_bytes());
    // The same number again, also with another operation and from a new link.
    let mut again = deployment.client(0);
    for operation in [5u64, 7] {
        assert_eq!(again.call_numbered(100, operation.to_le_bytes(), LIMIT).unwrap().answer, first.answer);
    }
    let old = again.call_numbered(99, 1u64.to_le_bytes(), LIMIT);
    assert_eq!(old.map_err(|failure| failure.code), Err("OUTDATED"));
    assert_eq!(deployment.add(&mut again, 1), 6);

    // Client 1 as client 0, and as a replica.
    let group = deployment.group();
    let key = group::load(&deployment.path("client1.key")).unwrap();
    for party in [Party::Client(0), Party::Replica(3)] {
        let refused = connect_as(&group, 0, party, &key).unwrap_err();
        assert!(refused.message.contains("IMPOSTOR"), "{refused}");
    }
    let refused = connect_as(&group, 0, Party::Client(9), &key).unwrap_err();
    assert!(refused.message.contains("UNKNOWN"), "{refused}");
    let log = deployment.output(0);
    assert!(log.contains("IMPOSTOR") && log.contains("Client(0)"), "the claimed party is named: {log}");
}

#[test]
fn a_client_that_stops_reading_delays_no_other_client() {
    let deployment = Deployment::new("eddsa");
    let group = deployment.group();
    let key = group::load(&deployment.path("client1.key")).unwrap();
    let mut deaf = connect_as(&group, 0, Party::Client(1), &key).unwrap();
    let mut client = deployment.client(0);
    let mut other = deployment.client(1);
    // A request that is executed, so that its repetition is always answered. The new link of client 1 supersedes the deaf one.
    other.call_numbered(1, 0u64.to_le_bytes(), LIMIT).unwrap();
    drop(other);
    let mut sum = 0;
    let request = [&[0][..], &1u64.to_le_bytes(), &[0; 8]].concat();
    let mut sent = 0;
    for _ in 0..50 {
        for _ in 0..40 {
            match deaf.send(&request) {
                Ok(()) => sent += 1,
                Err(SendError::Closed) => {
                    deaf = connect_as(&group, 0, Party::Client(1), &key).unwrap();
                }
                Err(_) => {}
            }
        }
        sum += 1;
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
    assert!(sent > 100, "{sent}");
}

/// A stopped process reads no ring: the others do not wait for it, and it catches up.
#[test]
fn replicas_that_stop_reading_stop_no_other_and_catch_up() {
    let mut deployment = Deployment::new("dsig");
    let mut client = deployment.client(0);
    let mut sum = 0;
    // A backup, then the leader.
    for silent in [3, 0] {
        deployment.signal(silent, "-STOP");
        for _ in 0..150 {
            sum += 1;
            assert_eq!(deployment.add(&mut client, 1), sum);
        }
        deployment.signal(silent, "-CONT");
        // Without another replica, the one that was silent is needed.
        deployment.kill(2);
        for _ in 0..3 {
            sum += 1;
            assert_eq!(deployment.add(&mut client, 1), sum);
        }
        deployment.start(2);
        sum += 1;
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
}

#[test]
fn a_killed_client_continues_with_its_next_request() {
    let deployment = Deployment::new("dsig");
    let arguments = |count: &str| {
        let (group, key) = (deployment.path("group.toml"), deployment.path("client0.key"));
        let mut command = Command::new(PROGRAM);
        command
            .args(["submit", "--json", "--count", count, "--group"])
            .arg(group)
            .arg("--key")
            .arg(key)
            .arg("1");
        command
    };
    let mut child = Process(arguments("1000000").stdout(Stdio::null()).spawn().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    child.0.kill().unwrap();
    child.0.wait().unwrap();
    let sums: Vec<u64> = (0..2)
        .map(|_| {
            let output = arguments("1").output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(line["liars"], serde_json::json!([]));
            line["sum"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(sums[1], sums[0] + 1);
}

#[test]
fn failures_have_their_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.toml");
    let missing = missing.to_str().unwrap();
    assert_eq!(replicate(&["submit", "--group", missing, "--key", missing, "1"]).status.code(), Some(3));
    assert_eq!(replicate(&["init"]).status.code(), Some(2));
    let out = folder.path().join("group");
    let out = out.to_str().unwrap();
    assert_eq!(replicate(&["init", "--out", out]).status.code(), Some(0));
    assert_eq!(replicate(&["init", "--out", out]).status.code(), Some(3));
    let (group, key) = (format!("{out}/group.toml"), format!("{out}/client0.key"));
    assert_eq!(replicate(&["submit", "--group", &group, "--key", &key, "1"]).status.code(), Some(4));
    assert_eq!(replicate(&["check-evidence", &key, "--group", &group]).status.code(), Some(7));
    assert_eq!(replicate(&["simulate", "--seeds", "3", "--scenario", "crashes"]).status.code(), Some(0));
}
