//! What is read from a compiled library of any format.

use std::collections::BTreeSet;

/// What the format of a file states about the library.
#[derive(Debug, Default)]
pub(super) struct Library {
    pub(super) exports: BTreeSet<String>,
    /// Libraries that the system loads with it.
    pub(super) needs: BTreeSet<String>,
    /// Functions that the program must have which loads it, where the format of the file tells.
    pub(super) expects: BTreeSet<String>,
    /// What else is worth a place in the step's line.
    pub(super) oldest: String,
}
