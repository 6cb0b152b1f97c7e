//! Proofs that a block is committed, verifiable with the voters alone.

use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::committee::Committee;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::block::{Block, Committees};

/// Maximum number of blocks between a block and the certificate that commits it.
pub const MAX_LINKS: usize = 1024;

/// A committed block with its proof.
pub(crate) type FinalizedBlock<S> = (Arc<Block<S>>, Arc<Finality<S>>);

/// Certified chain that commits a block.
///
/// It consists of the block's descendants up to a block in the view after its parent's, and that block's certificate.
/// Usually there is one descendant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finality<S: Scheme> {
    /// Child, grandchild and so on; never empty.
    pub links: Vec<Arc<Block<S>>>,
    /// Certificate of the last link.
    pub certificate: Certificate<S>,
}

impl<S: Scheme> Finality<S> {
    /// Verifies that `block` is committed: it is, by hash, an ancestor of a certified block whose parent is of the
    /// previous view. Cost: one certificate verification.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the links do not connect; otherwise the certificate's error.
    pub fn verify(&self, voters: &Committee<S>, block: &Block<S>) -> Result<()> {
        let mut parent = block;
        let mut consecutive = false;
        for link in &self.links {
            if link.parent != parent.digest() || link.parent_view() != parent.view {
                return Err(Error::WrongContext { what: "parent of a block in the commit proof" });
            }
            consecutive = parent.view.checked_add(1) == Some(link.view);
            parent = link;
        }
        if !consecutive {
            return Err(Error::WrongContext { what: "last view of the commit proof" });
        }
        if !parent.is_certified_by(&self.certificate) {
            return Err(Error::WrongContext { what: "certificate of the commit proof" });
        }
        self.certificate.check(voters)
    }

    /// Returns the proofs of a path's blocks, lowest first. The last block is committed by its `child` and the
    /// child's certificate.
    pub(crate) fn for_path(
        path: &[Arc<Block<S>>],
        child: &Arc<Block<S>>,
        certificate: &Certificate<S>,
    ) -> Vec<FinalizedBlock<S>> {
        let above: Vec<&Arc<Block<S>>> = path.iter().skip(1).chain([child]).collect();
        let proof = |first: usize, block: &Arc<Block<S>>| {
            let mut links = Vec::new();
            let mut parent = block;
            let mut rest = above.iter().skip(first).peekable();
            while let Some(link) = rest.next() {
                links.push((*link).clone());
                if parent.view + 1 == link.view {
                    let proven = rest.peek().and_then(|next| next.justify.clone());
                    return Self { links, certificate: proven.unwrap_or_else(|| certificate.clone()) };
                }
                parent = link;
            }
            Self { links, certificate: certificate.clone() }
        };
        path.iter().enumerate().map(|(i, block)| (block.clone(), Arc::new(proof(i, block)))).collect()
    }
}

impl<S: Scheme> Encode for Finality<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.count(self.links.len());
        for link in &self.links {
            link.encode_to(w);
        }
        self.certificate.encode_to(w);
    }
}

impl<S: Scheme> Decode<Committees<S>> for Finality<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let n = r.count("blocks of a commit proof", MAX_LINKS)?;
        let mut links = Vec::new();
        for _ in 0..n {
            links.push(Arc::new(Block::decode_from(r, committees)?));
        }
        if links.is_empty() {
            return Err(Error::Malformed { what: "commit proof without blocks" });
        }
        Ok(Self { links, certificate: Certificate::decode_from(r, &committees.voters)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certificate, chain, committees};
    use quorate::ed25519::Ed25519;
    use quorate::wire::{Decode, Encode};

    #[test]
    fn only_certified_blocks_in_consecutive_views_commit() {
        let committees = committees::<Ed25519>(4);
        let [first, second] = chain(&committees, false);
        let proof = Finality {
            links: vec![second.clone()],
            certificate: certificate(&committees, second.view, second.digest().0),
        };
        assert!(proof.verify(&committees.voters, &first).is_ok());
        assert_eq!(Finality::decode(&proof.encode(), &committees).as_ref(), Ok(&proof));
        assert!(proof.verify(&committees.voters, &second).is_err(), "the child itself");
        let other = Finality { certificate: certificate(&committees, 2, [1; 32]), ..proof.clone() };
        assert!(other.verify(&committees.voters, &first).is_err(), "a certificate of another block");
        let [_, skipped] = chain(&committees, true);
        let certificate = certificate(&committees, skipped.view, skipped.digest().0);
        let gap = Finality { links: vec![skipped], certificate };
        assert!(gap.verify(&committees.voters, &first).is_err(), "a view was skipped");
        assert!(Finality::decode(&Finality { links: Vec::new(), ..proof }.encode(), &committees).is_err());
    }
}
