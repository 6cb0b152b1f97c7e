//! One member's vote to give up a view.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::{self, Kind};
use quorate::ed25519::Ed25519;

use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::keys::{SecretKey, Signature};
use crate::statement::Statement;
use crate::votes::Vote;

/// A member's vote to give up a view. It names a value, in HotStuff-like protocols the view of the highest certificate
/// that the member knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object)]
pub struct TimeoutVote(pub(crate) any::TimeoutVote);

impl TimeoutVote {
    /// Creates a timeout vote from its parts. Nothing is verified.
    #[cfg_attr(binding, quick, fields)]
    pub fn new(kind: u8, epoch: u64, view: u64, value: u64, signer: u16, signature: &Signature) -> Self {
        Self(any::TimeoutVote::new(Kind::new(kind), epoch, view, value, signer, signature.0.clone()))
    }

    calls! {
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
        fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> {
            any::TimeoutVote::decode(suite, bytes).map(Self)
        }
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
}

crate::verified::verified! { VerifiedTimeoutVote, TimeoutVote }

shown! {
    TimeoutVote: |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (value, signer, suite) = (self.value(), self.signer(), self.suite());
        write!(f, "TimeoutVote(kind={kind}, epoch={epoch}, view={view}, ")?;
        write!(f, "value={value}, signer={signer}, suite={suite})")
    };
}
