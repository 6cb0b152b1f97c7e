use std::fs;
use std::path::{Path, PathBuf};

use quorate::bls::{KeyPath, MinPk, MinSig, SecretKey};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_node::genesis::{Hex, SchemeName};
use quorate_node::keys::{Keystore, NodeKeys, Password, load_private};
use quorate_support::outln;
use zeroize::Zeroizing;

use crate::commands::keygen::{Protection, print_files, save};
use crate::exit::{Exit, Failure, OrFail};

/// Maximum size of a keystore in bytes.
const MAX_KEYSTORE: u64 = 64 << 10;

/// Make a validator's keys from a keystore or a seed.
///
/// The voting key is that of an EIP-2335 keystore, or is derived from a seed by EIP-2333; the identity is new. Writes the
/// same two files as `quorate keygen`. The records of what the key has signed elsewhere do not come with it: import a key
/// only if the other program never starts again, and not for a chain on which it has signed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate key import --keystore voting.json --name alice --address 203.0.113.7:7100 --out alice/ --encrypt
  quorate key import --seed seed.hex --path m/12381/3600/0/0/0 --name alice --address 203.0.113.7:7100 --out alice/")]
#[command(group(clap::ArgGroup::new("source").required(true).args(["keystore", "seed"])))]
pub(super) struct Import {
    /// Keystore with the voting key.
    #[arg(long, value_name = "FILE")]
    keystore: Option<PathBuf>,

    /// File with the password of the keystore; without it the variable QUORATE_KEY_PASSWORD, or the terminal.
    #[arg(long, value_name = "FILE", requires = "keystore")]
    password_file: Option<PathBuf>,

    /// File with 32 bytes or more in hexadecimal digits, the root of a tree of BLS keys; only its owner may read it.
    #[arg(long, value_name = "FILE", requires = "path")]
    seed: Option<PathBuf>,

    /// Place of the voting key in the tree.
    #[arg(long, value_name = "PATH", requires = "seed")]
    path: Option<KeyPath>,

    /// Signature scheme of the voting key of a keystore: bls or ed25519.
    #[arg(long, default_value = "bls", conflicts_with = "seed")]
    scheme: SchemeName,

    /// Human-readable name of the validator, unique in its chain.
    #[arg(long)]
    name: String,

    /// Address at which the other validators reach this one.
    #[arg(long, value_name = "HOST:PORT")]
    address: String,

    /// Directory to write into. It is created if it does not exist; existing files are not overwritten.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    protection: Protection,
}

impl Import {
    pub(super) fn run(self) -> Result<(), Failure> {
        let keys = match (&self.keystore, &self.seed, &self.path) {
            (Some(path), ..) => self.keys_of_keystore(path)?,
            (None, Some(seed), Some(path)) => derived(seed, path)?,
            // Not possible: the command line has one of the two.
            _ => return Err(Failure::new(Exit::Usage, "name a keystore, or a seed and a path")),
        };
        save(&self.out, &self.name, &self.address, &keys, &self.protection)?;
        print_files(&self.out);
        outln!(
            "Never start the program from which the key comes again: two programs with one key sign twice."
        );
        Ok(())
    }

    fn keys_of_keystore(&self, path: &Path) -> Result<NodeKeys, Failure> {
        let doing = format!("cannot use the keystore {}", path.display());
        let size = fs::metadata(path).or_fail(Exit::Setup, &doing)?.len();
        if size > MAX_KEYSTORE {
            return Err(Failure::new(Exit::Setup, format!("{doing}: the file is too large; check the path")));
        }
        let text = fs::read(path).or_fail(Exit::Setup, &doing)?;
        let keystore: Keystore = serde_json::from_slice(&text).or_fail(Exit::Setup, &doing)?;
        let password = Password::of_file(path, self.password_file.as_deref()).or_fail(Exit::Setup, &doing)?;
        let secret = keystore.decrypt(&password).or_fail(Exit::Setup, &doing)?;
        let keys = NodeKeys::with_voting_key(self.scheme, secret).or_fail(Exit::Setup, &doing)?;
        let public = keys.public().or_fail(Exit::Setup, &doing)?.voting_key;
        if !is_key_of(&keystore.pubkey, &public, &keys) {
            let problem = format!(
                "{doing}: its public key is not that of its secret; restore it from a backup, or check --scheme"
            );
            return Err(Failure::new(Exit::Setup, problem));
        }
        Ok(keys)
    }
}

/// Returns true if the stated key is that of the secret. A keystore of Ethereum states the key of the other BLS variant.
fn is_key_of(stated: &Hex, public: &Hex, keys: &NodeKeys) -> bool {
    let other = || -> Option<Vec<u8>> {
        let secret = MinSig::secret_to_bytes(&keys.voting::<MinSig>().ok()?);
        Some(MinPk::public_key(&MinPk::secret_from_bytes(&*secret).ok()?).encode())
    };
    stated == public || other().is_some_and(|other| other == stated.0)
}

fn derived(seed: &Path, path: &KeyPath) -> Result<NodeKeys, Failure> {
    let doing = format!("cannot use the seed {}", seed.display());
    let text = load_private(seed).or_fail(Exit::Setup, &doing)?;
    let digits = text.trim();
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    hex::decode_to_slice(digits, &mut bytes).or_fail(Exit::Setup, &doing)?;
    let secret = SecretKey::<MinSig>::derive(&bytes, path).or_fail(Exit::Setup, &doing)?;
    NodeKeys::with_voting_key(SchemeName::Bls, MinSig::secret_to_bytes(&secret)).or_fail(Exit::Setup, &doing)
}
