use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::Plan;

/// The group of the presignatures.
pub type PresignatureGroup = Secp256k1;

/// Number of views of an agreement with presignatures: K of the paper's section II.A.1.
pub const PLAN_ROUNDS: u16 = Plan::ROUNDS;

/// Returns the use of an epoch's presignatures in a committee of N members: N + K(4N + 1) of them.
pub fn plan(members: u16) -> Plan {
    Plan::Agreement { parties: members, rounds: PLAN_ROUNDS }
}
