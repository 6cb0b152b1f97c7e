use std::path::PathBuf;
use std::time::Duration;

use quorate_replicate::Path;
use quorate_replicate::application::Counter;
use quorate_replicate::node::group::{self, Group};
use quorate_replicate::node::server::{Event, Options, Server};
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_support::outln;
use serde_json::json;

use crate::signer::{Make, WithSigner, with_signer};

/// Run one replica.
///
/// A replica may be killed at any time: what it accepted is in the data directory before it tells another replica, and it
/// continues from there. It prints a line when it listens, enters a view, refuses a link, or finds a replica faulty.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  replicate run --group group/group.toml --key group/replica0.key --data group/replica0")]
pub(crate) struct RunArgs {
    /// The group file created by `init`.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// The key file of this replica.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The data directory of this replica. Never use a copy, and never the same key with an empty directory: the replica would
    /// contradict itself.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// When a record counts as durable: on disk, or written to the operating system, so that it survives a kill but not a power
    /// failure.
    #[arg(long, value_enum, default_value_t = Sync::Always)]
    sync: Sync,

    /// Poll all the time instead of sleeping when idle.
    #[arg(long)]
    spin: bool,

    /// Use the slow path for every slot.
    #[arg(long)]
    slow: bool,

    /// Time in milliseconds from the acceptance of a slot to its slow path.
    #[arg(long, value_name = "MS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    fast_timeout: u64,

    /// Time in milliseconds without progress after which the leader is suspected.
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    suspect: u64,

    /// Print JSON, one object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sync {
    /// On disk.
    Always,
    /// Written to the operating system.
    Kill,
}

impl RunArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let group = Group::load(&self.group)?;
        with_signer(group.file.signer, Serve { args: self, group })
    }
}

struct Serve {
    args: RunArgs,
    group: Group,
}

impl WithSigner for Serve {
    type Output = Result<(), Failure>;

    fn call<A: Make>(self) -> Result<(), Failure> {
        let Self { args, group } = self;
        let key = group::load(&args.key)?;
        let replica = group.replica(&key)?;
        let authentication =
            A::make(group.committee.clone(), group::copy(&key)?).or_fail(Exit::Failed, "signatures")?;
        let mut parameters = group.parameters();
        parameters.path = if args.slow { Path::Slow } else { Path::Fast };
        parameters.fast_timeout = Duration::from_millis(args.fast_timeout);
        parameters.suspect = Duration::from_millis(args.suspect);
        let sync = args.sync == Sync::Always;
        let options =
            Options { group: &group, key, parameters, data: Some(&args.data), sync, spin: args.spin };
        let mut server = Server::start(options, authentication, Counter::default())?;
        let status = server.status();
        let name = group.name(replica);
        if args.json {
            let line = json!({ "event": "listening", "replica": name, "view": status.view, "executed": status.executed });
            outln!("{line}");
        } else {
            outln!("{name} listens; view {}, {} slots executed", status.view, status.executed);
        }
        loop {
            server.poll()?;
            for event in server.events() {
                print(&group, &event, args.json);
            }
        }
    }
}

fn print(group: &Group, event: &Event, as_json: bool) {
    match event {
        Event::Fault { culprit, code, evidence } => {
            let name = group.name(*culprit);
            if as_json {
                outln!(
                    "{}",
                    json!({ "event": "fault", "culprit": name, "code": code, "evidence": evidence })
                );
                return;
            }
            let evidence = evidence.as_ref().map(|path| format!("; evidence: {}", path.display()));
            outln!("{name} violated the protocol: {code}{}", evidence.unwrap_or_default());
        }
        Event::EvidenceUnsaved { culprit, reason } => {
            let name = group.name(*culprit);
            if as_json {
                outln!("{}", json!({ "event": "evidence_unsaved", "culprit": name, "reason": reason }));
                return;
            }
            outln!(
                "the evidence against {name} cannot be written: {reason}; free space or repair the folder before this replica \
                 stops: it tries again every second, and a restart loses the evidence"
            );
        }
        Event::EvidenceSaved { culprit, evidence } => {
            let name = group.name(*culprit);
            if as_json {
                outln!("{}", json!({ "event": "evidence_saved", "culprit": name, "evidence": evidence }));
            } else {
                outln!("the evidence against {name} is written: {}", evidence.display());
            }
        }
        Event::Refused { code, claimed } => {
            let claimed = format!("{claimed:?}");
            if as_json {
                outln!("{}", json!({ "event": "refused", "code": code, "claimed": claimed }));
            } else {
                outln!("refused a link of a party that claims to be {claimed}: {code}");
            }
        }
        Event::View(view) => {
            let leader = group.name((view % u64::from(group.committee.len())) as u16);
            if as_json {
                outln!("{}", json!({ "event": "view", "view": view, "leader": leader }));
            } else {
                outln!("view {view}, leader {leader}");
            }
        }
    }
}
