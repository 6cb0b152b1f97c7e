//! A full disk, kills with requests in flight, a client that never reads, one key in two processes, a clock that was set back, and
//! strangers that occupy links.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quorate_link::SendError;
use quorate_replicate::node::client::{Client, connect_as};
use quorate_replicate::node::group;
use quorate_replicate::node::handshake::Party;
use support::{Deployment, LIMIT, PROGRAM, json, replicate};

/// Files reach a limit of their size, as on a full disk: replicas stop, and no operation is answered that is not recorded.
#[test]
fn a_full_disk_stops_replicas_and_loses_nothing() {
    let mut deployment = Deployment::stopped("dsig", &["--sync", "kill", "--slow"]);
    deployment.file_limit = Some(FILE_LIMIT);
    (0..4).for_each(|i| deployment.start(i));
    let mut client = deployment.client(0);
    let (mut sent, mut last) = (0, 0);
    let is_down = |deployment: &mut Deployment| {
        let ended = |replica: &mut Option<support::Process>| {
            replica.as_mut().is_some_and(|process| process.0.try_wait().unwrap().is_some())
        };
        deployment.replicas.iter_mut().map(ended).filter(|ended| *ended).count() >= 2
    };
    while !is_down(&mut deployment) {
        sent += 1;
        // An operation that is not answered in time may be executed nevertheless.
        if let Ok(accepted) = client.call(1u64.to_le_bytes(), Duration::from_millis(300)) {
            let sum = u64::from_le_bytes(accepted.answer);
            assert!(last < sum && sum <= sent, "{sum} after {last}, {sent} sent");
            last = sum;
        }
        assert!(sent < 20_000, "the limit of the size has no effect");
    }
    assert!(last > 0);
    let mut stopped = 0;
    for i in 0..4 {
        let process = &mut deployment.replicas[i].as_mut().unwrap().0;
        if let Some(status) = process.try_wait().unwrap() {
            let output = deployment.output(i);
            assert_eq!(status.code(), Some(1), "{output}");
            assert!(output.contains("RECORDS_UNWRITTEN") && output.contains("free space"), "{output}");
            stopped += 1;
        }
        deployment.kill(i);
    }
    assert!(stopped >= 2);
    // With space again, everything that was answered is there.
    deployment.file_limit = None;
    (0..4).for_each(|i| deployment.start(i));
    let sum = deployment.add(&mut deployment.client(1), 0);
    assert!((last..=sent).contains(&sum), "{sum} after {last}, {sent} sent");
}

/// Blocks of 512 bytes: above the shared memory of a link, which the limit concerns too.
const FILE_LIMIT: u32 = 4096;

/// Replicas are killed at any time, also with `--sync always`, while a client sends one operation after another.
#[test]
fn kills_with_requests_in_flight_lose_and_repeat_nothing() {
    let mut deployment = Deployment::stopped("eddsa", &["--sync", "always"]);
    (0..4).for_each(|i| deployment.start(i));
    let (group, key) = (deployment.group(), group::load(&deployment.path("client0.key")).unwrap());
    let (stop, connected) = (AtomicBool::new(false), Barrier::new(2));
    let answered = std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            let client = Client::connect(&group, key);
            connected.wait();
            let (mut client, mut sum) = (client.unwrap(), 0);
            while !stop.load(Ordering::Relaxed) {
                let accepted = client.call(1u64.to_le_bytes(), LIMIT).unwrap();
                sum += 1;
                assert_eq!(u64::from_le_bytes(accepted.answer), sum);
                assert!(accepted.liars.is_empty());
            }
            sum
        });
        connected.wait();
        for turn in 0..8u64 {
            std::thread::sleep(Duration::from_millis(37 * turn % 90));
            let replica = turn as usize % 4;
            deployment.kill(replica);
            std::thread::sleep(Duration::from_millis(23 * turn % 50));
            deployment.start(replica);
        }
        stop.store(true, Ordering::Relaxed);
        client.join().unwrap()
    });
    assert_eq!(deployment.add(&mut deployment.client(1), 0), answered);
}

/// The bound of unread answers is reached, and the client is disconnected.
#[test]
fn a_client_that_never_reads_is_disconnected() {
    let deployment = Deployment::new("eddsa");
    let group = deployment.group();
    let key = group::load(&deployment.path("client1.key")).unwrap();
    let mut first = deployment.client(1);
    first.call_numbered(1, 5u64.to_le_bytes(), LIMIT).unwrap();
    drop(first);
    let mut deaf = connect_as(&group, 0, Party::Client(1), &key).unwrap();
    let mut client = deployment.client(0);
    // An executed request, whose repetition is always answered.
    let request = [&[0][..], &1u64.to_le_bytes(), &[0; 8]].concat();
    let (began, mut sent, mut sum) = (Instant::now(), 0u32, 5);
    loop {
        assert!(began.elapsed() < LIMIT, "the replica answers a client that does not read");
        match deaf.send(&request) {
            Ok(()) => sent += 1,
            Err(SendError::Closed) => break,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        if sent.is_multiple_of(1_000) {
            sum += 1;
            assert_eq!(deployment.add(&mut client, 1), sum);
        }
    }
    // More than the ring holds, and at most what the ring and the bounded queue hold.
    assert!(sent > 64 && sent < 20_000, "{sent}");
    assert_eq!(deployment.add(&mut client, 1), sum + 1);
}

/// Two processes with one key: each accepted answer is that of an operation of its own, and the others fail with a reason.
#[test]
fn one_key_in_two_processes_executes_nothing_twice() {
    let deployment = Deployment::new("eddsa");
    let submit = || {
        let mut command = Command::new(PROGRAM);
        command.args(["submit", "--json", "--count", "40", "--timeout", "1500", "--group"]);
        command.arg(deployment.path("group.toml")).arg("--key").arg(deployment.path("client0.key")).arg("1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // By number: two processes that use one number at the same time mean one request, and get one answer.
    let mut sums = BTreeMap::new();
    for output in [submit(), submit()].map(|child| child.wait_with_output().unwrap()) {
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 4 | 5 | 10)), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["liars"], serde_json::json!([]));
            if let (Some(sum), Some(sequence)) = (line["sum"].as_u64(), line["sequence"].as_u64()) {
                assert_eq!(*sums.entry(sequence).or_insert(sum), sum);
            }
        }
    }
    let answered = sums.len() as u64;
    let distinct: BTreeSet<u64> = sums.into_values().collect();
    assert_eq!(distinct.len() as u64, answered, "no sum is answered twice");
    // At most the two last operations of the processes were executed without an answer.
    let sum = deployment.add(&mut deployment.client(1), 0);
    assert!((answered..=answered + 2).contains(&sum), "{sum} {answered}");
}

#[test]
fn a_clock_that_was_set_back_is_reported_and_the_next_call_succeeds() {
    let deployment = Deployment::new("eddsa");
    // As if the clock had been far ahead.
    let ahead = 1 << 60;
    deployment.client(0).call_numbered(ahead, 3u64.to_le_bytes(), LIMIT).unwrap();
    let mut client = deployment.client(0);
    let refused = client.call(1u64.to_le_bytes(), LIMIT).unwrap_err();
    assert_eq!(refused.code, "OUTDATED");
    assert!(refused.message.contains(&ahead.to_string()) && refused.message.contains("clock"), "{refused}");
    let accepted = client.call(1u64.to_le_bytes(), LIMIT).unwrap();
    assert_eq!((accepted.sequence, accepted.answer), (ahead + 1, 4u64.to_le_bytes()));
    let (key, group) = (deployment.path("client0.key"), deployment.path("group.toml"));
    let (key, group) = (key.to_str().unwrap(), group.to_str().unwrap());
    let submitted = replicate(&["submit", "--group", group, "--key", key, "1"]);
    assert_eq!(submitted.status.code(), Some(10), "{submitted:?}");
}

/// More links of strangers than a replica keeps do not keep a client or a replica away.
#[test]
fn strangers_keep_no_party_away() {
    let mut deployment = Deployment::new("eddsa");
    let strangers = |count: usize, deployment: &Deployment| -> Vec<UnixStream> {
        let connect = |i: usize| UnixStream::connect(deployment.path(&format!("replica{}.sock", i % 4)));
        // Some are refused while the queue of the socket is full.
        (0..count).filter_map(|i| connect(i).ok()).collect()
    };
    let first = strangers(320, &deployment);
    deployment.kill(3);
    deployment.start(3);
    let mut client = deployment.client(0);
    let second = strangers(320, &deployment);
    deployment.kill(2);
    for sum in 1..=5 {
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
    drop((first, second));
}

/// A replica has a maximum number of links to clients. One more is refused, and a client with a link can renew it.
#[test]
fn a_client_too_many_is_refused() {
    const MOST: u16 = 256;
    let mut deployment = Deployment::for_clients(MOST + 1, "eddsa", &["--sync", "kill"]);
    deployment.start(0);
    let group = deployment.group();
    let connect = |client: u16| {
        let key = group::load(&deployment.path(&format!("client{client}.key"))).unwrap();
        connect_as(&group, 0, Party::Client(client), &key)
    };
    let links: Vec<_> = (0..MOST).map(|client| connect(client).unwrap()).collect();
    assert_eq!(connect(MOST).unwrap_err().to_string(), "refused: BUSY (UNREACHABLE)");
    assert!(connect(7).is_ok());
    drop(links);
    support::eventually("the replica notices that the clients left", || connect(MOST).is_ok());
}

/// A replica that is stopped accepts connections and answers none of them.
#[test]
fn a_stopped_replica_delays_no_other() {
    let mut deployment = Deployment::new("eddsa");
    deployment.signal(0, "-STOP");
    // Replica 3 begins with connections to the others, and is needed.
    deployment.kill(3);
    deployment.start(3);
    let mut client = deployment.client(0);
    for sum in 1..=3 {
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
    deployment.signal(0, "-CONT");
    deployment.kill(2);
    for sum in 4..=6 {
        assert_eq!(deployment.add(&mut client, 1), sum);
    }
}

#[test]
fn the_benchmark_runs_once() {
    let measured = replicate(&["bench", "--json", "--requests", "2", "--warm-up", "0"]);
    assert_eq!(measured.status.code(), Some(0), "{measured:?}");
    let results = json(&measured);
    let rows = results["results"].as_array().unwrap();
    let paths: Vec<_> = rows.iter().map(|row| (row["path"].as_str(), row["signer"].as_str())).collect();
    assert_eq!(paths[0], (Some("fast"), Some("none")));
    assert!(paths.contains(&(Some("slow"), Some("eddsa"))), "{paths:?}");
    assert!(results["ratio"].as_f64().is_some());
}
