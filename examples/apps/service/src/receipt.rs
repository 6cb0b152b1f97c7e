//! A receipt: the server's signed statement that a command of a client is a certain entry of the log, and of its answer. The
//! log contains it directly after the command; the client receives it after the answer. In both it is the command of a
//! [signed command](quorate_audit::signed::SignedCommand) of the server's key, so that the audit and the proofs of the log hold
//! for it too.
//!
//! | bytes | field |
//! |---|---|
//! | 1 | `ff`; no command of an engine that signs answers begins with it |
//! | 8 | entry of the command |
//! | 32 | signer of the command |
//! | 8 | sequence number of the command |
//! | 2 | length of the command |
//! | … | the command |
//! | rest | its answer |

use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::PublicKey;
use quorate_audit::Application;
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::signed::{BadFrame, SignatureScheme, SignedCommand};
use quorate_audit::suites::{DynAuditor, auditor};

/// First byte of a receipt.
pub const RECEIPT: u8 = 0xff;

/// A receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt<'a> {
    /// Number of the command's entry in the log.
    pub entry: u64,
    /// Public key of the command's signer.
    pub signer: [u8; 32],
    /// Sequence number of the command.
    pub sequence: u64,
    /// The command.
    pub command: &'a [u8],
    /// The answer.
    pub answer: &'a [u8],
}

impl<'a> Receipt<'a> {
    /// Decodes a receipt from exactly `bytes`. Command and answer are not checked.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let short = BadFrame("a receipt is cut short");
        let rest = bytes.strip_prefix(&[RECEIPT]).ok_or(BadFrame("not a receipt"))?;
        let (entry, rest) = rest.split_first_chunk().ok_or(short)?;
        let (signer, rest) = rest.split_first_chunk().ok_or(short)?;
        let (sequence, rest) = rest.split_first_chunk().ok_or(short)?;
        let (len, rest) = rest.split_first_chunk().ok_or(short)?;
        let (command, answer) = rest.split_at_checked(u16::from_le_bytes(*len).into()).ok_or(short)?;
        let (entry, sequence) = (u64::from_le_bytes(*entry), u64::from_le_bytes(*sequence));
        Ok(Self { entry, signer: *signer, sequence, command, answer })
    }

    /// Replaces `out` by the encoding. The command must not be longer than 65,535 bytes.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(RECEIPT);
        out.extend_from_slice(&self.entry.to_le_bytes());
        out.extend_from_slice(&self.signer);
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.extend_from_slice(&u16::try_from(self.command.len()).unwrap_or(u16::MAX).to_le_bytes());
        out.extend_from_slice(self.command);
        out.extend_from_slice(self.answer);
    }
}

/// Suite of the server's signatures.
pub(crate) const SUITE: SuiteId = SuiteId::WotsHaraka256;

/// Number of batches of the server's keys that a client remembers.
const BATCHES: usize = 8;

/// Verifies the receipts of a server, each batch of its keys once.
pub(crate) struct ReceiptVerifier {
    application: &'static Application,
    store: [u8; 32],
    server: PublicKey,
    auditor: Box<dyn DynAuditor>,
}

impl ReceiptVerifier {
    pub(crate) fn new(
        application: &'static Application,
        store: [u8; 32],
        server: PublicKey,
    ) -> Result<Self, Failure> {
        let auditor = auditor(SUITE, BATCHES).or_fail(Exit::Failed, "the verifier of receipts")?;
        Ok(Self { application, store, server, auditor })
    }

    /// Checks that a signed command is this receipt, and its signature.
    pub(crate) fn verify(&mut self, body: &[u8], expected: &[u8]) -> Result<(), BadFrame> {
        let signed = SignedCommand::decode(body)?;
        if signed.command != expected {
            return Err(BadFrame("a receipt of another answer"));
        }
        if signed.scheme != SignatureScheme::Dsig {
            return Err(BadFrame("a receipt that is not signed with DSig"));
        }
        let message = signed.message(self.application, &self.store);
        let checked = self.auditor.check(&self.server, &message, signed.signature);
        checked.map(drop).map_err(|_| BadFrame("a receipt with an invalid signature"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_receipt_that_is_cut_short_is_refused() {
        let receipt = Receipt { entry: 3, signer: [7; 32], sequence: 2, command: b"abc", answer: b"" };
        let mut bytes = Vec::new();
        receipt.encode_into(&mut bytes);
        assert_eq!((bytes.len(), Receipt::decode(&bytes)), (54, Ok(receipt)));
        for cut in 0..bytes.len() {
            assert!(Receipt::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[0] = 1;
        assert!(Receipt::decode(&bytes).is_err());
    }

    proptest! {
        #[test]
        fn decoded_receipts_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 0..120), len in 0u8..60) {
            if bytes.len() > 50 {
                (bytes[0], bytes[49], bytes[50]) = (RECEIPT, len, 0);
            }
            if let Ok(receipt) = Receipt::decode(&bytes) {
                let mut again = Vec::new();
                receipt.encode_into(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
