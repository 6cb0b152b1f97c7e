//! `kill -9` of clients, a torn log, a full disk, a suspended exchange, a trader that does not read: the book follows from the log,
//! and each order that was answered has its receipt there. `server.rs` kills the exchange under load.

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

/// Each order in the log was answered, and has its receipt.
fn each_order_was_answered(deployment: &Server<Book>, answered: u64) {
    let logged = deployment.logged();
    let orders = logged.iter().filter(|(_, _, words)| words[0] != b"RECEIPT").count();
    assert_eq!((orders as u64, logged.len()), (answered, 2 * orders));
}

#[test]
fn a_full_disk_stops_the_exchange_and_each_answer_has_its_receipt() {
    faults::full_disk::<Book>(PROGRAM, orders, each_order_was_answered);
}

#[test]
fn a_disk_that_is_full_later_stops_the_exchange() {
    faults::full_disk_behind_a_window::<Book>(PROGRAM, orders, each_order_was_answered);
}

#[test]
fn an_exchange_that_is_suspended_is_given_up_and_goes_on() {
    let deployment: Deployment = faults::suspended_server::<Book>(PROGRAM, orders).into();
    assert!(deployment.audited().is_multiple_of(2));
}

#[test]
fn a_trader_that_does_not_read_is_disconnected() {
    let cancel = |_| encoded("CANCEL 1");
    let deployment: Deployment = faults::unread_answers::<Book>(PROGRAM, cancel).into();
    assert!(deployment.audited().is_multiple_of(2));
}
