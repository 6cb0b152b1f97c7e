//! Python's representation of objects that no expression creates: `<Vote kind=1 … suite=ed25519>`.

use quorate::any;
use quorate::certificate::Statement;
use quorate::committee::SignerSet;

/// The attributes in the representation of a value, which its class and the class of verified values share.
pub(crate) trait Shown {
    /// Returns `name=value`, separated by spaces.
    fn shown(&self) -> String;
}

impl Shown for Statement {
    fn shown(&self) -> String {
        let Self { kind, epoch, view, digest } = self;
        format!("kind={} epoch={epoch} view={view} digest={}", kind.number(), hex::encode(digest))
    }
}

impl Shown for any::Vote {
    fn shown(&self) -> String {
        format!("{} signer={} suite={}", self.statement().shown(), self.signer(), self.suite())
    }
}

impl Shown for any::Certificate {
    fn shown(&self) -> String {
        format!("{} signers={} suite={}", self.statement().shown(), share(self.signers()), self.suite())
    }
}

impl Shown for any::TimeoutVote {
    fn shown(&self) -> String {
        let (kind, epoch, view) = (self.kind().number(), self.epoch(), self.view());
        let (value, signer, suite) = (self.value(), self.signer(), self.suite());
        format!("kind={kind} epoch={epoch} view={view} value={value} signer={signer} suite={suite}")
    }
}

impl Shown for any::TimeoutCertificate {
    fn shown(&self) -> String {
        let (kind, epoch, view) = (self.kind().number(), self.epoch(), self.view());
        let (highest, signers, suite) = (self.highest_value(), share(&self.signers()), self.suite());
        format!(
            "kind={kind} epoch={epoch} view={view} highest_value={highest} signers={signers} suite={suite}"
        )
    }
}

impl Shown for any::Equivocation {
    fn shown(&self) -> String {
        let Statement { kind, epoch, view, .. } = *self.votes().0.statement();
        let (kind, signer, suite) = (kind.number(), self.signer(), self.suite());
        format!("kind={kind} epoch={epoch} view={view} signer={signer} suite={suite}")
    }
}

impl Shown for any::Conflict {
    fn shown(&self) -> String {
        let Statement { kind, epoch, view, .. } = *self.certificates().0.statement();
        let (kind, culprits, suite) = (kind.number(), share(&self.culprits()), self.suite());
        format!("kind={kind} epoch={epoch} view={view} culprits={culprits} suite={suite}")
    }
}

/// How many members of the committee are in the set: `3/4`.
fn share(set: &SignerSet) -> String {
    format!("{}/{}", set.len(), set.committee_len())
}
