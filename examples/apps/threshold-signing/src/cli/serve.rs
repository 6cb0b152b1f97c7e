use std::io::Read;
use std::path::PathBuf;

use quorate_support::tell;
use quorate_threshold_signing::failure::Failure;
use quorate_threshold_signing::keys::Keys;
use quorate_threshold_signing::party::{Misbehaviour, Party, PartyConfig};

use super::common::{Outcome, PublicFiles};

/// Run one party: it answers the requesters of the group file, and nobody else.
///
/// It may be killed at any time: which presignature is spent on what is on its disk before the share leaves. After that it
/// signs the same message again, with the same share, and no other. With --reserve it writes down whole blocks of 1,024
/// ahead, which is faster; what was reserved when it is killed is lost.
///
/// Starting it with an epoch ends all earlier ones for ever.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing serve --group group.toml --deal deal-1.public --keys alice.keys --shares alice-1.sealed --data alice

Never use a copy of the data directory, and never the shares with another one: presignatures would be spent twice, which gives
the group's key away. Ctrl-C and SIGTERM end it.")]
pub(super) struct ServeArgs {
    #[command(flatten)]
    public: PublicFiles,

    /// This party's key file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// What the dealer sealed to this party.
    #[arg(long, value_name = "FILE")]
    shares: PathBuf,

    /// This party's data directory, where its journal is.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Where to listen, if not at this party's address in the group file.
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,

    /// Reserve presignatures in blocks: shares do not wait for the disk, and a crash burns up to 1,024 presignatures.
    #[arg(long)]
    reserve: bool,

    /// Do wrong on purpose, to see what the others make of it: wrong-shares, closed (wrong shares that are not opened),
    /// silent, garbage, false-next, slow:MILLISECONDS.
    #[arg(long, value_name = "HOW")]
    misbehave: Option<Misbehaviour>,

    /// End when standard input ends, as whoever started this process does.
    #[arg(long)]
    stop_with_stdin: bool,
}

impl ServeArgs {
    pub(super) async fn run(self) -> Outcome {
        let (group, public) = self.public.load()?;
        let (deal, epoch) = (hex::encode(public.deal.id()), public.deal.epoch());
        let names = group.requesters.join(", ");
        let keys = Keys::load(&self.keys)?;
        let settings = PartyConfig {
            group,
            keys,
            public,
            shares: self.shares,
            data: self.data,
            listen: self.listen,
            reserve: self.reserve,
            misbehaviour: self.misbehave,
        };
        let party = Party::start(settings).await?;
        tell!(
            "party {} on {}: epoch {epoch}, {} presignatures left, for {names}; deal {deal}",
            party.member(),
            party.address(),
            party.left()
        );
        party.serve(told_to_stop(self.stop_with_stdin)?).await
    }
}

/// SIGINT, SIGTERM, or the end of standard input.
fn told_to_stop(with_stdin: bool) -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut term =
        signal(SignalKind::terminate()).map_err(|e| Failure::failed(format!("waiting for signals: {e}")))?;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let mut kept = Some(end);
    if with_stdin {
        let end = kept.take();
        std::thread::spawn(move || {
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            drop(end);
        });
    }
    Ok(async move {
        let _kept = kept;
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = term.recv() => {}
            _ = ended => {}
        }
    })
}
