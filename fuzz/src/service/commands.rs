//! Commands of both engines.

use quorate_audited_kv::command::{Command as KvCommand, Store};
use quorate_exchange::book::Book;
use quorate_exchange::command::Command as ExchangeCommand;
use quorate_service::Engine;

/// Commands of an engine in words.
pub(super) trait Commands: Engine {
    /// The encodings of some commands, in an order in which many of them find something.
    fn examples() -> Vec<Vec<u8>>;
}

impl Commands for Store {
    fn examples() -> Vec<Vec<u8>> {
        let long = "v".repeat(200);
        let words: [&[&str]; 8] = [
            &["PUT", "k", "one"],
            &["GET", "k"],
            &["PUT", "k", ""],
            &["PUT", "key of some length", &long],
            &["GET", "missing"],
            &["DELETE", "k"],
            &["DELETE", "k"],
            &["GET", "key of some length"],
        ];
        words.into_iter().map(kv_command).collect()
    }
}

impl Commands for Book {
    fn examples() -> Vec<Vec<u8>> {
        let words = [
            "SELL 10 102",
            "SELL 10 102 7",
            "SELL 10 101",
            "BUY 15 102",
            "CANCEL 1",
            "CANCEL 9",
            "BUY 1000000000 1000000000",
            "SELL 3 1",
        ];
        words.into_iter().map(exchange_command).collect()
    }
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
fn kv_command(words: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    KvCommand::from_words(words).expect("a command").encode_to(&mut bytes).expect("within the limits");
    bytes
}

#[allow(clippy::expect_used)] // the fixture is the same on every run
pub(super) fn exchange_command(text: &str) -> Vec<u8> {
    let (words, mut bytes) = (text.split(' ').collect::<Vec<_>>(), Vec::new());
    ExchangeCommand::from_words(&words).expect("a command").encode_to(&mut bytes).expect("within the limits");
    bytes
}
