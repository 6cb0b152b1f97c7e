//! An exchange: a limit order book with price-time priority and a latency of microseconds, in the place of Liquibook in the
//! paper of DSig (Aguilera et al., OSDI '24, section 6). Traders sign their orders; the exchange verifies and logs an order,
//! matches it, answers, and signs the answer. The log proves to third parties that the book followed its rules.
//!
//! | module | contents |
//! |---|---|
//! | [`book`] | the rules: matching, cancelling, limits |
//! | [`command`] | orders and their encoding |
//! | [`answer`] | the answers of the book and their encoding |
//! | [`judge`] | replays a log and names the first answer that the rules do not yield |
//! | [`answers`] | the receipts that a trader kept, and their comparison with the log |
//! | [`EXCHANGE`] | names and domains, for the log, its audit and proofs, which are those of [`quorate_audit`] |
//!
//! The server is that of [`quorate_service`], and [`Book`](book::Book) its engine. `README.md` has a tour and the formats.
#![forbid(unsafe_code)]

pub mod answer;
pub mod answers;
pub mod book;
pub mod command;
mod engine;
pub mod judge;

use quorate::wire::domain;
use quorate_audit::Application;
use quorate_audit::application::Words;
use quorate_service::receipt::{RECEIPT, Receipt};

/// The application: names, domains and the encoding of commands and receipts.
pub static EXCHANGE: Application = Application {
    name: "an exchange",
    program: "exchange",
    log_magic: *b"QAEXLOG1",
    proof_magic: *b"QAEXPRF1",
    key_line: "quorate-exchange-key 1",
    command_domain: domain::EXCHANGE_COMMAND,
    hello_domain: domain::EXCHANGE_HELLO,
    log_domain: domain::EXCHANGE_LOG,
    parse: words,
};

/// A configuration file of the server, which `exchange serve --help` shows.
pub const EXAMPLE: &str = r#"listen = ["shm:/run/exchange/exchange.sock", "127.0.0.1:7390"] # shared memory, TCP
log = "audit.log"                 # created if it does not exist
key = "exchange.key"              # the key that signs the answers
refusals = "refusals.jsonl"       # record of refused requests
sync = "always"                   # "always": on disk before execution; "kill": survives a kill, not a power failure
accept = ["dsig"]                 # signatures of traders: also "eddsa"; "none" for measurements only
pace = "sleep"                    # "spin": polls all the time, for the lowest latency
max_age_ms = 30000                # maximum age of an order

[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

/// Returns the words of a command, or of a receipt: its entry, its trader and sequence number, the command, and the answer.
fn words(bytes: &[u8]) -> Result<Words, String> {
    let reason = |reason: quorate_audit::signed::BadFrame| reason.to_string();
    if bytes.first() != Some(&RECEIPT) {
        return Ok(command::Command::decode(bytes).map_err(reason)?.words());
    }
    let receipt = Receipt::decode(bytes).map_err(reason)?;
    let command = command::Command::decode(receipt.command).map_err(reason)?;
    let answer = answer::Answer::decode(receipt.answer).map_err(reason)?;
    let position = [
        "RECEIPT".to_owned(),
        receipt.entry.to_string(),
        hex::encode(receipt.signer),
        receipt.sequence.to_string(),
    ];
    let mut words: Words = position.into_iter().map(String::into_bytes).collect();
    words.extend(command.words());
    words.push(answer.to_string().into_bytes());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use quorate_service::config::Config;

    use super::*;

    #[test]
    fn the_example_is_valid() {
        let config = Config::parse(EXAMPLE, Path::new("/etc/exchange")).unwrap();
        assert_eq!(config.key.as_deref(), Some(Path::new("/etc/exchange/exchange.key")));
    }

    #[test]
    fn a_receipt_is_shown_with_its_command_and_its_answer() {
        let order = command::Command::from_words(&["BUY", "3", "70"]).unwrap();
        let (mut command, mut answer, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        order.encode_to(&mut command).unwrap();
        answer::Answer::Cancelled { quantity: 2 }.encode_to(&mut answer);
        let receipt = Receipt { entry: 5, signer: [7; 32], sequence: 1, command: &command, answer: &answer };
        receipt.encode_into(&mut bytes);
        let text: Vec<_> =
            words(&bytes).unwrap().into_iter().map(|word| String::from_utf8(word).unwrap()).collect();
        let signer = "07".repeat(32);
        assert_eq!(text, ["RECEIPT", "5", &signer, "1", "BUY", "3", "70", "0", "cancelled 2"]);
        bytes.push(0);
        assert!(words(&bytes).is_err(), "an answer with another length");
        assert!(words(&[RECEIPT]).is_err());
    }
}
