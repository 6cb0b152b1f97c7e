//! The server's configuration file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate_audit::clients::{ConfiguredClient, KnownClient, known_clients};
use quorate_audit::config::{Accepted, MaxAge};
use quorate_audit::eddsa::EddsaLibrary;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::SyncPolicy;
use quorate_audit::signed::SignatureScheme;
use quorate_link::{Endpoint, Pace};
use serde::Deserialize;

/// Configuration of the server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Addresses that clients connect to.
    pub listen: Vec<Endpoint>,
    /// Path of the log.
    pub log: PathBuf,
    /// Path of the record of refusals.
    pub refusals: PathBuf,
    /// Path of the key file of the server, with which it signs its answers.
    pub key: Option<PathBuf>,
    /// When an entry counts as durable.
    pub sync: SyncPolicy,
    /// Accepted signature schemes.
    pub accept: Vec<SignatureScheme>,
    /// Library that verifies EdDSA. Never read from the file.
    pub library: EddsaLibrary,
    /// How the server waits for requests.
    pub pace: Pace,
    /// Maximum difference between a request's time and the server's clock.
    pub max_age: Duration,
    /// Clients that may send requests.
    pub clients: Vec<KnownClient>,
    /// Offset from which on the operator moves the log's damaged end aside. Never read from the file.
    pub put_aside: Option<u64>,
    /// Executes unsigned requests without a log, for measurements. The log must be empty. Never read from the file.
    pub plain: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    listen: Vec<String>,
    log: PathBuf,
    refusals: PathBuf,
    key: Option<PathBuf>,
    #[serde(default)]
    sync: SyncPolicy,
    #[serde(default)]
    accept: Accepted,
    #[serde(default)]
    pace: ConfiguredPace,
    #[serde(default)]
    max_age_ms: MaxAge,
    client: Vec<ConfiguredClient>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ConfiguredPace {
    Spin,
    #[default]
    Sleep,
}

impl Config {
    /// Reads a configuration file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// [`Failure`] that names the wrong value.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).or_fail(Exit::Input, path.display())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder).or_fail(Exit::Input, path.display())
    }

    /// Parses a configuration file. `folder` is the one that paths are relative to.
    ///
    /// # Errors
    /// A message that names the wrong value.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        if file.listen.is_empty() {
            return Err("`listen` must not be empty".to_owned());
        }
        let endpoint = |text: &String| {
            Ok::<_, String>(match text.parse()? {
                Endpoint::SharedMemory(path) => Endpoint::SharedMemory(folder.join(path)),
                tcp @ Endpoint::Tcp(_) => tcp,
            })
        };
        Ok(Self {
            listen: file.listen.iter().map(endpoint).collect::<Result<_, _>>()?,
            log: folder.join(file.log),
            refusals: folder.join(file.refusals),
            key: file.key.map(|key| folder.join(key)),
            sync: file.sync,
            accept: file.accept.0,
            library: EddsaLibrary::default(),
            pace: match file.pace {
                ConfiguredPace::Spin => Pace::Spin,
                ConfiguredPace::Sleep => Pace::Sleep,
            },
            max_age: file.max_age_ms.0,
            clients: known_clients(file.client)?,
            put_aside: None,
            plain: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"listen = ["shm:/run/kv/kv.sock"]
log = "audit.log"
refusals = "refusals.jsonl"
sync = "always"
accept = ["dsig"]
pace = "sleep"
max_age_ms = 30000
[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

    #[test]
    fn errors_name_the_wrong_value() {
        assert!(Config::parse(FILE, Path::new("")).is_ok());
        for (from, to, reason) in [
            ("listen", "lisen", "lisen"),
            ("shm:/run/kv/kv.sock", "shm:", "shm:"),
            ("[\"dsig\"]", "[]", "accept"),
            ("[\"dsig\"]", "[\"rsa\"]", "rsa"),
            ("\"always\"", "\"never\"", "never"),
            ("\"sleep\"", "\"doze\"", "doze"),
            ("3b6a", "3b6", "alice"),
            ("30000", "0", "max_age"),
        ] {
            let error = Config::parse(&FILE.replace(from, to), Path::new("")).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
