use std::pin::Pin;

use super::Node;
use super::context::NodeContext;
use super::supervisor::NodeSupervisor;
use crate::application::Application;
use crate::config::NodeConfig;
use crate::genesis::Genesis;
use crate::protocol::Protocol;
use crate::{NodeError, Result};

/// Future of a node that is starting.
pub type Starting = Pin<Box<dyn Future<Output = Result<Node>> + Send>>;

pub(super) fn start<P: Protocol>(
    config: NodeConfig,
    genesis: Genesis,
    application: Box<dyn Application>,
) -> Starting {
    Box::pin(async move {
        config.check()?;
        if genesis.protocol != *P::NAME {
            let problem = format!("protocol: expected {}, got {}", P::NAME, genesis.protocol);
            return Err(NodeError::Genesis { path: None, problem });
        }
        P::check_genesis(&genesis)?;
        // Verifying possession proofs and reading the store takes a while: not on an async thread.
        let opened =
            tokio::task::spawn_blocking(move || NodeContext::<P>::open(config, genesis, application));
        let opened = opened.await.map_err(|e| NodeError::Stopped { why: e.to_string() })?;
        let (context, epoch, checker) = opened?;
        NodeSupervisor::begin(context, epoch, checker).await
    })
}
