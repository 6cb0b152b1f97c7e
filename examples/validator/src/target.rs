//! Selection of the validators that a command talks to: those named on the command line, or the running testnet.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_node::genesis::Genesis;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::exit::{Exit, Failure, OrFail};

/// Name of the file in a testnet's directory that lists its validators.
pub(crate) const TESTNET_FILE: &str = "testnet.json";

/// A running testnet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Testnet {
    /// Process id of the testnet.
    pub pid: u32,
    /// Its directory.
    pub directory: PathBuf,
    /// Its genesis file.
    pub genesis: PathBuf,
    /// HTTP addresses of its validators.
    pub http: Vec<String>,
}

/// Options that select validators.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// A validator's HTTP address, such as http://127.0.0.1:8100; may be repeated.
    ///
    /// Default: the most recently started testnet.
    #[arg(long, value_name = "URL", env = "QUORATE_NODE", value_delimiter = ',')]
    pub node: Vec<String>,

    /// The chain's genesis file, against which proofs are verified.
    ///
    /// Obtain it from a trusted source: the author of the genesis file chooses the validators. Default without --node: the
    /// testnet's genesis file.
    #[arg(long, value_name = "FILE", env = "QUORATE_GENESIS")]
    pub genesis: Option<PathBuf>,
}

impl Target {
    /// Returns clients of the selected validators, at least one.
    pub(crate) fn apis(&self) -> Result<Vec<Api>, Failure> {
        let urls = if self.node.is_empty() { Testnet::current()?.http } else { self.node.clone() };
        urls.iter().map(|url| Api::new(url)).collect()
    }

    /// Returns a client of the first validator that answers.
    pub(crate) async fn reachable(&self) -> Result<Api, Failure> {
        let mut failure = Failure::new(Exit::Unreachable, "no validator is configured");
        for api in self.apis()? {
            match api.status().await {
                Ok(_) => return Ok(api),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Reads the genesis against which proofs are verified.
    pub(crate) fn genesis(&self) -> Result<Genesis, Failure> {
        let path = match &self.genesis {
            Some(path) => path.clone(),
            None if self.node.is_empty() => Testnet::current()?.genesis,
            None => {
                let text = "proofs are verified against the chain's genesis file: name it with --genesis FILE, or \
                            skip the verification with --unverified";
                return Err(Failure::new(Exit::Usage, text));
            }
        };
        Genesis::load(&path).or_fail(Exit::Setup, "cannot verify proofs")
    }
}

impl Testnet {
    /// Writes the file into the testnet's directory and makes it the current one.
    pub(crate) fn announce(&self) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).or_fail(Exit::Failed, "cannot describe the testnet")?;
        let file = self.directory.join(TESTNET_FILE);
        fs::write(&file, &text).or_fail(Exit::Failed, format!("cannot write {}", file.display()))?;
        let Some(current) = current_file() else { return Ok(()) };
        let parent = current.parent().unwrap_or(Path::new("."));
        // Best effort: without this file other commands need --node.
        let _ = fs::create_dir_all(parent).and_then(|()| fs::write(&current, &text));
        Ok(())
    }

    /// The testnet runs no longer.
    pub(crate) fn withdraw(&self) {
        let _ = fs::remove_file(self.directory.join(TESTNET_FILE));
        let Some(current) = current_file() else { return };
        // Another testnet may have been started since.
        if read(&current).is_ok_and(|testnet| testnet.pid == self.pid) {
            let _ = fs::remove_file(current);
        }
    }

    /// The testnet that was started last.
    fn current() -> Result<Self, Failure> {
        let none =
            "no testnet is running; start one with `quorate testnet`, or name a validator with --node URL";
        let named =
            std::env::var_os("QUORATE_TESTNET").map(|directory| PathBuf::from(directory).join(TESTNET_FILE));
        let file = named.or_else(current_file).ok_or_else(|| Failure::new(Exit::Unreachable, none))?;
        read(&file).map_err(|_| Failure::new(Exit::Unreachable, none))
    }
}

/// A file in a directory that only the user can write: it determines which validators the user's commands trust.
fn current_file() -> Option<PathBuf> {
    let directory = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state =
        directory("XDG_STATE_HOME").or_else(|| directory("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join("quorate").join(TESTNET_FILE))
}

fn read(file: &Path) -> Result<Testnet, Failure> {
    let text = fs::read(file).or_fail(Exit::Unreachable, file.display())?;
    serde_json::from_slice(&text).or_fail(Exit::Unreachable, file.display())
}
