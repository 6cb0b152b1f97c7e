use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use quorate_broadcast::Delivery;
use quorate_node::keys::NodeKeys;
use quorate_support::errln;
use serde::Serialize;
use tracing_subscriber::EnvFilter;

use crate::event::Event;
use crate::exit::{Exit, Failure, OrFail};
use crate::group::{self, Group};
use crate::group_args::{GroupArgs, MemoryArgs};
use crate::member::{Identity, Member};
use crate::signer::{Make, WithSigner, with_signer};

/// Number of waiting own messages at which no more input is read.
const BACKLOG: usize = 256;
/// Interval at which the backlog is checked again.
const PAUSE: Duration = Duration::from_millis(2);
/// Time limit for stopping.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Run one member: broadcast each line of standard input, and print delivered messages.
///
/// All members of a group need the same --signer, --suite, --tail and --max-message; otherwise they do not link. A
/// member may be killed at any time: its attestations are in the data directory before they are sent, and it
/// continues from there. After a restart it delivers the last messages of each sender again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast run --group group/group.toml --keys group/node0.keys --data group/node0
  { echo hello; cat; } | quorate-broadcast run … --json

A delivery is printed as `sender sequence message`, with --json as an object with the message in hexadecimal digits.
The member continues after the end of standard input; stop it with Ctrl-C or SIGTERM.")]
pub(crate) struct RunArgs {
    /// The group file created by `init`.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The key file of this member.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// The data directory of this member. It records the attestations: never use a copy, and never the same keys with
    /// an empty directory.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    #[command(flatten)]
    group_args: GroupArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Listen address, if not the port of this member's address on all interfaces.
    #[arg(long, value_name = "HOST:PORT", default_value = "")]
    listen: String,

    /// Print deliveries as JSON, one object per line.
    #[arg(long)]
    json: bool,

    /// Log filter: error, warn, info, debug, trace, or levels per module.
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    log_level: String,
}

#[derive(Serialize)]
struct Line<'a> {
    sender: &'a str,
    sequence: u64,
    message: String,
}

impl RunArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let filter = EnvFilter::try_new(format!("fjall=warn,lsm_tree=warn,{}", self.log_level));
        let filter = filter.or_fail(Exit::Usage, "--log-level")?;
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .init();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.or_fail(Exit::Failed, "cannot start the runtime")?;
        let served = runtime.block_on(with_signer(self.group_args.group_parameters().authentication, self));
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    }

    async fn serve<A: Make>(self) -> Result<(), Failure> {
        let group = Group::new(group::load(&self.group)?, self.group_args.group_parameters())?;
        self.memory.check::<A>(&group.group_parameters.parameters(), group.committee.len())?;
        let keys = NodeKeys::load(&self.keys, None)?;
        let identity = Identity {
            keys: [keys.identity()?, keys.identity()?],
            listen: self.listen.clone(),
            data: Some(&self.data),
        };
        // Back-pressure: a slow reader delays the member, and the links delay its peers.
        let (events, heard) = mpsc::sync_channel(1024);
        let (ended, end) = tokio::sync::oneshot::channel();
        let printer = Printer { group: group.clone(), json: self.json };
        std::thread::spawn(move || {
            // The receiver is gone only when the program ends.
            let _ = ended.send(printer.print(&heard));
        });
        let member = Member::<A>::start(&group, identity, move |event| drop(events.send(event))).await?;
        let (lines, mut said) = tokio::sync::mpsc::channel(16);
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().split(b'\n').map_while(Result::ok) {
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        errln!(
            "{}: {} of {} members",
            group.name(group.position(&keys.identity()?)?),
            A::NAME,
            group.committee.len()
        );
        let (mut end, mut stop) = (end, std::pin::pin!(stop_signal()));
        let outcome = loop {
            tokio::select! {
                Some(line) = said.recv(), if member.backlog() < BACKLOG => member.broadcast(line.into()),
                () = tokio::time::sleep(PAUSE), if member.backlog() >= BACKLOG => {}
                outcome = &mut end => break outcome.unwrap_or(Ok(())),
                () = &mut stop => break Ok(()),
            }
        };
        // A blocked output must not prevent the exit; stopping at any point is safe.
        let _ = tokio::time::timeout(STOP_TIMEOUT, member.stop()).await;
        outcome
    }
}

impl WithSigner for RunArgs {
    type Output = std::pin::Pin<Box<dyn Future<Output = Result<(), Failure>>>>;

    fn call<A: Make>(self) -> Self::Output {
        Box::pin(self.serve::<A>())
    }
}

struct Printer {
    group: Group,
    json: bool,
}

impl Printer {
    /// Prints until the member fails or the output closes.
    fn print(&self, heard: &mpsc::Receiver<Event>) -> Result<(), Failure> {
        for event in heard {
            match event {
                Event::Delivered(delivery) => {
                    if self.line(&delivery).is_err() {
                        return Ok(());
                    }
                }
                Event::Refused(refusal) => errln!("message refused ({}): {refusal}", refusal.code()),
                Event::Fault { culprit, code, evidence } => {
                    let culprit = self.group.name(culprit);
                    match evidence {
                        None => errln!("{culprit} violated the protocol: {code}"),
                        Some(Ok(path)) => errln!(
                            "{culprit} violated the protocol: {code}; evidence: {}; verify it with `quorate-broadcast \
                             check-evidence`",
                            path.display()
                        ),
                        Some(Err(error)) => errln!(
                            "{culprit} violated the protocol: {code}; the evidence is only in the log, because it could \
                             not be written: {error}; free disk space"
                        ),
                    }
                }
                Event::Failed(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn line(&self, delivery: &Delivery) -> std::io::Result<()> {
        let (sender, sequence) = (self.group.name(delivery.slot.sender), delivery.slot.sequence);
        let mut out = std::io::stdout().lock();
        if self.json {
            let line = Line { sender, sequence, message: hex::encode(&delivery.message) };
            writeln!(out, "{}", serde_json::to_string(&line)?)
        } else {
            // Control characters of other members' messages must not reach the terminal.
            let message = String::from_utf8_lossy(&delivery.message).escape_debug().to_string();
            writeln!(out, "{sender} {sequence} {message}")
        }
    }
}

/// Waits for SIGINT or SIGTERM.
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
    }
}
