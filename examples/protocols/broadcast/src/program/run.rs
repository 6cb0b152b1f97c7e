use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use quorate_broadcast::Delivery;
use quorate_node::keys::NodeKeys;
use quorate_support::tell;
use serde::Serialize;
use tracing_subscriber::EnvFilter;

use crate::exit::{Exit, Failure, OrFail};
use crate::group::{self, Group};
use crate::group_args::{GroupArgs, MemoryArgs};
use crate::member::{Event, Identity, Member};
use crate::signer::{Make, WithSigner, with_signer};

/// So many own messages may wait before no more are read.
const BACKLOG: usize = 256;
/// After this it is looked again whether fewer wait.
const PAUSE: Duration = Duration::from_millis(2);
/// How long a member may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Run one member: it broadcasts each line of standard input, and prints what it delivers.
///
/// All members of a group must be given the same --signer, --suite, --tail and --max-message; others do not link. A
/// member may be killed at any time: what it has vouched for is in its data directory before it says so, and it goes
/// on from there. After a restart it delivers the last messages of each sender again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast run --group group/group.toml --keys group/node0.keys --data group/node0
  { echo hello; cat; } | quorate-broadcast run … --json

A delivery is printed as `sender sequence message`, with --json as an object with the message in hexadecimal digits.
The end of standard input ends nothing; Ctrl-C and SIGTERM do.")]
pub(crate) struct RunArgs {
    /// The group file that `init` has made.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// This member's key file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// This member's data directory. Never use a copy, and never the same keys with an empty one: what was vouched
    /// for is recorded here.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    #[command(flatten)]
    terms: GroupArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Where to listen, if not at the port of this member's address on all interfaces.
    #[arg(long, value_name = "HOST:PORT", default_value = "")]
    listen: String,

    /// Print deliveries as JSON, one object a line.
    #[arg(long)]
    json: bool,

    /// What to log: error, warn, info, debug, trace, or a filter with levels by module.
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
        let runtime = runtime.or_fail(Exit::Failed, "cannot start")?;
        let served = runtime.block_on(with_signer(self.terms.terms().authentication, self));
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    }

    async fn serve<A: Make>(self) -> Result<(), Failure> {
        let group = Group::new(group::load(&self.group)?, self.terms.terms())?;
        self.memory.check::<A>(&group.terms.parameters(), group.committee.len())?;
        let keys = NodeKeys::load(&self.keys)?;
        let identity = Identity {
            keys: [keys.identity()?, keys.identity()?],
            listen: self.listen.clone(),
            data: Some(&self.data),
        };
        // Whoever reads slowly holds up the member, and the links its peers: nothing piles up.
        let (events, heard) = mpsc::sync_channel(1024);
        let (ended, end) = tokio::sync::oneshot::channel();
        let printer = Printer { group: group.clone(), json: self.json };
        std::thread::spawn(move || {
            // The receiver is gone only when the program ends anyway.
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
        tell!(
            "{}: {} of {} members",
            group.name(group.position(&keys.identity()?)?),
            A::NAME,
            group.committee.len()
        );
        let (mut end, mut stop) = (end, std::pin::pin!(told_to_stop()));
        let outcome = loop {
            tokio::select! {
                Some(line) = said.recv(), if member.backlog() < BACKLOG => member.broadcast(line.into()),
                () = tokio::time::sleep(PAUSE), if member.backlog() >= BACKLOG => {}
                outcome = &mut end => break outcome.unwrap_or(Ok(())),
                () = &mut stop => break Ok(()),
            }
        };
        // Whoever does not read what is printed cannot keep it from ending: every sudden end is harmless.
        let _ = tokio::time::timeout(STOP_PATIENCE, member.stop()).await;
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
    /// Prints until the member fails, or until nobody reads any more.
    fn print(&self, heard: &mpsc::Receiver<Event>) -> Result<(), Failure> {
        for event in heard {
            match event {
                Event::Delivered(delivery) => {
                    if self.line(&delivery).is_err() {
                        return Ok(());
                    }
                }
                Event::Refused(refusal) => tell!("not broadcast ({}): {refusal}", refusal.code()),
                Event::Fault { culprit, code, evidence } => {
                    let culprit = self.group.name(culprit);
                    match evidence {
                        None => tell!("{culprit} breaks the protocol: {code}"),
                        Some(Ok(path)) => tell!(
                            "{culprit} breaks the protocol: {code}; {} proves it to whoever has the group file, \
                             with `quorate-broadcast check-evidence`",
                            path.display()
                        ),
                        Some(Err(error)) => tell!(
                            "{culprit} breaks the protocol: {code}; the evidence is only in the log, because it \
                             could not be written: {error}; make room"
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
            // What others say is not let at the terminal.
            let message = String::from_utf8_lossy(&delivery.message).escape_debug().to_string();
            writeln!(out, "{sender} {sequence} {message}")
        }
    }
}

/// SIGINT or SIGTERM.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
    }
}
