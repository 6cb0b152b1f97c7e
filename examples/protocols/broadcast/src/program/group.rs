//! Groups: the group file, which is a node's genesis file, and one key file per member.

use std::path::Path;
use std::sync::Arc;

use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Encode, Writer, domain};
use quorate_broadcast::GroupParameters;
use quorate_node::NodeError;
use quorate_node::genesis::{Genesis, Member, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_support::ports;

/// A group with its parameters.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) genesis: Genesis,
    pub(crate) chain: ChainId,
    pub(crate) committee: Arc<Committee<Ed25519>>,
    pub(crate) group_parameters: GroupParameters,
}

impl Group {
    /// Creates the group of a file and its parameters.
    pub(crate) fn new(genesis: Genesis, group_parameters: GroupParameters) -> Result<Self, NodeError> {
        let mut w = Writer::new();
        w.raw(&genesis.chain_id().0);
        group_parameters.encode_to(&mut w);
        let chain = ChainId(domain::hash(domain::BROADCAST_GROUP, &w.into_bytes()));
        // Verifies the proofs of possession.
        let identities = genesis.committees::<Ed25519>()?.identities;
        let weights = genesis.members.iter().map(|member| member.weight);
        let members = identities.keys().iter().cloned().zip(weights).collect();
        let committee = Committee::from_attested(chain, genesis.epoch, members, Repeats::Refuse)?;
        Ok(Self { genesis, chain, committee: Arc::new(committee), group_parameters })
    }

    /// Returns the index of the member with this key.
    pub(crate) fn position(&self, key: &ed25519::SecretKey) -> Result<MemberIndex, NodeError> {
        let public = Ed25519::public_key(key);
        let identity = || hex::encode(public.encode());
        self.committee.position(&public).ok_or_else(|| NodeError::NotAMember { identity: identity() })
    }

    /// Returns names and addresses by member index.
    pub(crate) fn addresses(&self) -> Vec<(String, String)> {
        self.genesis.members.iter().map(|member| (member.name.clone(), member.address.clone())).collect()
    }

    /// Returns the name of a member.
    pub(crate) fn name(&self, member: MemberIndex) -> &str {
        self.genesis.members.get(usize::from(member)).map_or("?", |member| &member.name)
    }
}

/// Generates keys and a group for members at these addresses.
pub(crate) fn make(addresses: Vec<String>) -> Result<(Genesis, Vec<NodeKeys>), NodeError> {
    let keys: Vec<NodeKeys> =
        addresses.iter().map(|_| NodeKeys::generate(SchemeName::Ed25519)).collect::<Result<_, _>>()?;
    let members =
        (0..).zip(addresses).zip(&keys).map(|((i, address), keys): ((usize, String), &NodeKeys)| {
            Ok(Member { name: format!("node{i}"), address, weight: 1, keys: keys.public()? })
        });
    let members = members.collect::<Result<_, NodeError>>()?;
    Ok((Genesis::new("broadcast", SchemeName::Ed25519, members), keys))
}

/// Returns free addresses on this machine, with different ports.
pub(crate) fn free_addresses(count: u16) -> Result<Vec<String>, NodeError> {
    let first = ports::free_block(ports::RANGE, count);
    let first =
        first.map_err(|source| NodeError::Io { during: "looking for free ports", path: None, source })?;
    Ok((first..first + count).map(|port| format!("127.0.0.1:{port}")).collect())
}

/// Loads a group file.
pub(crate) fn load(path: &Path) -> Result<Genesis, NodeError> {
    Genesis::load(path)
}
