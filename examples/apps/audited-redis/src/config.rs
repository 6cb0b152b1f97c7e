//! The front's configuration file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate_audit::clients::{ConfiguredClient, known_clients};
pub use quorate_audit::clients::{KnownClient, load_clients};
use quorate_audit::config::{Accepted, MaxAge};
pub use quorate_audit::log::SyncPolicy;
use serde::Deserialize;

use crate::eddsa::EddsaLibrary;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::SignatureScheme;

/// An example, which `audited-redis front --help` shows.
pub const EXAMPLE: &str = r#"listen = "127.0.0.1:7379"         # where clients connect
redis = "unix:/run/redis/redis.sock" # or host:port; only the front may reach it
# redis_password_file = "password" # a file with Redis' password, if it asks for one
log = "audit.log"                 # created if it does not exist
refusals = "refusals.jsonl"       # record of refused commands
# store = "…"                     # 64 hexadecimal digits: with it a missing log is an error and not created
sync = "always"                   # "always": on disk before execution; "kill": survives a kill, not a power failure
accept = ["dsig"]                 # also "eddsa"; "none" for measurements only
scripts = false                   # true: EVAL and similar; a script can run commands that are not listed
max_age_ms = 30000                # maximum age of a command

[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

/// Configuration of the front.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address that clients connect to.
    pub listen: SocketAddr,
    /// Address of Redis.
    pub redis: RedisAddress,
    /// Password of Redis, if it requires one.
    pub redis_password: Option<String>,
    /// Path of the log.
    pub log: PathBuf,
    /// Store that the log must belong to. If set, a missing log is an error: its disk may not be mounted.
    pub store: Option<[u8; 32]>,
    /// Offset from which on the operator moves the log's damaged end aside. Never read from the file.
    pub put_aside: Option<u64>,
    /// Path of the record of refusals.
    pub refusals: PathBuf,
    /// When an entry counts as durable.
    pub sync: SyncPolicy,
    /// Accepted signature schemes.
    pub accept: Vec<SignatureScheme>,
    /// Library that verifies EdDSA. Never read from the file.
    pub library: EddsaLibrary,
    /// Executes scripts; see [`commands`](crate::commands) for the consequences.
    pub scripts: bool,
    /// Maximum difference between a command's time and the front's clock.
    pub max_age: Duration,
    /// Clients that may send commands.
    pub clients: Vec<KnownClient>,
}

/// Address of Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisAddress {
    /// A Unix socket.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl std::str::FromStr for RedisAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("unix:") {
            Some(path) if !path.is_empty() => Ok(Self::Unix(path.into())),
            None if text
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) =>
            {
                Ok(Self::Tcp(text.to_owned()))
            }
            _ => Err(format!("expected unix:PATH or HOST:PORT, got {text:?}")),
        }
    }
}

impl std::fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Tcp(address) => f.write_str(address),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    listen: SocketAddr,
    redis: String,
    redis_password_file: Option<PathBuf>,
    log: PathBuf,
    store: Option<String>,
    refusals: PathBuf,
    #[serde(default)]
    sync: SyncPolicy,
    #[serde(default)]
    accept: Accepted,
    #[serde(default)]
    scripts: bool,
    #[serde(default)]
    max_age_ms: MaxAge,
    client: Vec<ConfiguredClient>,
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
        let redis_password = match file.redis_password_file {
            None => None,
            Some(path) => {
                let path = folder.join(path);
                let text =
                    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                Some(text.trim_end().to_owned())
            }
        };
        Ok(Self {
            listen: file.listen,
            redis: match file.redis.parse()? {
                RedisAddress::Unix(path) => RedisAddress::Unix(folder.join(path)),
                tcp => tcp,
            },
            redis_password,
            log: folder.join(file.log),
            store: file.store.as_deref().map(store).transpose()?,
            put_aside: None,
            refusals: folder.join(file.refusals),
            sync: file.sync,
            accept: file.accept.0,
            library: EddsaLibrary::default(),
            scripts: file.scripts,
            max_age: file.max_age_ms.0,
            clients: known_clients(file.client)?,
        })
    }
}

fn store(digits: &str) -> Result<[u8; 32], String> {
    let mut store = [0; 32];
    hex::decode_to_slice(digits, &mut store)
        .map_err(|_| "`store`: expected 64 hexadecimal digits".to_owned())?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_valid() {
        let config = Config::parse(EXAMPLE, Path::new("/etc/quorate")).unwrap();
        assert_eq!(config.log, Path::new("/etc/quorate/audit.log"));
        assert_eq!((config.sync, config.accept), (SyncPolicy::Always, vec![SignatureScheme::Dsig]));
        assert_eq!(config.clients[0].name, "alice");
    }

    #[test]
    fn errors_name_the_wrong_value() {
        for (from, to, reason) in [
            ("listen", "lisen", "lisen"),
            ("unix:/run/redis/redis.sock", "unix:", "unix:"),
            ("unix:/run/redis/redis.sock", "redis", "HOST:PORT"),
            ("[\"dsig\"]", "[]", "accept"),
            ("[\"dsig\"]", "[\"rsa\"]", "rsa"),
            ("\"always\"", "\"never\"", "never"),
            ("3b6a", "3b6", "alice"),
            ("30000", "0", "max_age"),
            ("# store", "store", "64 hexadecimal"),
        ] {
            let text = EXAMPLE.replace(from, to);
            let error = Config::parse(&text, Path::new("")).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        let twice = format!(
            "{EXAMPLE}{}",
            EXAMPLE.split("[[client]]").nth(1).map(|c| format!("[[client]]{c}")).unwrap()
        );
        assert!(Config::parse(&twice, Path::new("")).unwrap_err().contains("twice"));
    }
}
