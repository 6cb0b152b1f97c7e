//! The group file, which all replicas and clients share, and one key file for each of them.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Writer, domain};
use quorate_link::Endpoint;
use serde::{Deserialize, Serialize};

use super::{Exit, Failure, OrFail};
use crate::Parameters;

/// Maximum size of a group file.
const MAX_FILE: u64 = 1 << 20;
/// Maximum number of clients.
const MAX_CLIENTS: usize = 1_024;

/// Signature scheme of the slow path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signer {
    /// Ed25519.
    Eddsa,
    /// DSig, suite 2: the fastest on processors with AES instructions.
    Dsig,
}

/// A group file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupFile {
    /// Signature scheme of the slow path.
    pub signer: Signer,
    /// Number of slots between two checkpoints.
    pub checkpoint: u64,
    /// Replicas, n = 3f + 1.
    pub replica: Vec<ReplicaEntry>,
    /// Clients.
    pub client: Vec<ClientEntry>,
}

/// A replica of a group file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicaEntry {
    /// Name.
    pub name: String,
    /// Address: `shm:PATH`, where a relative path is relative to the group file, or `HOST:PORT`.
    pub listen: String,
    /// Ed25519 key, 64 hexadecimal digits.
    pub key: String,
}

/// A client of a group file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientEntry {
    /// Name.
    pub name: String,
    /// Ed25519 key, 64 hexadecimal digits.
    pub key: String,
}

/// A checked group.
#[derive(Clone, Debug)]
pub struct Group {
    /// The file.
    pub file: GroupFile,
    /// The replicas with their keys.
    pub committee: Arc<Committee<Ed25519>>,
    /// Addresses of the replicas.
    pub endpoints: Vec<Endpoint>,
    /// Keys of the clients.
    pub clients: Vec<PublicKey>,
}

impl Group {
    /// Loads a group file.
    ///
    /// # Errors
    /// [`Exit::Setup`] with the reason.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let size = fs::metadata(path).or_fail(Exit::Setup, &shown)?.len();
        if size > MAX_FILE {
            return Err(Failure::new(Exit::Setup, format!("{shown}: too large to be a group file")));
        }
        let text = fs::read_to_string(path).or_fail(Exit::Setup, &shown)?;
        let file: GroupFile = toml::from_str(&text).or_fail(Exit::Setup, &shown)?;
        Self::new(file, path.parent().unwrap_or(Path::new("."))).map_err(|failure| failure.at(shown))
    }

    /// Checks a group file whose relative paths begin at `folder`.
    ///
    /// # Errors
    /// [`Exit::Setup`] with the reason.
    pub fn new(file: GroupFile, folder: &Path) -> Result<Self, Failure> {
        let setup = |message: String| Failure::new(Exit::Setup, message);
        let n = file.replica.len();
        if n < 4 || n % 3 != 1 || n > 100 {
            return Err(setup(format!("expected 3f + 1 replicas from 4 to 100, got {n}")));
        }
        if file.client.is_empty() || file.client.len() > MAX_CLIENTS {
            return Err(setup(format!("expected 1 to {MAX_CLIENTS} clients, got {}", file.client.len())));
        }
        if !(1..=1_000).contains(&file.checkpoint) {
            return Err(setup(format!("checkpoint: expected 1 to 1000, got {}", file.checkpoint)));
        }
        let mut endpoints = Vec::with_capacity(n);
        for replica in &file.replica {
            let endpoint =
                replica.listen.parse().map_err(|error| setup(format!("{}: {error}", replica.name)))?;
            endpoints.push(match endpoint {
                Endpoint::SharedMemory(path) => Endpoint::SharedMemory(folder.join(path)),
                tcp @ Endpoint::Tcp(_) => tcp,
            });
        }
        let key = |text: &str| {
            let bytes = hex::decode(text).or_fail(Exit::Setup, "key")?;
            PublicKey::decode(&bytes, &()).or_fail(Exit::Setup, "key")
        };
        let keys = file.replica.iter().map(|replica| Ok((key(&replica.key)?, 1)));
        let keys = keys.collect::<Result<_, Failure>>()?;
        let clients = file.client.iter().map(|client| key(&client.key)).collect::<Result<Vec<_>, _>>()?;
        let mut w = Writer::new();
        w.bytes(format!("{:?} {}", file.signer, file.checkpoint).as_bytes());
        clients.iter().for_each(|key| key.encode_to(&mut w));
        // Replicas that differ in a parameter or in the clients belong to different groups.
        let chain = ChainId(domain::hash(domain::REPLICATE_GROUP, &w.into_bytes()));
        let committee =
            Committee::from_attested(chain, 0, keys, Repeats::Refuse).or_fail(Exit::Setup, "replicas")?;
        Ok(Self { file, committee: Arc::new(committee), endpoints, clients })
    }

    /// Returns the parameters of the machines, with defaults for those that replicas need not agree on.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            clients: self.clients.len() as u16,
            window: 2 * self.file.checkpoint,
            checkpoint: self.file.checkpoint,
            ..Parameters::default()
        }
    }

    /// Returns the index of the replica with this key.
    ///
    /// # Errors
    /// [`Exit::Setup`] if there is none.
    pub fn replica(&self, key: &SecretKey) -> Result<u16, Failure> {
        let position = self.committee.position(&Ed25519::public_key(key));
        position.ok_or_else(|| Failure::new(Exit::Setup, "the key is not that of a replica of the group"))
    }

    /// Returns the index of the client with this key.
    ///
    /// # Errors
    /// [`Exit::Setup`] if there is none.
    pub fn client(&self, key: &SecretKey) -> Result<u16, Failure> {
        let public = Ed25519::public_key(key);
        let position = self.clients.iter().position(|client| *client == public);
        let position = position.and_then(|position| u16::try_from(position).ok());
        position.ok_or_else(|| Failure::new(Exit::Setup, "the key is not that of a client of the group"))
    }

    /// Returns the name of a replica.
    pub fn name(&self, replica: u16) -> &str {
        self.file.replica.get(usize::from(replica)).map_or("?", |replica| &replica.name)
    }
}

/// Generates a key with the operating system's generator.
///
/// # Errors
/// If the generator fails.
pub fn generate() -> Result<SecretKey, Failure> {
    Ed25519::generate(&mut getrandom::SysRng).or_fail(Exit::Failed, "making a key")
}

/// Returns a copy of a key.
///
/// # Errors
/// None for a valid key.
pub fn copy(key: &SecretKey) -> Result<SecretKey, Failure> {
    Ed25519::secret_from_bytes(&Ed25519::secret_to_bytes(key)[..]).or_fail(Exit::Failed, "key")
}

/// Returns the public key in hexadecimal digits.
pub fn public(key: &SecretKey) -> String {
    hex::encode(Ed25519::public_key(key).encode())
}

/// Writes a key file that only its owner can read. An existing file is not overwritten.
///
/// # Errors
/// If the file exists, or cannot be written.
pub fn save(key: &SecretKey, path: &Path) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path).or_fail(
        Exit::Setup,
        format_args!("{}: a key is never overwritten; choose another path", path.display()),
    )?;
    let text = format!("{}\n", hex::encode(&Ed25519::secret_to_bytes(key)[..]));
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).or_fail(Exit::Failed, path.display())
}

/// Reads a key file.
///
/// # Errors
/// If other users can read the file, or it is damaged.
pub fn load(path: &PathBuf) -> Result<SecretKey, Failure> {
    let shown = path.display();
    let metadata = fs::metadata(path).or_fail(Exit::Setup, &shown)?;
    if metadata.permissions().mode() & 0o077 != 0 {
        let text = format!("{shown}: other users can read it; run `chmod 600 {shown}` first");
        return Err(Failure::new(Exit::Setup, text));
    }
    if metadata.len() != 65 {
        return Err(Failure::new(Exit::Setup, format!("{shown}: not a key file; check the path")));
    }
    let text = fs::read_to_string(path).or_fail(Exit::Setup, &shown)?;
    let bytes = hex::decode(text.trim_end()).or_fail(Exit::Setup, &shown)?;
    Ed25519::secret_from_bytes(&bytes).or_fail(Exit::Setup, &shown)
}
