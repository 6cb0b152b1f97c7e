use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use quorate::wire::Encode;
use quorate_node::genesis::{Hex, Member, PublicKeys, SchemeName};
use quorate_node::keys::{KeyDerivation, NodeKeys, Password};
use quorate_support::outln;
use serde::{Deserialize, Serialize};

use super::run::cannot_run;
use super::token::TokenArgs;
use crate::exit::{Exit, Failure, OrFail};

/// File name of the secret keys.
pub(crate) const SECRET_FILE: &str = "keys";
/// File name of the public keys.
pub(crate) const PUBLIC_FILE: &str = "public.toml";

/// Make a validator's keys.
///
/// Writes two files into DIR. `keys` holds the secret keys: it is readable by its owner only and must not leave the
/// machine. `public.toml` holds the public keys: send it to the author of the genesis file. With --encrypt the secrets are
/// encrypted with a password.
///
/// With --pkcs11 the voting key is in a token, for `quorate signer`: `public.toml` has it, and the voting key in the file of secret
/// keys has no use.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate keygen --name alice --address 203.0.113.7:7100 --out alice/
  quorate keygen --name alice --address 203.0.113.7:7100 --out alice/ --encrypt
  quorate keygen --name alice --address 203.0.113.7:7100 --out signer/ --new-key \\
      --pkcs11 /usr/lib/softhsm/libsofthsm2.so --token quorate --key alice      (for quorate signer)
  (send alice/public.toml to the person who creates the genesis file)")]
pub(crate) struct Keygen {
    /// Human-readable name of the validator, unique in its chain.
    #[arg(long)]
    name: String,

    /// Address at which the other validators reach this one.
    #[arg(long, value_name = "HOST:PORT")]
    address: String,

    /// Signature scheme of votes, the same for all validators of a chain: bls or ed25519.
    #[arg(long, default_value = "bls", conflicts_with_all = ["signer", "pkcs11"])]
    scheme: SchemeName,

    /// Public keys of a signer (its `public.toml`), which holds the voting key of this validator.
    ///
    /// `public.toml` then has the signer's voting key and the identity key of this validator. The voting key in the file of secret
    /// keys has no use.
    #[arg(long, value_name = "FILE", conflicts_with = "pkcs11")]
    signer: Option<PathBuf>,

    #[command(flatten)]
    token: Option<TokenArgs>,

    /// Make the voting key in the token, where no key may have its label. Without it, the token has the key already.
    #[arg(long, requires = "pkcs11")]
    new_key: bool,

    /// Directory to write into. It is created if it does not exist; existing files are not overwritten.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    protection: Protection,
}

/// How the secrets of a new key file are protected.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Protection {
    /// Encrypt the secrets with a password. It is that of the password file or of the variable QUORATE_KEY_NEW_PASSWORD, or is
    /// asked for on the terminal. The other two options of passwords imply it.
    #[arg(long)]
    encrypt: bool,

    #[command(flatten)]
    password: NewPassword,
}

/// The password of a new file.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct NewPassword {
    /// File with the new password, in its first line; only its owner may read it. Without it the variable
    /// QUORATE_KEY_NEW_PASSWORD, or the terminal.
    #[arg(long, value_name = "FILE")]
    new_password_file: Option<PathBuf>,

    /// How the key of the encryption is derived from the password. By default scrypt, which needs 256 MiB for a second; pbkdf2
    /// needs little memory.
    #[arg(long, value_enum)]
    kdf: Option<Derivation>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Derivation {
    Scrypt,
    Pbkdf2,
}

impl Protection {
    fn is_encrypted(&self) -> bool {
        self.encrypt || self.password.new_password_file.is_some() || self.password.kdf.is_some()
    }
}

impl NewPassword {
    /// Obtains the password of a new file.
    pub(crate) fn obtain(&self, path: &Path) -> Result<(Password, KeyDerivation), Failure> {
        let password = Password::of_new_file(path, self.new_password_file.as_deref());
        let derivation = match self.kdf {
            None | Some(Derivation::Scrypt) => KeyDerivation::Scrypt,
            Some(Derivation::Pbkdf2) => KeyDerivation::Pbkdf2,
        };
        Ok((password.or_fail(Exit::Setup, "cannot encrypt the keys")?, derivation))
    }
}

/// Public keys of a validator, as the genesis file needs them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublicFile {
    /// The validator's name.
    pub name: String,
    /// Address at which it accepts links.
    pub address: String,
    /// Signature scheme of its votes.
    pub scheme: SchemeName,
    identity_key: Hex,
    identity_possession: Hex,
    voting_key: Hex,
    voting_possession: Hex,
}

impl Keygen {
    /// Generates the keys.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let signer = self.signer.as_deref().map(PublicFile::load).transpose()?;
        let scheme = match (&signer, &self.token) {
            (Some(signer), _) => signer.scheme,
            (None, Some(_)) => SchemeName::Ed25519,
            (None, None) => self.scheme,
        };
        let keys = NodeKeys::generate(scheme).or_fail(Exit::Failed, "cannot generate keys")?;
        let mut public = keys.public().or_fail(Exit::Failed, "cannot use the keys")?;
        if let Some(signer) = signer {
            (public.voting_key, public.voting_possession) = (signer.voting_key, signer.voting_possession);
        }
        if let Some(token) = &self.token {
            let proven = token.open(self.new_key).map_err(cannot_run)?.possession();
            public.voting_key = Hex(proven.public().encode());
            public.voting_possession = Hex(proven.possession().encode());
        }
        save_as(&self.out, &self.name, &self.address, &keys, public, &self.protection)?;
        print_files(&self.out);
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

    /// Returns an unchecked member with this name, address and keys.
    pub(crate) fn into_member(self, weight: u128) -> Member {
        Member { keys: self.keys(), name: self.name, address: self.address, weight }
    }

    /// Returns the unchecked keys.
    pub(crate) fn keys(&self) -> PublicKeys {
        PublicKeys {
            identity_key: self.identity_key.clone(),
            identity_possession: self.identity_possession.clone(),
            voting_key: self.voting_key.clone(),
            voting_possession: self.voting_possession.clone(),
        }
    }
}

/// Generates keys and writes both files.
pub(crate) fn make(
    directory: &Path,
    name: &str,
    address: &str,
    scheme: SchemeName,
) -> Result<PublicFile, Failure> {
    let keys = NodeKeys::generate(scheme).or_fail(Exit::Failed, "cannot generate keys")?;
    save(directory, name, address, &keys, &Protection::default())
}

/// Writes both files.
pub(crate) fn save(
    directory: &Path,
    name: &str,
    address: &str,
    keys: &NodeKeys,
    protection: &Protection,
) -> Result<PublicFile, Failure> {
    let public = keys.public().or_fail(Exit::Failed, "cannot use the keys")?;
    save_as(directory, name, address, keys, public, protection)
}

/// Writes both files, with these public keys.
fn save_as(
    directory: &Path,
    name: &str,
    address: &str,
    keys: &NodeKeys,
    public: PublicKeys,
    protection: &Protection,
) -> Result<PublicFile, Failure> {
    fs::create_dir_all(directory).or_fail(Exit::Setup, format!("cannot create {}", directory.display()))?;
    let path = directory.join(SECRET_FILE);
    let public_path = directory.join(PUBLIC_FILE);
    let cannot_write = format!("cannot write {}", public_path.display());
    if public_path.exists() && !path.exists() {
        let problem = format!("{cannot_write}: the file exists and is not overwritten; move it");
        return Err(Failure::new(Exit::Setup, problem));
    }
    let saved = if protection.is_encrypted() {
        let (password, derivation) = protection.password.obtain(&path)?;
        keys.save_encrypted(&path, &password, derivation)
    } else {
        keys.save(&path)
    };
    saved.or_fail(Exit::Setup, "cannot save the keys")?;
    let public = PublicFile {
        name: name.to_owned(),
        address: address.to_owned(),
        scheme: keys.scheme(),
        identity_key: public.identity_key,
        identity_possession: public.identity_possession,
        voting_key: public.voting_key,
        voting_possession: public.voting_possession,
    };
    let body = toml::to_string(&public).or_fail(Exit::Failed, "cannot write the public keys")?;
    let text = format!("# Public keys of a quorate validator: for the genesis file.\n{body}");
    let mut file = fs::File::create_new(&public_path).or_fail(Exit::Setup, &cannot_write)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).or_fail(Exit::Setup, cannot_write)?;
    Ok(public)
}

/// Says where both files are.
pub(crate) fn print_files(directory: &Path) {
    outln!("secret: {}", directory.join(SECRET_FILE).display());
    outln!("public: {}", directory.join(PUBLIC_FILE).display());
}
