use std::pin::Pin;

use super::Node;
use super::base::Base;
use super::life::Life;
use crate::application::Application;
use crate::config::NodeConfig;
use crate::genesis::Genesis;
use crate::protocol::{self, Protocol, Visit};
use crate::{NodeError, Result};

/// What starts a node in the end. No `async fn`: those are compiled by whoever awaits them, and this is all of a node, for
/// each protocol and scheme.
pub(super) fn start(config: NodeConfig, application: Box<dyn Application>) -> Starting {
    Box::pin(async move {
        config.check()?;
        let genesis = Genesis::load(&config.node.genesis)?;
        protocol::with(&genesis.clone(), Start { config, genesis, application }).await
    })
}

/// A node that is being started.
pub(super) type Starting = Pin<Box<dyn Future<Output = Result<Node>> + Send>>;

/// Starts a node with the chain's protocol.
struct Start {
    config: NodeConfig,
    genesis: Genesis,
    application: Box<dyn Application>,
}

impl Visit for Start {
    type Output = Starting;

    fn visit<P: Protocol>(self) -> Self::Output {
        Box::pin(async move {
            let Self { config, genesis, application } = self;
            // Checking possession proofs and reading the store back takes a while: not on an async thread.
            let opened = tokio::task::spawn_blocking(move || Base::<P>::open(config, genesis, application));
            let opened = opened.await.map_err(|e| NodeError::Stopped { why: e.to_string() })?;
            let (base, term, checker) = opened?;
            Life::begin(base, term, checker).await
        })
    }
}
