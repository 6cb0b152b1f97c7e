//! Evidence of two committed blocks at one height. While its file exists, the node does not start.

use std::fs;
use std::io::Write;
use std::path::Path;

use quorate::wire::Encode;
use serde::Serialize;

use super::files::replace;
use crate::protocol::{Block, Protocol};
use crate::{NodeError, Result};

const PREFIX: &str = "conflict-";
const SUFFIX: &str = ".json";

/// Contents of the file. Encodings are in hexadecimal.
#[derive(Serialize)]
struct Conflict {
    chain_height: u64,
    own: CommittedBlock,
    other: CommittedBlock,
}

#[derive(Serialize)]
struct CommittedBlock {
    height: u64,
    digest: String,
    parent: String,
    block: String,
    /// Proof that the block is committed; `None` if a later block contains it.
    finality: Option<String>,
}

impl CommittedBlock {
    fn new<P: Protocol>(block: &P::Block, finality: Option<&P::Finality>) -> Self {
        Self {
            height: block.height(),
            digest: hex::encode(block.digest()),
            parent: hex::encode(block.parent()),
            block: hex::encode(block.encode()),
            finality: finality.map(|finality| hex::encode(finality.encode())),
        }
    }
}

/// Checks that an earlier run has left no evidence.
///
/// # Errors
/// `CONFLICTING_COMMIT` if it has.
pub fn check(directory: &Path) -> Result<()> {
    let reading = |e| NodeError::file("reading", directory, e);
    for entry in fs::read_dir(directory).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        let name = entry.file_name();
        let height =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok());
        if let Some(height) = height {
            return Err(NodeError::ConflictingCommit { height, evidence: entry.path() });
        }
    }
    Ok(())
}

/// Writes the proofs of this node's block and of another one into the data directory. The other block is of the same
/// height, or is a child of a different block of that height. Returns the error that stops the node.
pub(super) fn write<P: Protocol>(
    directory: &Path,
    own: (&P::Block, Option<&P::Finality>),
    other: (&P::Block, &P::Finality),
) -> NodeError {
    let height = own.0.height();
    let conflict = Conflict {
        chain_height: height,
        own: CommittedBlock::new::<P>(own.0, own.1),
        other: CommittedBlock::new::<P>(other.0, Some(other.1)),
    };
    let path = directory.join(format!("{PREFIX}{height}{SUFFIX}"));
    let written = replace(&path, |file| {
        serde_json::to_writer_pretty(&mut *file, &conflict)?;
        file.write_all(b"\n")
    });
    match written {
        Ok(()) => NodeError::ConflictingCommit { height, evidence: path },
        Err(error) => error,
    }
}
