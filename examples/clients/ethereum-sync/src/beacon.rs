//! Light-client data in the beacon API's JSON: `{"version": …, "data": {…}}`, the inner object alone, or a list of
//! either, as `/eth/v1/beacon/light_client/…` answers.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::Failure;
use crate::ssz::{BeaconBlockHeader, ExecutionPayloadHeader, SyncCommittee};
use crate::text;

/// Maximum file size; a list of 128 updates has about 9 MB.
const MAX_FILE: u64 = 64 << 20;

/// A block header, with its execution payload header from Capella on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub beacon: BeaconBlockHeader,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionPayloadHeader>,
    #[serde(with = "text::optional_list", default, skip_serializing_if = "Option::is_none")]
    pub execution_branch: Option<Vec<[u8; 32]>>,
}

/// The starting point of a light client: a header with its sync committee.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bootstrap {
    pub header: Header,
    pub current_sync_committee: SyncCommittee,
    #[serde(with = "text::list_of_bytes")]
    pub current_sync_committee_branch: Vec<[u8; 32]>,
}

/// The participation bits and the aggregate signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SyncAggregate {
    /// Member i is bit i mod 8 of byte ⌊i/8⌋, counted from the lowest.
    #[serde(with = "text::any_bytes")]
    pub sync_committee_bits: Vec<u8>,
    #[serde(with = "text::bytes")]
    pub sync_committee_signature: [u8; 96],
}

/// An update, finality update or optimistic update: a finality update has no committee, an optimistic update neither
/// committee nor finalized header.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Update {
    pub attested_header: Header,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_sync_committee: Option<SyncCommittee>,
    #[serde(with = "text::optional_list", default, skip_serializing_if = "Option::is_none")]
    pub next_sync_committee_branch: Option<Vec<[u8; 32]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalized_header: Option<Header>,
    #[serde(with = "text::optional_list", default, skip_serializing_if = "Option::is_none")]
    pub finality_branch: Option<Vec<[u8; 32]>>,
    pub sync_aggregate: SyncAggregate,
    #[serde(with = "text::number")]
    pub signature_slot: u64,
}

impl Update {
    pub(crate) fn kind(&self) -> &'static str {
        match (&self.next_sync_committee, &self.finality_branch) {
            (Some(_), _) => "update",
            (None, Some(_)) => "finality update",
            (None, None) => "optimistic update",
        }
    }

    /// The next committee and its branch, if present: zeros stand for none.
    pub(crate) fn next_committee(&self) -> Option<(&SyncCommittee, &[[u8; 32]])> {
        let branch = self.next_sync_committee_branch.as_deref().filter(|branch| !is_zero(branch))?;
        Some((self.next_sync_committee.as_ref()?, branch))
    }

    /// The finalized header and its branch, if present: zeros stand for none.
    pub(crate) fn finality(&self) -> Option<(&Header, &[[u8; 32]])> {
        let branch = self.finality_branch.as_deref().filter(|branch| !is_zero(branch))?;
        Some((self.finalized_header.as_ref()?, branch))
    }
}

/// Reads a file with a single object.
pub(crate) fn read_one<T: DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let mut found = read_all(path, what)?;
    let count = found.len();
    match (found.pop(), count) {
        (Some(only), 1) => Ok(only),
        _ => Err(Failure::input(format!("{}: expected one {what}, got {count}", path.display()))),
    }
}

/// Reads one object or a list of them.
pub(crate) fn read_all<T: DeserializeOwned>(path: &Path, what: &str) -> Result<Vec<T>, Failure> {
    let problem = |e: &dyn std::fmt::Display| Failure::input(format!("{}: {e}", path.display()));
    let size = fs::metadata(path).map_err(|e| problem(&e))?.len();
    if size > MAX_FILE {
        return Err(problem(&format!("file too large: at most {MAX_FILE} bytes, got {size}")));
    }
    let text = fs::read_to_string(path).map_err(|e| problem(&e))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| problem(&format!("not JSON: {e}")))?;
    let items = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    let inner = |mut item: Value| item.get_mut("data").map(Value::take).unwrap_or(item);
    let read = |item| {
        serde_json::from_value(inner(item)).map_err(|e| {
            problem(&format!("expected a {what} as served under /eth/v1/beacon/light_client/: {e}"))
        })
    };
    items.into_iter().map(read).collect()
}

fn is_zero(branch: &[[u8; 32]]) -> bool {
    branch.iter().all(|node| *node == [0; 32])
}
