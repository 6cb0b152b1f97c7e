//! References to batches, which blocks contain instead of the transactions.

use quorate::certificate::{Certificate, Statement};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
pub use quorate_protocol::batch::{Batch, BatchHeader, MAX_BATCH_BYTES, MAX_TRANSACTIONS, TRANSACTIONS};

use crate::ids::{AVAILABLE, BatchDigest, availability};

/// A reference to a batch in a block: the batch's header, and a certificate that a quorum stores the batch. Voters need
/// not hold the transactions, because at least a third of the committee is honest and holds them. That holds for the batches of
/// each certified block, even if the certificate here is invalid, because its voters verified it or store the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRef {
    /// Header of the stored batch.
    pub header: BatchHeader,
    /// Acknowledgements of a quorum, kind [`AVAILABLE`].
    pub certificate: Certificate<Ed25519>,
}

impl BatchRef {
    /// Returns the batch's digest, taken from the certificate. Decoding checked that it is the digest of the header.
    pub fn digest(&self) -> BatchDigest {
        BatchDigest(self.certificate.statement().digest)
    }

    /// Returns the size of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        BatchHeader::LEN + self.certificate.encoded_len() - 1 - Statement::LEN
    }

    /// Returns true if the certificate is about this header. Does not verify the signatures.
    pub fn is_consistent(&self) -> bool {
        let statement = self.certificate.statement();
        statement.kind == AVAILABLE
            && statement.view == self.header.slot.view()
            && statement.digest == self.header.digest().0
    }
}

impl Encode for BatchRef {
    fn encode_to(&self, w: &mut Writer) {
        self.header.encode_to(w);
        self.certificate.encode_detached(w);
    }
}

impl Decode<Committee<Ed25519>> for BatchRef {
    fn decode_from(r: &mut Reader<'_>, identities: &Committee<Ed25519>) -> Result<Self> {
        let header = BatchHeader::decode_from(r, &())?;
        if header.slot.author >= identities.len() {
            return Err(Error::UnknownSigner { index: header.slot.author.into() });
        }
        let statement = availability(header.slot, identities, header.digest());
        Ok(Self { header, certificate: Certificate::decode_detached(r, statement, identities)? })
    }
}
