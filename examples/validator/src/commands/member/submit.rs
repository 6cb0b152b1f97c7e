use std::path::PathBuf;
use std::time::Duration;

use quorate_node::handle::Digest;
use quorate_support::{errln, outln};
use tokio::time::{Instant, sleep};

use super::change::Proposal;
use super::file::ChangeFile;
use crate::api::Api;
use crate::chain::Chain;
use crate::commands::submit::wait_for;
use crate::exit::{Exit, Failure};
use crate::target::Target;
use crate::verify;

/// Interval of the polls for the next epoch.
const PAUSE: Duration = Duration::from_millis(200);

/// Submit a membership change that a quorum has approved.
///
/// Combines the signatures from one file or several copies of it into one transaction, submits it, and prints its id.
/// With --wait, waits until the next epoch has begun and verifies that this change started it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate member submit carol-joins.toml --wait
  quorate member submit carol-joins-alice.toml carol-joins-bob.toml carol-joins-dave.toml")]
pub(super) struct Submit {
    /// The change file, or several copies of it signed by different members.
    #[arg(required = true, value_name = "CHANGE")]
    files: Vec<PathBuf>,

    /// Wait for the next epoch, at most SECONDS, and verify it.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "30", require_equals = true)]
    wait: Option<u32>,

    /// Print a JSON object instead: id, and with --wait the epoch and its first height.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    target: Target,
}

impl Submit {
    /// Submits the change.
    pub(super) async fn run(self) -> Result<(), Failure> {
        let file = ChangeFile::load_all(&self.files)?;
        let api = self.target.reachable().await?;
        let mut chain = Chain::fetch(self.target.genesis()?, &api).await?;
        let proposal = Proposal::check(&chain, file)?;
        proposal.faults.iter().for_each(|fault| errln!("invalid approval: {fault}"));
        let transaction = proposal.transaction()?;
        let id = api.submit(transaction.clone()).await?.id;
        if !self.json {
            outln!("{id}");
        }
        let mut answer = serde_json::json!({ "id": id });
        if let Some(seconds) = self.wait {
            let deadline = Instant::now() + Duration::from_secs(seconds.into());
            let Begun { epoch, first_height } = begun(&api, &mut chain, id, &transaction, deadline).await?;
            errln!(
                "{}: epoch {epoch} begins at height {first_height}; verified against the genesis file",
                proposal.title()
            );
            answer = serde_json::json!({ "id": id, "epoch": epoch, "first_height": first_height });
        }
        if self.json {
            outln!("{answer}");
        }
        Ok(())
    }
}

/// An epoch that has begun, with the height of its first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    pub epoch: u64,
    pub first_height: u64,
}

/// Submits a change and waits until the next epoch has begun.
pub(crate) async fn make(
    api: &Api,
    chain: &mut Chain,
    proposal: &Proposal,
    deadline: Instant,
) -> Result<Begun, Failure> {
    let transaction = proposal.transaction()?;
    let id = api.submit(transaction.clone()).await?.id;
    begun(api, chain, id, &transaction, deadline).await
}

/// Waits until the epoch that the transaction starts has begun.
async fn begun(
    api: &Api,
    chain: &mut Chain,
    id: Digest,
    transaction: &[u8],
    deadline: Instant,
) -> Result<Begun, Failure> {
    let left = || deadline.saturating_duration_since(Instant::now());
    let found = wait_for(api, id, left()).await?;
    chain.update(api).await?;
    let proven = verify::transaction(chain, id, &found)?;
    if proven.transaction != transaction {
        return Err(Failure::new(Exit::BadProof, "the validator's proof is for another transaction"));
    }
    let ended = proven.height.saturating_add(1);
    loop {
        if let Some(epoch) = chain.epochs().iter().find(|epoch| epoch.first_height == ended) {
            return Ok(Begun { epoch: epoch.number, first_height: epoch.first_height });
        }
        if chain.epochs().last().is_some_and(|epoch| epoch.first_height > ended) {
            let text = format!(
                "the change was too late: another change ended the epoch before block {}; create it again",
                proven.height
            );
            return Err(Failure::new(Exit::Refused, text));
        }
        if left().is_zero() {
            let text = format!("committed in block {}, and no epoch has begun since", proven.height);
            return Err(Failure::new(Exit::NotFound, text));
        }
        sleep(PAUSE).await;
        chain.update(api).await?;
    }
}
