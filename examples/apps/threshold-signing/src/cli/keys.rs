use std::fs;
use std::path::PathBuf;

use quorate_support::outln;
use quorate_threshold_signing::failure::{Exit, OrFail};
use quorate_threshold_signing::files::write_new;
use quorate_threshold_signing::keys::{Keys, Role};

use super::common::{Outcome, print_json};

/// Make the keys of a party or a requester: a secret key file, and a public file for `group`.
///
/// A party has an Ed25519 key, for TLS and for the attestations of its shares, and an X25519 key, to which the
/// dealer seals its shares. A requester has only the Ed25519 key.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing keys --name alice --address 10.0.0.1:7501     writes alice.keys and alice.public
  threshold-signing keys --name client                            of a requester")]
pub(super) struct KeysArgs {
    /// Name: letters, digits, dots, hyphens and underscores.
    #[arg(long)]
    name: String,

    /// Address at which a party serves. Without it, the keys of a requester are made.
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,

    /// The directory to write into. It is created if necessary, and no file in it is overwritten.
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl KeysArgs {
    pub(super) fn run(&self) -> Outcome {
        let keys = Keys::generate(&self.name, self.address.is_some())?;
        let role = self.address.as_deref().map_or(Role::Requester, |address| Role::Party { address });
        fs::create_dir_all(&self.out).or_fail(Exit::Setup, format!("making {}", self.out.display()))?;
        let (secret, public) =
            (self.out.join(format!("{}.keys", self.name)), self.out.join(format!("{}.public", self.name)));
        keys.save(&secret)?;
        write_new(&public, false, keys.section(role)?.trim_start().as_bytes())?;
        if self.json {
            print_json(&serde_json::json!({ "keys": secret, "public": public }));
        } else {
            outln!("secret: {}\npublic: {}", secret.display(), public.display());
        }
        Ok(())
    }
}
