//! The audited key-value store.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use quorate_audited_kv::answers::{compare, keep};
use quorate_audited_kv::client::Answer;
use quorate_audited_kv::command::{Command, Store};
use quorate_service::{Engine, Origin};
use serde_json::Value;

use super::commands::Commands;
use super::fixture::{STORE, SignedLog, log, public};
use super::input::{actions, encoded, executed, folder};
use super::wire;

/// Commands and answers.
pub(crate) fn run_wire(bytes: &[u8]) {
    static PROOF: LazyLock<Vec<u8>> = LazyLock::new(wire::example_proof::<Store>);
    wire::engine::<Store>(bytes, &PROOF, |(found, value), out| {
        out.push(u8::from(*found));
        out.extend(value);
    });
}

/// Seeds of [`run_wire`].
pub(crate) fn wire_seeds() -> Vec<Vec<u8>> {
    wire::engine_seeds::<Store>([vec![0], vec![1], b"\x01value".to_vec()])
}

/// Any commands: the store answers as an ordered map does.
pub(crate) fn machine(bytes: &[u8]) {
    let (mut store, mut model) = (Store::default(), BTreeMap::<Vec<u8>, Vec<u8>>::new());
    for (entry, action) in (1..).zip(actions(bytes)) {
        let Ok(command) = <Store as Engine>::decode(action.body) else { continue };
        let expected = match command {
            Command::Get { key } => {
                let value = model.get(key);
                (value.is_some(), value.cloned().unwrap_or_default())
            }
            Command::Put { key, value } => (model.insert(key.to_vec(), value.to_vec()).is_some(), vec![]),
            Command::Delete { key } => (model.remove(key).is_some(), vec![]),
        };
        let answer = executed(&mut store, &Origin { entry, signer: [action.kind; 32] }, &command);
        assert_eq!(Store::decode_answer(&answer), Ok(expected));
        assert_eq!(store.items(), model.len());
    }
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let commands = Store::examples();
    let once = || commands.iter().map(|command| (0, command.as_slice()));
    vec![encoded(once()), encoded(once().chain(once())), encoded(once().rev())]
}

/// A file of answers of any bytes: a comparison reports no answer that the store gave, and every other one.
pub(crate) fn answers(bytes: &[u8]) {
    let log = kv_log();
    let folder = folder();
    let (path, file) = (folder.path().join("log"), folder.path().join("answers"));
    assert!(fs::write(&path, &log.bytes).is_ok() && fs::write(&file, bytes).is_ok(), "no temporary file");
    let Ok(comparison) = compare(&path, &file, &public(0)) else { return };
    let text = String::from_utf8_lossy(bytes);
    let is_honest =
        |line: &str| serde_json::from_str(line).is_ok_and(|value: Value| honest().contains(&value));
    assert_eq!(comparison.wrong.is_empty(), text.lines().all(is_honest), "{:?}", comparison.wrong);
    for wrong in &comparison.wrong {
        assert!(["WRONG_ANSWER", "OTHER_ENTRY", "NOT_LOGGED"].contains(&wrong.code), "{}", wrong.code);
    }
}

/// Seeds of [`answers`].
pub(crate) fn answer_seeds() -> Vec<Vec<u8>> {
    let lines: Vec<String> = honest().iter().map(Value::to_string).collect();
    let text = lines.join("\n");
    vec![text.clone().into_bytes(), text.replace("true", "false").into_bytes(), b"\n".to_vec(), Vec::new()]
}

fn kv_log() -> &'static SignedLog {
    static LOG: LazyLock<SignedLog> = LazyLock::new(log::<Store>);
    &LOG
}

/// The lines that the first client keeps of the store's answers.
fn honest() -> &'static [Value] {
    static LINES: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let folder = folder();
        let file = folder.path().join("answers");
        for logged in kv_log().executed.iter().filter(|logged| logged.signer == 0) {
            let (found, value) = Store::decode_answer(&logged.answer).unwrap_or_default();
            let answer = Answer { sequence: logged.sequence, entry: logged.entry, found, value };
            assert!(keep(&file, &STORE, &answer).is_ok(), "no temporary file");
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    });
    &LINES
}
