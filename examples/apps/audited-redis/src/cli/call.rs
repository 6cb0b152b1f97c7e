use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quorate_audited_redis::client::Client;
use quorate_audited_redis::failure::{Exit, Failure};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::Value;
use quorate_support::terminal::escaped;
use quorate_support::{say, tell};
use tokio::time::timeout;

use super::{HowToSign, Outcome};

/// Signs one command, sends it, and prints Redis' answer and the entry of the log.
///
/// For example: `audited-redis call --front 127.0.0.1:7379 --key alice.key SET greeting hello`.
#[derive(Debug, Args)]
pub(super) struct Call {
    /// Where the front listens.
    #[arg(long, value_name = "HOST:PORT")]
    front: String,
    /// The client's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: HowToSign,
    /// How many seconds to wait for the answer.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: u64,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Call {
    pub(super) async fn run(&self) -> Outcome {
        let key = Key::load(&self.key)?;
        let command: Vec<Vec<u8>> = self.command.iter().cloned().map(OsString::into_vec).collect();
        let client = Client::connect(&self.front, &key, self.how.options()).await?;
        let answer =
            timeout(Duration::from_secs(self.timeout), client.call(&command)).await.map_err(|_| {
                let message =
                    "no answer in time; the command may or may not have been executed, or may still be";
                Failure::with_code(Exit::Unreachable, "TIMEOUT", message)
            })??;
        let value = Value::parse(&answer.reply).map_err(|reason| Failure::failed(reason.to_string()))?;
        if self.json {
            let object = serde_json::json!({
                "entry": answer.entry, "sequence": answer.sequence, "store": hex::encode(client.store()),
                "reply": json(&value),
            });
            say!("{object}");
        } else {
            lines(&value);
            match answer.entry {
                Some(entry) => tell!("entry {entry} of the log"),
                None => tell!("refused by the front; nothing was executed"),
            }
        }
        Ok(if answer.entry.is_some() { ExitCode::SUCCESS } else { Exit::Refused.into() })
    }
}

/// As redis-cli shows it to programs: one item per line.
fn lines(value: &Value) {
    match value {
        Value::Simple(text) => say!("{}", escaped(text.as_bytes())),
        Value::Error(text) => say!("(error) {}", escaped(text.as_bytes())),
        Value::Integer(number) => say!("{number}"),
        Value::Bulk(None) | Value::Array(None) => say!("(nil)"),
        Value::Bulk(Some(bytes)) => say!("{}", escaped(bytes)),
        Value::Array(Some(items)) => items.iter().for_each(lines),
    }
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Simple(text) => text.as_str().into(),
        Value::Error(text) => serde_json::json!({ "error": text }),
        Value::Integer(number) => (*number).into(),
        Value::Bulk(None) | Value::Array(None) => serde_json::Value::Null,
        Value::Bulk(Some(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => serde_json::json!({ "hex": hex::encode(bytes) }),
        },
        Value::Array(Some(items)) => items.iter().map(json).collect(),
    }
}
