//! Source of the exported blocks: a running validator, or the data directory of a stopped one.

use std::path::Path;

use quorate_node::execution::StoppedChain;
use quorate_node::genesis::{Genesis, Hex};
use quorate_node::handle::{CommitView, EpochView};
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_node::store;

use crate::api::Api;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;
use crate::responses::{CommitProof, ServedEpoch};

/// Source of committed blocks and epochs with their proofs.
pub(super) enum Source {
    Running(Api),
    Stopped(Box<dyn ReadChain>),
}

/// A [`StoppedChain`] of any protocol.
pub(super) trait ReadChain {
    fn oldest_height(&self) -> u64;
    fn height(&self) -> u64;
    fn commit(&self, height: u64) -> quorate_node::Result<Option<CommitView>>;
    fn epochs(&self, from: u64) -> quorate_node::Result<Vec<EpochView>>;
}

impl Source {
    /// Opens the data directory of a stopped validator.
    pub(super) fn stopped(directory: &Path, genesis: Genesis) -> Result<Self, Failure> {
        if store::is_empty(directory) {
            let text = format!(
                "{} has no data of a validator; name the directory that is `data` under [node] in its configuration",
                directory.display()
            );
            return Err(Failure::new(Exit::Setup, text));
        }
        let opened = with_protocol(&genesis, OpenChain { directory, genesis: &genesis });
        let chain = opened.or_fail(Exit::Setup, "cannot use the genesis file")?;
        Ok(Self::Stopped(chain.or_fail(Exit::Setup, "cannot read the data directory")?))
    }

    /// Returns the heights of the oldest and of the newest block.
    pub(super) async fn heights(&self) -> Result<(u64, u64), Failure> {
        match self {
            Self::Running(api) => api.status().await.map(|status| (status.oldest_height, status.height)),
            Self::Stopped(chain) => Ok((chain.oldest_height(), chain.height())),
        }
    }

    /// Returns a committed block with the proof that it is committed.
    pub(super) async fn commit_proof(&self, height: u64) -> Result<CommitProof, Failure> {
        let chain = match self {
            Self::Running(api) => return api.commit_proof(height).await,
            Self::Stopped(chain) => chain,
        };
        let found = chain.commit(height).or_fail(Exit::Failed, "cannot read the data directory")?;
        let missing = || Failure::new(Exit::NotFound, format!("no commit proof at height {height}"));
        let CommitView { block, finality, .. } = found.ok_or_else(missing)?;
        Ok(CommitProof { block: Hex(block.into()), finality: Hex(finality.into()) })
    }

    /// Returns one page of epochs, starting at epoch `from`.
    pub(super) async fn epochs(&self, from: u64) -> Result<Vec<ServedEpoch>, Failure> {
        let chain = match self {
            Self::Running(api) => return api.epochs(from).await,
            Self::Stopped(chain) => chain,
        };
        let found = chain.epochs(from).or_fail(Exit::Failed, "cannot read the data directory")?;
        let served = |EpochView { epoch, block, finality, payload, .. }| {
            let [block, finality, payload] =
                [block, finality, payload].map(|bytes| bytes.map(|bytes| Hex(bytes.into())));
            ServedEpoch { epoch, block, finality, payload }
        };
        Ok(found.into_iter().map(served).collect())
    }
}

impl<P: Protocol> ReadChain for StoppedChain<P> {
    fn oldest_height(&self) -> u64 {
        self.oldest_height()
    }

    fn height(&self) -> u64 {
        self.height()
    }

    fn commit(&self, height: u64) -> quorate_node::Result<Option<CommitView>> {
        self.commit(height)
    }

    fn epochs(&self, from: u64) -> quorate_node::Result<Vec<EpochView>> {
        self.epochs(from)
    }
}

struct OpenChain<'a> {
    directory: &'a Path,
    genesis: &'a Genesis,
}

impl ProtocolVisitor for OpenChain<'_> {
    type Output = quorate_node::Result<Box<dyn ReadChain>>;

    fn visit<P: Protocol>(self) -> Self::Output {
        Ok(Box::new(StoppedChain::<P>::open(self.directory, self.genesis.clone())?))
    }
}
