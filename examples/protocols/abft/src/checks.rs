//! The checks that tests can switch off, to show that the checkers of the tests notice their absence.

/// A check of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// RBC: only the broadcast's sender sends a Value.
    RbcSender,
    /// RBC: a Value carries the shard of the member that receives it.
    RbcOwnShard,
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
    /// MVBA: a proposed value satisfies the external validity.
    MvbaValidity,
    /// MVBA: a member votes for one value per promotion.
    MvbaOneValue,
    /// MVBA: a step carries the certificate of the previous step.
    MvbaStep,
    /// MVBA: a key is certified by the leader's first step.
    MvbaKey,
    /// MVBA: a key is not older than the lock.
    MvbaLock,
    /// MVBA: a member does not vote in a promotion after the skip.
    MvbaAbandon,
    /// MVBA: the certificate of a complete promotion verifies.
    MvbaDone,
    /// MVBA: a coin share is that of the member that sends it.
    MvbaCoinSender,
    /// MVBA: f + 1 coin shares elect the leader, not those of all members.
    MvbaCoinShares,
    /// MVBA: a skip certificate precedes the release of a coin share.
    MvbaSkip,
    /// MVBA: N − f members report before the next view.
    MvbaReports,
    /// MVBA: a member adopts the highest reported certificate.
    MvbaAdopt,
    /// MVBA: the certificate in a report verifies.
    MvbaReport,
    /// MVBA: the proof of a decision verifies.
    MvbaDecision,
    /// ACS: a proposed set has proofs of N − f senders.
    AcsCount,
    /// ACS: the proofs of a proposed set verify.
    AcsProof,
    /// Epoch: the label and the proof of a ciphertext are checked.
    EpochCiphertext,
    /// Epoch: decryption shares follow the agreement.
    #[cfg(test)]
    EpochOrder,
    /// Epoch: a decryption share is that of the member that sends it.
    EpochSender,
    /// Epoch: repeated transactions are removed.
    EpochDuplicates,
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
