use quorate::certificate::Certificate;
use quorate::machine::MemberIndex;

use super::{Effects, Replica};
use crate::block::GosigScheme;
use crate::block_sync::Certified;
use crate::finality::FinalizedBlock;
use crate::interface::{Evidence, Output};
use crate::message::{HistoryRequest, MAX_RANGE_BLOCKS, Message};

/// How often a member without memory lets a round pass before it takes part.
const MAX_ABSTENTIONS: u32 = 4;
/// About how many bytes a block takes in an answer, with its certificate.
const BLOCK_CHARGE: usize = 512;

impl<S: GosigScheme> Replica<S> {
    /// The link to a member is up.
    pub(super) fn on_connected(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        if Some(peer) == self.me || peer >= self.committees.voters.len() {
            return;
        }
        self.peers.heard(peer);
        out.send(peer, Message::Hello { committed: self.tip.height });
    }

    /// A member is in another epoch: the one who is behind learns it from how far the other is.
    pub(super) fn on_epoch_mismatch(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        let pause = self.parameters.retry;
        if self.hello_sent.get(&peer).is_none_or(|at| at.plus(pause) <= self.now) {
            self.hello_sent.insert(peer, self.now);
            self.on_connected(peer, out);
        }
    }

    /// Asks for whatever is missing and was not asked for.
    pub(super) fn ask(&mut self, out: &mut Effects<S>) {
        if self.sync.greet(self.now, &self.parameters) {
            out.broadcast(Message::Hello { committed: self.tip.height });
        }
        let highest = self.sync.last().map_or(self.tip.height, |last| last.block.height);
        if !self.succeeded
            && let Some(peer) = self.sync.ask_blocks(self.now, highest, &mut self.sampler, &self.parameters)
        {
            out.send(peer, Message::BlockRequest { from: highest + 1 });
        }
        self.ask_bodies(out);
    }

    /// Nothing is committed for long: a few others may know more.
    pub(super) fn ask_how_far(&mut self, out: &mut Effects<S>) {
        let committed = self.tip.height;
        drop(self.tell_some(&[], &Message::Hello { committed }, out));
    }

    /// Somebody asks what it has missed.
    pub(super) fn on_hello(&mut self, from: MemberIndex, committed: u64, out: &mut Effects<S>) {
        self.sync.note(from, committed);
        self.help(from, out);
    }

    /// Shows a member how far this one is, but not more often than it can use.
    pub(super) fn help(&mut self, peer: MemberIndex, out: &mut Effects<S>) {
        let pause = self.parameters.retry / 4;
        if self.welcome_sent.get(&peer).is_some_and(|at| at.plus(pause) > self.now) {
            return;
        }
        self.welcome_sent.insert(peer, self.now);
        out.send(peer, Message::Welcome { committed: self.tip.height });
    }

    /// Somebody says how far it is.
    pub(super) fn on_welcome(&mut self, from: MemberIndex, committed: u64) {
        self.sync.note(from, committed);
        let voters = self.committees.voters.clone();
        self.sync.answered(from, |set| voters.weight_of(set) >= voters.honest_weight());
        if !self.sync.is_greeting() {
            self.end_abstention();
        }
    }

    /// A member without records asked how far the others are. If they have just begun, it has lost nothing; otherwise it
    /// takes part once the height is committed at which it may have signed something, or when the others cannot go on
    /// without it for some rounds.
    pub(super) fn end_abstention(&mut self) {
        if !self.is_blank {
            return;
        }
        let voters = &self.committees.voters;
        let begun = self.tip.height > self.anchor || self.sync.is_behind(self.anchor, voters);
        if (!begun && !self.sync.is_greeting()) || self.abstained >= MAX_ABSTENTIONS {
            self.safety.take_part();
            self.is_blank = false;
        } else if self.sync.is_behind(self.tip.height, voters) && self.safety.abstains(self.tip.height + 1) {
            // It has a way to go: what it may have signed is above that.
            let highest = self.sync.supported(voters).max(self.tip.height);
            self.safety.abstain(highest.saturating_add(1));
            self.abstained = 0;
        }
    }

    /// Somebody misses blocks; the archive has them.
    pub(super) fn on_block_request(&mut self, peer: MemberIndex, from: u64, out: &mut Effects<S>) {
        let charge = MAX_RANGE_BLOCKS * BLOCK_CHARGE;
        let serves = (1..=self.delivered).contains(&from);
        if serves && self.sync.afford(self.now, peer, charge, &self.parameters) {
            out.output(Output::Serve { to: peer, request: HistoryRequest::Blocks { from } });
        }
    }

    /// Consecutive blocks with their commitment certificates. What is known of them already is skipped.
    pub(super) fn on_blocks(
        &mut self,
        from: MemberIndex,
        blocks: Vec<FinalizedBlock<S>>,
        out: &mut Effects<S>,
    ) {
        if !self.sync.answers(from) || self.succeeded {
            return;
        }
        let (mut height, mut digest, mut seed) = match self.sync.last() {
            Some(last) => (last.block.height, last.block.digest(), last.seed),
            None => (self.tip.height, self.tip.digest, self.tip.seed),
        };
        let mut new: Vec<Certified<S>> = Vec::new();
        for (block, finality) in blocks {
            if block.height <= height {
                continue;
            }
            if block.height != height + 1
                || block.parent != digest
                || !finality.certifies(&self.committees, &block)
            {
                // No fault: what is missing in between may be this member's own doing.
                self.sync.distrust(from);
                return;
            }
            match seed.next(&block.seed, &self.committees.voters) {
                Ok(next) => seed = next,
                Err(error) => {
                    out.fault(from, Evidence::Invalid { what: "proof of a seed in a block", error });
                    return;
                }
            }
            (height, digest) = (block.height, block.digest());
            new.push(Certified { block, finality, seed });
        }
        if new.is_empty() {
            self.sync.distrust(from);
            return;
        }
        let certificates: Vec<Certificate<S>> =
            new.iter().map(|certified| certified.finality.certificate().clone()).collect();
        let checked = Certificate::verify_batch_derived(&self.committees.voters, certificates);
        for (certified, checked) in new.into_iter().zip(checked) {
            if let Err(error) = checked {
                out.fault(from, Evidence::Invalid { what: "commitment certificate of a block", error });
                self.sync.distrust(from);
                return;
            }
            if !self.sync.push(certified) {
                return;
            }
        }
        self.sync.note(from, height);
    }
}
