//! One attempt to sign one message with one presignature.

use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::{Fault, MemberIndex};
use quorate::threshold::combiner::{Instance, Outcome};
use quorate::threshold::ecdsa::{Opening, SignatureShare, Signing};
use quorate::threshold::{Combiner, Secp256k1, Unagreed, lagrange};

use super::peer::PeerReply;
use super::status::PartyStatus;
use crate::evidence::verify_attestation;
use crate::group::Group;
use crate::protocol::Reply;

type Message = Signing<Secp256k1, Unagreed>;
pub(super) type Cache = lagrange::Cache<<Message as Instance>::Scalar>;

/// Shares of one message, and the status of each party.
pub(super) struct Attempt {
    pub(super) combiner: Combiner<Message>,
    pub(super) parties: Vec<PartyStatus>,
    pub(super) check_all: bool,
    shares: BTreeMap<MemberIndex, SignatureShare<Secp256k1>>,
    openings: BTreeMap<MemberIndex, Opening<Secp256k1>>,
    /// Parties with an unanswered request.
    outstanding: BTreeSet<MemberIndex>,
    /// Parties whose opening was requested and has not arrived.
    awaited_openings: BTreeSet<MemberIndex>,
}

impl Attempt {
    pub(super) fn new(signing: Message, parties: Vec<PartyStatus>, check_all: bool) -> Self {
        Self {
            combiner: Combiner::new(signing),
            parties,
            check_all,
            shares: BTreeMap::new(),
            openings: BTreeMap::new(),
            outstanding: BTreeSet::new(),
            awaited_openings: BTreeSet::new(),
        }
    }

    /// Records that a request was sent to a party.
    pub(super) fn mark_asked(&mut self, party: MemberIndex) {
        self.outstanding.insert(party);
    }

    /// Records that a party cannot be asked.
    pub(super) fn mark_unreachable(&mut self, party: MemberIndex, why: &str) {
        self.set_status(party, PartyStatus::Unreachable(why.to_owned()));
    }

    /// Records that a party is excluded.
    pub(super) fn mark_misbehaved(&mut self, party: MemberIndex, what: &str) {
        self.set_status(party, PartyStatus::Misbehaved(what.to_owned()));
    }

    /// Returns true if no reply needs to be awaited.
    pub(super) fn is_done(&self) -> bool {
        let signed = self.combiner.signature().is_some();
        self.outstanding.is_empty() || signed && !self.check_all && self.awaited_openings.is_empty()
    }

    /// Returns true if the replies still to come cannot change the outcome, only the status of their parties.
    pub(super) fn is_decided(&self) -> bool {
        if self.combiner.signature().is_some() {
            return !self.check_all;
        }
        let to_come = self.outstanding.iter().filter(|party| !self.shares.contains_key(party)).count();
        self.received_shares() + to_come < self.needed()
    }

    /// Returns the parties to ask again: those that could not be asked, if their shares could make a signature.
    pub(super) fn missing(&self) -> Vec<MemberIndex> {
        let is_missing = |party: &MemberIndex| {
            matches!(
                self.parties.get(usize::from(*party)),
                Some(PartyStatus::Unreachable(_) | PartyStatus::Pending)
            )
        };
        let missing: Vec<_> = (0..self.parties.len() as MemberIndex).filter(is_missing).collect();
        let enough = self.received_shares() + missing.len() >= self.needed();
        if enough && self.combiner.signature().is_none() { missing } else { Vec::new() }
    }

    /// Handles a reply and returns the parties whose openings are to be requested.
    pub(super) fn handle_reply(
        &mut self,
        group: &Group,
        cache: &mut Cache,
        reply: PeerReply,
    ) -> Vec<MemberIndex> {
        let PeerReply { party, reply, .. } = reply;
        self.outstanding.remove(&party);
        self.awaited_openings.remove(&party);
        let asked = match reply {
            Ok(Reply::Share(share)) => self.handle_share(group, cache, party, share),
            Ok(Reply::Opening(opening)) => self.handle_opening(cache, party, *opening),
            // A later refusal does not withdraw a share.
            Ok(Reply::Refused(refusal)) if !self.shares.contains_key(&party) => {
                self.set_status(party, PartyStatus::Refused(refusal));
                Ok(Vec::new())
            }
            Ok(Reply::Refused(refusal)) => Err(format!("it did not open its share: {}", refusal.reason)),
            Ok(Reply::Status { .. }) => Err("it sent a reply that was not requested".into()),
            Err(why) if self.shares.contains_key(&party) => Err(format!("it did not open its share: {why}")),
            Err(why) => {
                self.set_status(party, PartyStatus::Unreachable(why));
                Ok(Vec::new())
            }
        };
        let asked = asked.unwrap_or_else(|misbehaviour| {
            self.set_status(party, PartyStatus::Misbehaved(misbehaviour));
            Vec::new()
        });
        self.awaited_openings.extend(&asked);
        asked
    }

    fn handle_share(
        &mut self,
        group: &Group,
        cache: &mut Cache,
        party: MemberIndex,
        share: SignatureShare<Secp256k1>,
    ) -> Result<Vec<MemberIndex>, String> {
        // A share without a valid attestation could not become evidence. Cost: one Ed25519 verification.
        verify_attestation(group, party, &share.attested_bytes(), share.attestation())
            .map_err(|e| format!("the attestation of its share is invalid: {e}"))?;
        let outcome = self.combiner.add(cache, party, share.clone()).map_err(|e| e.to_string())?;
        self.shares.insert(party, share);
        self.set_status(party, PartyStatus::Unchecked);
        let mut asked = self.handle_outcome(cache, outcome)?;
        if self.check_all && !asked.contains(&party) {
            asked.push(party);
        }
        Ok(asked)
    }

    fn handle_opening(
        &mut self,
        cache: &mut Cache,
        party: MemberIndex,
        opening: Opening<Secp256k1>,
    ) -> Result<Vec<MemberIndex>, String> {
        let share = self.shares.get(&party).ok_or("it sent a reply that was not requested")?;
        let instance = self.combiner.instance();
        // The combiner checks only the shares that it suspects. With `check_all` every share is checked here.
        let valid = instance
            .check(share, Some(&opening))
            .map_err(|e| format!("its opening does not match the deal: {e}"))?;
        let status = match valid {
            Some(false) => PartyStatus::Invalid(Box::new(instance.evidence(share, Some(&opening)))),
            _ => PartyStatus::Valid,
        };
        let outcome = self.combiner.open(cache, party, &opening).map_err(|e| e.to_string())?;
        self.openings.insert(party, opening);
        self.set_status(party, status);
        self.handle_outcome(cache, outcome)
    }

    /// Records culprits, passes the openings that have already arrived to the combiner, and returns the parties whose
    /// openings are still needed.
    fn handle_outcome(
        &mut self,
        cache: &mut Cache,
        outcome: Outcome<Message>,
    ) -> Result<Vec<MemberIndex>, String> {
        let (mut outcomes, mut asked) = (vec![outcome], Vec::new());
        while let Some(outcome) = outcomes.pop() {
            for Fault { culprit, evidence } in outcome.faults {
                self.set_status(culprit, PartyStatus::Invalid(Box::new(evidence)));
            }
            for party in outcome.wanted {
                match self.openings.get(&party) {
                    Some(opening) => {
                        outcomes.push(self.combiner.open(cache, party, opening).map_err(|e| e.to_string())?);
                    }
                    None if self.awaited_openings.contains(&party) => {}
                    None => asked.push(party),
                }
            }
        }
        Ok(asked)
    }

    fn received_shares(&self) -> usize {
        self.parties.iter().filter(|status| status.has_share()).count()
    }

    fn needed(&self) -> usize {
        usize::from(self.combiner.instance().threshold().needed())
    }

    fn set_status(&mut self, party: MemberIndex, status: PartyStatus) {
        if let Some(known) = self.parties.get_mut(usize::from(party)) {
            *known = status;
        }
    }
}
