use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use quorate_node::handle::Digest;
use quorate_support::{errln, outln};

use crate::api::Api;
use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::Transaction;
use crate::target::Target;
use crate::verify;

/// Maximum number of bytes read from a file or from standard input.
const MAX_INPUT: u64 = 16 << 20;

/// Submit one transaction.
///
/// Prints the transaction's id. With --wait, waits for the commit and verifies, against the genesis file, the
/// validator's proof that the chain contains the transaction.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples (while `quorate testnet` runs):
  quorate submit \"put greeting hello\" --wait
  quorate submit --file payload.bin
  echo \"put greeting hello again\" | quorate submit
  quorate submit --node http://127.0.0.1:8100 --genesis genesis.toml --wait \"put a b\"")]
pub(crate) struct Submit {
    /// The transaction. Without it and without --file, reads standard input, without a trailing newline.
    #[arg(conflicts_with = "file")]
    transaction: Option<String>,

    /// File that contains the transaction.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Wait for the commit, at most SECONDS, and verify its proof.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "30", require_equals = true)]
    wait: Option<u32>,

    /// With --wait: skip the verification of the proof.
    #[arg(long, requires = "wait")]
    unverified: bool,

    #[command(flatten)]
    target: Target,
}

impl Submit {
    /// Submits the transaction and, with --wait, waits for its commit.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let transaction = self.read()?;
        let genesis = match self.wait {
            Some(_) if !self.unverified => Some(self.target.genesis()?),
            _ => None,
        };
        let api = self.target.reachable().await?;
        let id = api.submit(transaction.clone()).await?.id;
        outln!("{id}");
        let Some(seconds) = self.wait else { return Ok(()) };
        let found = wait_for(&api, id, Duration::from_secs(seconds.into())).await?;
        // Read the epochs after the commit: the transaction may belong to an epoch that began in between.
        let chain = match genesis {
            Some(genesis) => Some(Chain::fetch(genesis, &api).await?),
            None => None,
        };
        verify_commit(chain.as_ref(), id, &transaction, &found)
    }

    fn read(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        match (&self.transaction, &self.file) {
            (Some(text), _) => return Ok(text.clone().into_bytes()),
            (None, Some(path)) => {
                let doing = format!("cannot read {}", path.display());
                let file = std::fs::File::open(path).or_fail(Exit::Failed, &doing)?;
                file.take(MAX_INPUT + 1).read_to_end(&mut bytes).or_fail(Exit::Failed, doing)?;
            }
            (None, None) => {
                let doing = "cannot read standard input";
                std::io::stdin().take(MAX_INPUT + 1).read_to_end(&mut bytes).or_fail(Exit::Failed, doing)?;
                if bytes.ends_with(b"\n") {
                    bytes.pop();
                }
            }
        }
        if bytes.len() as u64 > MAX_INPUT {
            return Err(Failure::new(
                Exit::Usage,
                format!("transaction too large: at most {MAX_INPUT} bytes are accepted"),
            ));
        }
        Ok(bytes)
    }
}

/// Waits for a commit. Repeats the request, because a single request waits at most 30 seconds.
pub(crate) async fn wait_for(api: &Api, id: Digest, timeout: Duration) -> Result<Transaction, Failure> {
    let deadline = tokio::time::Instant::now() + timeout;
    loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        match api.transaction(id, left.min(Duration::from_secs(30))).await {
            Err(failure) if failure.exit() == Exit::NotFound && left > Duration::from_secs(30) => {}
            Err(failure) if failure.exit() == Exit::NotFound => {
                let text =
                    format!("{id} did not commit within {} s; it may still commit later", timeout.as_secs());
                return Err(Failure::new(Exit::NotFound, text));
            }
            other => return other,
        }
    }
}

/// Verifies the proof and reports the commit.
fn verify_commit(chain: Option<&Chain>, id: Digest, sent: &[u8], found: &Transaction) -> Result<(), Failure> {
    match chain {
        Some(chain) => {
            let proven = verify::transaction(chain, id, found)?;
            if proven.transaction != sent {
                return Err(Failure::new(Exit::BadProof, "the validator's proof is for another transaction"));
            }
            errln!("committed in block {}; the proof verifies against the genesis file", proven.height);
        }
        None => errln!("committed in block {} according to the validator; not verified", found.height),
    }
    Ok(())
}
