use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::certificates::Certificate;
use super::committee::Committee;
use super::dispatch::lift;
use super::families::{each, methods, per, with};
use super::suite::Suite;
use crate::Result;
use crate::certificate::Statement;
use crate::committee::{ChainId, Verified};
use crate::light::{self, ChainProtocol, Committees, Genesis, VerifiedCommit, VerifiedTransaction};
use crate::merkle::Hash;

type ClientOf<S> = light::LightClient<S>;

per! { suite:
    /// A light client of a chain, see [`light::LightClient`].
    #[derive(Clone)]
    LightClient, ClientOf
}

impl LightClient {
    /// Creates a client that trusts these committees of one epoch, see [`light::LightClient::new`].
    ///
    /// # Errors
    /// As [`Committees::new`], and [`WrongContext`](crate::Error::WrongContext) for identities of another suite than
    /// Ed25519.
    pub fn new(protocol: ChainProtocol, voters: Committee, identities: Committee) -> Result<Self> {
        let identities = identities.try_into()?;
        each!(voters, Committee, S, voters => {
            Ok(ClientOf::<S>::new(protocol, Committees::new(voters, identities)?).into())
        })
    }

    /// Creates a client that trusts a genesis, see [`light::LightClient::from_genesis`].
    ///
    /// # Errors
    /// As [`light::LightClient::from_genesis`]; [`UnknownName`](crate::Error::UnknownName) if the suite of the voters is not
    /// compiled in.
    pub fn from_genesis(genesis: &Genesis) -> Result<Self> {
        with!(Suite::from_number(genesis.suite())?, S => ClientOf::<S>::from_genesis(genesis).map(Into::into))
    }

    /// Returns true if a statement names a block, see [`ChainProtocol::certifies`].
    pub fn certifies(&self, statement: &Statement, height: u64, view: u64, digest: &Hash) -> bool {
        self.protocol().certifies(statement, height, view, digest)
    }

    /// Verifies many certificates, see [`light::LightClient::verify_certificates`].
    pub fn verify_certificates<R: TryCryptoRng + ?Sized>(
        &self,
        certificates: &[&[u8]],
        rng: &mut R,
    ) -> Vec<Result<Verified<Certificate>>> {
        each!(self, LightClient, S, client => {
            client.verify_certificates(certificates, rng).into_iter().map(|verdict| verdict.map(lift)).collect()
        })
    }

    /// Verifies that many blocks are committed, see [`light::LightClient::verify_commits`].
    pub fn verify_commits<R: TryCryptoRng + ?Sized>(
        &self,
        commits: &[(&[u8], &[u8])],
        rng: &mut R,
    ) -> Vec<Result<VerifiedCommit>> {
        each!(self, LightClient, S, client => client.verify_commits(commits, rng))
    }
}

methods! { suite: self, LightClient, S, client =>
    /// Returns the protocol of the chain.
    pub fn protocol(&self) -> ChainProtocol = client.protocol();

    /// Returns the chain.
    pub fn chain(&self) -> ChainId = client.chain();

    /// Returns the newest epoch that the client has reached.
    pub fn epoch(&self) -> u64 = client.epoch();

    /// Returns the committee of voting keys of an epoch.
    ///
    /// # Errors
    /// As [`light::LightClient::committees`].
    pub fn voters(&self, epoch: u64) -> Result<Committee> =
        Ok(client.committees(epoch)?.voters().clone().into());

    /// Returns the committee of identity keys of an epoch.
    ///
    /// # Errors
    /// As [`light::LightClient::committees`].
    pub fn identities(&self, epoch: u64) -> Result<Committee> =
        Ok(client.committees(epoch)?.identities().clone().into());

    /// Continues with the next epoch, see [`light::LightClient::hand_over`].
    ///
    /// # Errors
    /// As [`light::LightClient::hand_over`].
    pub fn hand_over(&mut self, block: &[u8], finality: &[u8], payload: &[u8]) -> Result<u64> =
        client.hand_over(block, finality, payload);

    /// Verifies a certificate, see [`light::LightClient::verify_certificate`].
    ///
    /// # Errors
    /// As [`light::LightClient::verify_certificate`].
    pub fn verify_certificate(&self, certificate: &[u8]) -> Result<Verified<Certificate>> =
        client.verify_certificate(certificate).map(lift);

    /// Verifies that a block is committed, see [`light::LightClient::verify_commit`].
    ///
    /// # Errors
    /// As [`light::LightClient::verify_commit`].
    pub fn verify_commit(&self, block: &[u8], finality: &[u8]) -> Result<VerifiedCommit> =
        client.verify_commit(block, finality);

    /// Verifies the proof that a transaction is committed, see [`light::LightClient::verify_transaction`].
    ///
    /// # Errors
    /// As [`light::LightClient::verify_transaction`].
    pub fn verify_transaction(&self, proof: &[u8]) -> Result<VerifiedTransaction> =
        client.verify_transaction(proof);
}
