//! Timeouts: a quorum gives up a view.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::{self, Kind};
use quorate::ed25519::Ed25519;

use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::keys::{SecretKey, Signature};
use crate::signers::SignerSet;
use crate::statement::Statement;
use crate::votes::Vote;

class! {
    /// A quorum's certificate that it gave up a view. The members are grouped by the values that they named, and one
    /// aggregate covers the statements of all groups. A decoded certificate is not verified yet.
    object struct TimeoutCertificate(any::TimeoutCertificate): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (highest, signers, suite) = (self.highest_value(), self.0.signers(), self.suite());
        let (size, of) = (signers.len(), signers.committee_len());
        write!(f, "TimeoutCertificate(kind={kind}, epoch={epoch}, view={view}, highest_value={highest}, ")?;
        write!(f, "signers={size}/{of}, suite={suite})")
    };
    module const MAX_TIMEOUT_GROUPS: u32 = 1_024 == certificate::MAX_TIMEOUT_GROUPS,
        "Maximum number of different values in a timeout certificate.";
    /// Decodes a timeout certificate of that committee: checks its form, epoch and quorum, not its signatures.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout certificate.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::WrongContext`](quorate::Error) for another suite or epoch.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        any::TimeoutCertificate::decode(bytes, &committee.0).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Length of the encoding in bytes.
    getter computed fn encoded_len(&self) -> usize { self.0.encoded_len() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Phase of the protocol: each phase has a kind of its own.
    getter fn kind(&self) -> u8 { self.0.kind().number() }
    /// The committee's epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The abandoned view.
    getter fn view(&self) -> u64 { self.0.view() }
    /// The highest value that a signer named.
    getter fn highest_value(&self) -> u64 { self.0.highest_value() }
    /// The values, ascending, each with the members that named it.
    getter fn groups(&self) -> Vec<TimeoutGroup> {
        let group = |(value, signers): &(u64, _)| TimeoutGroup {
            value: *value,
            signers: quorate::committee::SignerSet::clone(signers).into(),
        };
        self.0.groups().iter().map(group).collect()
    }
    /// All signers, as a new set each time.
    getter fn signers(&self) -> SignerSet { self.0.signers().into() }
    /// Verifies the signatures. Cost (BLS): as a certificate, plus one pairing and one hash to the curve for each
    /// further value.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedTimeoutCertificate> {
        self.0.clone().verify(&committee.0).map(VerifiedTimeoutCertificate)
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.encoded_len() }
}

crate::verified::verified! { VerifiedTimeoutCertificate, TimeoutCertificate }

/// The members of a timeout certificate that named the same value.
pub struct TimeoutGroup {
    /// The value that they named.
    pub value: u64,
    /// The members.
    pub signers: SignerSet,
}

class! {
    /// A member's vote to give up a view. It names a value, in HotStuff-like protocols the view of the highest
    /// certificate that the member knows.
    object struct TimeoutVote(pub(crate) any::TimeoutVote): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (value, signer, suite) = (self.value(), self.signer(), self.suite());
        write!(f, "TimeoutVote(kind={kind}, epoch={epoch}, view={view}, ")?;
        write!(f, "value={value}, signer={signer}, suite={suite})")
    };
    /// Creates a timeout vote from its parts. Nothing is verified.
    fields quick fn new(kind: u8, epoch: u64, view: u64, value: u64, signer: u16, signature: &Signature) -> Self {
        Self(any::TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature.0.clone()))
    }
    /// Returns the statement that a timeout vote signs: its digest is the value as eight little-endian bytes and 24
    /// zeros.
    quick fn statement_of(kind: u8, epoch: u64, view: u64, value: u64) -> Statement {
        // It is the same in every suite.
        Statement(certificate::TimeoutVote::<Ed25519>::statement_of(Kind::new(kind), epoch, view, value))
    }
    /// Signs **without recording it**, for tests. A node signs through its `Guard`.
    /// [`Error::WrongContext`](quorate::Error) for another suite, or a key that belongs to no member.
    fn sign_unguarded(
        secret: &SecretKey,
        committee: &Committee,
        kind: u8,
        view: u64,
        value: u64,
    ) -> Result<Self> {
        any::TimeoutVote::sign_unguarded(&secret.0, &committee.0, Kind::new(kind), view, value).map(Self)
    }
    /// Decodes a timeout vote of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a timeout vote of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::TimeoutVote::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the form for direct links.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a timeout vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a timeout vote of another suite.
    fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::TimeoutVote::decode_link(suite, bytes).map(Self)
    }
    /// Returns the form for direct links, with an uncompressed signature: longer, and decoded without a square root.
    fn encode_link(&self) -> Vec<u8> { self.0.encode_link() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Phase of the protocol: each phase has a kind of its own.
    getter fn kind(&self) -> u8 { self.0.kind().number() }
    /// The committee's epoch.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The abandoned view.
    getter fn view(&self) -> u64 { self.0.view() }
    /// The value that the member names.
    getter fn value(&self) -> u64 { self.0.value() }
    /// The signer that the vote names.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signature.
    getter fn signature(&self) -> Signature { Signature(self.0.as_vote().signature()) }
    /// Returns the underlying vote.
    quick fn as_vote(&self) -> Vote { Vote(self.0.as_vote()) }
    /// Verifies this vote alone. Cost: one signature verification.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::UnknownSigner`](quorate::Error) for a signer outside the committee.
    /// [`Error::BadSignature`](quorate::Error), which names the signer, if the signature is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedTimeoutVote> {
        self.0.clone().verify(&committee.0).map(VerifiedTimeoutVote)
    }
}

crate::verified::verified! { VerifiedTimeoutVote, TimeoutVote }
