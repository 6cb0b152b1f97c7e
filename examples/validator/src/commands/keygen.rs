use std::fs;
use std::path::{Path, PathBuf};

use quorate_node::genesis::{Hex, Member, PublicKeys, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_support::say;
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure, OrFail};

/// The name of the secret file in the directory.
pub(crate) const SECRET_FILE: &str = "keys";
/// The name of the public file in the directory.
pub(crate) const PUBLIC_FILE: &str = "public.toml";

/// Make a validator's keys.
///
/// Writes two files into DIR: `keys`, secret, readable by its owner alone, which never leaves the machine; and
/// `public.toml`, which goes to whoever puts the genesis file together.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate keygen --name alice --address 203.0.113.7:7100 --out alice/
  (send alice/public.toml to whoever makes the genesis file)")]
pub(crate) struct Keygen {
    /// The validator's name, for people; unique in its chain.
    #[arg(long)]
    name: String,

    /// Where the other validators will reach it.
    #[arg(long, value_name = "HOST:PORT")]
    address: String,

    /// How votes are signed; the same for all validators of a chain: bls or ed25519.
    #[arg(long, default_value = "bls")]
    scheme: SchemeName,

    /// The directory to write into; it is made if need be, and nothing in it is overwritten.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

/// What goes to whoever makes the genesis file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublicFile {
    /// The validator's name.
    pub name: String,
    /// Where it accepts links.
    pub address: String,
    /// How it signs votes.
    pub scheme: SchemeName,
    identity_key: Hex,
    identity_possession: Hex,
    voting_key: Hex,
    voting_possession: Hex,
}

impl Keygen {
    /// Makes the keys.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        make(&self.out, &self.name, &self.address, self.scheme)?;
        say!("secret: {}", self.out.join(SECRET_FILE).display());
        say!("public: {}", self.out.join(PUBLIC_FILE).display());
        Ok(())
    }
}

impl PublicFile {
    /// Reads a public file.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let doing = format!("cannot use the public keys in {}", path.display());
        let text = fs::read_to_string(path).or_fail(Exit::Setup, &doing)?;
        toml::from_str(&text).or_fail(Exit::Setup, doing)
    }

    /// A member of that name and address, with these keys, unchecked.
    pub(crate) fn into_member(self, weight: u128) -> Member {
        Member { keys: self.keys(), name: self.name, address: self.address, weight }
    }

    /// The keys, unchecked.
    pub(crate) fn keys(&self) -> PublicKeys {
        PublicKeys {
            identity_key: self.identity_key.clone(),
            identity_possession: self.identity_possession.clone(),
            voting_key: self.voting_key.clone(),
            voting_possession: self.voting_possession.clone(),
        }
    }
}

/// Makes keys and writes both files.
pub(crate) fn make(
    directory: &Path,
    name: &str,
    address: &str,
    scheme: SchemeName,
) -> Result<PublicFile, Failure> {
    fs::create_dir_all(directory).or_fail(Exit::Setup, format!("cannot make {}", directory.display()))?;
    let keys = NodeKeys::generate(scheme).or_fail(Exit::Failed, "cannot make keys")?;
    keys.save(&directory.join(SECRET_FILE)).or_fail(Exit::Setup, "cannot save the keys")?;
    let keys = keys.public().or_fail(Exit::Failed, "cannot use the keys")?;
    let public = PublicFile {
        name: name.to_owned(),
        address: address.to_owned(),
        scheme,
        identity_key: keys.identity_key,
        identity_possession: keys.identity_possession,
        voting_key: keys.voting_key,
        voting_possession: keys.voting_possession,
    };
    let path = directory.join(PUBLIC_FILE);
    let body = toml::to_string(&public).or_fail(Exit::Failed, "cannot write the public keys")?;
    let text = format!("# Public keys of a quorate validator: for whoever makes the genesis file.\n{body}");
    fs::write(&path, text).or_fail(Exit::Setup, format!("cannot write {}", path.display()))?;
    Ok(public)
}
