//! A chain whose genesis file allows larger transactions than usual.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use quorate_node::client::Code;
use quorate_node::client::stream::protocol::{Event, PREAMBLE};
use support::chain::{Chain, FOUNDERS};

/// The limit in the genesis file. The usual one is 131072.
const LIMIT: usize = 262_144;

/// Submits a transaction on the stream, and returns the event that ends it. A validator that refuses its length closes the
/// stream without reading the transaction.
fn submit_on_stream(address: &str, length: usize, transaction: &[u8]) -> Event {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    stream.write_all(&PREAMBLE).unwrap();
    stream.write_all(&(length as u32).to_le_bytes()).unwrap();
    stream.write_all(transaction).unwrap();
    let mut bytes = Vec::new();
    loop {
        while let Some((event, length)) = Event::read(&bytes).unwrap() {
            bytes.drain(..length);
            if !matches!(event, Event::Welcome { .. } | Event::Accepted { .. }) {
                return event;
            }
        }
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).expect("an event");
        assert!(read > 0, "the validator closed the stream");
        bytes.extend_from_slice(&chunk[..read]);
    }
}

/// Commits transactions of 200 kB and of the limit, submitted over HTTP and on the stream, and reads them back with
/// proofs from every validator. One byte more is refused at both.
fn large_transactions(protocol: &str) {
    let mut chain = Chain::new(protocol);
    let genesis = chain.sandbox.read("genesis.toml");
    let usual = "max_transaction_bytes = 131072";
    assert!(genesis.contains(usual), "{genesis}");
    chain.sandbox.write("genesis.toml", genesis.replace(usual, &format!("max_transaction_bytes = {LIMIT}")));
    // A smaller limit of this validator's HTTP requests does not change the chain's limit.
    let config = chain.sandbox.read("alice/config.toml") + "max_body_bytes = 100000\n";
    chain.sandbox.write("alice/config.toml", config);
    FOUNDERS.iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));

    for (letter, size) in ["a", "b"].iter().zip([200_000, LIMIT]) {
        let transaction = letter.repeat(size);
        chain.sandbox.write("transaction", &transaction);
        let id = chain.ok("alice", &["submit", "--file", "transaction", "--wait=120"]);
        for name in FOUNDERS {
            let read = chain.ok(name, &["get", id.trim()]);
            assert!(read.trim_end() == transaction, "{name}: {} bytes", read.len());
        }
        let streamed =
            submit_on_stream(&chain.stream("bob"), size, letter.to_uppercase().repeat(size).as_bytes());
        assert!(matches!(streamed, Event::Committed { count: 1, .. }), "{streamed:?}");
    }
    chain.sandbox.write("transaction", "c".repeat(LIMIT + 1));
    chain.fails(5, "TOO_LARGE", "carol", &["submit", "--file", "transaction"]);
    let refused = submit_on_stream(&chain.stream("dave"), LIMIT + 1, b"");
    assert_eq!(refused, Event::Closing { code: Code::TooLarge.number() });
    chain.compare_states();
}

#[test]
fn jolteon_orders_transactions_up_to_the_limit_of_its_genesis() {
    large_transactions("jolteon");
}

#[test]
fn gosig_orders_transactions_up_to_the_limit_of_its_genesis() {
    large_transactions("gosig");
}
