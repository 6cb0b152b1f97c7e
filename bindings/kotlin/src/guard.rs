//! The guard, which never signs contradicting statements.

use std::sync::{Arc, Mutex};

use quorate::any;
use quorate::certificate::Kind;
use quorate::guard::GuardRecord;
use quorate::wire::{Decode, Encode};

use crate::committees::Committee;
use crate::glue::{Result, chain_id, hash32, lock};
use crate::keys::{PublicKey, SecretKey};
use crate::statements::Statement;
use crate::timeouts::TimeoutVote;
use crate::votes::Vote;

/// Fields of a record, which crosses the boundary as its encoding.
#[derive(uniffi::Record)]
struct RecordFields {
    kind: u8,
    epoch: u64,
    view: u64,
}

#[uniffi::export]
fn guard_record_decode(bytes: Vec<u8>) -> Result<RecordFields> {
    let record = GuardRecord::decode(&bytes, &())?;
    Ok(RecordFields { kind: record.kind().number(), epoch: record.epoch(), view: record.view() })
}

#[derive(uniffi::Record)]
struct Signed {
    vote: Arc<Vote>,
    record: Vec<u8>,
}

#[derive(uniffi::Record)]
struct SignedTimeout {
    vote: Arc<TimeoutVote>,
    record: Vec<u8>,
}

/// A guard's position within a kind.
#[derive(uniffi::Record)]
struct Place {
    epoch: u64,
    view: u64,
}

#[derive(uniffi::Object)]
pub(crate) struct Guard(pub(crate) Mutex<any::Guard>);

#[uniffi::export]
impl Guard {
    #[uniffi::constructor]
    fn new(secret: &SecretKey, chain: Vec<u8>) -> Result<Self> {
        let chain = chain_id(&chain)?;
        Ok(Self(Mutex::new(any::Guard::new(secret.take()?, chain))))
    }

    #[uniffi::constructor]
    fn restore(secret: &SecretKey, chain: Vec<u8>, records: Vec<Vec<u8>>) -> Result<Self> {
        let chain = chain_id(&chain)?;
        let records = records.iter().map(|bytes| GuardRecord::decode(bytes, &()));
        let records: Vec<_> = records.collect::<quorate::Result<_>>()?;
        Ok(Self(Mutex::new(any::Guard::restore(secret.take()?, chain, records)?)))
    }

    fn sign(&self, committee: &Committee, statement: Statement) -> Result<Signed> {
        let (vote, record) = lock(&self.0).sign(&committee.0, statement.try_into()?)?;
        Ok(Signed { vote: Arc::new(Vote(vote)), record: record.encode() })
    }

    fn sign_timeout(&self, committee: &Committee, kind: u8, view: u64, value: u64) -> Result<SignedTimeout> {
        let (vote, record) = lock(&self.0).sign_timeout(&committee.0, Kind::new(kind), view, value)?;
        Ok(SignedTimeout { vote: Arc::new(TimeoutVote(vote)), record: record.encode() })
    }

    fn reserve(&self, key: Vec<u8>, epoch: u64, index: u32) -> Result<Vec<u8>> {
        let key = hash32("threshold key id", &key)?;
        Ok(lock(&self.0).reserve(&key, epoch, index)?.encode())
    }

    fn confirm(&self, reservation: Vec<u8>) -> Result<()> {
        Ok(lock(&self.0).confirm(&GuardRecord::decode(&reservation, &())?)?)
    }

    fn close_epoch(&self, key: Vec<u8>, epoch: u64) -> Result<Vec<u8>> {
        let key = hash32("threshold key id", &key)?;
        Ok(lock(&self.0).close_epoch(&key, epoch).encode())
    }

    fn suite(&self) -> u8 {
        lock(&self.0).suite().number()
    }

    fn public_key(&self) -> Arc<PublicKey> {
        Arc::new(PublicKey(lock(&self.0).public_key()))
    }

    fn chain(&self) -> Vec<u8> {
        lock(&self.0).chain().0.to_vec()
    }

    fn last(&self, kind: u8) -> Option<Place> {
        lock(&self.0).last(Kind::new(kind)).map(|(epoch, view)| Place { epoch, view })
    }

    fn records(&self) -> Vec<Vec<u8>> {
        lock(&self.0).records().iter().map(Encode::encode).collect()
    }
}
