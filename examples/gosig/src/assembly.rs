//! Putting a block's transactions together: from the pool by what segments name, from peers by their places.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;

use crate::body::{Entries, MAX_SEGMENT_BYTES, MAX_SEGMENTS, Segment, ShortId};
use crate::ids::BlockDigest;
use crate::message::MAX_REQUEST;
use crate::parameters::Parameters;
use crate::payload::{Payload, Summary, Transaction};

/// What is known of the transaction at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Unknown,
    Short(ShortId),
    Full(Hash),
}

/// The transactions known here under one short identifier of a block.
enum Match {
    One(Transaction),
    Many,
}

/// One block's transactions on their way together.
pub(crate) struct Assembly {
    block: BlockDigest,
    height: u64,
    summary: Summary,
    slots: Vec<Option<Transaction>>,
    names: Vec<Name>,
    held: usize,
    named: usize,
    /// Where a short identifier is named and not filled.
    open: BTreeMap<ShortId, Vec<u32>>,
    known: BTreeMap<ShortId, Match>,
    body: Option<Body>,
    /// If this is set, transactions come from this peer alone, and names do not count.
    source: Option<MemberIndex>,
    payload: Option<Arc<Payload>>,
    /// When somebody was last asked, how often nobody answered, and whom to ask first.
    pub(crate) asked: Option<Time>,
    pub(crate) tries: u32,
    pub(crate) hint: Option<MemberIndex>,
}

/// The segments of one proposer.
struct Body {
    signer: MemberIndex,
    round: u64,
    count: u16,
    segments: BTreeMap<u16, Arc<Segment>>,
}

/// What became of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is new: pass it on.
    New,
    /// It is known, or another proposer's segments are collected already.
    Known,
    /// Its signer broke a rule.
    Broken(&'static str),
}

/// What came of it when all places were filled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Places are empty.
    Open,
    /// It is there.
    Whole,
    /// The transactions are not those of the block. The culprit, if it can only be this one; all begins anew, from one
    /// peer at a time.
    Wrong(Option<MemberIndex>),
}

impl Assembly {
    /// Of a block of which nothing is there.
    pub(crate) fn new(block: BlockDigest, height: u64, summary: Summary) -> Self {
        let n = summary.count as usize;
        let payload = summary.is_empty().then(|| Arc::new(Payload::empty()));
        Self {
            block,
            height,
            summary,
            slots: vec![None; n],
            names: vec![Name::Unknown; n],
            held: 0,
            named: 0,
            open: BTreeMap::new(),
            known: BTreeMap::new(),
            body: None,
            source: None,
            payload,
            asked: None,
            tries: 0,
            hint: None,
        }
    }

    /// Of a block whose transactions are there.
    pub(crate) fn whole(block: BlockDigest, height: u64, payload: Arc<Payload>) -> Self {
        let mut assembly = Self::new(block, height, Summary::empty());
        assembly.summary = *payload.summary();
        assembly.payload = Some(payload);
        assembly
    }

    pub(crate) fn height(&self) -> u64 {
        self.height
    }

    /// The transactions, once all are there.
    pub(crate) fn payload(&self) -> Option<&Arc<Payload>> {
        self.payload.as_ref()
    }

    /// The transactions of the pool, so that names find them. Before any segment comes.
    pub(crate) fn seed<'a>(&mut self, pool: impl Iterator<Item = &'a Transaction>) {
        if self.payload.is_none() {
            pool.for_each(|transaction| self.learn(transaction));
        }
    }

    /// A transaction came to the pool.
    pub(crate) fn learn(&mut self, transaction: &Transaction) {
        if self.payload.is_some() || self.source.is_some() {
            return;
        }
        let short = ShortId::of(&self.block, &transaction.id());
        match self.known.get_mut(&short) {
            None => drop(self.known.insert(short, Match::One(transaction.clone()))),
            Some(Match::One(other)) if other.id() == transaction.id() => return,
            Some(known) => *known = Match::Many,
        }
        for place in self.open.get(&short).cloned().unwrap_or_default() {
            self.fill_from_known(place, short);
        }
    }

    /// A segment whose signature was checked.
    pub(crate) fn add_segment(&mut self, segment: &Arc<Segment>) -> Added {
        if self.payload.is_some() || self.source.is_some() {
            // Nothing is missing, or one peer is to bring all, and nothing of others is to be blamed on it.
            return Added::Known;
        }
        let body = self.body.get_or_insert_with(|| Body {
            signer: segment.signer,
            round: segment.round,
            count: segment.count,
            segments: BTreeMap::new(),
        });
        if (body.signer, body.round) != (segment.signer, segment.round) {
            return Added::Known;
        }
        if let Some(known) = body.segments.get(&segment.index) {
            let same = known.entries == segment.entries && known.first == segment.first;
            return if same { Added::Known } else { Added::Broken("two segments of one index") };
        }
        let (first, len) = (segment.first as usize, segment.entries.len());
        let places = first..first.saturating_add(len);
        if body.count != segment.count || places.end > self.names.len() {
            return Added::Broken("a segment that is not of its block");
        }
        body.segments.insert(segment.index, segment.clone());
        let complete = body.segments.len() == usize::from(body.count);
        let apart = self.names.get(places).is_some_and(|names| names.iter().all(|n| *n == Name::Unknown));
        if !apart {
            return Added::Broken("segments that overlap");
        }
        self.named += len;
        if complete && self.named != self.names.len() {
            return Added::Broken("segments that leave places out");
        }
        self.name(segment);
        Added::New
    }

    fn name(&mut self, segment: &Segment) {
        match &segment.entries {
            Entries::Short { ids, full } => {
                for (place, short) in (segment.first..).zip(ids) {
                    self.set_name(place, Name::Short(*short));
                }
                for (place, id) in full {
                    self.set_name(segment.first.saturating_add(*place), Name::Full(*id));
                }
                for place in (segment.first..).take(ids.len()) {
                    self.match_known(place);
                }
            }
            Entries::Full(ids) => {
                for (place, id) in (segment.first..).zip(ids) {
                    self.set_name(place, Name::Full(*id));
                    self.match_known(place);
                }
            }
            Entries::Raw(transactions) => {
                for (place, transaction) in (segment.first..).zip(transactions) {
                    self.set_name(place, Name::Full(transaction.id()));
                    self.fill(place, transaction.clone());
                }
            }
        }
    }

    fn set_name(&mut self, place: u32, name: Name) {
        if let Some(slot) = self.names.get_mut(place as usize) {
            *slot = name;
        }
    }

    /// Fills a place that was just named, or waits for its transaction.
    fn match_known(&mut self, place: u32) {
        let short = match self.names.get(place as usize) {
            Some(Name::Short(short)) => *short,
            Some(Name::Full(id)) => ShortId::of(&self.block, id),
            _ => return,
        };
        self.open.entry(short).or_default().push(place);
        self.fill_from_known(place, short);
    }

    fn fill_from_known(&mut self, place: u32, short: ShortId) {
        if let Some(Match::One(transaction)) = self.known.get(&short) {
            let transaction = transaction.clone();
            if self.fits(place, &transaction) {
                self.fill(place, transaction);
            }
        }
    }

    /// Whether a transaction may be the one at a place, by its name.
    fn fits(&self, place: u32, transaction: &Transaction) -> bool {
        match self.names.get(place as usize) {
            Some(Name::Short(short)) => *short == ShortId::of(&self.block, &transaction.id()),
            Some(Name::Full(id)) => *id == transaction.id(),
            _ => false,
        }
    }

    fn fill(&mut self, place: u32, transaction: Transaction) {
        if let Some(slot) = self.slots.get_mut(place as usize)
            && slot.is_none()
        {
            *slot = Some(transaction);
            self.held += 1;
        }
    }

    /// Transactions that a peer sent by their places. Only what fits its name is taken, or what comes from the one peer
    /// that was chosen to bring all.
    pub(crate) fn take(&mut self, from: MemberIndex, transactions: Vec<(u32, Transaction)>) -> bool {
        let before = self.held;
        for (place, transaction) in transactions {
            let welcome = match self.source {
                Some(source) => source == from,
                None => self.fits(place, &transaction),
            };
            if welcome && self.payload.is_none() {
                self.fill(place, transaction);
            }
        }
        self.held > before
    }

    /// If all places are filled: is it the block's payload? Cost then: a hash per transaction.
    pub(crate) fn finish(&mut self) -> Outcome {
        if self.payload.is_some() {
            return Outcome::Whole;
        }
        if self.held < self.slots.len() {
            return Outcome::Open;
        }
        let transactions: Vec<Transaction> = self.slots.iter().flatten().cloned().collect();
        match Payload::new(transactions) {
            Ok(payload) if *payload.summary() == self.summary => {
                self.payload = Some(Arc::new(payload));
                // What it was made of is not needed any more, but the segments, for others.
                (self.slots, self.names) = (Vec::new(), Vec::new());
                (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
                Outcome::Whole
            }
            _ => {
                let exact = !self.names.is_empty() && self.names.iter().all(|n| matches!(n, Name::Full(_)));
                // A short identifier may fit another transaction than the one that was meant: that proves nothing.
                let signer = self.body.as_ref().filter(|_| exact).map(|body| body.signer);
                let culprit = self.source.or(signer);
                self.restart();
                Outcome::Wrong(culprit)
            }
        }
    }

    /// Forgets what is there: from now on transactions come from one peer at a time.
    pub(crate) fn restart(&mut self) {
        let n = self.summary.count as usize;
        (self.slots, self.names) = (vec![None; n], vec![Name::Unknown; n]);
        (self.held, self.named) = (0, 0);
        (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
        (self.body, self.source, self.asked) = (None, None, None);
    }

    /// From now on transactions come from this peer alone. What another such peer brought is forgotten.
    pub(crate) fn choose(&mut self, source: MemberIndex) {
        if self.source != Some(source) {
            self.restart();
            self.source = Some(source);
        }
    }

    /// Whether every place has a name, so that whoever brings transactions can bring the right ones only.
    pub(crate) fn is_named(&self) -> bool {
        self.named == self.slots.len()
    }

    /// Whether one peer was chosen to bring all.
    pub(crate) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Whether this very segment is here.
    pub(crate) fn has_segment(&self, segment: &Segment) -> bool {
        let known = self.body.as_ref().and_then(|body| body.segments.get(&segment.index));
        known.is_some_and(|known| **known == *segment)
    }

    /// Whether segments of a proposer came.
    pub(crate) fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// Who proposes with the segments that are here, and which of them are missing.
    pub(crate) fn missing_segments(&self) -> Option<(MemberIndex, u64, Vec<u16>)> {
        let body = self.body.as_ref()?;
        let missing: Vec<u16> = (0..body.count).filter(|index| !body.segments.contains_key(index)).collect();
        (!missing.is_empty()).then_some((body.signer, body.round, missing))
    }

    /// The places to ask for next.
    pub(crate) fn missing_places(&self) -> Vec<u32> {
        let wanted = |place: &usize| {
            let named = self.names.get(*place).is_some_and(|name| *name != Name::Unknown);
            self.slots.get(*place).is_some_and(Option::is_none) && (named || self.source.is_some())
        };
        (0..self.slots.len()).filter(wanted).take(MAX_REQUEST).map(|place| place as u32).collect()
    }

    /// The transaction at a place, if it is there.
    pub(crate) fn transaction(&self, place: u32) -> Option<&Transaction> {
        match &self.payload {
            Some(payload) => payload.transaction(place as usize),
            None if self.source.is_some() => None,
            None => self.slots.get(place as usize)?.as_ref(),
        }
    }

    /// The segments of a round that are here.
    pub(crate) fn segments(&self, round: u64) -> impl Iterator<Item = &Arc<Segment>> {
        let body = self.body.as_ref().filter(|body| body.round == round);
        body.into_iter().flat_map(|body| body.segments.values())
    }

    /// Takes the segments of this member's own proposal, to serve them.
    pub(crate) fn propose(&mut self, signer: MemberIndex, round: u64, segments: &[Arc<Segment>]) {
        let count = segments.len() as u16;
        let segments = segments.iter().map(|segment| (segment.index, segment.clone())).collect();
        self.body = Some(Body { signer, round, count, segments });
    }
}

/// How a payload is named in the segments of a proposal, in order. `colliding` says of a short identifier whether
/// another transaction than the given one is known under it.
pub(crate) fn cut(
    block: BlockDigest,
    payload: &Payload,
    parameters: &Parameters,
    colliding: impl Fn(&ShortId, &Hash) -> bool,
) -> Vec<(u32, Entries)> {
    let raw = !parameters.asynchronous_transactions;
    let wanted = usize::from(parameters.segments.clamp(1, MAX_SEGMENTS as u16));
    let each = payload.len().div_ceil(wanted).max(1);
    let most = MAX_SEGMENT_BYTES.min(payload.bytes().div_ceil(wanted));
    let mut parts: Vec<&[Transaction]> = Vec::new();
    let mut rest = payload.transactions();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |transaction: &&Transaction| {
            bytes += transaction.encoded_len();
            !raw || bytes <= most
        };
        let len = rest.iter().take_while(fits).count().max(1);
        let (part, others) = rest.split_at(if raw { len } else { each.min(rest.len()) });
        parts.push(part);
        rest = others;
    }
    let mut places = BTreeMap::<ShortId, usize>::new();
    if parameters.short_hashes && !raw {
        for id in payload.ids() {
            *places.entry(ShortId::of(&block, id)).or_default() += 1;
        }
    }
    let mut first = 0;
    let mut name = |part: &[Transaction]| {
        let at = first;
        first += part.len() as u32;
        let entries = if raw {
            Entries::Raw(part.to_vec())
        } else if parameters.short_hashes {
            let ids: Vec<ShortId> = part.iter().map(|t| ShortId::of(&block, &t.id())).collect();
            let unique = |short: &ShortId, id: &Hash| {
                places.get(short).copied().unwrap_or(0) < 2 && !colliding(short, id)
            };
            let full = (0u32..).zip(ids.iter().zip(part));
            let full = full.filter(|(_, (short, t))| !unique(short, &t.id()));
            Entries::Short { full: full.map(|(place, (_, t))| (place, t.id())).collect(), ids }
        } else {
            Entries::Full(part.iter().map(Transaction::id).collect())
        };
        (at, entries)
    };
    parts.into_iter().map(&mut name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Part;
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;

    const BLOCK: BlockDigest = BlockDigest([3; 32]);

    fn transaction(byte: u8) -> Transaction {
        Transaction::new(vec![byte; 50]).unwrap()
    }

    fn payload(n: u8) -> Payload {
        Payload::new((0..n).map(transaction).collect()).unwrap()
    }

    fn segments(payload: &Payload, parameters: &Parameters) -> Vec<Arc<Segment>> {
        let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
        let cut = cut(BLOCK, payload, parameters, |_, _| false);
        let count = cut.len() as u16;
        let make = |(index, (first, entries))| {
            let part = Part { block: BLOCK, round: 5, signer: 2, index, count, first, entries };
            Arc::new(Segment::new(part, Ed25519::sign(&key, b"")))
        };
        (0..).zip(cut).map(make).collect()
    }

    fn modes() -> [Parameters; 4] {
        let all = Parameters::default();
        let one = Parameters { segments: 1, ..all.clone() };
        let full = Parameters { short_hashes: false, ..all.clone() };
        let raw = Parameters { asynchronous_transactions: false, ..all.clone() };
        [all, one, full, raw]
    }

    #[test]
    fn segments_in_any_order_and_the_pool_make_a_payload() {
        let whole = payload(23);
        for (i, parameters) in modes().iter().enumerate() {
            let mut segments = segments(&whole, parameters);
            // Raw transactions are cut by their bytes: what does not fit a fifth begins another segment.
            assert_eq!(Some(&segments.len()), [5, 1, 5, 6].get(i), "mode {i}");
            segments.reverse();
            let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
            // Half of the transactions come before the segments, half after them, and one not at all.
            assembly.seed(whole.transactions().iter().take(10));
            for segment in &segments {
                assert_eq!(assembly.add_segment(segment), Added::New);
                assert_eq!(assembly.add_segment(segment), Added::Known);
            }
            whole.transactions().iter().skip(11).for_each(|t| assembly.learn(t));
            assert!(assembly.is_named() && assembly.missing_segments().is_none());
            if i < 3 {
                assert_eq!(assembly.finish(), Outcome::Open);
                assert_eq!(assembly.missing_places(), [10]);
                assert!(!assembly.take(1, vec![(10, transaction(9)), (99, transaction(9))]), "another one");
                assert!(assembly.take(1, vec![(10, transaction(10))]));
            }
            assert_eq!(assembly.finish(), Outcome::Whole, "mode {i}");
            assert_eq!(assembly.payload().map(|p| &**p), Some(&whole));
            assert_eq!(assembly.segments(5).count(), segments.len());
            assert_eq!(assembly.segments(4).count(), 0);
        }
    }

    #[test]
    fn short_identifiers_that_are_not_unique_come_in_full() {
        let whole = payload(6);
        let special = ShortId::of(&BLOCK, &transaction(4).id());
        let parameters = Parameters { segments: 1, ..Parameters::default() };
        let cut = cut(BLOCK, &whole, &parameters, |short, _| *short == special);
        let [(0, Entries::Short { ids, full })] = &cut[..] else { panic!("{cut:?}") };
        assert_eq!((ids.len(), &full[..]), (6, &[(4, transaction(4).id())][..]));
        // The same transaction twice in one block is two places under one short identifier.
        let twice = Payload::new(vec![transaction(1), transaction(1)]).unwrap();
        let cut = super::cut(BLOCK, &twice, &parameters, |_, _| false);
        assert!(matches!(&cut[..], [(0, Entries::Short { full, .. })] if full.len() == 2));
    }

    #[test]
    fn who_knows_two_under_one_short_identifier_asks() {
        let whole = payload(3);
        let parameters = Parameters { segments: 1, ..Parameters::default() };
        let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
        assembly.seed(whole.transactions().iter());
        let short = ShortId::of(&BLOCK, &transaction(1).id());
        assembly.known.insert(short, Match::Many);
        assert_eq!(assembly.add_segment(&segments(&whole, &parameters)[0]), Added::New);
        assert_eq!(assembly.missing_places(), [1]);
        assert!(assembly.take(0, vec![(1, transaction(1))]));
        assert_eq!(assembly.finish(), Outcome::Whole);
    }

    #[test]
    fn segments_that_break_a_rule_are_their_signers_fault() {
        let whole = payload(10);
        let parameters = Parameters { segments: 2, ..Parameters::default() };
        let good = segments(&whole, &parameters);
        let changed = |change: fn(&mut Part)| {
            let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
            assert_eq!(assembly.add_segment(&good[0]), Added::New);
            let mut part = (**good[1]).clone();
            change(&mut part);
            let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
            assembly.add_segment(&Arc::new(Segment::new(part, Ed25519::sign(&key, b""))))
        };
        assert_eq!(changed(|_| ()), Added::New);
        assert!(matches!(changed(|s| s.first = 4), Added::Broken(rule) if rule.contains("overlap")));
        assert!(matches!(changed(|s| s.first = 6), Added::Broken(rule) if rule.contains("not of its block")));
        assert!(matches!(changed(|s| s.count = 3), Added::Broken(_)));
        assert!(matches!(changed(|s| s.index = 0), Added::Broken(rule) if rule.contains("one index")));
        let short = changed(|s| {
            if let Entries::Short { ids, .. } = &mut s.entries {
                ids.pop();
            }
        });
        assert!(matches!(short, Added::Broken(rule) if rule.contains("leave")));
        assert_eq!(changed(|s| s.round = 6), Added::Known, "another proposal's");
    }

    #[test]
    fn a_wrong_body_is_its_signers_fault_if_it_names_in_full_and_else_one_peer_brings_all() {
        let (whole, other) = (payload(4), Payload::of([b"x", b"y", b"z", b"w"]).unwrap());
        for (full, culprit) in [(true, Some(2)), (false, None)] {
            let parameters = Parameters { short_hashes: !full, ..Parameters::default() };
            let mut assembly = Assembly::new(BLOCK, 1, *whole.summary());
            assembly.seed(other.transactions().iter());
            for segment in segments(&other, &parameters) {
                assert_eq!(assembly.add_segment(&segment), Added::New);
            }
            assert_eq!(assembly.finish(), Outcome::Wrong(culprit));
            assert!(assembly.missing_places().is_empty());
            assembly.choose(7);
            assert_eq!(assembly.missing_places(), [0, 1, 2, 3]);
            assert_eq!(assembly.add_segment(&segments(&other, &parameters)[0]), Added::Known);
            let all = |payload: &Payload| (0..).zip(payload.transactions().iter().cloned()).collect();
            assert!(!assembly.take(6, all(&whole)), "not the one that was chosen");
            assert!(assembly.take(7, all(&other)));
            assert_eq!(assembly.finish(), Outcome::Wrong(Some(7)));
            assembly.choose(6);
            assert!(assembly.take(6, all(&whole)));
            assert_eq!(assembly.finish(), Outcome::Whole);
        }
    }

    #[test]
    fn nothing_is_whole_at_once() {
        let mut assembly = Assembly::new(BLOCK, 1, Summary::empty());
        assert_eq!((assembly.finish(), assembly.missing_places()), (Outcome::Whole, Vec::new()));
    }
}
