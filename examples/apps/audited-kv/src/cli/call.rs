use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quorate_audit::cli::Outcome;
use quorate_audit::failure::Failure;
use quorate_audit::keys::Key;
use quorate_audited_kv::client::{Client, ClientOptions};
use quorate_audited_kv::command::Command;
use quorate_audited_kv::{KV, answers};
use quorate_link::Endpoint;
use quorate_service::cli::SigningArgs;
use quorate_support::terminal::escaped;
use quorate_support::{errln, outln};

/// Signs and sends one request, and prints the answer and the number of the log entry.
///
/// For example: `audited-kv call --server shm:kv.sock --key alice.key PUT greeting hello`.
#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// Address of the server, `shm:PATH` or `HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    server: Endpoint,
    /// The client's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: SigningArgs,
    /// Appends the answer to a file, for `check-answers`.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Time limit for the answer.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    timeout: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// The request: GET KEY, PUT KEY VALUE or DELETE KEY.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "REQUEST")]
    request: Vec<OsString>,
}

impl CallArgs {
    pub(super) fn run(&self) -> Outcome {
        let key = Key::load(&KV, &self.key)?;
        let words: Vec<Vec<u8>> = self.request.iter().cloned().map(OsString::into_vec).collect();
        let command = Command::from_words(&words).map_err(Failure::input)?;
        let options = ClientOptions { limit: Duration::from_secs(self.timeout), ..self.how.options() };
        let mut client = Client::connect(&self.server, &key, options)?;
        let answer = client.call(&command)?;
        if let Some(file) = &self.answers {
            answers::keep(file, client.store(), &answer)?;
        }
        let is_get = matches!(command, Command::Get { .. });
        if self.json {
            let object = serde_json::json!({
                "entry": answer.entry, "sequence": answer.sequence, "store": hex::encode(client.store()),
                "found": answer.found,
                "value": (is_get && answer.found).then(|| String::from_utf8(answer.value.clone()).ok()),
                "value_hex": (is_get && answer.found).then(|| hex::encode(&answer.value)),
            });
            outln!("{object}");
        } else {
            match (is_get, answer.found) {
                (true, true) => outln!("{}", escaped(&answer.value)),
                (true, false) => outln!("(nothing)"),
                (false, true) => outln!("there was a value"),
                (false, false) => outln!("there was no value"),
            }
            errln!("entry {} of the log", answer.entry);
        }
        Ok(ExitCode::SUCCESS)
    }
}
