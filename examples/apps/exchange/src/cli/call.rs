use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use quorate::ed25519::PublicKey;
use quorate_audit::cli::Outcome;
use quorate_audit::failure::Failure;
use quorate_audit::keys::{Key, public_key};
use quorate_exchange::answer::Answer;
use quorate_exchange::book::Book;
use quorate_exchange::command::Command;
use quorate_exchange::{EXCHANGE, answers};
use quorate_link::Endpoint;
use quorate_service::cli::SigningArgs;
use quorate_service::client::{Client, ClientOptions};
use quorate_support::{errln, outln};

/// Signs and sends one order or cancellation, verifies the receipt of the exchange, and prints the answer.
///
/// For example: `exchange call --server shm:exchange.sock --exchange 3b6a... --key alice.key BUY 10 101`.
#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// Address of the exchange, `shm:PATH` or `HOST:PORT`.
    #[arg(long, value_name = "ADDRESS")]
    server: Endpoint,
    /// The public key of the exchange.
    #[arg(long, value_name = "HEX", value_parser = public_key)]
    exchange: PublicKey,
    /// The trader's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: SigningArgs,
    /// Appends the receipt to a file, for `check-answers`.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Time limit for the answer.
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    timeout: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// The command: BUY QUANTITY PRICE [LABEL], SELL QUANTITY PRICE [LABEL] or CANCEL ORDER.
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl CallArgs {
    pub(super) fn run(&self) -> Outcome {
        let key = Key::load(&EXCHANGE, &self.key)?;
        let command = Command::from_words(&self.command).map_err(Failure::input)?;
        let options = ClientOptions {
            server: Some(self.exchange.clone()),
            limit: Duration::from_secs(self.timeout),
            ..self.how.options()
        };
        let mut client = Client::<Book>::connect(&self.server, &key, options)?;
        let answer = client.call(&command)?;
        let receipt = client.receipt()?.ok_or_else(|| Failure::failed("there is no receipt"))?;
        if let Some(file) = &self.answers {
            answers::keep(file, client.store(), &receipt)?;
        }
        if self.json {
            let mut object = json(&answer.outcome);
            if let Some(object) = object.as_object_mut() {
                object.insert("entry".to_owned(), answer.entry.into());
                object.insert("sequence".to_owned(), answer.sequence.into());
                object.insert("store".to_owned(), hex::encode(client.store()).into());
            }
            outln!("{object}");
        } else {
            outln!("{}", answer.outcome);
            errln!("entry {} of the log, which is the number of the order", answer.entry);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn json(answer: &Answer) -> serde_json::Value {
    match answer {
        Answer::Accepted { fills, resting, discarded } => {
            let fill = |fill: &quorate_exchange::answer::Fill| serde_json::json!({ "price": fill.price, "quantity": fill.quantity, "order": fill.order });
            serde_json::json!({
                "answer": "accepted", "fills": fills.iter().map(fill).collect::<Vec<_>>(), "resting": resting,
                "discarded": discarded.map_or(0, |(_, quantity)| quantity),
                "reason": discarded.map(|(reason, _)| reason.name()),
            })
        }
        Answer::Cancelled { quantity } => serde_json::json!({ "answer": "cancelled", "quantity": quantity }),
        Answer::Refused(code) => serde_json::json!({ "answer": "refused", "code": code.name() }),
    }
}
