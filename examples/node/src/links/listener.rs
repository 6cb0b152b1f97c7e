use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;

use super::hello::InstanceId;
use crate::config::LinkConfig;
use crate::{NodeError, Result};

/// Listening socket for links, and the random number of this process. It outlasts the links of one epoch.
#[derive(Clone)]
pub struct LinkListener {
    pub(super) listener: Arc<TcpListener>,
    pub(super) address: SocketAddr,
    pub(super) instance: InstanceId,
}

impl LinkListener {
    /// Listens on the configured address, or on the port of this node's own address. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// [`NodeError::Bind`]; [`NodeError::Config`] if both addresses are missing.
    pub async fn open(config: &LinkConfig, own: Option<&str>) -> Result<Self> {
        let address = match own {
            Some(own) if config.listen.is_empty() => {
                format!("0.0.0.0:{}", own.rsplit_once(':').map_or("", |(_, port)| port))
            }
            None if config.listen.is_empty() => {
                let problem =
                    "links.listen is empty and this node is not a member; set links.listen to host:port";
                return Err(NodeError::Config { path: None, problem: problem.into() });
            }
            _ => config.listen.clone(),
        };
        let listener = TcpListener::bind(&address).await.map_err(|e| bind_failed(&address, e))?;
        let address = listener.local_addr().map_err(|e| bind_failed(&address, e))?;
        let mut instance = [0; 16];
        getrandom::fill(&mut instance).map_err(|_| quorate::Error::Rng)?;
        Ok(Self { listener: Arc::new(listener), address, instance: InstanceId(instance) })
    }

    /// Address that accepts links.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn bind_failed(address: &str, source: std::io::Error) -> NodeError {
    NodeError::Bind { address: address.to_owned(), source }
}
