//! Which validators a command talks to: those named on the command line, or those of the running testnet.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_node::genesis::Genesis;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::exit::{Exit, Failure, OrFail};

/// The file in a testnet's directory that says where its validators are.
pub(crate) const TESTNET_FILE: &str = "testnet.json";

/// A running testnet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Testnet {
    /// The process that runs it.
    pub pid: u32,
    /// Its directory.
    pub directory: PathBuf,
    /// Its genesis file.
    pub genesis: PathBuf,
    /// Where its validators serve HTTP.
    pub http: Vec<String>,
}

/// Which validator to talk to.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// A validator's HTTP address, such as http://127.0.0.1:8100; may be repeated.
    ///
    /// Without it the testnet that was started last is used.
    #[arg(long, value_name = "URL", env = "QUORATE_NODE", value_delimiter = ',')]
    pub node: Vec<String>,

    /// The chain's genesis file, against which proofs are checked.
    ///
    /// Have it from somebody you trust: whoever chooses the genesis chooses the validators. Without it, and
    /// without --node, the testnet's is used.
    #[arg(long, value_name = "FILE", env = "QUORATE_GENESIS")]
    pub genesis: Option<PathBuf>,
}

impl Target {
    /// The validators, at least one.
    pub(crate) fn apis(&self) -> Result<Vec<Api>, Failure> {
        let urls = if self.node.is_empty() { Testnet::current()?.http } else { self.node.clone() };
        urls.iter().map(|url| Api::new(url)).collect()
    }

    /// The first of the validators that answers.
    pub(crate) async fn reachable(&self) -> Result<Api, Failure> {
        let mut failure = Failure::new(Exit::Unreachable, "no validator is named");
        for api in self.apis()? {
            match api.status().await {
                Ok(_) => return Ok(api),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// The genesis against which proofs are checked.
    pub(crate) fn genesis(&self) -> Result<Genesis, Failure> {
        let path = match &self.genesis {
            Some(path) => path.clone(),
            None if self.node.is_empty() => Testnet::current()?.genesis,
            None => {
                let text = "to check the proof, give the chain's genesis file with --genesis FILE (or go without \
                            the check with --unverified)";
                return Err(Failure::new(Exit::Usage, text));
            }
        };
        Genesis::load(&path).or_fail(Exit::Setup, "cannot check proofs")
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
        // Without this file other commands need --node; that is no reason not to run.
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

/// In a directory of the user's own: whoever writes this file decides whom the user's commands talk to.
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
