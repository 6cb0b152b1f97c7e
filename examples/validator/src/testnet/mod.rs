//! `quorate testnet`: a whole network of validator processes on this machine, under load.

mod agreement;
mod change;
mod child;
mod layout;
mod network;
mod recent_load;
mod report;
mod screen;
mod session;
mod timeline;
mod view;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use quorate_node::genesis::{ProtocolName, SchemeName};

use crate::commands::bench::{DRAIN_SECONDS, rate, seconds};
use crate::commands::presignatures::{MAX_EPOCHS, Signatures};
use crate::exit::{Exit, Failure};
use crate::load::{Format, Payloads};
use crate::protocols::{ABFT, GOSIG, parameters, parse_protocol};
use layout::RequestedTestnet;
use network::Network;
use session::{Session, SessionOptions};
use timeline::{NodeAt, Plans, Timeline};

/// Default number of validators.
const DEFAULT_NODES: u64 = 4;
/// Default number of epochs with presignatures.
const PRESIGNED_EPOCHS: u64 = 16;
/// Maximum number of validators of a testnet.
const MAX_NODES: u64 = 200;

/// Run a network of validators on this machine and watch it commit.
///
/// Each validator is a separate process with its own keys, TLS links and data directory. An open-loop load runs against
/// them: transactions fall due at the given rate, and latency is measured from that moment to the commit. At the end the
/// command compares the blocks of all validators at every height.
///
/// While it runs, `quorate submit`, `get`, `status` and `bench` use it without further arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate testnet
      four validators, until Ctrl-C
  quorate testnet --kill 2@10 --restart 2@20 --duration 30
      kill -9 one of them, and watch it catch up
  quorate testnet --nodes 7 --scheme ed25519 --rate 20000 --tx-size 512 --duration 30 --json
      measure
  quorate testnet --protocol gosig --nodes 16
      without leaders: secret sortition of proposers, and signatures aggregated by gossip
  quorate testnet --protocol abft --kill 3@10 --duration 20
      without timeouts: a validator that is down delays no other
  quorate testnet --protocol abft --signatures ecdsa
      threshold ECDSA with presignatures for the first epochs, BLS past them
  quorate testnet --protocol gosig --join 10 --leave 1@20 --duration 30
      one more validator joins the running chain with an empty directory, and another one leaves
  quorate testnet --transactions words.txt --data net/
      one transaction per line; keep the chain in net/ and continue it next time")]
pub(crate) struct RunTestnet {
    /// Number of validators. [default: 4]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_NODES))]
    nodes: Option<u64>,

    /// Consensus protocol: jolteon, gosig or abft. [default: jolteon]
    #[arg(long, value_parser = parse_protocol)]
    protocol: Option<ProtocolName>,

    /// Signature scheme of votes: bls or, with Jolteon and ABFT, ed25519. [default: bls]
    #[arg(long)]
    scheme: Option<SchemeName>,

    /// Signatures inside the epochs of a new testnet, for abft with bls. [default: bls]
    #[arg(long, value_enum)]
    signatures: Option<Signatures>,

    /// Number of epochs, each with one block, that ECDSA has presignatures for; later ones are signed with BLS.
    /// [default: 16]
    #[arg(long, value_name = "EPOCHS", value_parser = clap::value_parser!(u64).range(1..=MAX_EPOCHS))]
    presigned_epochs: Option<u64>,

    /// Transactions per second, over all validators; 0 for none.
    #[arg(long, default_value = "1000", value_parser = rate_or_none)]
    rate: f64,

    /// Size of a transaction in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    tx_size: u32,

    /// Stop after this many seconds of load; without it, run until Ctrl-C.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    duration: Option<f64>,

    /// Maximum number of seconds after the load for transactions in flight to commit.
    #[arg(long, value_name = "SECONDS", default_value_t = DRAIN_SECONDS, value_parser = seconds)]
    drain: f64,

    /// Kill validator NODE (from 0) with SIGKILL, SECONDS after the start of the load; may be repeated.
    #[arg(long, value_name = "NODE@SECONDS")]
    kill: Vec<NodeAt>,

    /// Restart a killed validator on its data; may be repeated.
    #[arg(long, value_name = "NODE@SECONDS")]
    restart: Vec<NodeAt>,

    /// Add a validator with new keys and an empty directory, SECONDS after the start of the load; may be repeated. The
    /// members approve it; from the next epoch on it reads the chain and votes. Gosig only.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    join: Vec<f64>,

    /// Remove validator NODE from the members, SECONDS after the start of the load; may be repeated. Gosig only.
    #[arg(long, value_name = "NODE@SECONDS")]
    leave: Vec<NodeAt>,

    /// Keep keys, chain and logs in this directory. If it holds a testnet, continue that testnet.
    ///
    /// Without it, use a temporary directory and remove it at the end.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Send the transactions of a file instead of random bytes.
    #[arg(long, value_name = "FILE")]
    transactions: Option<PathBuf>,

    /// Format of the file.
    #[arg(long, value_enum, default_value_t = Format::Auto, requires = "transactions")]
    format: Format,

    /// Repeat the file when it ends. Gosig orders equal transactions once and refuses repeated ones as DUPLICATE.
    #[arg(long, requires = "transactions")]
    repeat: bool,

    /// Print one JSON object at the end; progress goes to standard error.
    #[arg(long)]
    json: bool,

    /// Log level of the validators: error, warn, info, debug, or a filter such as info,quorate_node=debug.
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log_level: String,
}

impl RunTestnet {
    /// Runs the testnet.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let parameters = self.protocol.as_ref().map(parameters).unwrap_or_default();
        if self.transactions.is_none() && self.tx_size > parameters.max_transaction_bytes {
            let text = format!("a transaction has at most {} bytes", parameters.max_transaction_bytes);
            return Err(Failure::new(Exit::Usage, text));
        }
        if self.runs_gosig() && self.scheme == Some(SchemeName::Ed25519) {
            let text = "gosig aggregates signatures, which ed25519 does not support; omit --scheme";
            return Err(Failure::new(Exit::Usage, text));
        }
        if self.signatures.is_some() && self.protocol.as_ref().is_none_or(|protocol| *protocol != *ABFT) {
            let text = "--signatures needs --protocol abft";
            return Err(Failure::new(Exit::Usage, text));
        }
        if self.presigned_epochs.is_some() && self.signatures != Some(Signatures::Ecdsa) {
            return Err(Failure::new(Exit::Usage, "--presigned-epochs needs --signatures ecdsa"));
        }
        // Opened before any validator starts, so that a wrong path fails at once.
        let payloads = match &self.transactions {
            Some(path) => {
                Payloads::file(path, self.format, self.repeat, parameters.max_transaction_bytes as usize)?
            }
            None => Payloads::random(self.tx_size as usize),
        };
        let plans =
            Plans { kills: &self.kill, restarts: &self.restart, joins: &self.join, leaves: &self.leave };
        let timeline = |nodes| Timeline::new(plans, nodes).map_err(|text| Failure::new(Exit::Usage, text));
        let changes = !self.join.is_empty() || !self.leave.is_empty();
        if changes && self.data.is_none() && !self.runs_gosig() {
            return Err(no_member_changes());
        }
        if self.data.is_none() {
            timeline(self.nodes.unwrap_or(DEFAULT_NODES) as usize)?;
        }
        let temporary = match &self.data {
            Some(_) => None,
            None => Some(temporary_directory()?),
        };
        let directory = self.data.clone().or_else(|| temporary.as_ref().map(|dir| dir.path().to_owned()));
        let directory = directory.unwrap_or_default();
        let nodes = self.nodes.or(self.data.is_none().then_some(DEFAULT_NODES)).map(|nodes| nodes as usize);
        let presigned_epochs = (self.signatures == Some(Signatures::Ecdsa))
            .then(|| self.presigned_epochs.unwrap_or(PRESIGNED_EPOCHS));
        let (protocol, scheme) = (self.protocol.clone(), self.scheme);
        let requested = RequestedTestnet { nodes, protocol, scheme, presigned_epochs };
        let network = Network::start(&directory, requested, parameters, &self.log_level).await?;
        // Checked again: an existing directory may have another number of validators or another protocol.
        let fixed = changes && network.layout.protocol != *GOSIG;
        let timeline = match timeline(network.len()) {
            Ok(timeline) if !fixed => timeline,
            planned => {
                let failure = planned.err().unwrap_or_else(no_member_changes);
                network.stop().await;
                return Err(failure);
            }
        };
        let options = SessionOptions {
            rate: self.rate,
            tx_size: self.transactions.is_none().then_some(self.tx_size),
            duration: self.duration.map(Duration::from_secs_f64),
            drain: Duration::from_secs_f64(self.drain),
            json: self.json,
        };
        Session::new(options, network, timeline).run(payloads).await
    }

    fn runs_gosig(&self) -> bool {
        self.protocol.as_ref().is_some_and(|protocol| *protocol == *GOSIG)
    }
}

fn no_member_changes() -> Failure {
    Failure::new(Exit::Usage, "jolteon has no membership changes; --join and --leave need --protocol gosig")
}

fn temporary_directory() -> Result<tempfile::TempDir, Failure> {
    tempfile::Builder::new()
        .prefix("quorate-testnet-")
        .tempdir()
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot create a temporary directory: {error}")))
}

fn rate_or_none(text: &str) -> Result<f64, String> {
    if text == "0" { Ok(0.0) } else { rate(text) }
}
