//! The receipts that a trader kept, and their comparison with a log. A receipt is signed by the exchange: one that contradicts
//! the log proves to third parties that the exchange dropped, moved or changed the order.
//!
//! | code | fault |
//! |---|---|
//! | `FORGED` | the exchange did not sign the receipt for this store |
//! | `CONTRADICTION` | the exchange signed two different receipts of one order |
//! | `NOT_LOGGED` | the log does not contain the order |
//! | `OTHER_ENTRY` | the order is another entry of the log: it was reordered |
//! | `OTHER_COMMAND` | the log contains another command of the trader with this sequence number |
//! | `WRONG_ANSWER` | the log and the rules yield another answer |

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use quorate::ed25519::PublicKey;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::Scan;
use quorate_audit::proof::check;
use quorate_audit::signed::SignedCommand;
use quorate_service::receipt::Receipt;
use serde::{Deserialize, Serialize};

use crate::EXCHANGE;
use crate::answer::Answer;
use crate::book::Book;
use crate::command::Command;

/// A receipt in a file: a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct KeptReceipt {
    /// The log's store, in hexadecimal.
    store: String,
    /// The signed receipt, in hexadecimal.
    receipt: String,
}

/// A receipt that contradicts the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrongReceipt {
    /// See the table of [`answers`](self).
    pub code: &'static str,
    /// Line of the file.
    pub line: u64,
    /// Entry that the receipt names.
    pub entry: u64,
    /// Description for people.
    pub detail: String,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Number of compared receipts.
    pub receipts: usize,
    /// Receipts that contradict the log or each other, in the order of the file.
    pub wrong: Vec<WrongReceipt>,
}

/// Maximum size of a file of receipts.
const MAX_FILE: u64 = 1 << 30;

/// Appends a signed receipt to a file.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(file: &Path, store: &[u8; 32], receipt: &[u8]) -> Result<(), Failure> {
    let kept = KeptReceipt { store: hex::encode(store), receipt: hex::encode(receipt) };
    let mut line = serde_json::to_vec(&kept).or_fail(Exit::Failed, "a receipt")?;
    line.push(b'\n');
    let shown = file.display();
    let mut file = OpenOptions::new().create(true).append(true).open(file).or_fail(Exit::Failed, &shown)?;
    file.write_all(&line).or_fail(Exit::Failed, &shown)
}

/// Compares receipts with a log. The log must have passed an audit, except for answers that the rules do not yield. Cost: a
/// verification of each receipt's signature, and a replay of the log.
///
/// # Errors
/// [`Failure`] if a file cannot be read or the log is damaged.
pub fn compare(log: &Path, file: &Path, exchange: &PublicKey) -> Result<Comparison, Failure> {
    let scan = Scan::open(&EXCHANGE, log)?;
    let mut kept = read(file, scan.store(), exchange)?;
    let mut book = Book::default();
    scan.each(log, |logged| {
        if logged.signer == *exchange.as_bytes() {
            return Ok(());
        }
        let signed = SignedCommand::decode(logged.body)?;
        let answer = book.execute(logged.number, &logged.signer, &Command::decode(signed.command)?);
        if let Some(found) = kept.receipts.remove(&(logged.signer, signed.sequence))
            && let Some((code, detail)) = found.differs(logged.number, signed.command, &answer)
        {
            kept.add(code, found.line, found.entry, detail);
        }
        Ok(())
    })?;
    for found in std::mem::take(&mut kept.receipts).into_values() {
        kept.add("NOT_LOGGED", found.line, found.entry, "the log does not contain the order".to_owned());
    }
    kept.wrong.sort_by_key(|wrong| wrong.line);
    Ok(Comparison { receipts: kept.count, wrong: kept.wrong })
}

#[derive(Default)]
struct Kept {
    count: usize,
    /// By trader and sequence number.
    receipts: BTreeMap<([u8; 32], u64), OwnedReceipt>,
    wrong: Vec<WrongReceipt>,
}

#[derive(PartialEq, Eq)]
struct OwnedReceipt {
    line: u64,
    entry: u64,
    command: Vec<u8>,
    answer: Vec<u8>,
}

impl Kept {
    fn add(&mut self, code: &'static str, line: u64, entry: u64, detail: String) {
        self.wrong.push(WrongReceipt { code, line, entry, detail });
    }
}

impl OwnedReceipt {
    /// Returns code and description of the difference to an entry of the log and the answer of the rules.
    fn differs(&self, number: u64, command: &[u8], answer: &Answer) -> Option<(&'static str, String)> {
        if self.command != command {
            return Some(("OTHER_COMMAND", format!("entry {number} of the log is another command")));
        }
        if self.entry != number {
            return Some(("OTHER_ENTRY", format!("the order is entry {number} of the log")));
        }
        let mut expected = Vec::new();
        answer.encode_to(&mut expected);
        (self.answer != expected).then(|| {
            let stated = Answer::decode(&self.answer)
                .map_or_else(|_| "a malformed answer".to_owned(), |stated| stated.to_string());
            ("WRONG_ANSWER", format!("the rules yield: {answer}; the exchange answered: {stated}"))
        })
    }
}

/// Reads the receipts and verifies their signatures.
fn read(file: &Path, store: &[u8; 32], exchange: &PublicKey) -> Result<Kept, Failure> {
    let shown = file.display();
    if std::fs::metadata(file).or_fail(Exit::Input, &shown)?.len() > MAX_FILE {
        return Err(Failure::input(format!("{shown}: larger than {MAX_FILE} bytes")));
    }
    let text = std::fs::read_to_string(file).or_fail(Exit::Input, &shown)?;
    let mut kept = Kept::default();
    for (line, number) in text.lines().zip(1..) {
        let at = format_args!("{shown}: line {number}").to_string();
        let receipt: KeptReceipt = serde_json::from_str(line).or_fail(Exit::Input, &at)?;
        if receipt.store != hex::encode(store) {
            return Err(Failure::input(format!("{at}: a receipt of another store")));
        }
        let body = hex::decode(&receipt.receipt).or_fail(Exit::Input, &at)?;
        let signed = SignedCommand::decode(&body).or_fail(Exit::Input, &at)?;
        let receipt = Receipt::decode(signed.command).or_fail(Exit::Input, &at)?;
        kept.count += 1;
        let proof = [&EXCHANGE.proof_magic[..], store, exchange.as_bytes(), &body].concat();
        if let Err(failure) = check(&EXCHANGE, &proof, exchange) {
            kept.add("FORGED", number, receipt.entry, failure.message);
            continue;
        }
        let owned = OwnedReceipt {
            line: number,
            entry: receipt.entry,
            command: receipt.command.to_vec(),
            answer: receipt.answer.to_vec(),
        };
        match kept.receipts.get(&(receipt.signer, receipt.sequence)) {
            Some(first)
                if (&first.command, &first.answer, first.entry)
                    == (&owned.command, &owned.answer, owned.entry) => {}
            Some(first) => {
                let detail = format!("line {} has another receipt of this order", first.line);
                kept.add("CONTRADICTION", number, owned.entry, detail);
            }
            None => _ = kept.receipts.insert((receipt.signer, receipt.sequence), owned),
        }
    }
    Ok(kept)
}
