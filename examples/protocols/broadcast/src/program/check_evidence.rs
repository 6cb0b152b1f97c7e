use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use quorate::wire::{Decode, Encode};
use quorate_broadcast::evidence::{self, MAX_FILE};
use quorate_broadcast::{Equivocation, GroupParameters, Slot};
use quorate_node::genesis::Genesis;
use quorate_support::say;
use serde::Serialize;

use crate::exit::{Exit, Failure, OrFail};
use crate::group::{self, Group};
use crate::signer::{Make, WithSigner, with_signer};

/// Check that a file of evidence proves a member faulty.
///
/// A member that vouches for two messages in one slot is found by the others, which keep what proves it in
/// DATA/evidence. Whoever has the group file can check such a file, and needs nothing else: no member, no network.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate-broadcast check-evidence group/node0/evidence/2-0123456789abcdef.evidence --group group/group.toml

If the file proves nothing the exit code is 7.")]
pub(crate) struct CheckEvidenceArgs {
    /// The file of evidence.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The group file.
    #[arg(long, value_name = "FILE")]
    group: PathBuf,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is printed.
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

/// One check.
struct Check<'a> {
    genesis: Genesis,
    terms: GroupParameters,
    bytes: &'a [u8],
}

/// That it does not hold is one thing, that the group file is wrong another.
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
            say!("{}", serde_json::to_string(&finding).or_fail(Exit::Failed, "cannot print")?);
        }
        match finding {
            Finding::Holds { culprit, sender, sequence, digests: [one, other], .. } => {
                if !self.json {
                    say!("{culprit} has vouched for two messages as number {sequence} of {sender}:");
                    say!("  {one}");
                    say!("  {other}");
                }
                Ok(())
            }
            Finding::DoesNot { code, error, .. } => {
                let text = format!(
                    "{place} proves nothing ({code}): {error}; it can hold only with the file of the group that it \
                     is from"
                );
                Err(Failure::new(Exit::NotEvidence, text))
            }
        }
    }
}

fn check(genesis: Genesis, bytes: &[u8]) -> Checked {
    match evidence::decode(bytes) {
        Ok((terms, bytes)) => with_signer(terms.authentication, Check { genesis, terms, bytes }),
        Err(error) => Ok(Err(error)),
    }
}

impl WithSigner for Check<'_> {
    type Output = Checked;

    fn call<A: Make>(self) -> Checked {
        let group = Group::new(self.genesis, self.terms)?;
        Ok(holds::<A>(&group, self.bytes))
    }
}

fn holds<A: Make>(group: &Group, bytes: &[u8]) -> Result<Finding, quorate::Error> {
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
        suite: group.terms.authentication.suite(),
    })
}
