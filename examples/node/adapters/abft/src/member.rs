use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::Tolerance;
use quorate_node::protocol::PresignatureFiles;

/// A member whose keys are put together.
pub struct Member<'a> {
    /// The committee for which keys are dealt.
    pub committee: CommitteeId,
    /// Numbers of members and of tolerated faulty members.
    pub tolerance: Tolerance,
    /// The members' identity keys.
    pub identities: &'a [<Ed25519 as Scheme>::PublicKey],
    /// The member.
    pub index: MemberIndex,
    /// Its identity key.
    pub identity: &'a <Ed25519 as Scheme>::SecretKey,
    /// The chain.
    pub chain: ChainId,
    /// The member's presignatures.
    pub presignatures: Option<PresignatureFiles<'a>>,
}
