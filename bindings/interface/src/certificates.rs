//! Certificates: a quorum's signatures on a statement.

use quorate::Result;
use quorate::any::{self, Suite};

use crate::committee::Committee;
use crate::ids::CommitteeId;
use crate::signers::SignerSet;
use crate::statement::{Statement, shown};

class! {
    /// A quorum's signatures on one statement. A decoded certificate is canonical, has the committee's epoch and
    /// reaches the quorum; its signatures are not verified yet. With suite `bls-min-sig` it has at most 99 + ⌈n/8⌉
    /// bytes. Two certificates of one statement may differ in their signers: compare statements, never certificates.
    object struct Certificate(pub(crate) any::Certificate): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (statement, signers) = (shown(self.0.statement()), self.0.signers());
        let (size, of, suite) = (signers.len(), signers.committee_len(), self.suite());
        write!(f, "Certificate({statement}, signers={size}/{of}, suite={suite})")
    };
    /// Decodes a certificate of that committee: checks its form, epoch and quorum, not its signatures.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a certificate.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::WrongContext`](quorate::Error) for another suite or epoch.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        any::Certificate::decode(bytes, &committee.0).map(Self)
    }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Length of the encoding in bytes.
    getter computed fn encoded_len(&self) -> usize { self.0.encoded_len() }
    /// Decodes the form without suite and statement, for use where the statement is known.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a certificate.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    /// [`Error::WrongContext`](quorate::Error) for a statement of another epoch.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    fn decode_detached(bytes: &[u8], statement: &Statement, committee: &Committee) -> Result<Self> {
        any::Certificate::decode_detached(bytes, statement.0, &committee.0).map(Self)
    }
    /// Returns the form without suite and statement: non-signers and proof.
    fn encode_detached(&self) -> Vec<u8> { self.0.encode_detached() }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// The certified statement.
    getter fn statement(&self) -> Statement { Statement(*self.0.statement()) }
    /// The signers, as a new set each time.
    getter fn signers(&self) -> SignerSet { self.0.signers().clone().into() }
    /// Returns the encoded aggregate (BLS), or the signatures in ascending order of the signers (Ed25519).
    fn proof(&self) -> Vec<u8> { self.0.proof() }
    /// Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one addition
    /// for each absent member (or each present member, if those are fewer).
    /// [`Error::WrongContext`](quorate::Error) for another committee.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify(&self, committee: &Committee) -> Result<VerifiedCertificate> {
        self.0.clone().verify(&committee.0).map(VerifiedCertificate)
    }
    /// Verifies several by a random linear combination and returns a verdict for each, in input order: the verified
    /// certificate, or the error of [`Certificate::verify`]. Sixteen with one signer set cost about a quarter of
    /// sixteen verifications.
    #[cfg(feature = "full")]
    slow fn verify_batch(
        committee: &Committee,
        certificates: &[&Certificate],
    ) -> Vec<Result<VerifiedCertificate>> {
        let all = certificates.iter().map(|certificate| certificate.0.clone()).collect();
        let verdicts = any::Certificate::verify_batch(&committee.0, all, &mut getrandom::SysRng);
        verdicts.into_iter().map(|verdict| verdict.map(VerifiedCertificate)).collect()
    }
    /// As [`Certificate::verify_batch`], with coefficients derived by hashing the whole input, so that all nodes
    /// compute the same.
    #[cfg(feature = "full")]
    slow fn verify_batch_derived(
        committee: &Committee,
        certificates: &[&Certificate],
    ) -> Vec<Result<VerifiedCertificate>> {
        let all = certificates.iter().map(|certificate| certificate.0.clone()).collect();
        let verdicts = any::Certificate::verify_batch_derived(&committee.0, all);
        verdicts.into_iter().map(|verdict| verdict.map(VerifiedCertificate)).collect()
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.encoded_len() }
}

crate::verified::verified! { VerifiedCertificate, Certificate }
