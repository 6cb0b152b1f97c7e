use std::path::PathBuf;

use quorate::wire::Decode;
use quorate_replicate::Equivocation;
use quorate_replicate::node::group::Group;
use quorate_replicate::node::{Exit, Failure, OrFail};
use quorate_support::outln;
use serde_json::json;

use crate::signer::{Make, WithSigner, with_signer};

/// Verify that an evidence file proves a replica faulty.
///
/// Replicas keep evidence against a replica that signed two values for one slot and view in DATA/evidence. The group file
/// suffices to verify it.
#[derive(Debug, clap::Args)]
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

/// Maximum size of an evidence file.
const MAX_FILE: u64 = 1 << 16;

struct Check<'a> {
    group: &'a Group,
    bytes: &'a [u8],
}

impl WithSigner for Check<'_> {
    type Output = quorate::Result<(u16, u64, u64)>;

    fn call<A: Make>(self) -> Self::Output {
        let counts = (self.group.committee.len(), self.group.clients.len() as u16);
        let evidence = Equivocation::<A::Signature>::decode(self.bytes, &counts)?;
        evidence.verify::<A>(&self.group.committee)?;
        Ok((evidence.culprit, evidence.view, evidence.slot))
    }
}

impl CheckEvidenceArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let group = Group::load(&self.group)?;
        let size = std::fs::metadata(&self.file).or_fail(Exit::Setup, self.file.display())?.len();
        if size > MAX_FILE {
            return Err(Failure::new(Exit::NotEvidence, "too large to be evidence"));
        }
        let bytes = std::fs::read(&self.file).or_fail(Exit::Setup, self.file.display())?;
        let checked = with_signer(group.file.signer, Check { group: &group, bytes: &bytes });
        let (culprit, view, slot) = checked.map_err(|error| {
            Failure::with_code(Exit::NotEvidence, error.code(), format!("the file proves nothing: {error}"))
        })?;
        let name = group.name(culprit);
        if self.json {
            outln!("{}", json!({ "holds": true, "culprit": name, "view": view, "slot": slot }));
        } else {
            outln!("{name} signed two values for slot {slot} in view {view}");
        }
        Ok(())
    }
}
