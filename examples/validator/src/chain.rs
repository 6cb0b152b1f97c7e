//! A client's view of a chain: its genesis and the epochs since, each proved by the committees of the previous epoch.
//!
//! ```text
//! genesis ─▶ committees ─ signed ─▶ block ─ names ─▶ its transactions ─ changes ─▶ committees ─ signed ─▶ …
//! ```
//!
//! A validator serves these proofs at `/v1/epochs`. A proof contains *all* transactions of the block on which an epoch
//! begins: a validator that could omit one could omit a membership change, and so prove a false committee.

use quorate::bls::{Counted, MinSig};
use quorate::wire::{Decode, Encode};
use quorate_gosig::{Block, Committees, Finality, Payload};
use quorate_node::epochs::{self, Member};
use quorate_node::genesis::{Genesis, Hex};
use quorate_node::protocol::Protocol;

use crate::api::Api;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::GOSIG;
use crate::responses::ServedEpoch;

/// Signature scheme of votes in a protocol with membership changes.
pub(crate) type VoteScheme = Counted<MinSig>;

const INVALID_EPOCHS: &str =
    "the validator's epochs do not follow from the genesis file; the validator is faulty, ask another one";

/// A chain with its proved epochs.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub genesis: Genesis,
    /// Empty for protocols without membership changes.
    epochs: Vec<Epoch>,
}

/// A proved epoch.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub number: u64,
    /// The height of its first block.
    pub first_height: u64,
    /// The block on which it begins; `None` for the genesis.
    pub anchor: Option<epochs::Anchor>,
    pub members: Vec<Member>,
    pub committees: Committees<VoteScheme>,
}

impl Chain {
    /// Creates a chain with its genesis epoch only. Verifies the genesis keys.
    pub(crate) fn new(genesis: Genesis) -> Result<Self, Failure> {
        let mut epochs = Vec::new();
        if genesis.protocol == *GOSIG {
            let checked =
                genesis.committees::<VoteScheme>().or_fail(Exit::Setup, "cannot use the genesis file")?;
            epochs.push(Epoch {
                number: genesis.epoch,
                first_height: 1,
                anchor: None,
                members: epochs::Epoch::genesis(&genesis).members,
                committees: Committees { voters: checked.voters, identities: checked.identities },
            });
        }
        Ok(Self { genesis, epochs })
    }

    /// Creates a chain and reads all epochs that a validator knows.
    pub(crate) async fn fetch(genesis: Genesis, api: &Api) -> Result<Self, Failure> {
        let mut chain = Self::new(genesis)?;
        chain.update(api).await?;
        Ok(chain)
    }

    /// Reads and verifies the epochs after the newest known one. Returns their proofs.
    pub(crate) async fn update(&mut self, api: &Api) -> Result<Vec<ServedEpoch>, Failure> {
        let mut all = Vec::new();
        while let Some(current) = self.epochs.last() {
            let mut served = api.epochs(current.number.saturating_add(1)).await?;
            if served.is_empty() {
                break;
            }
            self.extend(&served)?;
            all.append(&mut served);
        }
        Ok(all)
    }

    /// Verifies and adds epochs that follow the newest known one. Ignores epochs that are already known.
    pub(crate) fn extend(&mut self, served: &[ServedEpoch]) -> Result<(), Failure> {
        for next in served {
            let Some(current) = self.epochs.last() else { return Ok(()) };
            if next.epoch > current.number {
                let next = current.verify_next(next)?;
                self.epochs.push(next);
            }
        }
        Ok(())
    }

    /// Returns all epochs, starting with the genesis.
    pub(crate) fn epochs(&self) -> &[Epoch] {
        &self.epochs
    }

    /// Returns the newest epoch.
    ///
    /// # Errors
    /// If the chain's protocol has no membership changes.
    pub(crate) fn current(&self) -> Result<&Epoch, Failure> {
        let fixed = || {
            let text = format!(
                "chain {} runs {}, which has no membership changes; create a new genesis file instead",
                self.genesis.chain, self.genesis.protocol
            );
            Failure::new(Exit::Setup, text)
        };
        self.epochs.last().ok_or_else(fixed)
    }

    /// Returns the context for decoding and verifying blocks of all known epochs.
    pub(crate) fn context<P: Protocol>(&self) -> Result<P::Context, Failure> {
        let doing = "cannot check proofs";
        let first = self.genesis.committees::<P::Scheme>().or_fail(Exit::Setup, doing)?;
        let context = P::context(&first);
        for epoch in self.epochs.iter().skip(1) {
            let epoch = epoch.to_node_epoch();
            P::add_epoch(&context, &epoch.committees::<P::Scheme>(first.chain).or_fail(Exit::Setup, doing)?);
        }
        Ok(context)
    }
}

impl Epoch {
    /// Returns the index of the member with this identity key.
    pub(crate) fn position(&self, identity_key: &Hex) -> Option<usize> {
        self.members.iter().position(|member| member.identity_key == *identity_key)
    }

    /// Returns the member with this name.
    pub(crate) fn find_member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Converts to the node's type.
    pub(crate) fn to_node_epoch(&self) -> epochs::Epoch {
        epochs::Epoch { number: self.number, anchor: self.anchor, members: self.members.clone() }
    }

    /// Verifies that an epoch follows this one, and returns it.
    fn verify_next(&self, served: &ServedEpoch) -> Result<Self, Failure> {
        let wrong = || Failure::new(Exit::BadProof, INVALID_EPOCHS);
        let (Some(block), Some(finality), Some(payload)) = (&served.block, &served.finality, &served.payload)
        else {
            return Err(wrong());
        };
        let block = Block::<VoteScheme>::decode(&block.0, &self.committees)
            .or_fail(Exit::BadProof, INVALID_EPOCHS)?;
        let finality =
            Finality::decode(&finality.0, &self.committees).or_fail(Exit::BadProof, INVALID_EPOCHS)?;
        finality.verify(&self.committees, &block).or_fail(Exit::BadProof, INVALID_EPOCHS)?;
        let payload = Payload::decode(&payload.0, &()).or_fail(Exit::BadProof, INVALID_EPOCHS)?;
        if *payload.summary() != block.payload || block.height < self.first_height {
            return Err(wrong());
        }
        let (committees, contacts) =
            quorate_gosig::next_committees(&self.committees, &payload).ok_or_else(wrong)?;
        if committees.voters.epoch() != served.epoch {
            return Err(wrong());
        }
        let (voters, identities) = (&committees.voters, &committees.identities);
        let keys = identities.keys().iter().zip(voters.keys()).zip(0u16..);
        let members: Vec<(Hex, Hex, u128)> = keys
            .map(|((identity, voting), member)| {
                (Hex(identity.encode()), Hex(voting.encode()), voters.weight(member).unwrap_or_default())
            })
            .collect();
        let contacts: Vec<(Hex, Vec<u8>)> =
            contacts.into_iter().map(|(identity, contact)| (Hex(identity.encode()), contact)).collect();
        let members = self.to_node_epoch().next_members(&members, &contacts);
        let anchor = quorate_node_gosig::anchor_at(&block).or_fail(Exit::BadProof, INVALID_EPOCHS)?;
        let first_height = block.height.saturating_add(1);
        Ok(Self { number: served.epoch, first_height, anchor: Some(anchor), members, committees })
    }
}
