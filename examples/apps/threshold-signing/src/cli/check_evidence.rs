use std::path::PathBuf;

use quorate_support::outln;
use quorate_support::terminal::verdict;
use quorate_threshold_signing::evidence;

use super::common::{Outcome, PublicFiles, print_json};

/// Verify evidence against a party. No secret is needed, and the source of the evidence need not be trusted.
///
/// Evidence is valid if the party attested, with its key in the group file, a share that differs from the share its
/// presignature determines. An honest party cannot be accused.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing check-evidence --group group.toml --deal deal-1.public carol-1-7.evidence")]
pub(super) struct CheckEvidenceArgs {
    #[command(flatten)]
    public: PublicFiles,

    /// Evidence file that `sign` wrote.
    #[arg(value_name = "FILE")]
    evidence: PathBuf,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl CheckEvidenceArgs {
    pub(super) fn run(&self) -> Outcome {
        let (group, public) = self.public.load()?;
        let fault = evidence::load(&self.evidence)?;
        let culprit = evidence::check(&group, &public, &fault)?;
        let (name, share) = (group.party(culprit), fault.share());
        if self.json {
            print_json(&serde_json::json!({ "culprit": name, "party": culprit, "epoch": share.epoch(),
                "index": share.index() }));
        } else {
            let summary = format!(
                "{name} (party {culprit}) attested an invalid share of presignature {} of epoch {}",
                share.index(),
                share.epoch()
            );
            outln!("{}", verdict(&summary, true));
        }
        Ok(())
    }
}
