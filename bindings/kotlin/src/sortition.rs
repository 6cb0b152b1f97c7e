//! Seeds, lotteries and tickets.

use std::num::NonZeroU16;
use std::sync::Arc;

use quorate::committee::Verified;
use quorate::wire::{Decode, Encode};
use quorate::{any, sortition};

use crate::committees::Committee;
use crate::glue::{Result, chain_id, hash32};
use crate::keys::{SecretKey, Signature, suite};

/// Small enough to be passed by value.
#[derive(uniffi::Record)]
struct Seed {
    height: u64,
    value: Vec<u8>,
}

impl From<sortition::Seed> for Seed {
    fn from(seed: sortition::Seed) -> Self {
        Self { height: seed.height(), value: seed.value().to_vec() }
    }
}

impl TryFrom<Seed> for sortition::Seed {
    type Error = crate::glue::NativeFailure;

    /// Kotlin's seeds all come from this module, so the error never occurs.
    fn try_from(seed: Seed) -> Result<Self> {
        let bytes = [&seed.height.to_le_bytes()[..], &hash32("seed", &seed.value)?].concat();
        Ok(sortition::Seed::decode(&bytes, &())?)
    }
}

#[uniffi::export]
fn seed_genesis(chain: Vec<u8>, bytes: Vec<u8>) -> Result<Seed> {
    Ok(sortition::Seed::genesis(chain_id(&chain)?, &bytes).into())
}

#[uniffi::export]
fn seed_decode(bytes: Vec<u8>) -> Result<Seed> {
    Ok(sortition::Seed::decode(&bytes, &())?.into())
}

#[uniffi::export]
fn seed_encode(seed: Seed) -> Result<Vec<u8>> {
    Ok(sortition::Seed::try_from(seed)?.encode())
}

#[uniffi::export]
fn seed_next(seed: Seed, proof: &SeedProof, committee: &Committee) -> Result<Seed> {
    Ok(proof.0.next_seed(&seed.try_into()?, &committee.0)?.into())
}

#[derive(uniffi::Object)]
struct SeedProof(any::SeedProof);

#[uniffi::export]
impl SeedProof {
    #[uniffi::constructor]
    fn new(signer: u16, signature: &Signature) -> Result<Self> {
        Ok(Self(any::SeedProof::new(signer, signature.0.clone())?))
    }

    #[uniffi::constructor]
    fn sign(secret: &SecretKey, committee: &Committee, seed: Seed) -> Result<Self> {
        let seed = seed.try_into()?;
        Ok(Self(secret.with(|key| any::SeedProof::sign(key, &committee.0, &seed))??))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::SeedProof::decode(self::suite(suite)?, &bytes)?))
    }

    #[uniffi::constructor]
    fn decode_detached(suite: u8, bytes: Vec<u8>, signer: u16) -> Result<Self> {
        Ok(Self(any::SeedProof::decode_detached(self::suite(suite)?, &bytes, signer)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn signer(&self) -> u16 {
        self.0.signer()
    }

    fn signature(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.signature()))
    }
}

#[derive(uniffi::Object)]
struct Lottery(any::Lottery);

#[uniffi::export]
impl Lottery {
    #[uniffi::constructor]
    fn new(committee: &Committee, seed: Seed, round: u64, expected: u16) -> Result<Self> {
        // Kotlin rejects 0.
        let expected = NonZeroU16::new(expected).unwrap_or(sortition::EXPECTED_WINNERS);
        Ok(Self(any::Lottery::new(&committee.0, seed.try_into()?, round, expected)?))
    }

    fn draw(&self, secret: &SecretKey) -> Result<Option<Arc<VerifiedTicket>>> {
        let drawn = secret.with(|key| self.0.draw(key))??;
        Ok(drawn.map(|ticket| Arc::new(VerifiedTicket(ticket))))
    }

    fn committee(&self) -> Arc<Committee> {
        Arc::new(Committee(self.0.committee()))
    }

    fn seed(&self) -> Seed {
        self.0.seed().into()
    }

    fn round(&self) -> u64 {
        self.0.round()
    }

    fn expected(&self) -> u16 {
        self.0.expected().get()
    }
}

#[derive(uniffi::Object)]
struct Ticket(any::Ticket);

#[uniffi::export]
impl Ticket {
    #[uniffi::constructor]
    fn new(round: u64, member: u16, signature: &Signature) -> Result<Self> {
        Ok(Self(any::Ticket::new(round, member, signature.0.clone())?))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Ticket::decode(self::suite(suite)?, &bytes)?))
    }

    #[uniffi::constructor]
    fn decode_detached(suite: u8, bytes: Vec<u8>, round: u64, member: u16) -> Result<Self> {
        Ok(Self(any::Ticket::decode_detached(self::suite(suite)?, &bytes, round, member)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn round(&self) -> u64 {
        self.0.round()
    }

    fn member(&self) -> u16 {
        self.0.member()
    }

    fn signature(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.signature()))
    }

    fn verify(&self, lottery: &Lottery) -> Result<Arc<VerifiedTicket>> {
        Ok(Arc::new(VerifiedTicket(self.0.clone().verify(&lottery.0)?)))
    }
}

#[derive(uniffi::Object)]
struct VerifiedTicket(Verified<any::Ticket>);

#[uniffi::export]
impl VerifiedTicket {
    fn value(&self) -> Arc<Ticket> {
        Arc::new(Ticket((*self.0).clone()))
    }

    fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }

    fn score(&self) -> Vec<u8> {
        self.0.score().as_bytes().to_vec()
    }
}

#[uniffi::export]
fn expected_winners() -> u16 {
    sortition::EXPECTED_WINNERS.get()
}
