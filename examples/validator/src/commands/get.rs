use std::io::Write;
use std::time::Duration;

use quorate_node::handle::Digest;
use quorate_support::errln;

use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::target::Target;
use crate::verify;

/// Look up a transaction or a key of the ledger, and verify its proof.
///
/// Prints the bytes of the transaction or of the value, unchanged. The proof is verified against the genesis file, so a
/// false answer is detected.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples (while `quorate testnet` runs):
  quorate get 3f0c…                 a transaction, by the id that `quorate submit` printed
  quorate get --key greeting        the value that `quorate submit \"put greeting hello\"` set
  quorate get --key greeting --node http://127.0.0.1:8100 --genesis genesis.toml")]
pub(crate) struct Get {
    /// The transaction's id.
    #[arg(required_unless_present = "key", conflicts_with = "key", value_name = "TXID")]
    id: Option<Digest>,

    /// A key of the ledger.
    #[arg(long)]
    key: Option<String>,

    /// Print a JSON object instead: value or transaction (hexadecimal), height, verified.
    #[arg(long)]
    json: bool,

    /// Skip the verification of the proof.
    #[arg(long)]
    unverified: bool,

    #[command(flatten)]
    target: Target,
}

/// Result of a lookup.
struct Found {
    what: &'static str,
    bytes: Vec<u8>,
    height: u64,
}

impl Get {
    /// Looks up the item, verifies its proof and prints it.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let found = match (&self.key, self.id) {
            (Some(key), _) => self.key(key).await?,
            (None, Some(id)) => self.transaction(id).await?,
            (None, None) => return Err(Failure::new(Exit::Usage, "expected a transaction id or --key")),
        };
        let mut out = std::io::stdout();
        if self.json {
            let value = serde_json::json!({
                found.what: hex::encode(&found.bytes), "height": found.height, "verified": !self.unverified,
            });
            return writeln!(out, "{value}").or_fail(Exit::Failed, "cannot print");
        }
        let printed = out.write_all(&found.bytes).and_then(|()| out.write_all(b"\n"));
        printed.or_fail(Exit::Failed, "cannot print")?;
        let verified =
            if self.unverified { "not verified" } else { "the proof verifies against the genesis file" };
        errln!("block {}; {verified}", found.height);
        Ok(())
    }

    async fn transaction(&self, id: Digest) -> Result<Found, Failure> {
        let genesis = if self.unverified { None } else { Some(self.target.genesis()?) };
        let api = self.target.reachable().await?;
        let answer = api.transaction(id, Duration::ZERO).await?;
        let what = "transaction";
        match genesis {
            Some(genesis) => {
                // After the answer: the transaction may belong to an epoch that began in between.
                let chain = Chain::fetch(genesis, &api).await?;
                let proven = verify::transaction(&chain, id, &answer)?;
                Ok(Found { what, bytes: proven.transaction, height: proven.height })
            }
            None => Ok(Found { what, bytes: verify::unhex(&answer.transaction)?, height: answer.height }),
        }
    }

    async fn key(&self, key: &str) -> Result<Found, Failure> {
        let genesis = if self.unverified { None } else { Some(self.target.genesis()?) };
        let api = self.target.reachable().await?;
        let answer = api.query(key.as_bytes()).await?;
        let (value, height) = match genesis {
            Some(genesis) => verify::answer(&Chain::fetch(genesis, &api).await?, key.as_bytes(), &answer)?,
            None => (answer.value.as_deref().map(verify::unhex).transpose()?, answer.height),
        };
        let verified = if self.unverified { "" } else { "; the proof of its absence verifies" };
        let missing = || {
            Failure::new(Exit::NotFound, format!("the key {key:?} has no value at block {height}{verified}"))
        };
        Ok(Found { what: "value", bytes: value.ok_or_else(missing)?, height })
    }
}
