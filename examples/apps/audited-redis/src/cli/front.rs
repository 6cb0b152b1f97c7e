use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::config::{Config, EXAMPLE};
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::front;
use quorate_support::{say, tell};

use super::Outcome;

/// Runs the front: verifies signed commands, logs them durably, has Redis execute them, answers.
///
/// Redis must be reachable for the front alone, best over a Unix socket in a folder of its own: what goes around the
/// front is not in the log. Ctrl-C ends it. After a crash start it again: it finds the end of its log by itself.
#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(super) struct Front {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Starts on a log that is damaged at this byte, as the refusal to start says: keeps what follows in another file.
    ///
    /// What was executed of it is then not in the log any more, and its clients do not go on by themselves.
    #[arg(long, value_name = "OFFSET")]
    put_aside: Option<u64>,
    /// Prints a JSON object when it is ready.
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    format!("The configuration file, in TOML; paths are relative to its folder:\n\n{EXAMPLE}")
}

impl Front {
    pub(super) async fn run(&self) -> Outcome {
        let config = Config { put_aside: self.put_aside, ..Config::load(&self.config)? };
        let (log, redis) = (config.log.clone(), config.redis.to_string());
        let mut front = front::Front::start(config).await?;
        let (address, store) = (front.address(), hex::encode(front.store()));
        let recovered = front.recovered().clone();
        if let Some((offset, bytes, aside)) = &recovered.torn {
            tell!(
                "{}: {} of {bytes} bytes at byte {offset} is now {}",
                log.display(),
                match self.put_aside {
                    None => "an unfinished tail, of commands that were never executed,",
                    Some(_) => "what was to be put aside,",
                },
                aside.display()
            );
        }
        // Before it says that it is ready: whoever reads that may end it at once.
        let interrupted = interrupted()?;
        if self.json {
            let torn = recovered.torn.map(|(offset, bytes, aside)| {
                serde_json::json!({ "offset": offset, "bytes": bytes, "file": aside })
            });
            say!(
                "{}",
                serde_json::json!({
                    "listen": address, "store": store, "redis": redis, "entries": recovered.entries, "torn": torn,
                })
            );
        } else {
            say!("listening on {address}, before Redis at {redis}");
            say!("store {store}, {} entries in {}", recovered.entries, log.display());
        }
        tokio::select! {
            () = interrupted => {}
            failure = front.failed() => return Err(failure),
        }
        front.shutdown().await;
        Ok(ExitCode::SUCCESS)
    }
}

/// Waits for Ctrl-C or a polite kill.
pub(super) fn interrupted() -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};

    let failed = |error: std::io::Error| Failure::failed(format!("waiting for signals: {error}"));
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt()).map_err(failed)?, signal(SignalKind::terminate()).map_err(failed)?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
