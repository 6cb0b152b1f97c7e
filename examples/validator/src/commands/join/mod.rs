//! Fills the data directory of a new validator from a snapshot of running ones.

mod download;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use quorate_node::NodeError;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::Genesis;
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_node::runtime::binding;
use quorate_node::store::{Binding, Joining, is_empty};
use quorate_support::{errln, outln};

use super::run::{cannot_run, stop_signal};
use crate::api::Api;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;
use download::{Download, Downloaded};
use server::{Offer, RELEASED, Server};

/// Number of snapshots that are tried: validators release one for a newer one.
const SNAPSHOTS: usize = 4;

/// Fill the data directory of a new validator from a snapshot, so that it need not execute all blocks.
///
/// Fetches the state after a recent block, and the newest blocks, from running validators, and believes none of them: the
/// committees follow from the genesis file, the state root is in a block that they committed, and each piece is checked when it
/// arrives. A server with a wrong piece is named and not asked again. At the end the application restores the state once, and the
/// directory takes its place. Start the validator then with `quorate run`; it fetches the blocks since from its peers.
///
/// If it is interrupted, the same command continues. An older directory with data is never touched. Jolteon has no snapshots: its
/// replicas need the batches and leaders of the whole chain, which no block proves.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate join --config config.toml --from http://10.0.0.1:8100 --from http://10.0.0.2:8100
  quorate run --config config.toml

Exit codes: 0 if the directory is ready, 3 if configuration or data directory cannot be used, 4 if no validator answers, 6 if none
has a snapshot, 7 if all that have one sent a wrong piece.")]
pub(crate) struct Join {
    /// Configuration file of the new validator: its genesis, keys and data directory.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,

    /// HTTP address of a running validator; may be repeated. Two or more share the work, and one that lies or fails is replaced.
    #[arg(long, value_name = "URL", required = true, value_delimiter = ',')]
    from: Vec<String>,

    /// Print a JSON object: height, state_root, blocks, parts, bytes, seconds, and the problem of each server, if it has one.
    #[arg(long)]
    json: bool,
}

impl Join {
    /// Fills the directory and prints a summary.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let config = NodeConfig::load(&self.config).map_err(cannot_run)?;
        let genesis = Genesis::load(&config.node.genesis).map_err(cannot_run)?;
        let data = config.node.data.clone();
        let is_used =
            !is_empty(&data) || fs::read_dir(&data).is_ok_and(|mut entries| entries.next().is_some());
        if is_used {
            let text = format!(
                "{} has data: a validator joins with an empty directory. Keep the data of a key that has signed",
                data.display()
            );
            return Err(Failure::with_code(Exit::Setup, "DATA_EXISTS", text));
        }
        if fs::symlink_metadata(&data).is_ok_and(|found| found.is_symlink()) {
            let text = format!(
                "{} is a link, which `join` cannot replace: name the directory itself",
                data.display()
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        let servers = self.from.iter().map(|url| Api::new(url)).collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        let staging = staging(&data);
        let joining = with_protocol(
            &genesis,
            JoinChain { config, genesis: genesis.clone(), servers, staging: staging.clone() },
        );
        let done = tokio::select! {
            done = joining.map_err(cannot_run)? => done?,
            () = stop_signal() => {
                let text = format!(
                    "interrupted; {} has what was fetched and checked: the same command continues, or delete it",
                    staging.display()
                );
                return Err(Failure::new(Exit::Failed, text));
            }
        };
        self.report(&done, start.elapsed().as_secs_f64());
        Ok(())
    }

    fn report(&self, done: &Downloaded, seconds: f64) {
        let Downloaded { height, state_root, blocks, parts, bytes, servers } = done;
        if self.json {
            let servers: Vec<_> = servers
                .iter()
                .map(|(address, problem)| serde_json::json!({ "address": address, "problem": problem }))
                .collect();
            let value = serde_json::json!({
                "height": height, "state_root": state_root.to_string(), "blocks": blocks, "parts": parts, "bytes": bytes,
                "seconds": seconds, "servers": servers,
            });
            outln!("{value}");
        } else {
            outln!(
                "joined at height {height} in {seconds:.1} s: {parts} parts of the state and {blocks} blocks, {:.1} MB\n\
                 state root {state_root}\n\
                 start it with: quorate run --config {}",
                *bytes as f64 / 1e6,
                self.config.display()
            );
        }
    }
}

/// The directory that is filled, beside the data directory.
fn staging(data: &Path) -> PathBuf {
    // Without a slash at the end.
    let mut path = data.components().collect::<PathBuf>().into_os_string();
    path.push(".joining");
    path.into()
}

struct JoinChain {
    config: NodeConfig,
    genesis: Genesis,
    servers: Vec<Api>,
    staging: PathBuf,
}

type Joined = Pin<Box<dyn Future<Output = Result<Downloaded, Failure>>>>;

impl ProtocolVisitor for JoinChain {
    type Output = Joined;

    fn visit<P: Protocol>(self) -> Joined {
        Box::pin(self.join::<P>())
    }
}

impl JoinChain {
    async fn join<P: Protocol>(self) -> Result<Downloaded, Failure> {
        if P::SNAPSHOT_BLOCKS.is_none() {
            let text = format!(
                "a {} validator cannot start from a snapshot; start it with `quorate run`, and it executes the blocks of its peers",
                P::NAME
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        let binding = binding::<P>(&self.config, &self.genesis).map_err(cannot_run)?;
        let mut servers: Vec<Server> = self.servers.iter().cloned().map(Server::new).collect();
        for _ in 0..SNAPSHOTS {
            let offer = Offer::<P>::choose(&self.genesis, &mut servers).await?;
            let joining = self.open(&binding, &offer)?;
            let download = Download { offer, joining: Arc::new(joining) };
            if let Some((done, download)) = download.run(&mut servers).await? {
                self.finish(download)?;
                return Ok(done);
            }
            errln!("the validators have released the snapshot; beginning again with a newer one");
        }
        Err(Failure::new(Exit::Failed, RELEASED))
    }

    /// Opens the directory to fill; one that was begun with another snapshot is emptied.
    fn open<P: Protocol>(&self, binding: &Binding, offer: &Offer<P>) -> Result<Joining<P>, Failure> {
        let open = || Joining::<P>::open(&self.staging, binding, offer.context.clone(), offer.head.target());
        if self.staging.exists() {
            match open() {
                Ok(Some(found)) => {
                    errln!("continuing with {}", self.staging.display());
                    return Ok(found);
                }
                // Another process fills it.
                Err(error @ NodeError::DataInUse { .. }) => return Err(cannot_run(error)),
                // It is of another snapshot, or what is left of a process that died at its beginning.
                Ok(None) | Err(_) => {}
            }
        }
        match fs::remove_dir_all(&self.staging) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(e).or_fail(Exit::Setup, format!("cannot empty {}", self.staging.display()));
            }
            _ => {}
        }
        let unusable = || Failure::new(Exit::Failed, "cannot fill the directory");
        open().map_err(cannot_run)?.ok_or_else(unusable)
    }

    /// Completes the directory and puts it in its place.
    fn finish<P: Protocol>(&self, download: Download<P>) -> Result<(), Failure> {
        let Download { offer, joining } = download;
        let joining =
            Arc::into_inner(joining).ok_or_else(|| Failure::new(Exit::Failed, "the download still runs"))?;
        errln!("restoring the state");
        let height = offer.head.target().height;
        // The ledger proves each part, so an error is one of this machine, and the same command continues.
        joining.finish(&offer.epochs(height), Box::new(Ledger::default())).map_err(cannot_run)?;
        let data = &self.config.node.data;
        let doing = format!(
            "cannot rename {} to {}; the data directory must not be a mount point, but may be a directory below it",
            self.staging.display(),
            data.display()
        );
        fs::rename(&self.staging, data).or_fail(Exit::Setup, doing)?;
        let parent = data.parent().filter(|parent| !parent.as_os_str().is_empty());
        quorate_node::store::files::sync_dir(parent.unwrap_or(Path::new("."))).map_err(cannot_run)
    }
}
