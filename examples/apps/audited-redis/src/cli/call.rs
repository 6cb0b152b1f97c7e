use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quorate_audited_redis::REDIS;
use quorate_audited_redis::client::Client;
use quorate_audited_redis::failure::{Exit, Failure};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::Value;
use quorate_support::terminal::escaped;
use quorate_support::{errln, outln};
use tokio::time::timeout;

use super::common::{Outcome, SigningArgs};

/// Signs and sends one command, and prints Redis' reply and the number of the log entry.
///
/// For example: `audited-redis call --front 127.0.0.1:7379 --key alice.key SET greeting hello`.
#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// Address of the front.
    #[arg(long, value_name = "HOST:PORT")]
    front: String,
    /// The client's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: SigningArgs,
    /// Time limit for the answer.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    timeout: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl CallArgs {
    pub(super) async fn run(&self) -> Outcome {
        let key = Key::load(&REDIS, &self.key)?;
        let command: Vec<Vec<u8>> = self.command.iter().cloned().map(OsString::into_vec).collect();
        let client = Client::connect(&self.front, &key, self.how.options()).await?;
        let answer =
            timeout(Duration::from_secs(self.timeout), client.call(&command)).await.map_err(|_| {
                let message =
                    "no answer in time; the command may have been executed, or may still be executed";
                Failure::with_code(Exit::Unreachable, "TIMEOUT", message)
            })??;
        let value = Value::parse(&answer.reply).map_err(|reason| Failure::failed(reason.to_string()))?;
        if self.json {
            let object = serde_json::json!({
                "entry": answer.entry, "sequence": answer.sequence, "store": hex::encode(client.store()),
                "reply": json(&value),
            });
            outln!("{object}");
        } else {
            lines(&value);
            match answer.entry {
                Some(entry) => errln!("entry {entry} of the log"),
                None => errln!("refused by the front; the command was not executed"),
            }
        }
        Ok(if answer.entry.is_some() { ExitCode::SUCCESS } else { Exit::Refused.into() })
    }
}

/// Prints one item per line, as redis-cli does for programs.
fn lines(value: &Value) {
    match value {
        Value::Simple(text) => outln!("{}", escaped(text.as_bytes())),
        Value::Error(text) => outln!("(error) {}", escaped(text.as_bytes())),
        Value::Integer(number) => outln!("{number}"),
        Value::Bulk(None) | Value::Array(None) => outln!("(nil)"),
        Value::Bulk(Some(bytes)) => outln!("{}", escaped(bytes)),
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
