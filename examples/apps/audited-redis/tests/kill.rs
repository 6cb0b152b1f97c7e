//! `kill -9` of the front at random times: no command is executed without its entry in the log, and no answered
//! command is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use quorate_audited_redis::REDIS;
use quorate_audited_redis::frame::SignedCommand;
use quorate_audited_redis::log::{Scan, ScanStep};
use quorate_audited_redis::resp::{Command, Value, encode_command};
use support::Deployment;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_executed_command_is_in_the_log() {
    let mut deployment = Deployment::new();
    let mut answered = BTreeSet::new();
    let mut sent = 0u64;
    // The random store of the log determines the times, so that they differ between runs.
    for round in 0..24usize {
        let moment = Duration::from_micros(u64::from(deployment.store[round]) * 600 + 5000);
        let (alice, bob) = (deployment.client("alice").await, deployment.client("bob").await);
        let mut writing = Vec::new();
        for (client, first) in [(alice, sent), (bob, sent + 1)] {
            writing.push(tokio::spawn(async move {
                let (mut tickets, mut number) = (Vec::new(), first);
                loop {
                    let command = encode_command(&["RPUSH", "list", &number.to_string()]).unwrap();
                    match client.send(&command).await {
                        Ok(ticket) => tickets.push((number, ticket)),
                        Err(_) => break,
                    }
                    number += 2;
                    if number - first > 20_000 {
                        break;
                    }
                }
                let mut done = Vec::new();
                for (number, ticket) in tickets {
                    if let Ok(answer) = ticket.answer().await
                        && answer.reply.starts_with(b":")
                    {
                        done.push(number);
                    }
                }
                (done, number)
            }));
        }
        tokio::time::sleep(moment).await;
        deployment.kill_front();
        for task in writing {
            let (done, last) = task.await.unwrap();
            answered.extend(done);
            sent = sent.max(last + 2);
        }
        sent += sent % 2;
        deployment.start_front();
    }
    // Redis' answer shows that it has executed all commands from before the last kill.
    let Value::Array(Some(items)) = deployment.redis(&["LRANGE", "list", "0", "-1"]) else {
        panic!("a list")
    };
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<u64>().unwrap();
    let executed: Vec<u64> = items
        .iter()
        .map(|item| match item {
            Value::Bulk(Some(bytes)) => number(bytes),
            other => panic!("{other:?}"),
        })
        .collect();

    let report = deployment.audit();
    assert!(report.ok, "{:?}", report.findings);
    let logged = logged(&deployment);
    assert_eq!(logged.len() as u64, report.entries);
    // Commands are executed in the order of the log; those without an answer may be missing.
    let mut rest = logged.iter();
    for number in &executed {
        assert!(
            rest.any(|logged| logged == number),
            "{number} was executed, and is not in the log or elsewhere"
        );
    }
    let executed: BTreeSet<_> = executed.into_iter().collect();
    assert!(answered.is_subset(&executed), "an answered command was lost");
    assert!(!answered.is_empty() && answered.len() <= logged.len());
}

/// Returns the numbers in the log, in its order.
fn logged(deployment: &Deployment) -> Vec<u64> {
    let (mut scan, mut numbers) = (Scan::open(&REDIS, &deployment.log()).unwrap(), Vec::new());
    loop {
        let len = match scan.step().unwrap() {
            ScanStep::Entry(raw) => {
                let signed = SignedCommand::decode(raw.entry.body).unwrap();
                let command = Command::parse(signed.command).unwrap();
                let number = command.arguments().nth(2).unwrap();
                numbers.push(std::str::from_utf8(number).unwrap().parse().unwrap());
                raw.len()
            }
            ScanStep::End => return numbers,
            _ => panic!("the log is damaged"),
        };
        scan.skip(len);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_torn_tail_is_moved_aside_and_the_front_continues() {
    let mut deployment = Deployment::new();
    let alice = deployment.client("alice").await;
    for _ in 0..3 {
        alice.call(&["INCR", "n"]).await.unwrap();
    }
    deployment.kill_front();
    // As if the front was killed while it wrote the next entry.
    let whole = std::fs::read(deployment.log()).unwrap();
    let torn = [&whole[..], &whole[40..900]].concat();
    std::fs::write(deployment.log(), torn).unwrap();
    let ready = deployment.start_front();
    assert_eq!((ready["entries"].as_u64(), ready["torn"]["bytes"].as_u64()), (Some(3), Some(860)));
    let aside = ready["torn"]["file"].as_str().unwrap();
    assert_eq!(std::fs::read(deployment.path(aside)).unwrap(), whole[40..900]);
    assert_eq!(std::fs::read(deployment.log()).unwrap(), whole);
    let again = deployment.client("alice").await;
    assert_eq!(again.call(&["INCR", "n"]).await.unwrap().reply, b":4\r\n");
    assert!(deployment.audit().ok);
    // Damage before the durable end is not a torn tail: the front does not start.
    deployment.kill_front();
    let mut bytes = std::fs::read(deployment.log()).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(deployment.log(), bytes).unwrap();
    let (code, _, error) = deployment.run(&["front", "--config", "front.toml"]);
    assert!(code == 6 && error.contains("LOG_DAMAGED"), "{code}: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_the_front_before_execution() {
    let mut deployment = Deployment::new();
    deployment.stop_front();
    // Limits every file to 8 kB, with an error instead of a signal.
    let limited = "trap '' XFSZ; ulimit -f 16; exec \"$0\" front --json --config front.toml";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_audited-redis")]).current_dir(deployment.path(""));
    let (process, ready) = support::ready(&mut shell);
    deployment.address = ready["listen"].as_str().unwrap().to_owned();
    deployment.front = Some(process);
    let (alice, mut executed) = (deployment.client("alice").await, 0);
    while alice.call(&["INCR", "n"]).await.is_ok_and(|answer| answer.reply.starts_with(b":")) {
        executed += 1;
        assert!(executed < 100, "the file size limit has no effect");
    }
    assert!(executed > 0);
    assert_eq!(deployment.front.take().unwrap().0.wait().unwrap().code(), Some(1));
    let ready = deployment.start_front();
    assert_eq!((ready["entries"].as_u64(), ready["torn"].is_null()), (Some(executed), false));
    assert_eq!(deployment.redis(&["GET", "n"]), Value::Bulk(Some(executed.to_string().into())));
    assert!(deployment.audit().ok);
}
