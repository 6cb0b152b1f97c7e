//! The files that the process may open. The stores, the links and the clients share them, and a store that gets none for a
//! write cannot continue: clients must not use up what the others need.

use crate::config::NodeConfig;
use crate::{NodeError, Result};

/// Files that are no connections: those of the stores, the data directory, the runtime and the log.
const FILES: u64 = 384;
/// Maximum number of files that the database of records keeps open.
pub(crate) const RECORD_FILES: usize = 64;
/// Maximum number of files that the database of the state keeps open: 64 MB each.
pub(crate) const STATE_FILES: usize = 128;
/// Connections to a member: two lanes in each direction, and as many new ones before they replace those.
const PER_MEMBER: u64 = 8;
/// The fewest client connections, for HTTP and for streams each, with which a node starts.
const FEWEST_CLIENTS: u64 = 16;

/// Raises the process's limit of open files if the configuration needs more. Returns the number of client connections, for
/// HTTP and for streams each, that fit: at most [`max_connections`](crate::config::ClientConfig::max_connections).
///
/// # Errors
/// [`NodeError::OpenFiles`] if the limit is too low for a node.
pub(crate) fn client_connections(config: &NodeConfig, members: usize) -> Result<usize> {
    let (own, wanted) = needs(config, members);
    let limit = raise(own.saturating_add(wanted.saturating_mul(2)));
    let fits = fitting(limit, own, wanted)?;
    if fits < wanted {
        tracing::warn!(
            code = "FEW_OPEN_FILES",
            limit,
            wanted,
            fits,
            "fewer client connections: the limit of open files is too low"
        );
    }
    Ok(fits as usize)
}

/// The number of client connections, for HTTP and for streams each, that fit in a node with this configuration if its
/// limits are those of this process. Changes no limit.
///
/// # Errors
/// [`NodeError::OpenFiles`] if the limit is too low for a node.
pub fn fitting_clients(config: &NodeConfig, members: usize) -> Result<u64> {
    let (own, wanted) = needs(config, members);
    fitting(highest_limit(), own, wanted)
}

/// The files that are no connections of clients, and the wanted number of these.
fn needs(config: &NodeConfig, members: usize) -> (u64, u64) {
    let own = FILES + PER_MEMBER * members as u64 + config.links.max_unauthenticated as u64;
    (own, config.clients.max_connections as u64)
}

fn fitting(limit: Option<u64>, own: u64, wanted: u64) -> Result<u64> {
    let Some(limit) = limit else { return Ok(wanted) };
    let fewest = wanted.min(FEWEST_CLIENTS);
    match limit.saturating_sub(own) / 2 {
        fits if fits < fewest => Err(NodeError::OpenFiles { limit, needed: own + 2 * fewest }),
        fits => Ok(fits.min(wanted)),
    }
}

/// Raises the limit to `wanted`, as far as the system permits, and returns it; `None` if it is not below `wanted`.
#[cfg(unix)]
fn raise(wanted: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current.filter(|current| *current < wanted)?;
    let raised = maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let limit = Rlimit { current: Some(raised), maximum };
    Some(if setrlimit(Resource::Nofile, limit).is_ok() { raised } else { current })
}

/// The limit up to which the process may raise its limit; `None` if there is none.
#[cfg(unix)]
fn highest_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum
}

#[cfg(not(unix))]
fn highest_limit() -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn raise(_wanted: u64) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_what_the_node_leaves() {
        assert_eq!(fitting(None, 400, 1024).unwrap(), 1024);
        assert_eq!(fitting(Some(4096), 400, 1024).unwrap(), 1024);
        assert_eq!(fitting(Some(1024), 400, 1024).unwrap(), 312);
        assert_eq!(fitting(Some(432), 400, 1024).unwrap(), 16);
        assert_eq!(fitting(Some(402), 400, 1).unwrap(), 1);
    }

    #[test]
    fn a_limit_below_a_nodes_needs_is_an_error() {
        let error = fitting(Some(431), 400, 1024).unwrap_err();
        assert_eq!(error.code(), "OPEN_FILES");
        assert!(error.to_string().contains("431 files") && error.to_string().contains("432"), "{error}");
    }
}
