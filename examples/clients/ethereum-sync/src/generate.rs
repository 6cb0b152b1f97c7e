//! Generates a chain's light-client data from a seed: committees of 512 with their secrets, states that contain
//! them, and signed updates. Equal seeds give equal files, byte for byte.

use std::fs;
use std::path::Path;

use libssz_merkle::{Sha2Hasher, hash_nodes};
use quorate::bls::{self, MinPk};
use quorate::scheme::Scheme;
use quorate::wire::{Encode, domain};
use serde::Serialize;
use serde_json::json;

use crate::beacon::{Bootstrap, Header, SyncAggregate, Update};
use crate::exit::Failure;
use crate::network::{ForkName, Network};
use crate::ssz::{self, BeaconBlockHeader, ExecutionPayloadHeader, SyncCommittee};

/// Options of the generator.
#[derive(Debug, clap::Args)]
pub(crate) struct Generate {
    /// The folder for the files; it is made.
    #[arg(long, value_name = "DIR")]
    out: std::path::PathBuf,
    /// Another number makes another chain.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The fork in which the updates are signed: states and headers differ between them.
    #[arg(long, default_value = "electra")]
    fork: ForkName,
    /// Number of the 512 members that do not sign. Above 170, fewer than two thirds sign.
    #[arg(long, default_value_t = 12, value_name = "N")]
    absent: u16,
}

/// The secrets of a committee. Members are drawn with replacement, as in Ethereum, so some occur twice.
pub(crate) struct Secrets {
    validators: Vec<<MinPk as Scheme>::SecretKey>,
    places: Vec<usize>,
}

impl Generate {
    pub(crate) fn run(&self) -> Result<Vec<String>, Failure> {
        let mut network = Network::mainnet()?;
        network.name = format!("generated from seed {}", self.seed);
        network.genesis_validators_root = Random(self.seed).bytes("genesis", 0);
        let chain = Chain { network, random: Random(self.seed), absent: self.absent };
        let size = chain.network.preset.committee_size();
        if usize::from(self.absent) >= size {
            return Err(Failure::input(format!(
                "--absent {}: at least one of {size} must sign",
                self.absent
            )));
        }
        let epoch = chain.network.forks.iter().find(|fork| fork.name == self.fork).map(|fork| fork.epoch);
        let epoch = epoch.ok_or_else(|| Failure::input("the network has no such fork"))?;
        let files = chain.files(epoch)?;
        let problem = |e: std::io::Error| Failure::failed(format!("{}: {e}", self.out.display()));
        fs::create_dir_all(&self.out).map_err(problem)?;
        for (name, text) in &files {
            fs::write(self.out.join(name), text).map_err(problem)?;
        }
        let path = |name: &str| shown(&self.out.join(name));
        Ok(vec![
            format!("wrote {} files to {}", files.len(), shown(&self.out)),
            format!(
                "try: ethereum-sync verify --network {} --bootstrap {} --trusted-root @{} {} {} {}",
                path("network.json"),
                path("bootstrap.json"),
                path("trusted-root.txt"),
                path("update.json"),
                path("finality_update.json"),
                path("optimistic_update.json"),
            ),
        ])
    }
}

struct Chain {
    network: Network,
    random: Random,
    absent: u16,
}

/// A state in which only the parts relevant to light clients are real.
struct State {
    leaves: Vec<[u8; 32]>,
    checkpoint: [[u8; 32]; 2],
}

impl Chain {
    fn files(&self, fork_epoch: u64) -> Result<Vec<(&'static str, String)>, Failure> {
        let per_epoch = self.network.preset.slots_per_epoch();
        // The first complete period of the fork, so that all blocks belong to one fork.
        let period = fork_epoch / self.network.preset.epochs_per_period() + 1;
        let start = period * self.network.preset.slots_per_period();
        let [first, second, third] = [0, 1, 2].map(|i| Secrets::new(&self.random, period + i));
        let (first, second, third) = (first?, second?, third?);
        let (committee, next, after) = (first.ssz()?, second.ssz()?, third.ssz()?);

        let trusted = self.header(start + 2 * per_epoch, &self.state(start, &committee, &next, [0; 32]));
        let bootstrap = Bootstrap {
            current_sync_committee_branch: self
                .state(start, &committee, &next, [0; 32])
                .branch(self.network.places(start).current_committee),
            current_sync_committee: committee.clone(),
            header: trusted.clone(),
        };
        let update = self.update(start + 1000, &first, (&committee, &next), true)?;
        let later = start + self.network.preset.slots_per_period();
        let mut finality = self.update(later + 500, &second, (&next, &after), false)?;
        let mut optimistic = self.update(later + 700, &second, (&next, &after), false)?;
        (finality.next_sync_committee, finality.next_sync_committee_branch) = (None, None);
        (optimistic.finalized_header, optimistic.finality_branch) = (None, None);
        let root = format!("0x{}\n", hex::encode(ssz::root(&trusted.beacon)));
        let fork = self.network.fork(start).map(|fork| fork.name);
        let answer = |value: serde_json::Value| text(&json!({ "version": fork, "data": value }));
        Ok(vec![
            ("network.json", text(&self.network)?),
            ("trusted-root.txt", root),
            ("bootstrap.json", answer(json!(bootstrap))?),
            ("update.json", answer(json!(update))?),
            ("finality_update.json", answer(json!(finality))?),
            ("optimistic_update.json", answer(json!(optimistic))?),
            ("committee.json", text(&committee)?),
        ])
    }

    /// Returns an update with an attested block of `slot`, signed by `signers` in the next slot.
    fn update(
        &self,
        slot: u64,
        signers: &Secrets,
        (current, next): (&SyncCommittee, &SyncCommittee),
        with_next: bool,
    ) -> Result<Update, Failure> {
        let places = self.network.places(slot);
        let per_epoch = self.network.preset.slots_per_epoch();
        let finalized_slot = slot / per_epoch * per_epoch - 3 * per_epoch;
        let finalized = self.header(finalized_slot, &self.state(finalized_slot, current, next, [1; 32]));
        let state = self.state(slot, current, next, ssz::root(&finalized.beacon));
        let attested_header = self.header(slot, &state);
        let root = self.network.signing_root(&attested_header.beacon, slot + 1);
        let root = root.ok_or_else(|| Failure::failed("the fork has no version"))?;
        let absent = self.random.choose(slot, signers.places.len(), self.absent);
        Ok(Update {
            next_sync_committee_branch: with_next.then(|| state.branch(places.next_committee)),
            next_sync_committee: with_next.then(|| next.clone()),
            finality_branch: Some(state.branch(places.finalized_root)),
            finalized_header: Some(finalized),
            sync_aggregate: signers.sign(&root, &absent)?,
            signature_slot: slot + 1,
            attested_header,
        })
    }

    fn state(&self, slot: u64, current: &SyncCommittee, next: &SyncCommittee, finalized: [u8; 32]) -> State {
        let places = self.network.places(slot);
        let width = 1u64 << places.current_committee.ilog2();
        let checkpoint = [self.random.bytes("checkpoint epoch", slot), finalized];
        let leaf = |i: u64| {
            if i + width == places.current_committee {
                current.root()
            } else if i + width == places.next_committee {
                next.root()
            } else if i + width == places.finalized_root / 2 {
                hash_nodes(&Sha2Hasher, &checkpoint[0], &checkpoint[1])
            } else {
                self.random.bytes("state", slot << 8 | i)
            }
        };
        State { leaves: (0..width).map(leaf).collect(), checkpoint }
    }

    /// Returns a block header; from Capella on with an execution payload header.
    fn header(&self, slot: u64, state: &State) -> Header {
        let bytes = |what: &str| self.random.bytes(what, slot);
        let (mut body_root, mut execution, mut execution_branch) = (bytes("body"), None, None);
        if self.network.has_reached(ForkName::Capella, slot) {
            let deneb = self.network.has_reached(ForkName::Deneb, slot);
            let payload = self.payload(slot, deneb);
            let place = self.network.places(slot).execution_payload;
            let width = 1u64 << place.ilog2();
            let leaf = |i| match payload.root(deneb) {
                Some(root) if i + width == place => root,
                _ => self.random.bytes("body", slot << 8 | i),
            };
            let leaves: Vec<_> = (0..width).map(leaf).collect();
            body_root = merkle_root(&leaves);
            execution_branch = Some(merkle_branch(&leaves, place - width));
            execution = Some(payload);
        }
        let beacon = BeaconBlockHeader {
            slot,
            proposer_index: slot * 7919 % 1_000_000,
            parent_root: bytes("parent"),
            state_root: merkle_root(&state.leaves),
            body_root,
        };
        Header { beacon, execution, execution_branch }
    }

    fn payload(&self, slot: u64, deneb: bool) -> ExecutionPayloadHeader {
        let bytes = |what: &str| self.random.bytes(what, slot);
        let mut logs_bloom = [0; 256];
        for (i, chunk) in (0u64..).zip(logs_bloom.chunks_mut(32)) {
            chunk.copy_from_slice(&self.random.bytes("logs", slot << 8 | i));
        }
        let mut fee_recipient = [0; 20];
        fee_recipient.copy_from_slice(bytes("fee recipient").get(..20).unwrap_or_default());
        let mut base_fee_per_gas = [0; 32];
        base_fee_per_gas[..5].copy_from_slice(&[1, 2, 3, 4, 5]);
        ExecutionPayloadHeader {
            parent_hash: bytes("parent hash"),
            fee_recipient,
            state_root: bytes("execution state"),
            receipts_root: bytes("receipts"),
            logs_bloom,
            prev_randao: bytes("randao"),
            block_number: slot,
            gas_limit: 36_000_000,
            gas_used: slot % 36_000_000,
            timestamp: self.network.genesis_time + 12 * slot,
            extra_data: b"quorate".to_vec(),
            base_fee_per_gas,
            block_hash: bytes("block hash"),
            transactions_root: bytes("transactions"),
            withdrawals_root: bytes("withdrawals"),
            blob_gas_used: deneb.then_some(131_072),
            excess_blob_gas: deneb.then_some(slot % 1_000_000),
        }
    }
}

impl State {
    /// Returns the branch of a leaf, or of the root in the finalized checkpoint, which is one level deeper.
    fn branch(&self, place: u64) -> Vec<[u8; 32]> {
        let width = self.leaves.len() as u64;
        if place < 2 * width {
            merkle_branch(&self.leaves, place - width)
        } else {
            let mut branch = vec![self.checkpoint[0]];
            branch.extend(merkle_branch(&self.leaves, place / 2 - width));
            branch
        }
    }
}

impl Secrets {
    pub(crate) fn new(random: &Random, period: u64) -> Result<Self, Failure> {
        let size = 512u64;
        let validator = |i| {
            let mut secret = random.bytes("secret", period << 16 | i);
            secret[0] &= 0x3f; // below the group's order
            MinPk::secret_from_bytes(&secret).map_err(|e| Failure::failed(e.to_string()))
        };
        // The last eight seats go to members that already have one.
        let distinct = size - 8;
        let validators = (0..distinct).map(validator).collect::<Result<Vec<_>, _>>()?;
        let places = (0..size).map(|i| (i % distinct) as usize).collect();
        Ok(Self { validators, places })
    }

    /// The secret of each seat of the committee.
    pub(crate) fn members(&self) -> impl Iterator<Item = &<MinPk as Scheme>::SecretKey> {
        self.places.iter().filter_map(|place| self.validators.get(*place))
    }

    pub(crate) fn ssz(&self) -> Result<SyncCommittee, Failure> {
        let encode = |key: &<MinPk as Scheme>::PublicKey| {
            <[u8; 48]>::try_from(key.encode()).map_err(|_| Failure::failed("a key of another size"))
        };
        let keys: Vec<_> = self.members().map(MinPk::public_key).collect();
        let pubkeys = keys.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        // The sum of the keys is the public key of the sum of the secrets.
        let sum = self.members().fold([0; 32], |sum, secret| add(&sum, &MinPk::secret_to_bytes(secret)));
        let sum = MinPk::secret_from_bytes(&sum).map_err(|e| Failure::failed(e.to_string()))?;
        Ok(SyncCommittee { pubkeys, aggregate_pubkey: encode(&MinPk::public_key(&sum))? })
    }

    pub(crate) fn sign(&self, message: &[u8; 32], absent: &[usize]) -> Result<SyncAggregate, Failure> {
        let signed: Vec<_> = self.validators.iter().map(|secret| MinPk::sign(secret, message)).collect();
        let mut bits = vec![0u8; self.places.len().div_ceil(8)];
        let mut present = Vec::new();
        for (i, place) in self.places.iter().enumerate().filter(|(i, _)| !absent.contains(i)) {
            if let (Some(byte), Some(signature)) = (bits.get_mut(i / 8), signed.get(*place)) {
                *byte |= 1 << (i % 8);
                present.push(signature.clone());
            }
        }
        let sum = bls::aggregate(&present).map_err(|e| Failure::failed(e.to_string()))?;
        let sync_committee_signature =
            sum.encode().try_into().map_err(|_| Failure::failed("a signature of another size"))?;
        Ok(SyncAggregate { sync_committee_bits: bits, sync_committee_signature })
    }
}

/// Pseudo-random bytes derived from the seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bytes(&self, what: &str, number: u64) -> [u8; 32] {
        let text = format!("{} {what} {number}", self.0);
        domain::hash("quorate example ethereum-sync: generated chain", text.as_bytes())
    }

    /// Returns `n` distinct numbers below `size`.
    pub(crate) fn choose(&self, salt: u64, size: usize, n: u16) -> Vec<usize> {
        let mut all: Vec<usize> = (0..size).collect();
        all.sort_by_key(|i| self.bytes("absent", salt << 16 | *i as u64));
        all.truncate(usize::from(n));
        all
    }
}

/// The order of the group, big endian.
const ORDER: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53,
    0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
];

/// Adds two scalars modulo the order. Both are below it, and twice the order fits 256 bits.
fn add(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    let (mut sum, mut carry) = (*a, 0u16);
    for (byte, other) in sum.iter_mut().zip(b).rev() {
        let part = u16::from(*byte) + u16::from(*other) + carry;
        (*byte, carry) = (part as u8, part >> 8);
    }
    if sum >= ORDER {
        let mut borrow = 0i16;
        for (byte, other) in sum.iter_mut().zip(ORDER).rev() {
            let part = i16::from(*byte) - i16::from(other) - borrow;
            (*byte, borrow) = (part as u8, i16::from(part < 0));
        }
    }
    sum
}

fn merkle_root(leaves: &[[u8; 32]]) -> [u8; 32] {
    let mut level = leaves.to_vec();
    while level.len() > 1 {
        level = parents(&level);
    }
    level.first().copied().unwrap_or_default()
}

fn merkle_branch(leaves: &[[u8; 32]], index: u64) -> Vec<[u8; 32]> {
    let (mut level, mut index, mut branch) = (leaves.to_vec(), index as usize, Vec::new());
    while level.len() > 1 {
        branch.extend(level.get(index ^ 1));
        (level, index) = (parents(&level), index / 2);
    }
    branch
}

fn parents(level: &[[u8; 32]]) -> Vec<[u8; 32]> {
    let pair = |pair: &[[u8; 32]]| match pair {
        [left, right] => hash_nodes(&Sha2Hasher, left, right),
        _ => [0; 32],
    };
    level.chunks(2).map(pair).collect()
}

fn text(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::failed(e.to_string()))?;
    Ok(text + "\n")
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
