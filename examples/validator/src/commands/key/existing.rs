use std::path::PathBuf;

use quorate_node::keys::NodeKeys;

use crate::exit::{Exit, Failure, OrFail};

/// An existing key file.
#[derive(Debug, clap::Args)]
pub(super) struct Existing {
    /// The key file.
    #[arg(value_name = "KEYS")]
    keys: PathBuf,

    /// File with the password of KEYS, if it is encrypted; without it the variable QUORATE_KEY_PASSWORD, or the terminal.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl Existing {
    pub(super) fn load(&self) -> Result<NodeKeys, Failure> {
        let keys = NodeKeys::load(&self.keys, self.password_file.as_deref());
        keys.or_fail(Exit::Setup, "cannot use the keys")
    }
}
