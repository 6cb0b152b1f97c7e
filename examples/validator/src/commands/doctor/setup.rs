//! Checks that genesis, keys, shares and configuration belong together.

use quorate::ed25519::{self, Ed25519};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_node::NodeError;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Committees, Genesis};
use quorate_node::handle::Digest;
use quorate_node::keys::{NodeKeys, load_shares};
use quorate_node::protocol::{Protocol, ProtocolVisitor, presignature_directory};
use quorate_node::store::Binding;

use super::files;
use super::finding::Finding;

/// The parts of a validator that the other checks need.
pub(super) struct Setup {
    /// Identity keys of the members of the genesis.
    pub(super) identities: Vec<ed25519::PublicKey>,
    /// Weight of all members, and of a quorum of them.
    pub(super) total_weight: u128,
    pub(super) quorum_weight: u128,
    /// Index in the genesis; `None` for keys of no member.
    pub(super) me: Option<usize>,
    /// `None` if the keys cannot be used.
    pub(super) binding: Option<Binding>,
}

/// Inspects the setup with the protocol of the genesis.
pub(super) struct InspectSetup<'a> {
    pub(super) config: &'a NodeConfig,
    pub(super) genesis: &'a Genesis,
    pub(super) findings: &'a mut Vec<Finding>,
}

impl ProtocolVisitor for InspectSetup<'_> {
    /// `None` if no further check is possible.
    type Output = Option<Setup>;

    fn visit<P: Protocol>(self) -> Option<Setup> {
        let Self { config, genesis, findings } = self;
        let committees = Finding::of("genesis", genesis.committees::<P::Scheme>(), findings)?;
        findings.push(Finding::ok(
            "chain",
            format!(
                "{} {}, {} members, {}",
                genesis.chain,
                P::NAME,
                genesis.members.len(),
                Digest(committees.chain.0)
            ),
        ));
        let identities = committees.identities.keys().to_vec();
        let keys = Finding::of("keys", keys::<P>(config, &committees), findings);
        shares::<P>(config, genesis, findings);
        counter::<P>(config, findings);
        signer::<P>(config, findings);
        let voters = &committees.voters;
        let (total_weight, quorum_weight) = (voters.total_weight(), voters.quorum_weight());
        let mut setup = Setup { identities, total_weight, quorum_weight, me: None, binding: None };
        let Some((identity, voting)) = keys else { return Some(setup) };
        findings
            .push(Finding::ok("keys", format!("{}: only its owner can read it", config.node.keys.display())));
        let binding =
            Binding::new::<P::Scheme>(committees.chain.0, &voting, &identity).with(genesis.protocol.clone());
        let (identity, voting) = (identity.encode(), voting.encode());
        setup.binding = Some(binding);
        let me = genesis.members.iter().position(|member| member.keys.identity_key.0 == identity);
        findings.push(match me.and_then(|me| genesis.members.get(me)) {
            Some(member) if member.keys.voting_key.0 != voting => Finding::failed(
                "member",
                format!("{} has this identity key but another voting key", member.name),
                "use the key file and the genesis file of one chain",
            ),
            Some(member) => Finding::ok("member", format!("{}, weight {}", member.name, member.weight)),
            None if P::HAS_EPOCHS => Finding::warning(
                "member",
                "the keys belong to no member of the genesis",
                "right for a validator that joins later, with --observe; otherwise use the key file of this chain",
            ),
            None => Finding::error("member", &NodeError::NotAMember { identity: hex::encode(&identity) }),
        });
        setup.me = me;
        Some(setup)
    }
}

/// The public keys, identity and voting.
type PublicKeys<P> = (ed25519::PublicKey, <<P as Protocol>::Scheme as Scheme>::PublicKey);

fn keys<P: Protocol>(
    config: &NodeConfig,
    committees: &Committees<P::Scheme>,
) -> Result<PublicKeys<P>, NodeError> {
    let keys = NodeKeys::load(&config.node.keys, config.node.password.as_deref())?;
    let identity = Ed25519::public_key(&keys.identity()?);
    // A signer has the voting key of the member with this identity.
    let member = committees.identities.position(&identity);
    let voting = match member.and_then(|me| committees.voters.key(me)) {
        Some(key) if config.node.signer.is_some() => key.clone(),
        _ => P::Scheme::public_key(&keys.voting::<P::Scheme>()?),
    };
    Ok((identity, voting))
}

fn shares<P: Protocol>(config: &NodeConfig, genesis: &Genesis, findings: &mut Vec<Finding>) {
    match &config.node.shares {
        Some(path) if P::HAS_DEALER => {
            let loaded = Finding::of("shares", load_shares(path), findings);
            let detail = format!("{}: only its owner can read it", path.display());
            findings.extend(loaded.map(|_| Finding::ok("shares", detail)));
            if P::presigns(genesis) {
                findings.push(files::presignatures(&presignature_directory(path)));
            }
        }
        None if P::HAS_DEALER => findings.push(Finding::failed(
            "shares",
            format!("a validator of {} needs the secrets from the dealer", P::NAME),
            "set shares under [node] to the file that `quorate genesis --shares` wrote",
        )),
        _ => {}
    }
}

fn counter<P: Protocol>(config: &NodeConfig, findings: &mut Vec<Finding>) {
    let Some(counter) = &config.node.counter else { return };
    findings.push(if P::ABSTAINS {
        files::counter(counter, &config.node.data)
    } else {
        Finding::failed(
            "counter",
            format!("a validator of {} uses none", P::NAME),
            "remove counter under [node]",
        )
    });
}

fn signer<P: Protocol>(config: &NodeConfig, findings: &mut Vec<Finding>) {
    let Some(signer) = &config.node.signer else { return };
    findings.push(if P::HAS_SIGNER {
        Finding::ok(
            "signer",
            format!(
                "holds the voting key at {}; not asked, because it serves one connection",
                signer.address
            ),
        )
    } else {
        Finding::failed(
            "signer",
            format!("a validator of {} cannot use one", P::NAME),
            "remove signer under [node]",
        )
    });
}
