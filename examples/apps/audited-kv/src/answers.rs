//! The answers that a client kept, and their comparison with the log. The store is a function of the log, so that an auditor
//! computes what the server had to answer.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::Scan;
use quorate_audit::signed::SignedCommand;
use serde::{Deserialize, Serialize};

use crate::KV;
use crate::client::Answer;
use crate::command::{Command, Store};

/// An answer in a file: a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct KeptAnswer {
    /// The log's store, in hexadecimal.
    store: String,
    sequence: u64,
    entry: u64,
    found: bool,
    /// In hexadecimal.
    value: String,
}

/// An answer that differs from the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WrongAnswer {
    /// `WRONG_ANSWER`, `OTHER_ENTRY` or `NOT_LOGGED`.
    pub code: &'static str,
    /// Sequence number of the request.
    pub sequence: u64,
    /// Entry that the answer names.
    pub entry: u64,
    /// Description for people.
    pub detail: String,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Number of compared answers.
    pub answers: usize,
    /// Answers that differ, in the order of their requests.
    pub wrong: Vec<WrongAnswer>,
}

/// Maximum size of a file of answers.
const MAX_FILE: u64 = 256 << 20;

/// Appends an answer to a file.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(file: &Path, store: &[u8; 32], answer: &Answer) -> Result<(), Failure> {
    let kept = KeptAnswer {
        store: hex::encode(store),
        sequence: answer.sequence,
        entry: answer.entry,
        found: answer.found,
        value: hex::encode(&answer.value),
    };
    let mut line = serde_json::to_vec(&kept).or_fail(Exit::Failed, "an answer")?;
    line.push(b'\n');
    let file_name = file.display();
    let mut file =
        OpenOptions::new().create(true).append(true).open(file).or_fail(Exit::Failed, &file_name)?;
    file.write_all(&line).or_fail(Exit::Failed, &file_name)
}

/// Compares a client's answers with the log. The log must have passed an audit.
///
/// # Errors
/// [`Failure`] if a file cannot be read or the log is damaged.
pub fn compare(log: &Path, file: &Path, signer: &[u8; 32]) -> Result<Comparison, Failure> {
    let scan = Scan::open(&KV, log)?;
    let mut kept = read(file, &hex::encode(scan.store()))?;
    let (answers, mut wrong, mut store) = (kept.len(), Vec::new(), Store::default());
    scan.each(log, |logged| {
        let signed = SignedCommand::decode(logged.body)?;
        let outcome = store.execute(&Command::decode(signed.command)?);
        if logged.signer == *signer
            && let Some(answer) = kept.remove(&signed.sequence)
        {
            let (found, value) = (outcome.found, hex::encode(outcome.value));
            let (sequence, entry) = (answer.sequence, answer.entry);
            let mut add = |code, detail| wrong.push(WrongAnswer { code, sequence, entry, detail });
            if logged.number != entry {
                add("OTHER_ENTRY", format!("the request is entry {} of the log", logged.number));
            }
            if (found, &value) != (answer.found, &answer.value) {
                let text = |found: bool, value: &str| match (found, value) {
                    (false, _) => "nothing found".to_owned(),
                    (true, value) => format!("found {value:?}"),
                };
                let (yields, answered) = (text(found, &value), text(answer.found, &answer.value));
                add("WRONG_ANSWER", format!("the log yields {yields}, the server answered {answered}"));
            }
        }
        Ok(())
    })?;
    wrong.extend(kept.into_values().map(|answer| WrongAnswer {
        code: "NOT_LOGGED",
        sequence: answer.sequence,
        entry: answer.entry,
        detail: "the log does not contain the request".to_owned(),
    }));
    Ok(Comparison { answers, wrong })
}

/// Returns the answers by sequence number.
fn read(file: &Path, store: &str) -> Result<BTreeMap<u64, KeptAnswer>, Failure> {
    let shown = file.display();
    if std::fs::metadata(file).or_fail(Exit::Input, &shown)?.len() > MAX_FILE {
        return Err(Failure::input(format!("{shown}: larger than {MAX_FILE} bytes")));
    }
    let text = std::fs::read_to_string(file).or_fail(Exit::Input, &shown)?;
    let mut kept = BTreeMap::new();
    for (line, number) in text.lines().zip(1..) {
        let answer: KeptAnswer =
            serde_json::from_str(line).or_fail(Exit::Input, format_args!("{shown}: line {number}"))?;
        if answer.store != store {
            return Err(Failure::input(format!("{shown}: line {number}: an answer of another store")));
        }
        if let Some(other) = kept.insert(answer.sequence, answer)
            && kept.get(&other.sequence) != Some(&other)
        {
            return Err(Failure::input(format!(
                "{shown}: line {number}: another answer to request {}",
                other.sequence
            )));
        }
    }
    Ok(kept)
}
