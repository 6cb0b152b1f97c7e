//! Keys that never sign contradicting statements.

use quorate::any;
use quorate::certificate::Kind;
use quorate::guard::GuardRecord as Record;
use quorate::wire::Encode;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow, array, decode};
use crate::keys::{PublicKey, SecretKey};
use crate::statement::Statement;
use crate::timeouts::TimeoutVote;
use crate::votes::Vote;

#[wasm_bindgen]
pub struct Guard(pub(crate) any::Guard);

#[wasm_bindgen]
impl Guard {
    pub fn new(secret: SecretKey, chain: &[u8]) -> JsResult<Self> {
        decode(chain).map(|chain| Self(any::Guard::new(secret.0, chain)))
    }

    pub fn restore(secret: SecretKey, chain: &[u8], records: GuardRecords) -> JsResult<Self> {
        any::Guard::restore(secret.0, decode(chain)?, records.0).or_throw().map(Self)
    }

    pub fn sign(&mut self, committee: &Committee, statement: &Statement) -> JsResult<SignedVote> {
        let (vote, record) = self.0.sign(&committee.0, statement.0).or_throw()?;
        Ok(SignedVote { vote, record })
    }

    pub fn sign_timeout(
        &mut self,
        committee: &Committee,
        kind: u8,
        view: u64,
        value: u64,
    ) -> JsResult<SignedTimeout> {
        let (vote, record) = self.0.sign_timeout(&committee.0, Kind::new(kind), view, value).or_throw()?;
        Ok(SignedTimeout { vote, record })
    }

    pub fn reserve(&mut self, key: &[u8], epoch: u64, index: u32) -> JsResult<GuardRecord> {
        let key = array(key, "name of a threshold key")?;
        self.0.reserve(&key, epoch, index).or_throw().map(GuardRecord)
    }

    pub fn confirm(&mut self, reservation: &GuardRecord) -> JsResult<()> {
        self.0.confirm(&reservation.0).or_throw()
    }

    pub fn close_epoch(&mut self, key: &[u8], epoch: u64) -> JsResult<GuardRecord> {
        let key = array(key, "name of a threshold key")?;
        Ok(GuardRecord(self.0.close_epoch(&key, epoch)))
    }

    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.public_key())
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn chain(&self) -> Vec<u8> {
        self.0.chain().0.to_vec()
    }

    /// Epoch and view, or nothing.
    pub fn last(&self, kind: u8) -> Vec<u64> {
        self.0.last(Kind::new(kind)).map(|(epoch, view)| vec![epoch, view]).unwrap_or_default()
    }

    pub fn records(&self) -> Vec<GuardRecord> {
        self.0.records().into_iter().map(GuardRecord).collect()
    }
}

/// A vote and the record that must be durable before it leaves.
#[wasm_bindgen]
pub struct SignedVote {
    vote: any::Vote,
    record: Record,
}

#[wasm_bindgen]
impl SignedVote {
    pub fn record(&self) -> GuardRecord {
        GuardRecord(self.record)
    }

    pub fn vote(self) -> Vote {
        Vote(self.vote)
    }
}

/// A timeout vote and the record that must be durable before it leaves.
#[wasm_bindgen]
pub struct SignedTimeout {
    vote: any::TimeoutVote,
    record: Record,
}

#[wasm_bindgen]
impl SignedTimeout {
    pub fn record(&self) -> GuardRecord {
        GuardRecord(self.record)
    }

    pub fn vote(self) -> TimeoutVote {
        TimeoutVote(self.vote)
    }
}

#[wasm_bindgen]
pub struct GuardRecord(pub(crate) Record);

#[wasm_bindgen]
impl GuardRecord {
    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn kind(&self) -> u8 {
        self.0.kind().number()
    }

    pub fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    pub fn view(&self) -> u64 {
        self.0.view()
    }
}

/// Records from which a guard is restored.
#[wasm_bindgen]
#[derive(Default)]
pub struct GuardRecords(Vec<Record>);

#[wasm_bindgen]
impl GuardRecords {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn add(&mut self, record: &GuardRecord) {
        self.0.push(record.0);
    }
}
