//! The dealer of keys and presignatures.

use getrandom::SysRng;
use quorate::any::threshold::ecdsa as any;
use quorate::{Error, Result};
use zeroize::Zeroizing;

use super::{GroupKey, Plan, Presignatures};
use crate::ids::CommitteeId;
use crate::threshold::{Group, Tolerance};
use crate::{SecretBytes, exactly};

/// In a module of WebAssembly the presignatures of all parties together must fit into its memory: these are a sixth of a
/// gigabyte.
const MAX_MODULE_DEALT: u32 = 1 << 20;

class! {
    /// Generates a key and deals its presignatures. **It knows the key**: it can sign alone, and so can an attacker
    /// that compromises it. Run it offline, seal each party's file, and wipe the machine.
    object secret struct TrustedDealer(any::TrustedDealer): Debug;
    shown |self, f| write!(f, "TrustedDealer({})", self.group());
    /// Creates the dealer of a new key for a committee.
    /// [`Error::Rng`](quorate::Error) if the generator fails.
    fn new(group: &Group, committee: &CommitteeId, tolerance: &Tolerance) -> Result<Self> {
        any::TrustedDealer::new((*group).into(), committee.0, tolerance.0, &mut SysRng).map(Self)
    }
    /// Returns the dealer of a stored key of 32 bytes, to deal for further epochs. The caller keeps the bytes and
    /// overwrites them.
    /// [`Error::Malformed`](quorate::Error) for another length, or zero.
    /// [`Error::NonCanonical`](quorate::Error) for a number that is not below the group's order.
    fn from_bytes(
        group: &Group,
        committee: &CommitteeId,
        tolerance: &Tolerance,
        bytes: &[u8],
    ) -> Result<Self> {
        let secret = Zeroizing::new(exactly(bytes, "secret threshold key")?);
        any::TrustedDealer::from_bytes((*group).into(), committee.0, tolerance.0, &secret).map(Self)
    }
    /// Returns the secret key: 32 bytes.
    fn to_bytes(&self) -> SecretBytes { Zeroizing::new(self.0.to_bytes().to_vec()) }
    /// Its group.
    getter fn group(&self) -> Group { self.0.group().into() }
    /// The public key.
    getter fn key(&self) -> GroupKey { GroupKey(self.0.key()) }
    /// Deals the presignatures of one epoch: one file for each party, in the parties' order. **Never deal an epoch
    /// twice.** Cost: 0.1 ms per presignature and party. Memory: 150 bytes for each.
    /// [`Error::WrongContext`](quorate::Error) for a plan with another number of parties.
    /// [`Error::Malformed`](quorate::Error) for a plan without presignatures.
    /// [`Error::TooLarge`](quorate::Error) for more presignatures than [`Plan::MAX_COUNT`]; in WebAssembly, for more
    /// than 2²⁰ of all parties together.
    /// [`Error::Rng`](quorate::Error) if the generator fails.
    slow fn deal(&self, epoch: u64, plan: &Plan) -> Result<Vec<Presignatures>> {
        let limit = MAX_MODULE_DEALT / u32::from(self.0.key().tolerance().parties());
        let count = plan.0.count();
        if cfg!(target_family = "wasm") && count > limit && count <= Plan::MAX_COUNT {
            let what = "presignatures of an epoch in a module's memory";
            return Err(Error::TooLarge { what, limit: limit.into() });
        }
        let dealt = self.0.deal(epoch, plan.0, &mut SysRng)?;
        Ok(dealt.into_iter().map(Presignatures::from_core).collect())
    }
}
