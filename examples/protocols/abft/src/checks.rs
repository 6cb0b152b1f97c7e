//! The checks that tests can switch off, to show that the checkers of the tests notice their absence.

/// A check of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// RBC: only the broadcast's sender sends a Value.
    RbcSender,
    /// RBC: an Echo carries the shard of the member that sends it.
    RbcShardIndex,
    /// RBC: N − f Echoes precede the first Ready.
    RbcEchoQuorum,
    /// RBC: 2f + 1 Readies precede the delivery.
    RbcReadyQuorum,
    /// RBC: one Ready counts per member.
    RbcOneReady,
    /// PRBC: a member signs after it delivered.
    PrbcDelivered,
}

/// The checks of a machine: all of them, except in a test that omits one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checks {
    #[cfg(test)]
    omitted: Option<Check>,
}

impl Checks {
    #[cfg(test)]
    pub(crate) fn without(check: Check) -> Self {
        Self { omitted: Some(check) }
    }

    /// Returns true if the check is made.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests omit checks"))]
    pub(crate) fn has(self, check: Check) -> bool {
        #[cfg(test)]
        return self.omitted != Some(check);
        #[cfg(not(test))]
        return matches!(check, _);
    }
}
