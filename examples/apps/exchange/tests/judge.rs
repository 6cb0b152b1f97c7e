//! Exchanges that break the rules of the book, and logs that were tampered with.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate_audit::audit::Finding;
use quorate_audit::keys::Key;
use quorate_exchange::answer::{Answer, Fill, RefusalCode};
use quorate_exchange::answers::{compare, keep};
use support::{Forger, Keys, entries, public};

const ALICE: usize = 0;
const BOB: usize = 1;
/// Changes the answer that the exchange signs.
type Change = fn(&mut Answer);

/// Causes a fault of a log.
type Cause = fn(&mut Forger<'_>);

/// The exchange answers as the rules say.
fn honest(_: &mut Answer) {}

/// Two sell orders of Alice at 102, one at 101: entries 1, 3 and 5.
fn asks(log: &mut Forger<'_>) {
    for text in ["SELL 10 102", "SELL 10 102", "SELL 10 101"] {
        log.order(ALICE, text, honest);
    }
}

fn found(finding: Option<Finding>) -> (&'static str, u64) {
    finding.map_or(("", 0), |finding| (finding.code, finding.entry))
}

#[test]
fn an_honest_log_has_no_findings() {
    let keys = Keys::new();
    let mut log = Forger::new(&keys, "log");
    asks(&mut log);
    log.order(BOB, "BUY 15 102", honest);
    log.order(BOB, "CANCEL 1", honest);
    log.order(ALICE, "CANCEL 1", honest);
    // The server was killed before it signed the last answer.
    log.unanswered(BOB, "BUY 1 1");
    let (report, finding) = keys.audit(&keys.path("log"));
    assert!(report.ok && finding.is_none(), "{:?} {finding:?}", report.findings);
    assert_eq!(report.entries, 13);
}

#[test]
fn each_unfair_answer_is_named_although_the_exchange_signed_it() {
    let changes: [(&str, Change); 6] = [
        // Filled at a worse price, although an order at 101 rests.
        ("PRICE_PRIORITY", |answer| fills(answer)[0] = Fill { price: 102, quantity: 10, order: 1 }),
        // The right order at a worse price.
        ("PRICE_PRIORITY", |answer| fills(answer)[0].price = 102),
        // A younger order at the same price.
        ("TIME_PRIORITY", |answer| fills(answer)[1].order = 3),
        ("WRONG_FILL", |answer| fills(answer)[1].quantity = 4),
        ("WRONG_FILL", |answer| fills(answer).truncate(1)),
        ("DROPPED", |answer| *answer = Answer::Refused(RefusalCode::TooManyOrders)),
    ];
    for (code, change) in changes {
        let keys = Keys::new();
        let mut log = Forger::new(&keys, "log");
        asks(&mut log);
        log.order(BOB, "BUY 15 102", change);
        log.order(BOB, "BUY 1 1", honest);
        // Every signature and every hash is valid.
        let (report, finding) = keys.audit(&keys.path("log"));
        assert!(report.ok, "{:?}", report.findings);
        let at = finding.as_ref().unwrap().offset;
        assert_eq!(found(finding), (code, 7));
        assert_eq!(at, entries(&keys.path("log"))[6].0 as u64);
    }
}

#[test]
fn a_reused_key_or_a_clock_hides_no_unfair_answer() {
    let keys = Keys::new();
    let hex = |key: &Key| hex::encode(public(key));
    let [alice, bob] = keys.traders.each_ref().map(hex);
    let (alice, bob) = (format!("alice={alice}"), format!("bob={bob}"));
    let both = ["--signer", &alice, "--signer", &bob];
    // A key that signed two orders, entries 1 and 3; a time of receipt after a minute; a trader that the auditor does not know.
    let faults: [(&str, u64, Cause, &[&str]); 3] = [
        ("KEY_REUSE", 3, |log| log.reuses_keys = true, &both),
        ("CLOCK", 1, |log| log.received += 60_000_000, &both),
        ("UNKNOWN_SIGNER", 1, |_| (), &both[2..]),
    ];
    for (code, entry, cause, signers) in faults {
        let mut log = Forger::new(&keys, code);
        cause(&mut log);
        asks(&mut log);
        log.order(BOB, "BUY 15 102", |answer| fills(answer)[0] = Fill { price: 102, quantity: 10, order: 1 });
        log.order(ALICE, "SELL 1 200", honest);
        // The exchange has removed an order of Bob.
        let _removed = log.sign(BOB, &support::encoded("BUY 1 1"));
        log.order(BOB, "BUY 2 1", honest);
        drop(log);
        let exchange = hex(&keys.exchange);
        let fixed = ["audit", "--json", code, "--exchange", &exchange, "--max-age", "30000"];
        let mut audit = std::process::Command::new(support::PROGRAM.path);
        let output = audit.args(fixed).args(signers).current_dir(keys.path("")).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let has = |code: &str, entry: u64| {
            findings.iter().any(|found| found["code"] == code && found["entry"] == entry)
        };
        assert_eq!(output.status.code(), Some(6));
        for (wanted, at) in [(code, entry), ("PRICE_PRIORITY", 7), ("SEQUENCE_GAP", 11)] {
            assert!(has(wanted, at), "{wanted}, entry {at}: {findings:?}");
        }
    }
}

fn fills(answer: &mut Answer) -> &mut Vec<Fill> {
    match answer {
        Answer::Accepted { fills, .. } => fills,
        other => panic!("{other}"),
    }
}

#[test]
fn missing_and_misplaced_receipts_are_named() {
    let keys = Keys::new();
    let mut log = Forger::new(&keys, "unanswered");
    asks(&mut log);
    log.unanswered(BOB, "BUY 15 102");
    log.order(ALICE, "SELL 1 200", honest);
    assert_eq!(found(keys.audit(&keys.path("unanswered")).1), ("UNANSWERED", 7));
    // The exchange moves Alice's order before Bob's, and keeps the receipts that it has sent.
    let mut log = Forger::new(&keys, "moved");
    let (_, alice) = log.unanswered(ALICE, "SELL 1 200");
    let answer = Answer::Accepted { fills: vec![], resting: 1, discarded: None };
    let body = log.receipt(3, ALICE, &alice, &answer);
    log.append(2, &body);
    assert_eq!(found(keys.audit(&keys.path("moved")).1), ("MISPLACED_RECEIPT", 2));
    let mut log = Forger::new(&keys, "twice");
    let body = log.order(ALICE, "SELL 1 200", honest);
    log.append(2, &body);
    let (report, finding) = keys.audit(&keys.path("twice"));
    assert_eq!((found(finding), report.findings[0].code), (("MISPLACED_RECEIPT", 3), "REPLAYED"));
    // A receipt that a trader signed.
    let mut log = Forger::new(&keys, "trader");
    let body = log.receipt(1, ALICE, &alice, &answer);
    log.append(ALICE, &body);
    assert_eq!(found(keys.audit(&keys.path("trader")).1), ("FOREIGN_RECEIPT", 1));
}

#[test]
fn a_changed_byte_and_swapped_orders_are_named() {
    let keys = Keys::new();
    let mut log = Forger::new(&keys, "log");
    asks(&mut log);
    log.order(BOB, "BUY 15 102", honest);
    let path = keys.path("log");
    let (good, at) = (std::fs::read(&path).unwrap(), entries(&path));
    // One byte of Bob's quantity.
    let mut edited = good.clone();
    edited[at[6].0 + 60 + 17 + 64 + 1] ^= 1;
    std::fs::write(&path, &edited).unwrap();
    let (report, _) = keys.audit(&path);
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("ALTERED", 7));
    // Orders 1 and 3 with their receipts change their places.
    let part = |from: usize, to: usize| &good[at[from].0..at[to].0 + at[to].1];
    std::fs::write(&path, [&good[..40], part(2, 3), part(0, 1), part(4, 7)].concat()).unwrap();
    let (report, _) = keys.audit(&path);
    let codes: Vec<_> = report.findings.iter().map(|finding| (finding.code, finding.entry)).collect();
    assert!(codes.contains(&("REORDERED", 1)), "{codes:?}");
    // Without the second order and its receipt, and with new hashes: Alice's numbers have a gap.
    let mut log = Forger::new(&keys, "removed");
    log.order(ALICE, "SELL 10 102", honest);
    let _removed = log.sign(ALICE, b"never logged");
    log.order(ALICE, "SELL 10 101", honest);
    let (report, _) = keys.audit(&keys.path("removed"));
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("SEQUENCE_GAP", 3));
}

#[test]
fn receipts_prove_that_an_order_was_dropped_or_moved() {
    let keys = Keys::new();
    let (path, file) = (keys.path("log"), keys.path("receipts"));
    let mut log = Forger::new(&keys, "log");
    let store = log.store();
    keep(&file, &store, &log.order(ALICE, "SELL 10 101", honest)).unwrap();
    keep(&file, &store, &log.order(BOB, "BUY 3 101", honest)).unwrap();
    let exchange = keys.exchange.public().unwrap();
    let comparison = compare(&path, &file, &exchange).unwrap();
    assert_eq!((comparison.receipts, comparison.wrong), (2, vec![]));
    // A second receipt of Bob's order with another answer, and one at another place.
    let mut bytes = Vec::new();
    support::command("BUY 3 101").encode_to(&mut bytes).unwrap();
    let other = Answer::Accepted { fills: vec![], resting: 3, discarded: None };
    let contradiction = log.receipt(3, BOB, &bytes, &other);
    keep(&file, &store, &contradiction).unwrap();
    // An order that the exchange answered and never logged.
    let _unlogged = log.sign(BOB, &bytes);
    let dropped = log.receipt(5, BOB, &bytes, &other);
    keep(&file, &store, &dropped).unwrap();
    let wrong = compare(&path, &file, &exchange).unwrap().wrong;
    let codes: Vec<_> = wrong.iter().map(|wrong| (wrong.code, wrong.line, wrong.entry)).collect();
    assert_eq!(codes, [("CONTRADICTION", 3, 3), ("NOT_LOGGED", 4, 5)]);
    for (receipt, code) in
        [(contradiction, "WRONG_ANSWER"), (log.receipt(9, BOB, &bytes, &other), "NOT_LOGGED")]
    {
        std::fs::remove_file(&file).unwrap();
        keep(&file, &store, &receipt).unwrap();
        assert_eq!(compare(&path, &file, &exchange).unwrap().wrong[0].code, code);
        // It convinces third parties only with the signature of the exchange.
        let mut forged = receipt.clone();
        *forged.last_mut().unwrap() ^= 1;
        keep(&file, &store, &forged).unwrap();
        assert_eq!(compare(&path, &file, &exchange).unwrap().wrong[1].code, "FORGED");
    }
    // The log of an exchange that placed an order of Alice before Bob's.
    let mut log = Forger::new(&keys, "other");
    log.order(ALICE, "SELL 10 101", honest);
    log.order(ALICE, "SELL 10 100", honest);
    let receipt = log.order(BOB, "BUY 3 101", honest);
    std::fs::remove_file(&file).unwrap();
    keep(&file, &log.store(), &receipt).unwrap();
    assert_eq!(compare(&keys.path("other"), &file, &exchange).unwrap().wrong, vec![]);
    let moved = log.receipt(3, BOB, &bytes, &Answer::Accepted { fills: vec![], resting: 3, discarded: None });
    std::fs::remove_file(&file).unwrap();
    keep(&file, &log.store(), &moved).unwrap();
    assert_eq!(compare(&keys.path("other"), &file, &exchange).unwrap().wrong[0].code, "OTHER_ENTRY");
}
