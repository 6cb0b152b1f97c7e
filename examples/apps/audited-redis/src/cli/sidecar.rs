use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::client::Options;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::sidecar;
use quorate_support::say;

use super::front::interrupted;
use super::{HowToSign, Outcome};

/// Lets existing Redis clients use the front: takes plain Redis traffic on this machine, and signs it.
///
/// Whoever reaches the sidecar signs with its key, so it listens on loopback addresses only. Transactions,
/// subscriptions and commands that wait are refused, as in the front.
#[derive(Debug, Args)]
pub(super) struct Sidecar {
    /// Where Redis clients connect.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:6380")]
    listen: SocketAddr,
    /// Where the front listens.
    #[arg(long, value_name = "HOST:PORT")]
    front: String,
    /// The client's key file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    how: HowToSign,
    /// Signs scripts (EVAL and its like) too. Only where the front's configuration says `scripts = true`: a front that
    /// refuses one refuses what other programs sent behind it as well.
    #[arg(long)]
    scripts: bool,
    /// Prints a JSON object when it is ready.
    #[arg(long)]
    json: bool,
}

impl Sidecar {
    pub(super) async fn run(&self) -> Outcome {
        let key = Key::load(&self.key)?;
        let signer = hex::encode(key.public()?.as_bytes());
        let options = Options { scripts: self.scripts, ..self.how.options() };
        let sidecar = sidecar::Sidecar::start(self.listen, &self.front, key, options).await?;
        let (address, store) = (sidecar.address(), hex::encode(sidecar.store()));
        let interrupted = interrupted()?;
        if self.json {
            say!("{}", serde_json::json!({ "listen": address, "store": store, "signer": signer }));
        } else {
            say!("listening on {address}; try `redis-cli -p {} set greeting hello`", address.port());
            say!("signing as {signer}, for the store {store}");
        }
        interrupted.await;
        sidecar.shutdown().await;
        Ok(ExitCode::SUCCESS)
    }
}
