//! `kill -9` of clients, a torn log, a full disk, a trader that does not read: the book follows from the log, and each order that
//! was answered has its receipt there. `server.rs` kills the exchange under load.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate_exchange::book::Book;
use quorate_service::testing::{Deployment as Server, faults};
use support::{Deployment, PROGRAM, encoded};

/// Orders that trade with each other at one price.
fn orders(number: u64) -> Vec<u8> {
    encoded(if number.is_multiple_of(2) { "BUY 2 100" } else { "SELL 1 100" })
}

#[test]
fn a_trader_that_is_killed_at_any_step_does_not_disturb_others() {
    let deployment: Deployment = faults::killed_clients(PROGRAM, orders, |server: &Server<Book>| {
        let exchange = hex::encode(server.server_key().unwrap().public().unwrap().as_bytes());
        ["--exchange", &exchange, "BUY", "1", "101"].map(str::to_owned).into()
    })
    .into();
    assert!(deployment.audited().is_multiple_of(2));
}

#[test]
fn a_torn_tail_is_moved_aside_and_damage_stops_the_start() {
    let deployment: Deployment = faults::torn_log(PROGRAM, orders).into();
    assert_eq!(deployment.audited(), 8);
}

#[test]
fn a_full_disk_stops_the_exchange_and_each_answer_has_its_receipt() {
    faults::full_disk::<Book>(PROGRAM, orders, |deployment: &Server<Book>, answered| {
        // Each order in the log was answered, or the exchange was stopped before its answer.
        let orders = deployment.logged().iter().filter(|(_, _, words)| words[0] != b"RECEIPT").count();
        assert_eq!(orders as u64, answered);
        assert_eq!(deployment.logged().len(), 2 * orders);
    });
}

#[test]
fn a_trader_that_does_not_read_is_disconnected() {
    let cancel = |_| encoded("CANCEL 1");
    let deployment: Deployment = faults::unread_answers::<Book>(PROGRAM, cancel).into();
    assert!(deployment.audited().is_multiple_of(2));
}
