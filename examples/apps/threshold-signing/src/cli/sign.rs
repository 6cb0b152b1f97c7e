use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use quorate::wire::Encode;
use quorate_support::terminal::red;
use quorate_support::{errln, outln};
use quorate_threshold_signing::coordinator::{Coordinator, PartyStatus, SigningOptions};
use quorate_threshold_signing::failure::{Exit, Failure, OrFail};
use quorate_threshold_signing::group::Group;
use quorate_threshold_signing::keys::Keys;

use super::common::{MessageArgs, Outcome, PublicFiles, print_json};

/// Sign a message: ask the parties, combine their shares, verify and write the signature.
///
/// The signature is ECDSA over secp256k1 with SHA-256, in DER: `openssl dgst -sha256 -verify key.pem -signature
/// FILE MESSAGE`. Invalid shares do not prevent a signature as long as enough parties are honest. Each party that
/// sent one is named, with a file of evidence that `check-evidence` verifies without any secret.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  threshold-signing sign --group group.toml --deal deal-1.public --keys client.keys --message \"pay 5 to Bob\" --out pay.der

Each message takes one presignature, also if too few shares arrive. Use --index to complete such a
message later with the same presignature.")]
pub(super) struct SignArgs {
    #[command(flatten)]
    public: PublicFiles,

    /// The requester's key file.
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    #[command(flatten)]
    message: MessageArgs,

    /// The file to write the signature to, in DER.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The directory for evidence: one file per party that sent an invalid share.
    #[arg(long, value_name = "DIR", default_value = ".")]
    evidence: PathBuf,

    /// Wait for each party and check each share individually, also after the signature is complete.
    #[arg(long)]
    check_all: bool,

    /// Presignature to use, to complete an earlier attempt. The default is the next unused one.
    #[arg(long, value_name = "N")]
    index: Option<u32>,

    /// Time limit in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl SignArgs {
    pub(super) async fn run(self) -> Outcome {
        let (group, public) = self.public.load()?;
        let (group, public) = (Arc::new(group), Arc::new(public));
        let message = self.message.bytes()?;
        let identity = Keys::load(&self.keys)?.identity()?;
        let mut coordinator = Coordinator::new(group.clone(), public.clone(), identity)?;
        let timeout = Duration::from_secs(self.timeout);
        let options = SigningOptions { timeout, check_all: self.check_all, index: self.index };
        let outcome = coordinator.sign(&message, options).await;
        let evidence = self.write_evidence(&group, &coordinator)?;
        let signed = outcome?;
        let der = signed.signature.to_der();
        if let Some(path) = &self.out {
            fs::write(path, &der).or_fail(Exit::Failed, format!("writing {}", path.display()))?;
        }
        let has_share =
            |standing: &&PartyStatus| matches!(standing, PartyStatus::Unchecked | PartyStatus::Valid);
        let right = signed.parties.iter().filter(has_share).count();
        if self.json {
            let parties: Vec<_> = (0..)
                .zip(&signed.parties)
                .map(|(party, standing)| {
                    serde_json::json!({ "party": group.party(party), "standing": standing.to_string() })
                })
                .collect();
            print_json(&serde_json::json!({
                "signature": hex::encode(&der), "epoch": public.deal.epoch(), "index": signed.index,
                "parties": parties, "combinations": signed.counts.combinations,
                "share_checks": signed.counts.share_checks, "wrong": evidence,
            }));
        } else {
            outln!("signature: {}", hex::encode(&der));
            outln!("epoch {}, presignature {}, {right} shares", public.deal.epoch(), signed.index);
            for (party, standing) in (0..).zip(&signed.parties) {
                if !matches!(
                    standing,
                    PartyStatus::Unchecked
                        | PartyStatus::Valid
                        | PartyStatus::Pending
                        | PartyStatus::Invalid(_)
                ) {
                    errln!("{}: {standing}", group.party(party));
                }
            }
        }
        Ok(())
    }

    /// Writes the evidence files, reports each faulty party, and returns the paths by party.
    fn write_evidence(&self, group: &Group, coordinator: &Coordinator) -> Result<serde_json::Value, Failure> {
        let mut written = serde_json::Map::new();
        for (party, fault) in coordinator.faults() {
            let (name, share) = (group.party(*party), fault.share());
            let path = self.evidence.join(format!("{name}-{}-{}.evidence", share.epoch(), share.index()));
            fs::write(&path, fault.encode()).or_fail(Exit::Failed, format!("writing {}", path.display()))?;
            errln!("{} {name} sent an invalid share; evidence: {}", red("FAULTY:"), path.display());
            written.insert(name.to_owned(), path.display().to_string().into());
        }
        Ok(written.into())
    }
}
