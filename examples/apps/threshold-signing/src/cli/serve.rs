use std::io::Read;
use std::path::PathBuf;

use quorate_support::errln;
use quorate_threshold_signing::failure::Failure;
use quorate_threshold_signing::keys::Keys;
use quorate_threshold_signing::party::{Misbehaviour, Party, PartyConfig};

use super::common::{Outcome, PublicFiles};

/// Run a party. It answers only the requesters of the group file.
///
/// It may be killed at any time: before a share is sent, the message of its presignature is durable. After a
/// restart the party gives the same share for the same message, and none for another. With --reserve it reserves
/// blocks of 1,024 presignatures in advance, which is faster; a kill loses the reserved ones.
///
/// Starting with an epoch closes all earlier epochs permanently.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing serve --group group.toml --deal deal-1.public --keys alice.keys --shares alice-1.sealed --data alice

Never use a copy of the data directory, and never use the shares with another one: presignatures would be spent twice, which
reveals the group's key. Ctrl-C and SIGTERM stop the party.")]
pub(super) struct ServeArgs {
    #[command(flatten)]
    public: PublicFiles,

    /// This party's key file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// The file that the dealer sealed to this party.
    #[arg(long, value_name = "FILE")]
    shares: PathBuf,

    /// This party's data directory, which contains its journal.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Address to listen at. The default is this party's address in the group file.
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,

    /// Reserve presignatures in blocks: shares do not wait for the disk, but a crash consumes up to 1,024 presignatures.
    #[arg(long)]
    reserve: bool,

    /// Misbehave on purpose: wrong-shares, closed (invalid shares that are not opened), silent, garbage,
    /// false-next, slow:MILLISECONDS.
    #[arg(long, value_name = "HOW")]
    misbehave: Option<Misbehaviour>,

    /// Exit when standard input is closed, which happens when the parent process ends.
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
        errln!(
            "party {} on {}: epoch {epoch}, {} presignatures left, for {names}; deal {deal}",
            party.member(),
            party.address(),
            party.left()
        );
        party.serve(stop_signal(self.stop_with_stdin)?).await
    }
}

/// Completes on SIGINT, SIGTERM, or the end of standard input.
fn stop_signal(with_stdin: bool) -> Result<impl Future<Output = ()>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut term =
        signal(SignalKind::terminate()).map_err(|e| Failure::failed(format!("waiting for signals: {e}")))?;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let mut sender = Some(end);
    if with_stdin {
        let end = sender.take();
        std::thread::spawn(move || {
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            drop(end);
        });
    }
    Ok(async move {
        let _sender = sender;
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = term.recv() => {}
            _ = ended => {}
        }
    })
}
