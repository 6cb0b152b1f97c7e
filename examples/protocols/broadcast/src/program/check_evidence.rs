use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use quorate::wire::{Decode, Encode};
use quorate_broadcast::evidence::{self, MAX_FILE};
use quorate_broadcast::{Equivocation, GroupParameters, Slot};
use quorate_node::genesis::Genesis;
use quorate_support::outln;
use serde::Serialize;

use crate::exit::{Exit, Failure, OrFail};
use crate::group::{self, Group};
use crate::signer::{Make, WithSigner, with_signer};

/// Verify that an evidence file proves a member faulty.
///
/// Members keep evidence against a member that attests two messages in one slot in DATA/evidence. The group file
/// suffices to verify such a file; no running member and no network are needed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast check-evidence group/node0/evidence/2-0123456789abcdef.evidence --group group/group.toml

The exit code is 7 if the file proves nothing.")]
pub(crate) struct CheckEvidenceArgs {
    /// The evidence file.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The group file.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Output of the command.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Finding {
    Holds {
        holds: bool,
        culprit: String,
        identity_key: String,
        sender: String,
        sequence: u64,
        digests: [String; 2],
        signer: &'static str,
        suite: Option<&'static str>,
    },
    DoesNot {
        holds: bool,
        code: &'static str,
        error: String,
    },
}

/// A verification.
struct Check<'a> {
    genesis: Genesis,
    group_parameters: GroupParameters,
    bytes: &'a [u8],
}

/// Distinguishes evidence that does not hold from an invalid group file.
type Checked = Result<Result<Finding, quorate::Error>, Failure>;

impl CheckEvidenceArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let place = self.file.display();
        let file = File::open(&self.file).or_fail(Exit::Setup, format!("cannot read {place}"))?;
        let mut bytes = Vec::new();
        let mut file = file.take(MAX_FILE as u64 + 1);
        file.read_to_end(&mut bytes).or_fail(Exit::Setup, format!("cannot read {place}"))?;
        let genesis = group::load(&self.group)?;
        let finding = match check(genesis, &bytes)? {
            Ok(finding) => finding,
            Err(error) => Finding::DoesNot { holds: false, code: error.code(), error: error.to_string() },
        };
        if self.json {
            outln!("{}", serde_json::to_string(&finding).or_fail(Exit::Failed, "cannot print")?);
        }
        match finding {
            Finding::Holds { culprit, sender, sequence, digests: [one, other], .. } => {
                if !self.json {
                    outln!("{culprit} attested two messages with number {sequence} of {sender}:");
                    outln!("  {one}");
                    outln!("  {other}");
                }
                Ok(())
            }
            Finding::DoesNot { code, error, .. } => {
                let text = format!(
                    "{place} proves nothing ({code}): {error}; evidence is valid only with the file of its \
                     own group"
                );
                Err(Failure::new(Exit::NotEvidence, text))
            }
        }
    }
}

fn check(genesis: Genesis, bytes: &[u8]) -> Checked {
    match evidence::decode(bytes) {
        Ok((group_parameters, bytes)) => {
            with_signer(group_parameters.authentication, Check { genesis, group_parameters, bytes })
        }
        Err(error) => Ok(Err(error)),
    }
}

impl WithSigner for Check<'_> {
    type Output = Checked;

    fn call<A: Make>(self) -> Checked {
        let group = Group::new(self.genesis, self.group_parameters)?;
        Ok(verify::<A>(&group, self.bytes))
    }
}

fn verify<A: Make>(group: &Group, bytes: &[u8]) -> Result<Finding, quorate::Error> {
    let evidence = Equivocation::<A::Signature>::decode(bytes, &group.committee.len())?;
    evidence.verify::<A>(&group.committee)?;
    let Equivocation { culprit, slot: Slot { sender, sequence }, attestations: [(one, _), (other, _)] } =
        evidence;
    Ok(Finding::Holds {
        holds: true,
        culprit: group.name(culprit).to_owned(),
        identity_key: group.committee.key(culprit).map(|key| hex::encode(key.encode())).unwrap_or_default(),
        sender: group.name(sender).to_owned(),
        sequence,
        digests: [one, other].map(hex::encode),
        signer: A::NAME,
        suite: group.group_parameters.authentication.suite(),
    })
}
