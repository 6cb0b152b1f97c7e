use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::time::Duration;

use quorate_node::NodeError;
use quorate_node::application::Ledger;
use quorate_node::client::Clients;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::Genesis;
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_node::runtime::{Node, Starting};
use quorate_support::outln;

use crate::exit::{Exit, Failure, OrFail};
use crate::handbook;
use crate::log_format::LogFormat;
use crate::protocols::with_protocol;

/// Maximum time that background tasks may take to end after shutdown.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for which a validator that found a conflicting history serves its status before it stops.
const ALARM_TIME: Duration = Duration::from_secs(10);

/// Run one validator.
///
/// Logs to standard error. SIGINT and SIGTERM stop the validator cleanly; killing it at any time is also safe. When the
/// chain's members change, the validator continues in the next epoch without a restart. If it is no longer a member, it
/// stops with exit code 11.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate run --config alice/config.toml --new-validator      (the first start)
  quorate run --config alice/config.toml --log-level info,quorate_node::links=debug

`quorate run --print-config` prints a configuration file with every setting explained.")]
pub(crate) struct Run {
    /// The configuration file.
    #[arg(long, value_name = "FILE", required_unless_present = "print_config")]
    config: Option<PathBuf>,

    /// Start as an observer, before this validator is a member. Same as [node] observe = true in the file.
    ///
    /// The members accept its links once they have committed the change that adds it (`quorate member join`). It then
    /// reads the chain up to the epoch in which it is a member, and starts to vote there.
    #[arg(long)]
    observe: bool,

    /// Allow the first start of a validator of the genesis file, whose data directory is empty.
    ///
    /// Without it, an empty data directory ends the validator with exit code 13: the records of what the key has signed
    /// would be missing, and the key could sign twice. Never keep it in a unit file or a container's command.
    #[arg(long)]
    new_validator: bool,

    /// Counter of this validator's signatures: a file on another disk than the data directory. Same as [node] counter in the
    /// file.
    ///
    /// No backup, copy or snapshot of the data may contain it. A validator whose data is older than the counter says so and
    /// abstains; one whose data is complete votes at once after a start. Without a counter, it asks the other validators and
    /// abstains for about two views after each start. The file is created if it is missing.
    #[arg(long, value_name = "FILE")]
    counter: Option<PathBuf>,

    /// Keep only the newest KEEP blocks, at least 1024. Same as [archive] prune in the file.
    ///
    /// Older blocks and their transactions are deleted, and queries about them answer PRUNED. The state and the changes of
    /// members stay. At least one validator of a chain should keep all blocks. See "Disk use" in OPERATING.md.
    #[arg(long, value_name = "KEEP")]
    prune: Option<u64>,

    /// Keep all blocks, also if the file says [archive] prune. Blocks that are pruned already do not come back.
    #[arg(long, conflicts_with = "prune")]
    archive: bool,

    /// Log level: error, warn, info, debug, trace, or a filter with levels by module.
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log_level: String,

    /// Format of the log: text, or a JSON object per line. A warning or an error has a stable `code` in both.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,

    /// Print a configuration file that explains every setting, and exit.
    #[arg(long)]
    print_config: bool,

    /// Stop when standard input ends, because the process that started this validator has ended.
    #[arg(long, hide = true)]
    stop_with_stdin: bool,
}

impl Run {
    /// Runs the validator until it receives a signal. A failure with an empty message is in the log already.
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.print_config {
            outln!("{}", NodeConfig::new("genesis.toml", "keys", "data").to_toml().trim_end());
            return Ok(());
        }
        let format = self.log_format;
        format.start(&self.log_level)?;
        let runtime = |name: &str, threads| {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(threads).thread_name(name).enable_all().build()
        };
        let node = runtime("links", 2).or_fail(Exit::Failed, "cannot start")?;
        // Clients have their own thread, so that they cannot delay the links.
        let clients = runtime("clients", 1).or_fail(Exit::Failed, "cannot start")?;
        let served = node.block_on(self.serve(clients.handle()));
        clients.shutdown_timeout(STOP_TIMEOUT);
        node.shutdown_timeout(STOP_TIMEOUT);
        served.map_err(|failure| format.report(failure))
    }

    async fn serve(self, client_runtime: &tokio::runtime::Handle) -> Result<(), Failure> {
        let mut config = NodeConfig::load(&self.config.unwrap_or_default()).map_err(cannot_run)?;
        config.node.observe |= self.observe;
        config.node.new_validator = self.new_validator;
        if self.counter.is_some() {
            config.node.counter = self.counter;
        }
        if self.prune.is_some() || self.archive {
            config.archive.prune = self.prune;
        }
        let genesis = Genesis::load(&config.node.genesis).map_err(cannot_run)?;
        let start = StartNode { config: config.clone(), genesis: genesis.clone() };
        let starting = with_protocol(&genesis, start).map_err(cannot_run)?;
        let node = starting.await.map_err(cannot_run)?;
        let (handle, monitor) = (node.handle(), node.handle());
        let started = client_runtime.spawn(async move { Clients::start(&config, handle, &genesis).await });
        let started = started.await.unwrap_or_else(|e| Err(NodeError::Stopped { why: e.to_string() }));
        let clients = match started {
            Ok(clients) => clients,
            Err(error) => {
                // The failure to shut down would hide the failure to start.
                let _ = node.shutdown().await;
                return Err(cannot_run(error));
            }
        };
        tracing::info!(http = ?clients.http_address(), stream = ?clients.stream_address(), "serving clients");
        tokio::select! {
            () = stop_signal() => tracing::info!("stopping: received a signal"),
            () = stdin_closed(), if self.stop_with_stdin => tracing::info!("stopping: standard input ended"),
            () = node.failed() => tracing::error!(code = "NODE_FAILED", "stopping: the node failed"),
        }
        if monitor.status().failure == Some("CONFLICTING_COMMIT") {
            tracing::error!(
                code = "CONFLICTING_COMMIT",
                "the status stays available for {} s",
                ALARM_TIME.as_secs()
            );
            tokio::select! {
                () = tokio::time::sleep(ALARM_TIME) => {}
                () = stop_signal() => {}
                () = stdin_closed(), if self.stop_with_stdin => {}
            }
        }
        let stopped = async {
            clients.stop().await;
            node.shutdown().await.map_err(cannot_run)
        };
        tokio::select! {
            stopped = stopped => stopped,
            // Safe: the store survives a kill at any time.
            () = stop_signal() => Err(Failure::new(Exit::Failed, "received a second signal while stopping")),
        }
    }
}

/// Starts a validator with the protocol of its chain and the ledger as its application.
struct StartNode {
    config: NodeConfig,
    genesis: Genesis,
}

impl ProtocolVisitor for StartNode {
    type Output = Starting;

    fn visit<P: Protocol>(self) -> Starting {
        Node::start::<P>(self.config, self.genesis, Box::new(Ledger::default()))
    }
}

/// Waits for SIGINT or SIGTERM.
pub(crate) async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
    }
}

/// Returns true for the errors of a path that names no usable file.
fn is_wrong_path(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidData, IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | PermissionDenied | NotADirectory | IsADirectory | InvalidData)
}

/// Maps a node error to its exit code, and names the section of the handbook about it.
pub(crate) fn cannot_run(error: NodeError) -> Failure {
    let (code, exit) = (error.code(), exit_code(&error));
    let place = handbook::place(code);
    let message = format!("{error}; for the recovery, run `quorate explain {code}` or read {place}");
    Failure::with_code(exit, code, message)
}

fn exit_code(error: &NodeError) -> Exit {
    match error {
        NodeError::Bind { .. } => Exit::PortTaken,
        NodeError::Left { .. } => Exit::Left,
        NodeError::EmptyData { .. } => Exit::EmptyData,
        NodeError::ConflictingCommit { .. } => Exit::Contradiction,
        NodeError::Config { .. }
        | NodeError::Genesis { .. }
        | NodeError::KeyFile { .. }
        | NodeError::NotAMember { .. }
        | NodeError::DataExists { .. }
        | NodeError::DataInUse { .. }
        | NodeError::DataMismatch { .. }
        | NodeError::Corrupt { .. }
        | NodeError::OpenFiles { .. }
        | NodeError::SameIdentity { .. } => Exit::Setup,
        // A unit must not start a signer again with a wrong PIN.
        NodeError::Token(error) if !error.is_temporary() => Exit::Setup,
        // A file that the operator named is missing or unreadable. Other errors, such as a full disk, are no mistake in the
        // setup.
        NodeError::Io { path: Some(_), source, .. } if is_wrong_path(source.kind()) => Exit::Setup,
        _ => Exit::Failed,
    }
}

/// Waits for the end of standard input. A separate thread reads it, because the read cannot be cancelled.
async fn stdin_closed() {
    let (ended, wait) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut sink = [0; 64];
        while matches!(std::io::stdin().read(&mut sink), Ok(n) if n > 0) {}
        // The receiver is gone if the validator is stopping for another reason.
        let _ = ended.send(());
    });
    let _ = wait.await;
}

#[cfg(test)]
mod tests {
    use std::io;

    use quorate_node::signer::token::TokenError;

    use super::*;

    /// One error of each kind, and both of [`NodeError::Io`].
    fn samples() -> Vec<NodeError> {
        let (path, text) = (PathBuf::from("data"), String::new);
        vec![
            NodeError::Config { path: None, problem: text() },
            NodeError::Genesis { path: None, problem: text() },
            NodeError::KeyFile { path: path.clone(), problem: text() },
            NodeError::NotAMember { identity: text() },
            NodeError::Left { epoch: 1, first_height: 2 },
            NodeError::EmptyData { path: path.clone() },
            NodeError::DataExists { path: path.clone() },
            NodeError::DataInUse { path: path.clone() },
            NodeError::DataMismatch { path: path.clone(), what: "chain", found: text(), expected: text() },
            NodeError::corrupt("the store", ""),
            NodeError::Pruned { height: 1, oldest: 2 },
            NodeError::store("writing", ""),
            NodeError::Bind { address: text(), source: io::ErrorKind::AddrInUse.into() },
            NodeError::file("reading", &path, ErrorKind::NotFound.into()),
            NodeError::file("writing", &path, ErrorKind::StorageFull.into()),
            NodeError::OpenFiles { limit: 1, needed: 2 },
            NodeError::ConflictingCommit { height: 1, evidence: path },
            NodeError::SameIdentity { address: text() },
            NodeError::Tls { problem: text() },
            NodeError::Application { problem: text() },
            TokenError::Module { path: PathBuf::from("module.so"), problem: text() }.into(),
            TokenError::NotFound { token: text(), problem: text() }.into(),
            TokenError::Pin { token: text(), problem: text() }.into(),
            TokenError::Key { token: text(), key: text(), problem: text() }.into(),
            TokenError::Failed { token: text(), operation: "signing", reason: text() }.into(),
            NodeError::Stopped { why: text() },
            quorate::Error::Rng.into(),
        ]
    }

    #[test]
    fn the_handbook_states_the_exit_code_of_each_error() {
        for code in NodeError::CODES {
            assert!(samples().iter().any(|error| error.code() == *code), "no sample of {code}");
        }
        for error in samples() {
            let (code, exit) = (error.code(), exit_code(&error) as u8);
            let section = handbook::section(code).unwrap().to_lowercase();
            let mut stated = section
                .split("exit code ")
                .skip(1)
                .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u8>().ok());
            assert!(stated.any(|stated| stated == exit), "{code}: {exit}: {section}");
        }
    }

    #[test]
    fn the_message_names_the_section() {
        for error in samples() {
            let code = error.code();
            let message = cannot_run(error).to_string();
            let end = format!("run `quorate explain {code}` or read {} ({code})", handbook::place(code));
            assert!(message.ends_with(&end), "{message}");
        }
    }
}
