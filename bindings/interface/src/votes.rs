//! Votes: each member's signature on a statement.

use quorate::Result;
use quorate::any::{self, Suite};

use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::keys::{SecretKey, Signature};
use crate::statement::{Statement, shown};

class! {
    /// One member's signature on a statement. A decoded vote is not verified yet.
    object struct Vote(pub(crate) any::Vote): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (statement, signer, suite) = (shown(self.0.statement()), self.signer(), self.suite());
        write!(f, "Vote({statement}, signer={signer}, suite={suite})")
    };
    /// Creates a vote from its parts. Nothing is verified.
    quick fn new(statement: &Statement, signer: u16, signature: &Signature) -> Self {
        Self(any::Vote::new(statement.0, signer, signature.0.clone()))
    }
    /// Signs **without recording it**, for statements that a member may contradict, and for tests. Use a `Guard` to
    /// sign anything that a protocol acts on.
    /// [`Error::WrongContext`](quorate::Error) for another epoch or suite, or a key that belongs to no member.
    fn sign_unguarded(secret: &SecretKey, committee: &Committee, statement: &Statement) -> Result<Self> {
        any::Vote::sign_unguarded(&secret.0, &committee.0, statement.0).map(Self)
    }
    /// Decodes a vote of that suite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn decode(suite: Suite, bytes: &[u8]) -> Result<Self> { any::Vote::decode(suite, bytes).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Decodes the form for direct links.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a vote.
    /// [`Error::NonCanonical`](quorate::Error) for a signature in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for a signature that is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
    fn decode_link(suite: Suite, bytes: &[u8]) -> Result<Self> {
        any::Vote::decode_link(suite, bytes).map(Self)
    }
    /// Returns the form for direct links, with an uncompressed signature: longer, and decoded without a square root.
    fn encode_link(&self) -> Vec<u8> { self.0.encode_link() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The signed statement.
    getter fn statement(&self) -> Statement { Statement(*self.0.statement()) }
    /// The signer that the vote names.
    getter fn signer(&self) -> u16 { self.0.signer() }
    /// The signature.
    getter fn signature(&self) -> Signature { Signature(self.0.signature()) }
    /// Verifies this vote alone. Cost: one signature verification; a collector verifies many votes at far lower cost.
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::UnknownSigner`](quorate::Error) for a signer outside the committee.
    /// [`Error::BadSignature`](quorate::Error), which names the signer, if the signature is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedVote> {
        self.0.clone().verify(&committee.0).map(VerifiedVote)
    }
}

crate::verified::verified! { VerifiedVote, Vote }
