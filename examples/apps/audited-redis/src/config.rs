//! The front's configuration file.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate::ed25519::PublicKey;
use serde::Deserialize;

use crate::failure::{Exit, Failure, OrFail};
use crate::frame::Scheme;
use crate::keys::public_key;

/// An example, which `audited-redis front --help` shows.
pub const EXAMPLE: &str = r#"listen = "127.0.0.1:7379"         # where clients connect
redis = "unix:/run/redis/redis.sock" # or host:port; let nobody but the front reach it
# redis_password_file = "password" # a file with Redis' password, if it asks for one
log = "audit.log"                 # made if it is not there
refusals = "refusals.jsonl"       # what was refused, and why
# store = "…"                     # 64 hexadecimal digits: with it a log that is missing is not made anew
sync = "always"                   # "always": on disk before execution; "kill": survives a kill, not a power cut
accept = ["dsig"]                 # also "eddsa"; "none" for measurements only
scripts = false                   # true: EVAL and its like; a script may do what no listed command may
max_age_ms = 30000                # a command signed longer ago is stale

[[client]]
name = "alice"
key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
"#;

/// What the front is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where clients connect.
    pub listen: SocketAddr,
    /// Where Redis is.
    pub redis: RedisAddress,
    /// Its password, if it asks for one.
    pub redis_password: Option<String>,
    /// The log.
    pub log: PathBuf,
    /// The store that the log must be of. Then it must be there: the disk that it is on may not be mounted.
    pub store: Option<[u8; 32]>,
    /// Where the operator says that the log's rest is to be put aside, once: never from the file.
    pub put_aside: Option<u64>,
    /// The record of refusals.
    pub refusals: PathBuf,
    /// When an entry counts as written.
    pub sync: Sync,
    /// Accepted ways to sign.
    pub accept: Vec<Scheme>,
    /// Whether scripts are executed: see [`commands`](crate::commands) for what that gives away.
    pub scripts: bool,
    /// How old, or how far ahead of our clock, a command's time may be.
    pub max_age: Duration,
    /// Who may send commands.
    pub clients: Vec<Known>,
}

/// A client that the front, or an auditor, knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// For people.
    pub name: String,
    /// Whom signatures are of.
    pub key: PublicKey,
}

/// Where Redis is.
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
            _ => Err(format!("{text:?} is neither unix:PATH nor HOST:PORT")),
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

/// When an entry counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sync {
    /// When the disk has it: no failure of the machine loses the entry of an executed command.
    #[default]
    Always,
    /// When the operating system has it: no kill of the process does. For measurements, and for logs on what is
    /// durable by itself.
    Kill,
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
    sync: Sync,
    #[serde(default = "dsig_only")]
    accept: Vec<String>,
    #[serde(default)]
    scripts: bool,
    #[serde(default = "half_a_minute")]
    max_age_ms: u64,
    client: Vec<Client>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    name: String,
    key: String,
}

fn dsig_only() -> Vec<String> {
    vec![Scheme::Dsig.name().to_owned()]
}

fn half_a_minute() -> u64 {
    30_000
}

impl Config {
    /// Reads a file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// [`Failure`] with what is wrong in it.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).or_fail(Exit::Input, path.display())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder).or_fail(Exit::Input, path.display())
    }

    fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let accept: Vec<Scheme> = file.accept.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        if accept.is_empty() || file.max_age_ms == 0 {
            return Err("`accept` names at least one scheme, and `max_age_ms` is not 0".to_owned());
        }
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
            accept,
            scripts: file.scripts,
            max_age: Duration::from_millis(file.max_age_ms),
            clients: known(file.client)?,
        })
    }
}

fn store(digits: &str) -> Result<[u8; 32], String> {
    let mut store = [0; 32];
    hex::decode_to_slice(digits, &mut store)
        .map_err(|_| "`store` is not 64 hexadecimal digits".to_owned())?;
    Ok(store)
}

/// The clients that a configuration file names: all that an auditor needs of it.
///
/// # Errors
/// [`Failure`] with what is wrong.
pub fn clients_of(path: &Path) -> Result<Vec<Known>, Failure> {
    #[derive(Deserialize)]
    struct Clients {
        client: Vec<Client>,
    }
    let text = std::fs::read_to_string(path).or_fail(Exit::Input, path.display())?;
    let clients: Clients = toml::from_str(&text).or_fail(Exit::Input, path.display())?;
    known(clients.client).or_fail(Exit::Input, path.display())
}

fn known(clients: Vec<Client>) -> Result<Vec<Known>, String> {
    let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
    let mut known = Vec::with_capacity(clients.len());
    for Client { name, key } in clients {
        let key = public_key(&key).map_err(|reason| format!("client {name:?}: {reason}"))?;
        if !names.insert(name.clone()) || !keys.insert(key.clone()) {
            return Err(format!("client {name:?}: its name or its key appears twice"));
        }
        known.push(Known { name, key });
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_right() {
        let config = Config::parse(EXAMPLE, Path::new("/etc/quorate")).unwrap();
        assert_eq!(config.log, Path::new("/etc/quorate/audit.log"));
        assert_eq!((config.sync, config.accept), (Sync::Always, vec![Scheme::Dsig]));
        assert_eq!(config.clients[0].name, "alice");
    }

    #[test]
    fn what_is_wrong_is_said() {
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
