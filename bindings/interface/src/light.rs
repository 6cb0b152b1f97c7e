//! Light clients: they follow a chain by its certificates, from its genesis over changes of its members.

use quorate::any;
use quorate::light;
use quorate::light::{ChainProtocol, Genesis};
use quorate::merkle::Hash;
use quorate::{Error, Result};

use crate::certificates::VerifiedCertificate;
use crate::committee::Committee;
use crate::ids::ChainId;
use crate::statement::Statement;
use crate::{Locked, exactly};

class! {
    /// A client that follows a chain without its blocks: it knows the committees of the epochs that it has reached, and
    /// verifies what untrusted servers report. It trusts its genesis, and that in each epoch members with less than a
    /// third of the weight are faulty, also after they have left. Threads may share it. A failed call changes nothing.
    #[cfg_attr(binding, instead = "create one of the same genesis there and repeat the changes of the epoch")]
    object struct LightClient(Locked<any::LightClient>): Debug;
    shown |self, f| {
        let client = self.0.lock();
        write!(f, "LightClient({}, chain {}, epoch {})", client.protocol(), client.chain(), client.epoch())
    };
    module const MAX_EPOCHS: u32 = 64 == light::MAX_EPOCHS,
        "Maximum number of epochs whose committees a light client keeps: the newest ones.";
    /// Creates a client that trusts the committees of one epoch. The protocol is `jolteon`, `gosig` or `abft`; `voters`
    /// are the voting keys of the members, and `identities` their Ed25519 keys.
    /// [`Error::WrongContext`](quorate::Error) for another protocol, and for identities of another suite.
    /// [`Error::BadCommittee`](quorate::Error) if the committees differ in chain, epoch, number of members or a weight.
    fn new(protocol: String, voters: &Committee, identities: &Committee) -> Result<Self> {
        let protocol = ChainProtocol::from_name(&protocol)?;
        any::LightClient::new(protocol, voters.0.clone(), identities.0.clone()).map(Locked::new).map(Self)
    }
    /// Creates a client that trusts a genesis file: its text, in the form that `quorate genesis` writes. Cost: a proof
    /// of possession per key.
    /// [`Error::Malformed`](quorate::Error) for a text that is no genesis file.
    /// [`Error::WrongContext`](quorate::Error) for an unknown protocol.
    /// [`Error::BadPossession`](quorate::Error) for a key whose possession is not proven.
    /// [`Error::BadCommittee`](quorate::Error) for members that form no committee.
    /// [`Error::RelatedKeys`](quorate::Error) for members with the same key.
    slow fn from_genesis(text: String) -> Result<Self> {
        any::LightClient::from_genesis(&Genesis::parse(&text)?).map(Locked::new).map(Self)
    }
    /// The protocol of the chain.
    getter fn protocol(&self) -> String { self.0.lock().protocol().to_string() }
    /// The chain.
    getter fn chain(&self) -> ChainId { ChainId(self.0.lock().chain()) }
    /// The newest epoch that the client has reached.
    getter computed fn epoch(&self) -> u64 { self.0.lock().epoch() }
    /// Returns the voting keys of an epoch.
    /// [`Error::WrongContext`](quorate::Error) for an epoch that the client does not know.
    fn voters(&self, epoch: u64) -> Result<Committee> { self.0.lock().voters(epoch).map(Committee) }
    /// Returns the identity keys of an epoch.
    /// [`Error::WrongContext`](quorate::Error) for an epoch that the client does not know.
    fn identities(&self, epoch: u64) -> Result<Committee> { self.0.lock().identities(epoch).map(Committee) }
    /// Continues with the next epoch and returns its number. `block` is the last block of the newest epoch, `finality`
    /// the proof that it is committed, and `payload` all its transactions, each encoded, as a validator serves them.
    /// [`Error::WrongContext`](quorate::Error) for a block of another epoch, for transactions of another block, for a
    /// block that does not change the members, for a protocol whose members do not change, and if another call has
    /// reached the epoch meanwhile.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::Malformed`](quorate::Error) if bytes are not the encoding.
    slow fn hand_over(&self, block: &[u8], finality: &[u8], payload: &[u8]) -> Result<u64> {
        let mut next = self.snapshot();
        let epoch = next.hand_over(block, finality, payload)?;
        let mut present = self.0.lock();
        if present.epoch().checked_add(1) != Some(epoch) {
            return Err(Error::WrongContext {
                what: "handover: another call has reached the epoch meanwhile",
            });
        }
        *present = next;
        Ok(epoch)
    }
    /// Returns true if a certificate of this statement certifies the block of this height, view and digest of 32 bytes.
    /// The view is the round in Gosig, and the height in ABFT. In Gosig and ABFT such a block is committed. In Jolteon
    /// it is not yet, and the statement does not bind the height.
    /// [`Error::Malformed`](quorate::Error) for a digest of another length.
    quick fn certifies(&self, statement: &Statement, height: u64, view: u64, digest: &[u8]) -> Result<bool> {
        Ok(self.0.lock().certifies(&statement.0, height, view, &exactly(digest, "digest")?))
    }
    /// Verifies an encoded certificate of any epoch that the client knows. Cost (BLS): two pairings.
    /// [`Error::WrongContext`](quorate::Error) for another epoch or suite.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a certificate.
    /// [`Error::NonCanonical`](quorate::Error) for another encoding than the canonical one.
    slow fn verify_certificate(&self, certificate: &[u8]) -> Result<VerifiedCertificate> {
        self.snapshot().verify_certificate(certificate).map(VerifiedCertificate)
    }
    /// Verifies several encoded certificates by a random linear combination per epoch and returns a verdict for each,
    /// in input order: the verified certificate, or the error of [`LightClient::verify_certificate`].
    slow fn verify_certificates(&self, certificates: &[&[u8]]) -> Vec<Result<VerifiedCertificate>> {
        let verdicts = self.snapshot().verify_certificates(certificates, &mut getrandom::SysRng);
        verdicts.into_iter().map(|verdict| verdict.map(VerifiedCertificate)).collect()
    }
    /// Verifies that a block is committed: an encoded block, and its commit proof. Cost (BLS): two pairings; in Jolteon
    /// also an Ed25519 signature for the block and for each block of its proof.
    /// [`Error::WrongContext`](quorate::Error) for another epoch, and for the proof of another block.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if a signature is not valid.
    /// [`Error::Malformed`](quorate::Error) if bytes are not the encoding.
    slow fn verify_commit(&self, block: &[u8], finality: &[u8]) -> Result<VerifiedCommit> {
        self.snapshot().verify_commit(block, finality).map(VerifiedCommit)
    }
    /// Verifies several blocks, each with its commit proof, with the certificates of an epoch in one random linear
    /// combination, and returns a verdict for each, in input order: the block, or the error of
    /// [`LightClient::verify_commit`].
    slow fn verify_commits(&self, commits: &[(&[u8], &[u8])]) -> Vec<Result<VerifiedCommit>> {
        let verdicts = self.snapshot().verify_commits(commits, &mut getrandom::SysRng);
        verdicts.into_iter().map(|verdict| verdict.map(VerifiedCommit)).collect()
    }
    /// Verifies the proof that a transaction is committed, as a validator serves it. Cost: as
    /// [`LightClient::verify_commit`], and a few hashes.
    /// [`Error::WrongContext`](quorate::Error) for another epoch, and for a part that does not match the others.
    /// [`Error::BelowQuorum`](quorate::Error) for too few signers.
    /// [`Error::BadSignature`](quorate::Error) if a signature is not valid.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a proof.
    slow fn verify_transaction(&self, proof: &[u8]) -> Result<VerifiedTransaction> {
        self.snapshot().verify_transaction(proof).map(VerifiedTransaction)
    }
}

impl LightClient {
    /// The present state: verification holds no lock.
    fn snapshot(&self) -> any::LightClient {
        self.0.lock().clone()
    }
}

class! {
    /// A committed block. Only verification creates one.
    #[cfg_attr(binding, instead = "send the block and its proof and verify them there")]
    record struct VerifiedCommit(light::VerifiedCommit): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (height, view, digest) = (self.0.height(), self.0.view(), hex::encode(self.0.digest()));
        write!(f, "VerifiedCommit(height {height}, view {view}, {digest})")
    };
    /// The epoch of the block.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The height of the block: 1 for the first block of the chain.
    getter fn height(&self) -> u64 { self.0.height() }
    /// The view of the block: the round in which it was proposed first in Gosig, the height in ABFT.
    getter fn view(&self) -> u64 { self.0.view() }
    /// The digest of the block: 32 bytes.
    getter fn digest(&self) -> Hash { *self.0.digest() }
    /// The digest of the block before it: 32 bytes.
    getter fn parent(&self) -> Hash { *self.0.parent() }
}

class! {
    /// A transaction of a committed block. Only verification creates one.
    #[cfg_attr(binding, instead = "send its proof and verify it there")]
    record struct VerifiedTransaction(light::VerifiedTransaction): Clone, Debug, PartialEq, Eq;
    shown |self, f| {
        let (id, height) = (hex::encode(self.0.id()), self.0.commit().height());
        write!(f, "VerifiedTransaction({id}, height {height})")
    };
    /// The block that commits the transaction.
    getter fn commit(&self) -> VerifiedCommit { VerifiedCommit(*self.0.commit()) }
    /// The identifier of the transaction: 32 bytes.
    getter fn id(&self) -> Hash { *self.0.id() }
    /// The bytes of the transaction.
    getter fn transaction(&self) -> Vec<u8> { self.0.transaction().to_vec() }
    /// The digest of its batch: 32 bytes.
    getter fn batch(&self) -> Hash { *self.0.batch() }
    /// Its position in the batch.
    getter fn position(&self) -> u32 { self.0.position() }
}
