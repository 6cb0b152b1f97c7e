//! A quorum's certificate that it gave up a view.

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate;

use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::signers::SignerSet;

/// Maximum number of different values in a timeout certificate.
#[cfg_attr(binding, within = "TimeoutCertificate")]
pub const MAX_TIMEOUT_GROUPS: u32 = 1_024;

const _: () = assert!(MAX_TIMEOUT_GROUPS as usize == certificate::MAX_TIMEOUT_GROUPS);

/// A quorum's certificate that it gave up a view. The members are grouped by the values that they named, and one
/// aggregate covers the statements of all groups. A decoded certificate is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(binding, object)]
pub struct TimeoutCertificate(any::TimeoutCertificate);

impl TimeoutCertificate {
    calls! {
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
    }

    /// The values, ascending, each with the members that named it.
    #[cfg_attr(binding, getter)]
    pub fn groups(&self) -> Vec<TimeoutGroup> {
        let group = |(value, signers): &(u64, _)| TimeoutGroup {
            value: *value,
            signers: quorate::committee::SignerSet::clone(signers).into(),
        };
        self.0.groups().iter().map(group).collect()
    }

    calls! {
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
}

crate::verified::verified! { VerifiedTimeoutCertificate, TimeoutCertificate }

/// The members of a timeout certificate that named the same value.
#[derive(Debug, PartialEq)]
#[cfg_attr(binding, data)]
pub struct TimeoutGroup {
    /// The value that they named.
    pub value: u64,
    /// The members.
    pub signers: SignerSet,
}

shown! {
    TimeoutCertificate: |self, f| {
        let (kind, epoch, view) = (self.kind(), self.epoch(), self.view());
        let (highest, signers, suite) = (self.highest_value(), self.0.signers(), self.suite());
        let (size, of) = (signers.len(), signers.committee_len());
        write!(f, "TimeoutCertificate(kind={kind}, epoch={epoch}, view={view}, highest_value={highest}, ")?;
        write!(f, "signers={size}/{of}, suite={suite})")
    };
}
