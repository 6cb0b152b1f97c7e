use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::REDIS;
use quorate_audited_redis::client::ClientOptions;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::sidecar;
use quorate_support::outln;

use super::common::{Outcome, SigningArgs, interrupted};

/// Lets existing Redis clients use the front: accepts plain Redis traffic on this machine and signs it.
///
/// Any program that reaches the sidecar can sign with its key, so it listens on loopback addresses only.
/// Transactions, subscriptions and blocking commands are refused, as in the front.
#[derive(Debug, Args)]
pub(super) struct SidecarArgs {
    /// Address that Redis clients connect to.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6380")]
    listen: SocketAddr,
    /// Address of the front.
    #[arg(long, value_name = "HOST:PORT")]
    front: String,
    /// The client's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: SigningArgs,
    /// Signs scripts (EVAL and similar). Use it only if the front's configuration has `scripts = true`: a front
    /// that refuses a script also refuses the commands that other programs sent after it.
    #[arg(long)]
    scripts: bool,
    /// Prints JSON when it is ready.
    #[arg(long)]
    json: bool,
}

impl SidecarArgs {
    pub(super) async fn run(&self) -> Outcome {
        let key = Key::load(&REDIS, &self.key)?;
        let signer = hex::encode(key.public()?.as_bytes());
        let options = ClientOptions { scripts: self.scripts, ..self.how.options() };
        let sidecar = sidecar::Sidecar::start(self.listen, &self.front, key, options).await?;
        let (address, store) = (sidecar.address(), hex::encode(sidecar.store()));
        let interrupted = interrupted()?;
        if self.json {
            outln!("{}", serde_json::json!({ "listen": address, "store": store, "signer": signer }));
        } else {
            outln!("listening on {address}; try `redis-cli -p {} set greeting hello`", address.port());
            outln!("signing as {signer}, for the store {store}");
        }
        interrupted.await;
        sidecar.shutdown().await;
        Ok(ExitCode::SUCCESS)
    }
}
