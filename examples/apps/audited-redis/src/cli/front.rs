use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::config::{Config, EXAMPLE};
use quorate_audited_redis::eddsa::EddsaLibrary;
use quorate_audited_redis::front;
use quorate_support::{errln, outln};

use super::common::{Outcome, interrupted};

/// Runs the front: verifies signed commands, logs them durably, sends them to Redis, and returns the replies.
///
/// Only the front may reach Redis, preferably over a Unix socket in a private folder: commands that bypass the
/// front are not in the log. Ctrl-C stops the front. After a crash, start it again: it finds the end of its log.
#[derive(Debug, Args)]
#[command(after_long_help = after_help())]
pub(super) struct FrontArgs {
    /// The configuration file.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Starts with a log that is damaged from this byte on, as the error message says, and moves the rest to
    /// another file.
    ///
    /// Executed commands of that part are then no longer in the log, and their clients do not continue by themselves.
    #[arg(long, value_name = "OFFSET")]
    put_aside: Option<u64>,
    /// Library that verifies EdDSA: dalek, or sodium for measurements.
    #[arg(long, value_name = "LIBRARY", default_value_t)]
    eddsa: EddsaLibrary,
    /// Prints JSON when it is ready.
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    format!("The configuration file, in TOML; paths are relative to its folder:\n\n{EXAMPLE}")
}

impl FrontArgs {
    pub(super) async fn run(&self) -> Outcome {
        let (put_aside, library) = (self.put_aside, self.eddsa);
        let config = Config { put_aside, library, ..Config::load(&self.config)? };
        let (log, redis) = (config.log.clone(), config.redis.to_string());
        let mut front = front::Front::start(config).await?;
        let (address, store) = (front.address(), hex::encode(front.store()));
        let recovered = front.recovered().clone();
        if let Some((offset, bytes, aside)) = &recovered.torn {
            errln!(
                "{}: {} of {bytes} bytes from byte {offset} on was moved to {}",
                log.display(),
                match self.put_aside {
                    None => "a torn tail, of commands that were never executed,",
                    Some(_) => "the part to put aside,",
                },
                aside.display()
            );
        }
        // Installed before readiness is reported: the parent may stop the front immediately.
        let interrupted = interrupted()?;
        if self.json {
            let torn = recovered.torn.map(|(offset, bytes, aside)| {
                serde_json::json!({ "offset": offset, "bytes": bytes, "file": aside })
            });
            outln!(
                "{}",
                serde_json::json!({
                    "listen": address, "store": store, "redis": redis, "entries": recovered.entries, "torn": torn,
                })
            );
        } else {
            outln!("listening on {address}, before Redis at {redis}");
            outln!("store {store}, {} entries in {}", recovered.entries, log.display());
        }
        tokio::select! {
            () = interrupted => {}
            failure = front.failed() => return Err(failure),
        }
        front.shutdown().await;
        Ok(ExitCode::SUCCESS)
    }
}
