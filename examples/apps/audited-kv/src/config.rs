//! The server's configuration file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate_audit::clients::{ConfiguredClient, KnownClient, known_clients};
use quorate_audit::config::{Accepted, MaxAge};
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::SyncPolicy;
use quorate_audit::signed::SignatureScheme;
use quorate_link::{Endpoint, Pace};
use serde::Deserialize;

/// An example, which `audited-kv serve --help` shows.
pub const EXAMPLE: &str = r#"listen = ["shm:/run/kv/kv.sock", "127.0.0.1:7380"] # shared memory, TCP
log = "audit.log"                 # created if it does not exist
refusals = "refusals.jsonl"       # record of refused requests
sync = "always"                   # "always": on disk before execution; "kill": survives a kill, not a power failure
accept = ["dsig"]                 # also "eddsa"; "none" for measurements only
pace = "sleep"                    # "spin": polls all the time, for the lowest latency
max_age_ms = 30000                # maximum age of a request

[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

/// Configuration of the server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Addresses that clients connect to.
    pub listen: Vec<Endpoint>,
    /// Path of the log.
    pub log: PathBuf,
    /// Path of the record of refusals.
    pub refusals: PathBuf,
    /// When an entry counts as durable.
    pub sync: SyncPolicy,
    /// Accepted signature schemes.
    pub accept: Vec<SignatureScheme>,
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

    fn parse(text: &str, folder: &Path) -> Result<Self, String> {
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
            sync: file.sync,
            accept: file.accept.0,
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

    #[test]
    fn the_example_is_valid() {
        let config = Config::parse(EXAMPLE, Path::new("/etc/quorate")).unwrap();
        assert_eq!(config.log, Path::new("/etc/quorate/audit.log"));
        assert_eq!((config.sync, config.accept), (SyncPolicy::Always, vec![SignatureScheme::Dsig]));
        assert_eq!((config.pace, config.listen.len(), config.plain), (Pace::Sleep, 2, false));
    }

    #[test]
    fn errors_name_the_wrong_value() {
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
            let error = Config::parse(&EXAMPLE.replace(from, to), Path::new("")).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
