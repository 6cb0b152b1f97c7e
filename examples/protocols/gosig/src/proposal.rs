//! Proposals (the paper's PR messages): a block, its proposal certificate, and the proposer's ticket.

use core::fmt;
use std::sync::Arc;

use quorate::certificate::{Certificate, Vote};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::{Scheme, Vrf};
use quorate::sortition::Ticket;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::block::{Block, Committees};
use crate::kinds::{PREPARE, TENTATIVE};

/// A signed proposal of a block in a round.
///
/// | bytes | field |
/// |---|---|
/// | | block |
/// | 8 | round |
/// | 2 | proposer |
/// | | proposal certificate, an option |
/// | | ticket, without its round and member |
/// | 64 | the proposer's signature, kind [`PROPOSAL`](crate::PROPOSAL) |
///
/// The **proposal certificate** of a new block is the commitment certificate of its parent, or none if the epoch begins on
/// the parent. That of a block that is proposed again is a [`PREPARE`] certificate of the block.
#[derive(Clone, PartialEq, Eq)]
pub struct Proposal<S: Vrf> {
    /// The proposed block.
    pub block: Arc<Block<S>>,
    /// Round of the proposal.
    pub round: u64,
    /// Member that proposes the block: its author if the block is new.
    pub proposer: MemberIndex,
    /// Proposal certificate, by which members with a lock decide if they release it.
    pub certificate: Option<Certificate<S>>,
    /// The proposer's winning ticket.
    pub ticket: Ticket<S>,
    /// The proposer's signature.
    pub signature: <Ed25519 as Scheme>::Signature,
}

impl<S: Vrf> Proposal<S> {
    /// Computes the digest that the proposer signs: a hash over all fields but the signature.
    pub fn digest_of(
        block: &Block<S>,
        round: u64,
        proposer: MemberIndex,
        certificate: Option<&Certificate<S>>,
        ticket: &Ticket<S>,
    ) -> [u8; 32] {
        let mut w = Writer::new();
        encode_content(&mut w, block, round, proposer, certificate, ticket);
        domain::hash(domain::GOSIG_PROPOSAL, &w.into_bytes())
    }

    /// Computes the digest of the proposal, which differs from that of its block.
    pub fn digest(&self) -> [u8; 32] {
        Self::digest_of(&self.block, self.round, self.proposer, self.certificate.as_ref(), &self.ticket)
    }

    /// Returns the proposer's signature as a vote. Two different ones in one round are evidence.
    pub fn vote(&self, committees: &Committees<S>) -> Vote<Ed25519> {
        let statement = committees.proposal(self.round, self.digest());
        Vote::new(statement, self.proposer, self.signature.clone())
    }

    /// Returns true if the block was proposed before.
    pub fn is_repeated(&self) -> bool {
        self.certificate.as_ref().is_some_and(|c| c.statement().kind == PREPARE)
    }

    /// Returns the round of the proposal certificate (the paper's c.r): the round of a PREPARE certificate, the round +
    /// 1 of a commitment certificate, and 1 without a certificate.
    pub fn certified_round(&self) -> u64 {
        self.certificate.as_ref().map_or(1, certified_round)
    }

    /// Checks that the fields are consistent, without verifying signatures.
    fn check_shape(&self, committees: &Committees<S>) -> Result<()> {
        if self.proposer >= committees.voters.len() {
            return Err(Error::UnknownSigner { index: self.proposer.into() });
        }
        let is_new = self.block.round == self.round && self.block.author == self.proposer;
        let block = &self.block;
        let fits = match self.certificate.as_ref().map(Certificate::statement) {
            None => is_new,
            Some(s) if s.kind == TENTATIVE => {
                is_new
                    && s.digest == committees.ballot(block.height.saturating_sub(1), block.parent)
                    && s.view < self.round
            }
            Some(s) if s.kind == PREPARE => {
                let named = s.digest == committees.ballot(block.height, block.digest());
                named && block.round <= s.view && s.view < self.round
            }
            Some(_) => false,
        };
        if fits {
            Ok(())
        } else {
            Err(Error::Malformed { what: "proposal: block, round, proposer and certificate do not match" })
        }
    }
}

/// Returns the paper's c.r of a certificate.
pub(crate) fn certified_round<S: Scheme>(certificate: &Certificate<S>) -> u64 {
    let statement = certificate.statement();
    if statement.kind == TENTATIVE { statement.view.saturating_add(1) } else { statement.view }
}

fn encode_content<S: Vrf>(
    w: &mut Writer,
    block: &Block<S>,
    round: u64,
    proposer: MemberIndex,
    certificate: Option<&Certificate<S>>,
    ticket: &Ticket<S>,
) {
    block.encode_to(w);
    w.u64(round);
    w.u16(proposer);
    w.option(certificate);
    ticket.encode_detached(w);
}

impl<S: Vrf> Encode for Proposal<S> {
    fn encode_to(&self, w: &mut Writer) {
        encode_content(w, &self.block, self.round, self.proposer, self.certificate.as_ref(), &self.ticket);
        self.signature.encode_to(w);
    }
}

impl<S: Vrf> Decode<Committees<S>> for Proposal<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let block = Arc::new(Block::decode_from(r, committees)?);
        let (round, proposer) = (r.u64()?, r.u16()?);
        let proposal = Self {
            block,
            round,
            proposer,
            certificate: r.option(&*committees.voters)?,
            ticket: Ticket::decode_detached(r, round, proposer)?,
            signature: Decode::decode_from(r, &())?,
        };
        proposal.check_shape(committees)?;
        Ok(proposal)
    }
}

impl<S: Vrf> fmt::Debug for Proposal<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Proposal(round {}, by {}, c.r {}, {:?})",
            self.round,
            self.proposer,
            self.certified_round(),
            self.block
        )
    }
}
