//! Spreading of transactions, headers and segments, and requests for missing ones.

use std::rc::Rc;

use quorate::Result;
use quorate::machine::MemberIndex;
use rand::RngExt;

use super::super::network::{Class, Node};
use super::super::stage::FRAME;
use super::block::Id;
use super::message::{COPIES, Message};
use super::node::Body;
use super::world::{Event, World, time};
use super::{GATHER, TRANSACTION};
use crate::queue::{Nanos, SECOND};

/// Bytes of a transaction in a body.
const NAME: u64 = 6;
/// Bytes added to a transaction in a segment or an answer: its length and place.
const BESIDE: u64 = 8;
/// Bytes of a header without the signers of its certificate: digests, proofs, signatures.
const HEADER: u64 = 700;
/// Bytes of a segment without its entries.
const SEGMENT: u64 = 150;
/// Maximum bytes of transactions in a segment and in an answer.
const SEGMENT_LIMIT: u64 = 2 << 20;
const ANSWER: u64 = 1 << 20;
/// Maximum number of transactions in one request.
const REQUEST: u64 = 1 << 14;
/// Interval between requests for a header that votes name.
const RETRY: Nanos = SECOND / 2;
/// Cost of verifying a header (ticket, seed, certificate), in verifications of an aggregate.
const CHECKS: usize = 3;

impl World<'_> {
    /// Receives a bundle; returns true if a block or a proposal waited for it.
    pub(super) fn receive_bundle(&mut self, me: Node, from: Node, bundle: u32) -> bool {
        let Some(member) = self.member(me) else { return false };
        if !member.pool.insert(bundle) {
            return false;
        }
        let waited = member.found(bundle) || member.ticket.is_some();
        if self.case.rules.asynchronous {
            self.forward(me, &[from], self.case.copies, &Message::Bundle(bundle));
        }
        waited
    }

    /// Number of segments of a body with this number of bundles.
    fn cut(&self, bundles: usize) -> usize {
        let bytes = bundles as u64 * self.case.bundle * (TRANSACTION + BESIDE);
        let large = if self.case.rules.asynchronous || !self.case.rules.limited {
            0
        } else {
            bytes.div_ceil(SEGMENT_LIMIT) as usize
        };
        self.case.rules.segments.max(large).clamp(1, 64)
    }

    /// The bits of all segments of a block with this number of bundles.
    pub(super) fn all_segments(&self, bundles: usize) -> u64 {
        u64::MAX >> (64 - self.cut(bundles))
    }

    pub(super) fn segments(&self, id: Id) -> usize {
        self.cut(self.block(id).map_or(0, |block| block.bundles.len()))
    }

    /// The bundles that a segment names.
    fn named(&self, id: Id, segment: usize) -> &[u32] {
        let Some(block) = self.block(id) else { return &[] };
        let each = block.bundles.len().div_ceil(self.segments(id)).max(1);
        let begin = (segment * each).min(block.bundles.len());
        block.bundles.get(begin..(begin + each).min(block.bundles.len())).unwrap_or_default()
    }

    /// Receives a header from its proposer or a forwarding node.
    pub(super) fn header(&mut self, me: Node, from: Node, id: Id) {
        let Some(block) = self.block(id) else { return };
        let (height, parent, round, proposer) = (block.height, block.parent, block.round, block.proposer);
        let next = self.height(me) + 1;
        let before = self.block(parent).map_or(0, |block| block.round);
        let Some(member) = self.member(me) else { return };
        if height < next || round < member.clock || round > member.clock + 1 {
            return;
        }
        if height > next {
            if !member.early.iter().any(|(known, _)| *known == id) {
                member.early.push((id, from));
                member.pending_checks += 1;
            }
            let known = member.rounds.get(&before).is_some_and(|round| round.headers.contains(&parent));
            if !known && height == next + 1 {
                self.send_message(me, from, Message::HeaderRequest(parent));
            }
            self.certify(me, parent);
            return;
        }
        if member.rounds.entry(round).or_default().headers.contains(&id) {
            return;
        }
        member.pending_checks += CHECKS;
        let best = self.store_header(me, id);
        if best {
            self.forward(me, &[from, proposer], COPIES, &Message::Header(id));
        }
        if best || self.member(me).is_some_and(|member| member.prepared == Some(id)) {
            self.expect_body(me, id, Some(from));
        }
    }

    /// Starts to collect the body of a block.
    pub(super) fn expect_body(&mut self, me: Node, id: Id, from: Option<Node>) {
        let asks = self.queue.now() + self.case.retry;
        if let Some(member) = self.member(me) {
            member.bodies.entry(id).or_insert(Body { asks, hint: from, ..Body::default() });
        }
    }

    /// Receives a segment; ignores those of blocks that cannot be prepared.
    fn segment(&mut self, me: Node, from: Node, id: Id, segment: usize) {
        let (bit, now) = (1 << segment, self.queue.now());
        let Some((proposer, len)) = self.block(id).map(|block| (block.proposer, block.bundles.len())) else {
            return;
        };
        let (all, bundles) = (self.all_segments(len), self.named(id, segment).to_vec());
        let asynchronous = self.case.rules.asynchronous;
        let Some(member) = self.member(me) else { return };
        if member.bodies.get(&id).is_none_or(|body| body.segments & bit != 0) {
            return;
        }
        if !asynchronous {
            for bundle in &bundles {
                member.fetched.insert(*bundle);
            }
        }
        let missing: Vec<u32> = bundles.into_iter().filter(|bundle| !member.has(*bundle)).collect();
        let Some(body) = member.bodies.get_mut(&id) else { return };
        body.segments |= bit;
        body.missing.extend(missing);
        (body.hint, body.asks) = (Some(from), now + GATHER);
        if body.segments == all {
            self.step(1, id);
        }
        self.forward(me, &[from, proposer], COPIES, &Message::Segment(id, segment));
        self.queue.put(now + GATHER, Event::Check(me));
    }

    /// Requests the missing segments and transactions of a block from one member.
    pub(super) fn request_body(&mut self, me: Node, id: Id) {
        let (now, retry) = (self.queue.now(), self.case.retry);
        let most = (REQUEST / self.case.bundle).max(1) as usize;
        let all = self.all_segments(self.block(id).map_or(0, |block| block.bundles.len()));
        let Some(member) = self.member(me) else { return };
        let certified = member.certified == Some(id);
        let Some(body) = member.bodies.get_mut(&id) else { return };
        body.asks = now + retry * (1 << (body.tries / 4).min(4));
        body.tries += 1;
        let (hint, lacks) = (body.hint.take(), all & !body.segments);
        let missing: Rc<[u32]> = body.missing.iter().take(most).copied().collect();
        // Members that committed a block are known, and have its transactions.
        let to = match hint {
            Some(hint) => hint,
            None if certified => self.holder(id).unwrap_or_else(|| self.random_other(me, &[])),
            None => self.random_other(me, &[]),
        };
        if lacks != 0 {
            self.send_message(me, to, Message::SegmentRequest(id, lacks));
        }
        if !missing.is_empty() {
            self.send_message(me, to, Message::BundleRequest(id, missing));
        }
    }

    /// The missing transactions that a node has, up to the size of an answer.
    fn send_bundles(&mut self, me: Node, to: Node, id: Id, wanted: &[u32]) {
        let most = (ANSWER / ((TRANSACTION + BESIDE) * self.case.bundle)).max(1) as usize;
        let height = self.block(id).map_or(0, |block| block.height);
        let committed = height <= self.height(me);
        let Some(member) = self.member(me) else { return };
        if !committed && !member.bodies.contains_key(&id) {
            return;
        }
        let found: Rc<[u32]> =
            wanted.iter().copied().filter(|bundle| member.has(*bundle)).take(most).collect();
        if !found.is_empty() {
            self.send_message(me, to, Message::BundleAnswer(id, found));
        }
    }

    /// Receives requested transactions. After a full answer the same member is asked for more.
    fn receive_bundles(&mut self, me: Node, from: Node, id: Id, bundles: &[u32]) {
        let now = self.queue.now();
        let full = bundles.len() as u64 * self.case.bundle * TRANSACTION > ANSWER / 2;
        let Some(member) = self.member(me) else { return };
        let mut new = false;
        for bundle in bundles {
            if !member.pool.has(*bundle) {
                new |= member.fetched.insert(*bundle);
            }
            member.found(*bundle);
        }
        if let Some(body) = member.bodies.get_mut(&id).filter(|body| new && !body.missing.is_empty()) {
            (body.hint, body.asks, body.tries) = (full.then_some(from), now, 0);
        }
    }

    /// Forwards a message to a few random nodes.
    pub(super) fn forward(&mut self, me: Node, but: &[Node], copies: usize, message: &Message) {
        for _ in 0..copies {
            let to = self.random_other(me, but);
            self.send_message(me, to, message.clone());
        }
    }

    /// A random other node.
    fn random_other(&mut self, me: Node, but: &[Node]) -> Node {
        loop {
            let to = self.random.random_range(0..self.case.nodes as Node);
            if to != me && (!but.contains(&to) || self.case.nodes <= but.len() + 2) {
                return to;
            }
        }
    }

    /// A node that has the whole block, if a few random draws find one.
    fn holder(&mut self, id: Id) -> Option<Node> {
        (0..20).find_map(|_| {
            let place = self.random.random_range(0..self.honest.len());
            let one = self.honest.get(place).copied()?;
            let member = self.members.get(one as usize)?.as_deref()?;
            (member.tip == id || member.has_all(id)).then_some(one)
        })
    }

    pub(super) fn send_message(&mut self, from: Node, to: Node, message: Message) {
        let now = self.queue.now();
        let certificate = self.case.nodes as u64 / 8;
        let transactions = |bundles: &[u32]| bundles.len() as u64 * self.case.bundle;
        let (len, class) = match &message {
            Message::Bundle(_) => (self.case.bundle * TRANSACTION, Class::Bulk),
            Message::Header(_) => (HEADER + certificate, Class::Urgent),
            Message::Segment(id, segment) => {
                let each = if self.case.rules.asynchronous { NAME } else { TRANSACTION + BESIDE };
                (SEGMENT + transactions(self.named(*id, *segment)) * each, Class::Bulk)
            }
            Message::Heard => (0, Class::Urgent),
            Message::HeaderRequest(_) | Message::SegmentRequest(..) => (50, Class::Urgent),
            // One or two bytes for each transaction.
            Message::BundleRequest(_, bundles) => (50 + 2 * transactions(bundles), Class::Urgent),
            Message::BundleAnswer(_, bundles) => {
                (50 + transactions(bundles) * (TRANSACTION + BESIDE), Class::Bulk)
            }
            Message::Signatures(_, _, aggregate) => (aggregate.encoded_len() as u64, Class::Urgent),
        };
        match &message {
            Message::Bundle(_) => self.carried += 1,
            Message::BundleAnswer(_, bundles) => self.carried += bundles.len() as u64,
            _ => {}
        }
        let sent = self.network.send(now, from, to, FRAME + len, class);
        let is_vote = matches!(message, Message::Signatures(..));
        if is_vote {
            self.queue.put(sent.left, Event::Left { from, to });
        }
        if self.member(to).is_some() {
            self.queue.put(sent.comes, Event::Comes { to, from, sent, message });
        } else if is_vote {
            let overdue = sent.left + self.parameters.send_timeout.as_nanos() as Nanos;
            self.queue.put(overdue, Event::Failed { from, to });
        }
    }

    pub(super) fn arrive(&mut self, me: Node, from: Node, message: Message) -> Result<()> {
        let now = self.queue.now();
        if let Some(member) = self.member(me) {
            member.peers.heard(from as MemberIndex);
        }
        match message {
            Message::Heard => return Ok(()),
            Message::Bundle(bundle) => {
                if !self.receive_bundle(me, from, bundle) {
                    return Ok(());
                }
            }
            Message::Header(id) => self.header(me, from, id),
            Message::Segment(id, segment) => self.segment(me, from, id, segment),
            Message::HeaderRequest(id) => {
                let round = self.block(id).map_or(0, |block| block.round);
                if self.round(me, round).is_some_and(|round| round.headers.contains(&id)) {
                    self.send_message(me, from, Message::Header(id));
                }
            }
            Message::SegmentRequest(id, lacks) => {
                let here = self.member(me).and_then(|member| member.bodies.get(&id));
                let here = here.map_or(0, |body| body.segments) & lacks;
                for segment in (0..self.segments(id)).filter(|segment| here >> segment & 1 == 1) {
                    self.send_message(me, from, Message::Segment(id, segment));
                }
            }
            Message::BundleRequest(id, bundles) => self.send_bundles(me, from, id, &bundles),
            Message::BundleAnswer(id, bundles) => self.receive_bundles(me, from, id, &bundles),
            Message::Signatures(id, which, aggregate) => {
                self.send_message(me, from, Message::Heard);
                let round = self.block(id).map_or(0, |block| block.round);
                let known = self.round(me, round).is_some_and(|round| round.headers.contains(&id));
                if known {
                    self.receive(me, from, (id, which), aggregate, time(now))?;
                } else {
                    self.request_header(me, from, id);
                }
            }
        }
        self.check(me)
    }

    /// Requests the header of a block that votes name.
    fn request_header(&mut self, me: Node, from: Node, id: Id) {
        let now = self.queue.now();
        let Some(round) = self.block(id).map(|block| block.round) else { return };
        let Some(state) = self.round(me, round) else { return };
        if state.unknown.get(&id).is_none_or(|asked| asked + RETRY <= now) {
            state.unknown.insert(id, now);
            self.send_message(me, from, Message::HeaderRequest(id));
        }
    }
}
