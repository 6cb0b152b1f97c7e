//! The clients that a server or an auditor accepts: the tables `[[client]]` of a configuration file.

use std::collections::BTreeSet;
use std::path::Path;

use quorate::ed25519::PublicKey;
use serde::Deserialize;

use crate::failure::{Exit, Failure, OrFail};
use crate::keys::public_key;

/// Name and key of a client that a server or an auditor accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownClient {
    /// Name.
    pub name: String,
    /// Public key of the client's signatures.
    pub key: PublicKey,
}

/// A client as it is written in a configuration file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredClient {
    /// Name.
    name: String,
    /// Public key, 64 hexadecimal digits.
    key: String,
}

/// Reads only the clients of a configuration file, for an auditor.
///
/// # Errors
/// [`Failure`] that names the wrong value.
pub fn load_clients(path: &Path) -> Result<Vec<KnownClient>, Failure> {
    #[derive(Deserialize)]
    struct Clients {
        client: Vec<ConfiguredClient>,
    }
    let text = std::fs::read_to_string(path).or_fail(Exit::Input, path.display())?;
    let clients: Clients = toml::from_str(&text).or_fail(Exit::Input, path.display())?;
    known_clients(clients.client).or_fail(Exit::Input, path.display())
}

/// Parses the clients of a configuration file. Names and keys must be distinct.
///
/// # Errors
/// A message that names the client.
pub fn known_clients(clients: Vec<ConfiguredClient>) -> Result<Vec<KnownClient>, String> {
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let mut known = Vec::with_capacity(clients.len());
    for ConfiguredClient { name, key } in clients {
        let key = public_key(&key).map_err(|reason| format!("client {name:?}: {reason}"))?;
        if !names.insert(name.clone()) || !keys.insert(key.clone()) {
            return Err(format!("client {name:?}: its name or its key appears twice"));
        }
        known.push(KnownClient { name, key });
    }
    Ok(known)
}
