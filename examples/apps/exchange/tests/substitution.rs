//! Exchanges that execute another command than the trader sent, or sign another answer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::mpsc::channel;
use std::time::Duration;

use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate_audit::failure::Failure;
use quorate_audit::now;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audit::suites::{DynSigner, signer};
use quorate_exchange::EXCHANGE;
use quorate_exchange::answer::Answer;
use quorate_exchange::answers::{compare, keep};
use quorate_link::{Endpoint, Link, Listener, Pace};
use quorate_service::frame::Frame;
use quorate_service::receipt::Receipt;
use support::{Forger, Keys, LIMIT, command, connect, encoded, public};

const ALICE: usize = 0;
/// The order that the trader sends, and that which the exchange logs and executes.
const SENT: &str = "BUY 5 100";
const LOGGED: &str = "BUY 5 99";

/// What a dishonest exchange signs.
#[derive(Clone, Copy)]
enum Signed {
    /// A receipt of the order that it received.
    Received,
    /// A receipt of the order that it executed.
    Executed,
}

/// Serves one order of Alice: logs another one with her signature, executes it, and signs a receipt.
fn serve(keys: &Keys, link: &mut Link, log: &mut Forger<'_>, signed: Signed) {
    let (mut message, mut out, store) = (Vec::new(), Vec::new(), log.store());
    while link.receive_within(&mut message, Pace::Sleep, LIMIT) == Ok(true) {
        let mut send = |frame: &Frame<'_>| {
            frame.encode_into(&mut out);
            link.send(&out).unwrap();
        };
        match Frame::decode(&message).unwrap() {
            Frame::Hello { protocol, .. } => {
                send(&Frame::Challenge { protocol, store: &store, challenge: &[8; 32] });
            }
            Frame::Proof(_) => send(&Frame::Welcome { last: 0 }),
            Frame::Request(body) => {
                let request = SignedCommand::decode(body).unwrap();
                let (mut changed, other) = (Vec::new(), encoded(LOGGED));
                SignedCommand { command: &other, ..request }.encode_to(&mut changed);
                let entry = log.append(ALICE, &changed);
                let answer = answer();
                send(&Frame::Reply { sequence: request.sequence, entry, answer: &answer });
                let (signer, sequence) = (public(&keys.traders[ALICE]), request.sequence);
                let command = match signed {
                    Signed::Received => request.command,
                    Signed::Executed => &other,
                };
                let mut receipt = Vec::new();
                Receipt { entry, signer, sequence, command, answer: &answer }.encode_into(&mut receipt);
                let body = sign(keys, &store, &receipt);
                log.append(2, &body);
                send(&Frame::Receipt(&body));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Both orders rest.
fn answer() -> Vec<u8> {
    let mut bytes = Vec::new();
    Answer::Accepted { fills: vec![], resting: 5, discarded: None }.encode_to(&mut bytes);
    bytes
}

/// The exchange's first signed command.
fn sign(keys: &Keys, store: &[u8; 32], command: &[u8]) -> Vec<u8> {
    let config = SignerConfig { log2_batch: 0, low_water: 1, ..SignerConfig::default() };
    let secret = keys.exchange.secret_key().unwrap();
    let mut keys: Box<dyn DynSigner> = signer(SuiteId::WotsHaraka256, secret, config).unwrap();
    let (sequence, time) = (1, now());
    let batch = keys.plan(time).unwrap().unwrap()().unwrap();
    keys.add(batch);
    let signature = keys.sign(&EXCHANGE.message(store, sequence, time, command), time).unwrap();
    let (scheme, mut body) = (SignatureScheme::Dsig, Vec::new());
    SignedCommand { scheme, sequence, time, signature: &signature, command }.encode_to(&mut body);
    body
}

/// Sends Alice's order to a dishonest exchange and returns the result of waiting for the receipt.
fn order(keys: &Keys, signed: Signed) -> Result<Option<Vec<u8>>, Failure> {
    let endpoint = Endpoint::SharedMemory(keys.path("false.sock"));
    let (listening, ready) = channel();
    std::thread::scope(|scope| {
        let bound = endpoint.clone();
        scope.spawn(move || {
            let (mut log, mut listener) = (Forger::new(keys, "log"), Listener::bind(&bound).unwrap());
            listening.send(()).unwrap();
            let mut link = loop {
                if let Some(link) = listener.accept().unwrap() {
                    break link;
                }
                std::thread::sleep(Duration::from_millis(1));
            };
            serve(keys, &mut link, &mut log, signed);
        });
        ready.recv().unwrap();
        let mut client = connect(&endpoint, &keys.traders[ALICE], &keys.exchange).unwrap();
        // The answer is that of the trader's own order.
        let answer = client.call(&command(SENT)).unwrap();
        assert_eq!((answer.sequence, answer.entry), (1, 1));
        client.receipt()
    })
}

#[test]
fn an_exchange_that_logs_another_order_is_named_by_its_receipt() {
    let keys = Keys::new();
    let receipt = order(&keys, Signed::Received).unwrap().unwrap();
    let (log, file) = (keys.path("log"), keys.path("receipts.jsonl"));
    let store = std::fs::read(&log).unwrap()[8..40].try_into().unwrap();
    keep(&file, &store, &receipt).unwrap();
    // The trader can show the receipt to third parties.
    let comparison = compare(&log, &file, &keys.exchange.public().unwrap()).unwrap();
    let wrong: Vec<_> = comparison.wrong.iter().map(|wrong| (wrong.code, wrong.line, wrong.entry)).collect();
    assert_eq!((comparison.receipts, wrong), (1, vec![("OTHER_COMMAND", 1, 1)]));
    // The audit needs no receipt of the trader: she did not sign this order, and the receipt in the log is of another one.
    let (report, finding) = keys.audit(&log);
    let findings: Vec<_> = report.findings.iter().map(|finding| (finding.code, finding.entry)).collect();
    assert_eq!(findings, [("FORGED", 1)], "{:?}", report.findings);
    assert_eq!(finding.map(|finding| (finding.code, finding.entry)), Some(("MISPLACED_RECEIPT", 2)));
}

#[test]
fn a_receipt_of_another_order_is_refused_by_the_trader() {
    let failure = order(&Keys::new(), Signed::Executed).unwrap_err();
    assert!(failure.code == "VIOLATION" && failure.message.contains("another answer"), "{failure}");
}

#[test]
fn an_order_of_a_key_on_two_machines_is_another_command() {
    // Both machines sign their first order; the exchange answers one and logs the other. The audit finds nothing wrong.
    let keys = Keys::new();
    let (path, file) = (keys.path("log"), keys.path("receipts.jsonl"));
    let mut log = Forger::new(&keys, "log");
    log.order(ALICE, LOGGED, |_| ());
    let answer = Answer::Accepted { fills: vec![], resting: 5, discarded: None };
    let receipt = log.receipt(1, ALICE, &encoded(SENT), &answer);
    keep(&file, &log.store(), &receipt).unwrap();
    let (report, finding) = keys.audit(&path);
    assert!(report.ok && finding.is_none(), "{:?} {finding:?}", report.findings);
    let wrong = compare(&path, &file, &keys.exchange.public().unwrap()).unwrap().wrong;
    assert_eq!(wrong[0].code, "OTHER_COMMAND");
    assert!(wrong[0].detail.contains("entry 1 of the log"), "{}", wrong[0].detail);
}

#[test]
fn an_entry_that_is_no_order_ends_the_replay() {
    let keys = Keys::new();
    let mut log = Forger::new(&keys, "log");
    log.order(ALICE, SENT, |_| ());
    let body = log.sign(ALICE, b"HALT");
    log.append(ALICE, &body);
    let (_, finding) = keys.audit(&keys.path("log"));
    assert_eq!(finding.map(|finding| (finding.code, finding.entry)), Some(("BAD_COMMAND", 3)));
}

#[test]
fn receipts_of_another_store_are_refused() {
    let keys = Keys::new();
    let (path, file) = (keys.path("log"), keys.path("receipts.jsonl"));
    let mut log = Forger::new(&keys, "log");
    let receipt = log.order(ALICE, SENT, |_| ());
    keep(&file, &[9; 32], &receipt).unwrap();
    let failure = compare(&path, &file, &keys.exchange.public().unwrap()).unwrap_err();
    assert!(failure.code == "BAD_INPUT" && failure.message.contains("line 1: a receipt of another store"));
}
