//! A real exchange: `kill -9` under load, dishonest traders, and the program as users run it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audit::keys::Key;
use quorate_audit::log::OVERHEAD;
use quorate_audit::now;
use quorate_exchange::EXCHANGE;
use quorate_exchange::answer::{Answer, Fill, RefusalCode};
use quorate_exchange::answers::{compare, keep};
use quorate_exchange::book::Book;
use quorate_service::receipt::{RECEIPT, Receipt};
use quorate_service::testing::{RawClient, sign_with_one_key};
use serde_json::Value as Json;
use support::{Deployment, LIMIT, command, connect, entries, public};

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn answered_orders_survive_a_kill_and_the_last_receipt_is_completed() {
    let mut deployment = Deployment::new();
    let file = deployment.keys.path("receipts.jsonl");
    for round in 0..4u8 {
        // The random store determines the moments, so that they differ between runs.
        let moment = 1 + usize::from(deployment.store[usize::from(round)]) % 40;
        let (server, endpoints) = (deployment.server.take().unwrap(), deployment.endpoints.clone());
        let answered = Arc::new(AtomicUsize::new(0));
        let (count, began) = (answered.clone(), Instant::now());
        let kill = std::thread::spawn(move || {
            while count.load(Ordering::Relaxed) < moment && began.elapsed() < LIMIT {
                std::thread::sleep(Duration::from_micros(50));
            }
            drop(server);
        });
        let receipts = std::thread::scope(|scope| {
            let traders = [0, 1].map(|trader| {
                let (keys, endpoint, answered) = (&deployment.keys, &endpoints[trader], &answered);
                scope.spawn(move || {
                    let mut receipts = Vec::new();
                    let Ok(mut client) = connect(endpoint, &keys.traders[trader], &keys.exchange) else {
                        return receipts;
                    };
                    for number in 0u32.. {
                        let side = if (number as usize + trader).is_multiple_of(2) { "BUY" } else { "SELL" };
                        let order = command(&format!("{side} {} {}", 1 + number % 7, 95 + number * 7 % 11));
                        match client.call(&order).and_then(|_| client.receipt()) {
                            Ok(receipt) => {
                                receipts.extend(receipt);
                                answered.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(failure) => {
                                assert!(["LOST", "TIMEOUT"].contains(&failure.code), "{failure}");
                                break;
                            }
                        }
                    }
                    receipts
                })
            });
            traders.map(|trader| trader.join().unwrap()).concat()
        });
        kill.join().unwrap();
        receipts.iter().for_each(|receipt| keep(&file, &deployment.store, receipt).unwrap());
        let ready = deployment.start();
        // Each order is followed by its receipt, that of a killed server's last order too.
        assert!(ready["entries"].as_u64().unwrap() >= receipts.len() as u64 * 2);
        assert!(deployment.audited().is_multiple_of(2));
    }
    let comparison = compare(&deployment.log(), &file, &deployment.keys.exchange.public().unwrap()).unwrap();
    assert!(comparison.receipts > 3 && comparison.wrong.is_empty(), "{comparison:?}");
    // The order of the log without its receipt, as after a kill between the two.
    let (mut alice, mut bob) = (deployment.client(0), deployment.client(1));
    let order = alice.call(&command("SELL 5 1000")).unwrap().entry;
    assert_eq!(alice.receipt().unwrap().map(|receipt| receipt.is_empty()), Some(false));
    drop((alice, bob));
    deployment.stop();
    let whole = std::fs::read(deployment.log()).unwrap();
    let receipt = *entries(&deployment.log()).last().unwrap();
    std::fs::write(deployment.log(), &whole[..receipt.0]).unwrap();
    deployment.start();
    assert_eq!(entries(&deployment.log()).last().unwrap().0, receipt.0);
    // The book is restored: only Alice's order has this price.
    bob = deployment.client(1);
    let answer = bob.call(&command("BUY 5 1000")).unwrap().outcome;
    let Answer::Accepted { fills, .. } = answer else { panic!("{answer}") };
    assert!(fills.len() <= 5 && fills.iter().all(|fill| fill.order <= order), "{fills:?}");
    drop(bob);
    deployment.stop();
    deployment.audited();
}

#[test]
fn a_log_that_does_not_follow_the_rules_stops_the_start() {
    let mut deployment = Deployment::new();
    deployment.stop();
    std::fs::remove_file(deployment.log()).unwrap();
    let mut log = support::Forger::new(&deployment.keys, "audit.log");
    log.order(0, "SELL 5 10", |answer| *answer = Answer::Refused(RefusalCode::TooManyOrders));
    drop(log);
    let (code, _, error) = deployment.run(&["serve", "--config", "exchange.toml"]);
    assert!(code == 6 && error.contains("LOG_DAMAGED") && error.contains("entry 2"), "{code}: {error}");
}

/// Sends an order of Alice and returns the code of the refusal, or nothing.
fn ask(raw: &mut RawClient<Book>, signer: &Key, sequence: u64, time: Time, command: &[u8]) -> String {
    let message = EXCHANGE.message(&raw.store, sequence, time, command);
    raw.ask(sequence, time, command, &Ed25519::sign(&signer.secret_key().unwrap(), &message).to_bytes())
}

#[test]
fn dishonest_orders_are_refused_and_not_logged() {
    let mut deployment = Deployment::new();
    let [alice, bob] = &deployment.keys.traders;
    let encoded = support::encoded("SELL 5 100");
    let mut raw = RawClient::authenticated(&deployment.endpoints[1], alice, alice).unwrap();
    // Truncated, too long, huge, unknown, and a receipt that a trader signs.
    let mut huge = encoded.clone();
    huge[1..5].fill(0xff);
    let mut receipt = Vec::new();
    Receipt { entry: 1, signer: public(alice), sequence: 1, command: &encoded, answer: &[1, 0, 0, 0, 0] }
        .encode_into(&mut receipt);
    assert_eq!(receipt[0], RECEIPT);
    let long = [&encoded[..], &[0]].concat();
    for bytes in [&encoded[..16], &long, &huge, &[9], &[0; 17], &receipt, &[3, 1]] {
        assert_eq!(ask(&mut raw, alice, 1, now(), bytes), "BAD_COMMAND", "{bytes:?}");
    }
    // An order of another trader, an order that is sent twice, and one that is too old.
    assert_eq!(ask(&mut raw, bob, 1, now(), &encoded), "FORGED");
    let time = now();
    assert_eq!(ask(&mut raw, alice, 1, time, &encoded), "");
    assert_eq!(ask(&mut raw, alice, 1, time, &encoded), "REPLAYED");
    assert_eq!(ask(&mut raw, alice, 2, Time(time.0 - 60_000_000), &encoded), "STALE");
    drop(raw);
    let mut other = RawClient::authenticated(&deployment.endpoints[1], alice, alice).unwrap();
    assert_eq!(ask(&mut other, alice, 1, time, &encoded), "REPLAYED");
    drop(other);
    // Cancellations of unknown and of foreign orders are answered and logged; they change nothing.
    let mut bob = deployment.client(1);
    let mut cancel = |order: u64| bob.call(&command(&format!("CANCEL {order}"))).unwrap().outcome;
    assert_eq!(cancel(1), Answer::Refused(RefusalCode::ForeignOrder));
    assert_eq!(cancel(2), Answer::Refused(RefusalCode::UnknownOrder));
    assert_eq!(cancel(u64::MAX), Answer::Refused(RefusalCode::UnknownOrder));
    let fills = vec![Fill { price: 100, quantity: 5, order: 1 }];
    let answer = bob.call(&command("BUY 5 1000")).unwrap().outcome;
    assert_eq!(answer, Answer::Accepted { fills, resting: 0, discarded: None });
    assert!(bob.receipt().unwrap().is_some());
    drop(bob);
    // Another key than that of the exchange.
    let failure = {
        let mut client = connect(&deployment.endpoints[0], alice, &Key::generate().unwrap()).unwrap();
        client.call(&command("BUY 1 1")).unwrap();
        client.receipt().unwrap_err()
    };
    assert_eq!(failure.code, "VIOLATION");
    deployment.stop();
    assert_eq!(deployment.audited(), 12);
}

#[test]
fn a_one_time_key_that_signs_two_orders_is_named() {
    let mut deployment = Deployment::new();
    let encoded = support::encoded("SELL 5 100");
    let reuse = |deployment: &Deployment, sequence| {
        let alice = &deployment.keys.traders[0];
        let mut raw = RawClient::<Book>::authenticated(&deployment.endpoints[0], alice, alice).unwrap();
        let time = now();
        let message = EXCHANGE.message(&raw.store, sequence, time, &encoded);
        raw.ask(sequence, time, &encoded, &sign_with_one_key(alice, &message))
    };
    assert_eq!(reuse(&deployment, 1), "");
    assert_eq!(reuse(&deployment, 2), "KEY_REUSE");
    let refusal = &deployment.refusals(1)[0];
    assert_eq!((&refusal["code"], &refusal["client"]), (&"KEY_REUSE".into(), &"alice".into()));
    // A server that was started again has forgotten the first use; the log has not.
    deployment.stop();
    deployment.start();
    assert_eq!(reuse(&deployment, 2), "");
    deployment.stop();
    let (report, unfair) = deployment.keys.audit(&deployment.log());
    let found: Vec<_> = report.findings.iter().map(|finding| (finding.code, finding.entry)).collect();
    assert_eq!((found, unfair), (vec![("KEY_REUSE", 3)], None));
}

#[test]
fn each_command_answers_with_json_and_exit_codes() {
    let mut deployment = Deployment::new();
    let exchange = hex::encode(public(&deployment.keys.exchange));
    let servers: Vec<_> = deployment.endpoints.iter().map(ToString::to_string).collect();
    let call = |at: usize, words: &str| {
        let key = format!("{}.key", support::TRADERS[at]);
        let fixed = ["call", "--json", "--server", &servers[at], "--exchange", &exchange, "--key", &key];
        let options = ["--answers", "receipts.jsonl", "--timeout", "120"];
        let words: Vec<_> = words.split(' ').collect();
        let (code, out, error) = deployment.run(&[&fixed[..], &options, &words].concat());
        assert_eq!(code, 0, "{error}");
        json(&out)
    };
    assert_eq!(call(0, "SELL 10 101")["resting"], 10);
    assert_eq!(call(0, "sell 10 100 77")["entry"], 3);
    let bought = call(1, "BUY 12 101");
    let fills = serde_json::json!([
        { "price": 100, "quantity": 10, "order": 3 }, { "price": 101, "quantity": 2, "order": 1 }
    ]);
    assert_eq!((&bought["fills"], &bought["resting"]), (&fills, &0.into()));
    assert_eq!(call(1, "CANCEL 1")["code"], "FOREIGN_ORDER");
    assert_eq!(call(0, "CANCEL 1")["quantity"], 8);
    let fixed =
        ["call", "--server", &servers[1], "--exchange", &exchange, "--key", "bob.key", "--timeout", "120"];
    let (code, out, _) = deployment.run(&[&fixed[..], &["BUY", "3", "7"]].concat());
    assert_eq!((code, out.as_str()), (0, "resting 3\n"));
    let (code, _, error) = deployment.run(&[&fixed[..], &["BUY", "0", "7"]].concat());
    assert!(code == 3 && error.contains("quantity"), "{error}");
    deployment.stop();

    let audit = ["audit", "--json", "audit.log", "--clients", "exchange.toml", "--exchange", &exchange];
    let (code, out, error) = deployment.run(&audit);
    assert_eq!((code, json(&out)["ok"].clone()), (0, true.into()), "{out}{error}");
    let check =
        ["check-answers", "--json", "audit.log", "--answers", "receipts.jsonl", "--exchange", &exchange];
    let (code, out, _) = deployment.run(&check);
    assert_eq!((code, json(&out)), (0, serde_json::json!({ "receipts": 5, "wrong": [] })));
    // The receipt of Bob's order is a proof of its own.
    assert_eq!(deployment.run(&["prove", "audit.log", "--entry", "6", "--out", "proof"]).0, 0);
    let (code, out, _) = deployment.run(&["check-proof", "--json", "proof", "--signer", &exchange]);
    let words = &json(&out)["command"];
    assert_eq!((code, &words[0], &words[1], &words[4]), (0, &"RECEIPT".into(), &"5".into(), &"BUY".into()));
    assert_eq!(words[8], "filled 10 at 100 with order 3; filled 2 at 101 with order 1; resting 0");

    // One byte of the quantity in Bob's order: the last 16 bytes of a command are quantity, price and label.
    let mut log = std::fs::read(deployment.log()).unwrap();
    let (offset, len) = entries(&deployment.log())[4];
    assert!(len > OVERHEAD);
    log[offset + len - 32 - 16] ^= 1;
    std::fs::write(deployment.log(), log).unwrap();
    let (code, out, _) = deployment.run(&audit);
    let findings = json(&out)["findings"].clone();
    let codes: Vec<_> =
        findings.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!((code, codes, &findings[0]["entry"]), (6, vec!["ALTERED"], &5.into()));

    let (code, out, _) = deployment.run(&["--help"]);
    assert!(code == 0 && out.contains("the log was tampered with"), "{out}");
    for command in ["keygen", "serve", "call", "audit", "check-answers", "prove", "check-proof", "bench"] {
        let (code, out, _) = deployment.run(&[command, "--help"]);
        assert!(code == 0 && out.contains("--json"), "{command}");
    }
    assert_eq!(deployment.run(&["nothing"]).0, 2);
}

#[test]
fn the_bench_measures_every_target() {
    let deployment = Deployment::new();
    let arguments =
        ["bench", "--json", "--unpinned", "--rounds", "1", "--ops", "10", "--signer", "plain,dsig"];
    let (code, out, error) = deployment.run(&arguments);
    assert_eq!(code, 0, "{error}");
    let report = json(&out);
    let rows = report["results"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["signer"].as_str().unwrap()).collect();
    assert_eq!(names, ["plain", "dsig"]);
    assert!(rows.iter().all(|row| row["p50"].as_f64().unwrap() > 0.0));
}
