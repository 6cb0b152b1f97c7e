//! Seeds, lotteries and tickets.

use core::num::NonZeroU16;

use quorate::committee::{ChainId, Verified};
use quorate::wire::Encode;
use quorate::{any, sortition};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow, array, decode, suite};
use crate::keys::{SecretKey, Signature};

#[wasm_bindgen]
pub struct Seed(sortition::Seed);

#[wasm_bindgen]
impl Seed {
    pub fn genesis(chain: &[u8], bytes: &[u8]) -> JsResult<Self> {
        let chain = ChainId(array(chain, "chain identifier")?);
        Ok(Self(sortition::Seed::genesis(chain, bytes)))
    }

    pub fn decode(bytes: &[u8]) -> JsResult<Self> {
        decode(bytes).map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn height(&self) -> u64 {
        self.0.height()
    }

    pub fn value(&self) -> Vec<u8> {
        self.0.value().to_vec()
    }

    pub fn next(&self, proof: &SeedProof, committee: &Committee) -> JsResult<Self> {
        proof.0.next_seed(&self.0, &committee.0).or_throw().map(Self)
    }
}

#[wasm_bindgen]
pub struct SeedProof(any::SeedProof);

#[wasm_bindgen]
impl SeedProof {
    pub fn new(signer: u16, signature: &Signature) -> JsResult<Self> {
        any::SeedProof::new(signer, signature.0.clone()).or_throw().map(Self)
    }

    pub fn sign(secret: &SecretKey, committee: &Committee, seed: &Seed) -> JsResult<Self> {
        any::SeedProof::sign(&secret.0, &committee.0, &seed.0).or_throw().map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::SeedProof::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn decode_detached(name: &str, bytes: &[u8], signer: u16) -> JsResult<Self> {
        any::SeedProof::decode_detached(suite(name)?, bytes, signer).or_throw().map(Self)
    }

    pub fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn signer(&self) -> u16 {
        self.0.signer()
    }

    pub fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }
}

#[wasm_bindgen]
pub struct Lottery(any::Lottery);

#[wasm_bindgen]
impl Lottery {
    pub fn new(committee: &Committee, seed: &Seed, round: u64, expected: u16) -> JsResult<Self> {
        // `sortition.ts` rejects 0.
        let expected = NonZeroU16::new(expected).unwrap_or(sortition::EXPECTED_WINNERS);
        any::Lottery::new(&committee.0, seed.0, round, expected).or_throw().map(Self)
    }

    pub fn draw(&self, secret: &SecretKey) -> JsResult<Option<VerifiedTicket>> {
        Ok(self.0.draw(&secret.0).or_throw()?.map(VerifiedTicket))
    }

    pub fn seed(&self) -> Seed {
        Seed(self.0.seed())
    }

    pub fn round(&self) -> u64 {
        self.0.round()
    }

    pub fn expected(&self) -> u16 {
        self.0.expected().get()
    }
}

#[wasm_bindgen]
pub struct Ticket(any::Ticket);

#[wasm_bindgen]
impl Ticket {
    pub fn new(round: u64, member: u16, signature: &Signature) -> JsResult<Self> {
        any::Ticket::new(round, member, signature.0.clone()).or_throw().map(Self)
    }

    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::Ticket::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn decode_detached(name: &str, bytes: &[u8], round: u64, member: u16) -> JsResult<Self> {
        any::Ticket::decode_detached(suite(name)?, bytes, round, member).or_throw().map(Self)
    }

    pub fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn round(&self) -> u64 {
        self.0.round()
    }

    pub fn member(&self) -> u16 {
        self.0.member()
    }

    pub fn signature(&self) -> Signature {
        Signature(self.0.signature())
    }

    pub fn verify(&self, lottery: &Lottery) -> JsResult<VerifiedTicket> {
        self.0.clone().verify(&lottery.0).or_throw().map(VerifiedTicket)
    }
}

#[wasm_bindgen]
pub struct VerifiedTicket(Verified<any::Ticket>);

#[wasm_bindgen]
impl VerifiedTicket {
    pub fn value(&self) -> Ticket {
        Ticket((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    pub fn score(&self) -> Vec<u8> {
        self.0.score().as_bytes().to_vec()
    }
}
