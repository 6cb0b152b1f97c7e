//! The light client: a trusted committee, and the verification of updates against it.
//!
//! It follows `initialize_light_client_store`, `validate_light_client_update` and `process_light_client_update` of
//! Ethereum's consensus specification (altair to electra, `light-client/sync-protocol.md`). Omitted, because a program
//! that verifies files once does not need them: ranking of updates, the forced update after a period without
//! finality, and the safety threshold for optimistic headers.

use quorate::bls::MinPk;
use quorate::committee::{ChainId, Committee, RawSigners, Repeats};
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use serde::Serialize;

use crate::beacon::{Bootstrap, Header, Update};
use crate::exit::Failure;
use crate::network::{ForkName, Network};
use crate::ssz::{self, BeaconBlockHeader, SyncCommittee, is_valid_branch};
use crate::text;

/// A sync committee with decoded, verified and aggregated keys. Each signature of its 27 hours is then verified
/// against the sum of all keys minus those of absent members.
#[derive(Clone)]
pub(crate) struct Members {
    root: [u8; 32],
    committee: Committee<MinPk>,
}

/// The light client's view of the chain.
pub(crate) struct LightClient<'a> {
    network: &'a Network,
    /// The current slot: later signatures are refused.
    now: u64,
    finalized: BeaconBlockHeader,
    optimistic: BeaconBlockHeader,
    current: Members,
    next: Option<Members>,
}

/// The facts that an update proves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Proven {
    pub kind: &'static str,
    pub signature_slot: u64,
    pub period: u64,
    pub participants: u128,
    pub committee_size: usize,
    /// True if two thirds of the committee signed.
    pub supermajority: bool,
    pub signing_root: Hex,
    pub attested: Block,
    pub finalized: Option<Block>,
    /// The period whose committee the update contains, if any.
    pub next_committee_of: Option<u64>,
}

/// A block with a proven header.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Block {
    pub slot: u64,
    pub root: Hex,
    pub state_root: Hex,
    /// Number and hash on the execution layer, from Capella on.
    pub execution: Option<(u64, Hex)>,
}

/// Prints as `0x…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Hex(#[serde(with = "text::bytes")] pub [u8; 32]);

impl Members {
    /// Decodes and verifies all keys. Ethereum verified their proofs of possession at the deposit.
    pub(crate) fn new(network: &Network, period: u64, ssz: &SyncCommittee) -> Result<Self, Failure> {
        check_size(network, ssz)?;
        let mut keys = Vec::with_capacity(ssz.pubkeys.len());
        for (i, key) in ssz.pubkeys.iter().enumerate() {
            let decoded = <MinPk as Scheme>::PublicKey::decode(key, &());
            keys.push((decoded.map_err(|e| refused(&e, &format!("key {i} of the committee")))?, 1));
        }
        let chain = ChainId(network.genesis_validators_root);
        let committee = Committee::from_attested(chain, period, keys, Repeats::Allow)
            .map_err(|e| refused(&e, "the committee"))?;
        Ok(Self { root: ssz.root(), committee })
    }

    pub(crate) fn committee(&self) -> &Committee<MinPk> {
        &self.committee
    }
}

impl<'a> LightClient<'a> {
    /// Creates a client from a block with a trusted root.
    pub(crate) fn from_bootstrap(
        network: &'a Network,
        now: u64,
        trusted_root: [u8; 32],
        bootstrap: &Bootstrap,
    ) -> Result<Self, Failure> {
        let header = &bootstrap.header.beacon;
        let found = ssz::root(header);
        if found != trusted_root {
            let text = format!(
                "the bootstrap is of block 0x{}, not of the trusted 0x{}; ask for the bootstrap of the block you trust",
                hex::encode(found),
                hex::encode(trusted_root)
            );
            return Err(Failure::refused("TRUSTED_ROOT", text));
        }
        check_header(network, &bootstrap.header, "header")?;
        check_size(network, &bootstrap.current_sync_committee)?;
        let place = network.places(header.slot).current_committee;
        let branch = &bootstrap.current_sync_committee_branch;
        if !is_valid_branch(&bootstrap.current_sync_committee.root(), branch, place, &header.state_root) {
            let text = "the bootstrap's committee is not the one in its block's state";
            return Err(Failure::refused("CURRENT_COMMITTEE_BRANCH", text));
        }
        let current = Members::new(network, network.period(header.slot), &bootstrap.current_sync_committee)?;
        Ok(Self { network, now, finalized: header.clone(), optimistic: header.clone(), current, next: None })
    }

    /// Creates a client from a trusted committee of a period.
    pub(crate) fn from_committee(
        network: &'a Network,
        now: u64,
        period: u64,
        committee: &SyncCommittee,
    ) -> Result<Self, Failure> {
        let slot = period.saturating_mul(network.preset.slots_per_period());
        let first = BeaconBlockHeader { slot, ..BeaconBlockHeader::default() };
        let current = Members::new(network, period, committee)?;
        Ok(Self { network, now, finalized: first.clone(), optimistic: first, current, next: None })
    }

    /// The newest finalized header.
    pub(crate) fn finalized(&self) -> &BeaconBlockHeader {
        &self.finalized
    }

    /// The newest header that a sync committee signed.
    pub(crate) fn optimistic(&self) -> &BeaconBlockHeader {
        &self.optimistic
    }

    /// Verifies an update and applies it if two thirds signed it.
    pub(crate) fn process(&mut self, update: &Update) -> Result<Proven, Failure> {
        let (proven, next) = self.validate(update)?;
        if !proven.supermajority {
            return Ok(proven);
        }
        let attested = &update.attested_header.beacon;
        if attested.slot > self.optimistic.slot {
            self.optimistic = attested.clone();
        }
        if let Some((finalized, _)) = update.finality() {
            let finalized = &finalized.beacon;
            let same_period = self.network.period(finalized.slot) == self.network.period(attested.slot);
            let brings_next = self.next.is_none() && next.is_some() && same_period;
            if finalized.slot > self.finalized.slot || brings_next {
                self.apply(finalized, next);
            }
        }
        Ok(proven)
    }

    fn apply(&mut self, finalized: &BeaconBlockHeader, next: Option<Members>) {
        let (ours, theirs) = (self.network.period(self.finalized.slot), self.network.period(finalized.slot));
        if self.next.is_none() {
            // Without the next committee, only headers of the same period were accepted.
            self.next = next;
        } else if theirs == ours + 1
            && let Some(current) = std::mem::replace(&mut self.next, next)
        {
            self.current = current;
        }
        if finalized.slot > self.finalized.slot {
            self.finalized = finalized.clone();
        }
    }

    fn validate(&self, update: &Update) -> Result<(Proven, Option<Members>), Failure> {
        let attested = &update.attested_header.beacon;
        let finalized_slot = update.finality().map_or(0, |(header, _)| header.beacon.slot);
        if !(self.now >= update.signature_slot
            && update.signature_slot > attested.slot
            && attested.slot >= finalized_slot)
        {
            let text = format!(
                "slots out of order: now {}, signature {}, attested {}, finalized {finalized_slot}; expected now >= \
                 signature > attested >= finalized; check the clock",
                self.now, update.signature_slot, attested.slot
            );
            return Err(Failure::refused("SLOTS", text));
        }
        let signers = self.signers_of(update.signature_slot)?;
        let period = self.network.period(self.finalized.slot);
        let brings_next = self.next.is_none()
            && update.next_committee().is_some()
            && self.network.period(attested.slot) == period;
        if attested.slot <= self.finalized.slot && !brings_next {
            let text = format!(
                "the attested slot {} is not newer than the finalized slot {}, and no new committee is included",
                attested.slot, self.finalized.slot
            );
            return Err(Failure::refused("IRRELEVANT", text));
        }
        check_header(self.network, &update.attested_header, "attested header")?;
        self.check_finality(update)?;
        let next = self.check_next_committee(update, period)?;
        let proven = self.check_signature(update, signers)?;
        Ok((proven, next))
    }

    /// Returns the committee that signs in a slot.
    fn signers_of(&self, slot: u64) -> Result<&Members, Failure> {
        let (ours, theirs) = (self.network.period(self.finalized.slot), self.network.period(slot));
        let known = match (theirs.checked_sub(ours), &self.next) {
            (Some(0), _) => Some(&self.current),
            (Some(1), Some(next)) => Some(next),
            _ => None,
        };
        known.ok_or_else(|| {
            let text = format!(
                "signed by the unknown committee of period {theirs}; known: period {ours}{}; verify the updates in \
                 between first, in order",
                if self.next.is_some() { " and the next one" } else { "" }
            );
            Failure::refused("UNKNOWN_COMMITTEE", text)
        })
    }

    fn check_finality(&self, update: &Update) -> Result<(), Failure> {
        let Some((finalized, branch)) = update.finality() else { return Ok(()) };
        let header = &finalized.beacon;
        // The state contains no root of the genesis block yet.
        let leaf = if header.slot == 0 && *header == BeaconBlockHeader::default() {
            [0; 32]
        } else {
            check_header(self.network, finalized, "finalized header")?;
            ssz::root(header)
        };
        let attested = &update.attested_header.beacon;
        let place = self.network.places(attested.slot).finalized_root;
        if is_valid_branch(&leaf, branch, place, &attested.state_root) {
            return Ok(());
        }
        let text = "the finalized header is not the one in the attested block's state";
        Err(Failure::refused("FINALITY_BRANCH", text))
    }

    fn check_next_committee(&self, update: &Update, period: u64) -> Result<Option<Members>, Failure> {
        let Some((committee, branch)) = update.next_committee() else { return Ok(None) };
        check_size(self.network, committee)?;
        let attested = &update.attested_header.beacon;
        let (root, attested_period) = (committee.root(), self.network.period(attested.slot));
        if let Some(known) = &self.next
            && attested_period == period
            && known.root != root
        {
            let text =
                format!("the committee of period {} differs from that of an earlier update", period + 1);
            return Err(Failure::refused("NEXT_COMMITTEE", text));
        }
        let place = self.network.places(attested.slot).next_committee;
        if !is_valid_branch(&root, branch, place, &attested.state_root) {
            let text = "the next committee is not the one in the attested block's state";
            return Err(Failure::refused("NEXT_COMMITTEE_BRANCH", text));
        }
        Members::new(self.network, attested_period + 1, committee).map(Some)
    }

    fn check_signature(&self, update: &Update, signers: &Members) -> Result<Proven, Failure> {
        let committee = signers.committee();
        let attested = &update.attested_header.beacon;
        let aggregate = &update.sync_aggregate;
        let root = self.network.signing_root(attested, update.signature_slot).ok_or_else(|| {
            let text = format!("slot {} is before the first fork of this network", update.signature_slot);
            Failure::refused("UNKNOWN_FORK", text)
        })?;
        let set = committee
            .signer_set(RawSigners::LsbFirst(&aggregate.sync_committee_bits))
            .map_err(|e| refused(&e, "participation bits"))?;
        let proof = <MinPk as Scheme>::Signature::decode(&aggregate.sync_committee_signature, &())
            .map_err(|e| refused(&e, "signature"))?;
        let participants = committee.verify_raw(&root, &set, &proof).map_err(|e| refused(&e, "signature"))?;
        let size = self.network.preset.committee_size();
        let next_of = update.next_committee().map(|_| self.network.period(attested.slot) + 1);
        Ok(Proven {
            kind: update.kind(),
            signature_slot: update.signature_slot,
            period: self.network.period(update.signature_slot),
            participants,
            committee_size: size,
            supermajority: participants * 3 >= size as u128 * 2,
            signing_root: Hex(root),
            attested: Block::from_header(&update.attested_header),
            finalized: update.finality().map(|(header, _)| Block::from_header(header)),
            next_committee_of: next_of,
        })
    }
}

impl Block {
    fn from_header(header: &Header) -> Self {
        let execution = header.execution.as_ref();
        Self {
            slot: header.beacon.slot,
            root: Hex(ssz::root(&header.beacon)),
            state_root: Hex(header.beacon.state_root),
            execution: execution.map(|execution| (execution.block_number, Hex(execution.block_hash))),
        }
    }
}

fn check_size(network: &Network, committee: &SyncCommittee) -> Result<(), Failure> {
    let (found, size) = (committee.pubkeys.len(), network.preset.committee_size());
    if found == size {
        return Ok(());
    }
    let text = format!("the committee has {found} keys; this network's have {size}");
    Err(Failure::refused("COMMITTEE_SIZE", text))
}

/// From Capella on, a header includes its execution payload header, which the body root must contain.
fn check_header(network: &Network, header: &Header, what: &str) -> Result<(), Failure> {
    let slot = header.beacon.slot;
    let wrong = |text: String| Err(Failure::refused("EXECUTION_BRANCH", format!("{what}: {text}")));
    let (execution, branch) = match (&header.execution, &header.execution_branch) {
        (Some(execution), Some(branch)) => (execution, branch),
        (None, None) if !network.has_reached(ForkName::Capella, slot) => return Ok(()),
        _ => return wrong(format!("slot {slot} needs an execution header with its branch")),
    };
    if !network.has_reached(ForkName::Capella, slot) {
        return wrong(format!("slot {slot} is before Capella and cannot prove an execution header"));
    }
    let deneb = network.has_reached(ForkName::Deneb, slot);
    if !deneb && (execution.blob_gas_used.unwrap_or(0), execution.excess_blob_gas.unwrap_or(0)) != (0, 0) {
        return wrong(format!("slot {slot} is before Deneb and has no blob gas"));
    }
    let place = network.places(slot).execution_payload;
    match execution.root(deneb) {
        Some(root) if is_valid_branch(&root, branch, place, &header.beacon.body_root) => Ok(()),
        Some(_) => wrong("the execution header is not the one in the block's body".to_owned()),
        None => wrong("extra_data has more than 32 bytes".to_owned()),
    }
}

fn refused(error: &quorate::Error, what: &str) -> Failure {
    Failure::refused(error.code(), format!("{what}: {error}"))
}
