//! The protocols that this program can run: the one table from a protocol's name and a signature scheme to an adapter.

use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate_node::NodeError;
use quorate_node::genesis::{Genesis, Parameters, ProtocolName, SchemeName};
use quorate_node::protocol::{Protocol, ProtocolVisitor};
use quorate_node_abft::Abft;
use quorate_node_gosig::Gosig;
use quorate_node_jolteon::Jolteon;

pub(crate) use quorate_node_abft::NAME as ABFT;
pub(crate) use quorate_node_gosig::NAME as GOSIG;
pub(crate) use quorate_node_jolteon::NAME as JOLTEON;

/// Names of all known protocols.
const KNOWN: [&str; 3] = [JOLTEON, GOSIG, ABFT];

/// Runs `visitor` with the protocol and the signature scheme of a genesis.
///
/// # Errors
/// [`NodeError::Genesis`] for an unknown protocol, or for a genesis that the protocol does not accept.
pub(crate) fn with_protocol<V: ProtocolVisitor>(
    genesis: &Genesis,
    visitor: V,
) -> Result<V::Output, NodeError> {
    match (genesis.protocol.as_str(), genesis.scheme) {
        (JOLTEON, SchemeName::Bls) => visit::<Jolteon<MinSig>, V>(genesis, visitor),
        (JOLTEON, SchemeName::Ed25519) => visit::<Jolteon<Ed25519>, V>(genesis, visitor),
        // The adapter refuses a genesis with another scheme than bls.
        (GOSIG, _) => visit::<Gosig<Counted<MinSig>>, V>(genesis, visitor),
        (ABFT, SchemeName::Bls) => visit::<Abft<MinSig>, V>(genesis, visitor),
        (ABFT, SchemeName::Ed25519) => visit::<Abft<Ed25519>, V>(genesis, visitor),
        (other, _) => Err(NodeError::Genesis { path: None, problem: unknown(other) }),
    }
}

/// Parses the name of a known protocol.
pub(crate) fn parse_protocol(text: &str) -> Result<ProtocolName, String> {
    if KNOWN.contains(&text) { text.parse() } else { Err(unknown(text)) }
}

/// Returns the parameters of a new chain, unless its genesis is edited.
pub(crate) fn parameters(protocol: &ProtocolName) -> Parameters {
    if *protocol == *ABFT {
        // A proposal takes all batches that wait for it, however small: a batch need not wait for more transactions.
        Parameters { batch_delay_ms: 2, ..Parameters::default() }
    } else {
        Parameters::default()
    }
}

fn visit<P: Protocol, V: ProtocolVisitor>(genesis: &Genesis, visitor: V) -> Result<V::Output, NodeError> {
    P::check_genesis(genesis)?;
    Ok(visitor.visit::<P>())
}

fn unknown(protocol: &str) -> String {
    format!("unknown protocol {protocol}; known protocols: {}", KNOWN.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Name;

    impl ProtocolVisitor for Name {
        type Output = &'static str;
        fn visit<P: Protocol>(self) -> &'static str {
            P::NAME
        }
    }

    #[test]
    fn the_genesis_selects_the_adapter() {
        let genesis = |protocol: &str| {
            let genesis = Genesis::new("test", SchemeName::Ed25519, Vec::new());
            genesis.with_protocol(protocol.parse().unwrap(), None)
        };
        assert_eq!(with_protocol(&genesis("jolteon"), Name).unwrap(), "jolteon");
        let error = with_protocol(&genesis("joltoen"), Name).unwrap_err();
        assert_eq!(error.code(), "GENESIS");
        assert!(
            error.to_string().contains("unknown protocol joltoen; known protocols: jolteon, gosig, abft")
        );
        let error = with_protocol(&genesis("gosig"), Name).unwrap_err().to_string();
        assert!(error.contains("schedule"), "{error}");
        assert_eq!(parse_protocol("gosig").unwrap(), *GOSIG);
        assert!(parse_protocol("raft").unwrap_err().contains("jolteon, gosig, abft"));
    }
}
