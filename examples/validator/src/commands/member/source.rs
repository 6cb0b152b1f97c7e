use std::fs;
use std::path::PathBuf;

use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::{ServedEpoch, ServedEpochs};
use crate::target::Target;

/// Source of the chain's epochs.
#[derive(Debug, clap::Args)]
pub(super) struct Source {
    /// Read the chain's epochs from a file written by `quorate member list --save FILE` instead of asking a validator.
    ///
    /// For machines without a network. The file is verified against the genesis file, as a validator's answer is.
    #[arg(long, value_name = "FILE")]
    epochs: Option<PathBuf>,

    #[command(flatten)]
    target: Target,
}

impl Source {
    /// Returns the chain with its epochs.
    pub(super) async fn chain(&self) -> Result<Chain, Failure> {
        self.served().await.map(|(chain, _)| chain)
    }

    /// Returns the chain and the proofs of its epochs.
    pub(super) async fn served(&self) -> Result<(Chain, Vec<ServedEpoch>), Failure> {
        let mut chain = Chain::new(self.target.genesis()?)?;
        // Fails early for a protocol without membership changes.
        chain.current()?;
        let served = match &self.epochs {
            None => chain.update(&self.target.reachable().await?).await?,
            Some(path) => {
                let doing = format!("cannot use the epochs in {}", path.display());
                let text = fs::read(path).or_fail(Exit::Setup, &doing)?;
                let read: ServedEpochs = serde_json::from_slice(&text).or_fail(Exit::Setup, doing)?;
                chain.extend(&read.epochs)?;
                read.epochs
            }
        };
        Ok((chain, served))
    }
}
