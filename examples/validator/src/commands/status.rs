use quorate_support::outln;

use crate::api::Api;
use crate::exit::{Exit, Failure};
use crate::responses::{Abstention, MissingHistory, Status};
use crate::target::Target;

/// Show the status of validators.
#[derive(Debug, clap::Args)]
#[command(
    name = "status",
    after_help = "\
Examples:
  quorate status                                    the validators of the running testnet
  quorate status --node http://127.0.0.1:8100       one validator
  quorate status --json | jq '.[].height'"
)]
pub(crate) struct ShowStatus {
    /// Print a JSON list instead of a table; a validator that does not answer is {\"node\", \"error\"}.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    target: Target,
}

impl ShowStatus {
    /// Queries the validators and prints their status. Fails only if no validator answers.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let mut answers = Vec::new();
        for api in self.target.apis()? {
            let answer = api.status().await;
            answers.push((api, answer));
        }
        if self.json {
            print_json(&answers).await?;
        } else {
            print_table(&answers);
        }
        if answers.iter().all(|(_, answer)| answer.is_err()) {
            return Err(Failure::new(Exit::Unreachable, "no validator answers"));
        }
        Ok(())
    }
}

async fn print_json(answers: &[(Api, Result<Status, Failure>)]) -> Result<(), Failure> {
    let mut list = Vec::new();
    for (api, answer) in answers {
        list.push(match answer {
            Ok(_) => api.raw_status().await?,
            Err(failure) => serde_json::json!({ "node": api.address(), "error": failure.to_string() }),
        });
    }
    outln!("{}", serde_json::Value::Array(list));
    Ok(())
}

fn print_table(answers: &[(Api, Result<Status, Failure>)]) {
    outln!(
        "{:<12} {:<10} {:>9} {:>9} {:>6} {:>8} {:>8} {:>6} {:>5}",
        "name",
        "state",
        "height",
        "view",
        "leader",
        "pending",
        "timeouts",
        "peers",
        "cert"
    );
    for (api, answer) in answers {
        match answer {
            Ok(s) => {
                let up = s.peers.iter().filter(|peer| peer.outgoing && peer.incoming).count();
                let state = match s.me {
                    _ if s.missing_history.is_some() => "stuck",
                    _ if s.syncing => "catching up",
                    None => "observer",
                    Some(_) if s.abstention.is_some() => "abstains",
                    Some(_) => "ready",
                };
                // An observer has no member name.
                let name = if s.name.is_empty() { api.address() } else { &s.name };
                outln!(
                    "{:<12} {:<10} {:>9} {:>9} {:>6} {:>8} {:>8} {:>6} {:>5}",
                    name,
                    state,
                    s.height,
                    s.view,
                    s.leader.map_or_else(|| "-".to_owned(), |leader| leader.to_string()),
                    s.pending_transactions,
                    s.timeouts,
                    format!("{up}/{}", s.peers.len()),
                    s.certificate_bytes,
                );
                if let Some(Abstention { until_view, rolled_back }) = &s.abstention {
                    let why = if *rolled_back {
                        "its data is an old copy: the counter of signatures is ahead of it"
                    } else {
                        "it has just started, and its data may be older than its last signature"
                    };
                    let until = match until_view {
                        Some(view) => format!("up to view {view}"),
                        None => "until a quorum has answered".to_owned(),
                    };
                    outln!("{:<12}   abstains {until}: {why}", "");
                }
                if let Some(MissingHistory { height, oldest }) = &s.missing_history {
                    outln!(
                        "{:<12}   cannot catch up: its peers have pruned block {height}; their oldest one is {oldest}",
                        ""
                    );
                }
                if s.oldest_height > 1 {
                    outln!("{:<12}   keeps the blocks from height {} on", "", s.oldest_height);
                }
                if let Some(epochs) = s.presigned_epochs {
                    outln!("{:<12}   presignatures for {epochs} epochs", "");
                }
                for peer in s.peers.iter().filter(|peer| !peer.outgoing || peer.faults > 0) {
                    let error = peer.last_error.as_deref().unwrap_or("not connected");
                    outln!("{:<12}   {}: {error}; {} faults", "", peer.name, peer.faults);
                }
            }
            Err(failure) => outln!("{:<12} {failure}", api.address()),
        }
    }
    if let Some(s) = answers.iter().find_map(|(_, answer)| answer.as_ref().ok()) {
        let (protocol, votes, epoch) = (&s.protocol, &s.scheme, s.epoch);
        outln!("\nchain {} ({}), protocol: {protocol}, votes: {votes}, epoch {epoch}", s.chain, s.chain_id);
    }
}
