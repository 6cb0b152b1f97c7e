//! Dissemination of the certificate, once it is known.

use alloc::vec::Vec;

use super::{Gossip, MAX_STACK};
use crate::certificate::Certificate;
use crate::committee::Verified;
use crate::gossip::aggregate::Aggregate;
use crate::gossip::peers::Peers;
use crate::machine::{MemberIndex, Time};
use crate::scheme::Additive;

/// Number of members to which the certificate is sent without a request, as a multiple of the fan-out.
const CERTIFICATE_FAN_OUT: usize = 3;

impl<S: Additive> Gossip<S> {
    /// Keeps the certificate and drops the sums, which are not sent any more.
    pub(super) fn finish(&mut self, certificate: Verified<Certificate<S>>) {
        self.known.clone_from(certificate.signers());
        self.whole = Some(Aggregate::from_certificate(&certificate).into_inner());
        self.certificate = Some(certificate);
        self.pending = CERTIFICATE_FAN_OUT * self.parameters.fan_out;
        // From now on only the certificate is sent.
        self.halves = Vec::new();
        self.stack = Vec::new();
    }

    /// Returns the next peer to send the certificate to.
    pub(super) fn next_to_complete(
        &mut self,
        now: Time,
        draw: u64,
        peers: &mut Peers,
    ) -> Option<MemberIndex> {
        if let Some(place) = self.owed.iter().rposition(|peer| peers.is_available(*peer, now)) {
            let to = self.owed.remove(place);
            self.complete.insert(to);
            return Some(to);
        }
        while self.pending > 0 {
            self.pending -= 1;
            let to = peers.pick(now, draw.wrapping_add(self.pending as u64))?;
            if !self.complete.contains(to) {
                self.complete.insert(to);
                return Some(to);
            }
        }
        None
    }

    /// Records that this peer needs the certificate.
    pub(super) fn owe(&mut self, peer: MemberIndex) {
        if self.owed.contains(&peer) {
            return;
        }
        if self.owed.len() >= MAX_STACK {
            self.owed.remove(0);
        }
        self.owed.push(peer);
    }

    /// Records that this peer has a certificate, so that none is owed to it.
    pub(super) fn mark_complete(&mut self, peer: MemberIndex) {
        self.owed.retain(|owed| *owed != peer);
        self.complete.insert(peer);
    }
}
