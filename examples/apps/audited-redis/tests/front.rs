//! Commands through the front: execution, log, answers, and proofs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::time::{Duration, Instant};

use quorate_audited_redis::REDIS;
use quorate_audited_redis::frame::{SignatureScheme, SignedCommand};
use quorate_audited_redis::resp::{Command, Value, encode_command};
use quorate_audited_redis::{log, proof};
use support::Deployment;

/// Time limit of a wait: only a front that does not do what is expected reaches it.
const LIMIT: Duration = Duration::from_secs(120);

fn bulk(bytes: &str) -> Value {
    Value::Bulk(Some(bytes.into()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_and_writes_are_executed_logged_and_provable() {
    let mut deployment = Deployment::new();
    let alice = deployment.client("alice").await;
    let bob = deployment.client_with("bob", SignatureScheme::Eddsa).await;
    let set = alice.call(&["SET", "greeting", "hello"]).await.unwrap();
    assert_eq!((set.sequence, set.entry, &set.reply[..]), (1, Some(1), &b"+OK\r\n"[..]));
    let get = bob.call(&["GET", "greeting"]).await.unwrap();
    assert_eq!((get.sequence, get.entry, Value::parse(&get.reply)), (1, Some(2), Ok(bulk("hello"))));
    // A command that Redis rejects is answered and logged.
    let wrong = alice.call(&["LPUSH", "greeting", "x"]).await.unwrap();
    assert!(wrong.entry == Some(3) && wrong.reply.starts_with(b"-WRONGTYPE"));
    assert_eq!(deployment.redis(&["GET", "greeting"]), bulk("hello"));
    // Binary data, and a value of one MiB.
    let large = vec![0xa5; 1 << 20];
    alice.call(&[b"SET".as_slice(), b"\0\r\n", &large]).await.unwrap();
    let reply = bob.call(&[b"GET".as_slice(), b"\0\r\n"]).await.unwrap().reply;
    assert_eq!(Value::parse(&reply), Ok(Value::Bulk(Some(large))));

    let report = deployment.audit();
    assert!(report.ok, "{:?}", report.findings);
    assert_eq!(report.entries, 5);
    let counts: Vec<_> = report.signers.iter().map(|s| (s.name.clone(), s.commands, s.last)).collect();
    assert!(counts.contains(&("alice".into(), 3, 3)) && counts.contains(&("bob".into(), 2, 2)));

    // The proof of one entry is verified without the log and the front.
    for (entry, name, words) in
        [(1, "alice", vec!["SET", "greeting", "hello"]), (2, "bob", vec!["GET", "greeting"])]
    {
        let bytes = proof::prove(&REDIS, &deployment.log(), entry).unwrap();
        let signer = deployment.key(name).public().unwrap();
        let proven = proof::check(&REDIS, &bytes, &signer).unwrap();
        assert_eq!(proven.command, words.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>());
        assert_eq!((proven.sequence, proven.store), (1, deployment.store));
        let other = deployment.key(if name == "alice" { "bob" } else { "alice" }).public().unwrap();
        assert_eq!(proof::check(&REDIS, &bytes, &other).unwrap_err().code, "BAD_PROOF");
        for at in (0..bytes.len()).step_by(7) {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(proof::check(&REDIS, &bad, &signer).is_err(), "byte {at}");
        }
        for cut in 0..bytes.len() {
            assert!(proof::check(&REDIS, &bytes[..cut], &signer).is_err());
        }
    }
    assert_eq!(proof::prove(&REDIS, &deployment.log(), 6).unwrap_err().code, "NO_ENTRY");
    drop((alice, bob));
    deployment.stop_front();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pipelined_commands_are_answered_in_order_and_in_groups() {
    let deployment = Deployment::new();
    let alice = deployment.client("alice").await;
    let bob = deployment.client("bob").await;
    let mut tickets = Vec::new();
    for number in 0..3000 {
        let client = if number % 2 == 0 { &alice } else { &bob };
        let command = encode_command(&["RPUSH", "list", &number.to_string()]).unwrap();
        tickets.push((number, client.send(&command).await.unwrap()));
    }
    for (number, ticket) in tickets {
        let answer = ticket.answer().await.unwrap();
        assert!(answer.entry.is_some(), "{number}: {}", String::from_utf8_lossy(&answer.reply));
        assert_eq!(answer.sequence, number / 2 + 1);
    }
    let report = deployment.audit();
    assert!(report.ok && report.entries == 3000, "{:?}", report.findings);
    // The log is the order of execution.
    let mut scan = log::Scan::open(&REDIS, &deployment.log()).unwrap();
    let (mut written, mut groups) = (Vec::new(), std::collections::BTreeSet::new());
    while let log::ScanStep::Entry(raw) = scan.step().unwrap() {
        let signed = SignedCommand::decode(raw.entry.body).unwrap();
        let command = Command::parse(signed.command).unwrap();
        written.push(Value::Bulk(command.arguments().nth(2).map(<[u8]>::to_vec)));
        groups.insert(raw.entry.durable);
        let len = raw.len();
        scan.skip(len);
    }
    assert_eq!(deployment.redis(&["LRANGE", "list", "0", "-1"]), Value::Array(Some(written)));
    assert!(groups.len() < 3000, "no write to the disk was shared by several commands");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_continue_after_a_restart_and_reconnects_take_over() {
    let mut deployment = Deployment::new();
    let alice = deployment.client("alice").await;
    alice.call(&["INCR", "n"]).await.unwrap();
    let again = deployment.client("alice").await;
    assert_eq!(again.call(&["INCR", "n"]).await.unwrap().sequence, 2);
    // The old connection was closed, or receives a refusal because a newer one superseded it.
    if let Ok(answer) = alice.call(&["INCR", "n"]).await {
        assert!(answer.entry.is_none());
    }
    deployment.stop_front();
    assert!(again.call(&["INCR", "n"]).await.is_err(), "the connection is lost");
    let ready = deployment.start_front();
    assert_eq!((ready["entries"].as_u64(), ready["torn"].is_null()), (Some(2), true));
    let third = deployment.client("alice").await;
    assert_eq!(third.call(&["INCR", "n"]).await.unwrap().sequence, 3);
    assert_eq!(deployment.redis(&["GET", "n"]), bulk("3"));
    assert!(deployment.audit().ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_front_stops_while_redis_hangs() {
    let mut deployment = Deployment::new();
    let alice = deployment.client_with("alice", SignatureScheme::Eddsa).await;
    alice.call(&["PING"]).await.unwrap();
    deployment.signal_redis("STOP");
    // The command exceeds the socket buffers, so that the writer blocks.
    let large = encode_command(&[b"SET".as_slice(), b"a", &vec![b'x'; 4_000_000]]).unwrap();
    let under_way = alice.send(&large).await.unwrap();
    support::eventually("it is in the log", || {
        std::fs::metadata(deployment.log()).is_ok_and(|metadata| metadata.len() > 4_000_000)
    });
    deployment.stop_front();
    // The waiting client is answered that the outcome is unknown, or its connection is closed.
    let answer = under_way.answer().await;
    assert!(answer.map_or(true, |answer| answer.reply.starts_with(b"-UPSTREAM ")));
    assert!(deployment.audit().ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_are_refused_without_redis_and_executed_with_it() {
    let mut deployment = Deployment::new();
    let alice = deployment.client("alice").await;
    alice.call(&["SET", "a", "1"]).await.unwrap();
    deployment.kill_redis();
    // Commands before the loss is detected are logged and answered with an error; later ones are refused.
    let (mut refused, began) = (None, Instant::now());
    while began.elapsed() < LIMIT {
        let answer = alice.call(&["SET", "a", "2"]).await.unwrap();
        assert!(answer.reply.starts_with(b"-UPSTREAM"), "{}", String::from_utf8_lossy(&answer.reply));
        if answer.entry.is_none() {
            refused = Some(answer);
            break;
        }
    }
    assert!(refused.is_some());
    deployment.restart_redis();
    let began = Instant::now();
    while alice.call(&["SET", "a", "3"]).await.unwrap().reply != b"+OK\r\n" {
        assert!(began.elapsed() < LIMIT, "the front does not reconnect to Redis");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(deployment.redis(&["GET", "a"]), bulk("3"));
    assert!(deployment.audit().ok);
}
