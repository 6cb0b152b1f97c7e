use std::path::PathBuf;

use quorate_support::outln;
use quorate_support::terminal::verdict;
use quorate_threshold_signing::deal::PublicDeal;
use quorate_threshold_signing::der;
use quorate_threshold_signing::failure::{Exit, Failure};
use quorate_threshold_signing::files::read_signature;

use super::common::{MessageArgs, Outcome, print_json};

/// Verify a signature. Unlike OpenSSL, this command also refuses the second valid form of a signature (high s).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing verify --deal deal-1.public --signature pay.der --message \"pay 5 to Bob\"")]
pub(super) struct VerifyArgs {
    /// A public deal file of the group, of any epoch.
    #[arg(long, value_name = "FILE")]
    deal: PathBuf,

    /// The signature, in DER.
    #[arg(long, value_name = "FILE")]
    signature: PathBuf,

    #[command(flatten)]
    message: MessageArgs,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(super) fn run(&self) -> Outcome {
        let (public, message) = (PublicDeal::load(&self.deal)?, self.message.bytes()?);
        let signature = read_signature(&self.signature)?;
        let checked = der::signature(&signature).and_then(|s| public.key.verify_message(&message, &s));
        checked.map_err(|e| {
            Failure::with_code(Exit::Refuted, e.code(), format!("the signature does not verify: {e}"))
        })?;
        if self.json {
            print_json(&serde_json::json!({ "valid": true }));
        } else {
            outln!("{}", verdict("valid", true));
        }
        Ok(())
    }
}
