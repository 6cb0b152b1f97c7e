use core::fmt;

use crate::certificate::{Kind, Statement};
use crate::merkle::Hash;
use crate::wire::domain;
use crate::{Error, Result};

/// Kind of the certificate of a Jolteon block, and of an ABFT block.
pub(super) const BLOCK: Kind = Kind::new(1);
/// Kind of the certificate that commits a Gosig block.
pub(super) const TENTATIVE: Kind = Kind::new(2);

/// The protocol of a chain: the encoding of its blocks, and the certificates that commit them.
///
/// | protocol | a certificate certifies | a block is committed by | members |
/// |---|---|---|---|
/// | Jolteon | a block's digest and view, not its height | descendants, the last two in consecutive views, and the certificate of the last | fixed |
/// | Gosig | a block's digest and height, in a round from the block's on | its certificate | change: see [`LightClient::hand_over`](super::LightClient::hand_over) |
/// | ABFT | a block's digest and height | its certificate | fixed |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainProtocol {
    /// Jolteon: `spec/jolteon.md`.
    Jolteon,
    /// Gosig: `spec/gosig.md`.
    Gosig,
    /// The chain of certified blocks of the asynchronous protocols: `spec/abft.md`.
    Abft,
}

impl ChainProtocol {
    /// All protocols.
    pub const ALL: [Self; 3] = [Self::Jolteon, Self::Gosig, Self::Abft];

    /// Returns the name of the protocol in genesis files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jolteon => "jolteon",
            Self::Gosig => "gosig",
            Self::Abft => "abft",
        }
    }

    /// Returns the protocol with a name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the known names.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        found.ok_or_else(|| Error::unknown_name("protocol", name, &["jolteon", "gosig", "abft"]))
    }

    /// Returns true if a statement names the block of this height, view and digest, so that a certificate of the statement
    /// certifies the block. `view` is the round in Gosig, and the height in ABFT.
    ///
    /// A certified Jolteon block is not committed yet, and its certificate does not bind the height: two certified blocks of
    /// different views may have the same height.
    pub fn certifies(self, statement: &Statement, height: u64, view: u64, digest: &Hash) -> bool {
        match self {
            Self::Jolteon => (statement.kind, statement.view, &statement.digest) == (BLOCK, view, digest),
            Self::Gosig => {
                statement.kind == TENTATIVE
                    && statement.view >= view
                    && statement.digest == ballot(height, digest)
            }
            Self::Abft => {
                (statement.kind, statement.view, &statement.digest) == (BLOCK, height, digest)
                    && view == height
            }
        }
    }
}

impl fmt::Display for ChainProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the digest that Gosig's votes for a block sign.
fn ballot(height: u64, block: &Hash) -> Hash {
    let mut hasher = domain::hasher(domain::GOSIG_VOTE);
    *hasher.update(&height.to_le_bytes()).update(block).finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_identify_the_protocol() {
        for protocol in ChainProtocol::ALL {
            assert_eq!(ChainProtocol::from_name(protocol.name()), Ok(protocol));
        }
        assert_eq!(ChainProtocol::from_name("raft").unwrap_err().code(), "WRONG_CONTEXT");
    }

    #[test]
    fn a_statement_certifies_only_what_it_names() {
        let named = |kind, view, digest| Statement { kind, epoch: 0, view, digest };
        let block = [7; 32];
        let jolteon = named(BLOCK, 5, block);
        assert!(ChainProtocol::Jolteon.certifies(&jolteon, 1, 5, &block));
        assert!(ChainProtocol::Jolteon.certifies(&jolteon, 2, 5, &block), "the height is not bound");
        assert!(!ChainProtocol::Jolteon.certifies(&jolteon, 1, 4, &block));
        assert!(!ChainProtocol::Jolteon.certifies(&jolteon, 1, 5, &[8; 32]));
        assert!(!ChainProtocol::Jolteon.certifies(&named(TENTATIVE, 5, block), 1, 5, &block));
        let gosig = named(TENTATIVE, 5, ballot(3, &block));
        assert!(ChainProtocol::Gosig.certifies(&gosig, 3, 5, &block));
        assert!(ChainProtocol::Gosig.certifies(&gosig, 3, 4, &block), "proposed again in a later round");
        assert!(!ChainProtocol::Gosig.certifies(&gosig, 3, 6, &block));
        assert!(!ChainProtocol::Gosig.certifies(&gosig, 4, 5, &block));
        assert!(!ChainProtocol::Gosig.certifies(&named(BLOCK, 5, ballot(3, &block)), 3, 5, &block));
        let abft = named(BLOCK, 3, block);
        assert!(ChainProtocol::Abft.certifies(&abft, 3, 3, &block));
        assert!(!ChainProtocol::Abft.certifies(&abft, 4, 4, &block));
        assert!(!ChainProtocol::Abft.certifies(&abft, 3, 2, &block));
    }
}
