//! The segments of a body: the names that they give to a block's places.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::machine::MemberIndex;

use super::places::{Assembly, Name};
use super::segment_set::SegmentSet;
use crate::body::{Entries, Segment, ShortId};

/// Result of adding a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// The segment is new and should be forwarded.
    New,
    /// The segment is known, or the segments of another proposal are being collected.
    Known,
    /// The segment breaks a rule; its signer is at fault.
    Invalid(&'static str),
}

impl Assembly {
    /// Adds a segment whose signature was verified.
    pub(crate) fn add_segment(&mut self, segment: &Arc<Segment>) -> Added {
        if !self.wants_segments(segment.signer) {
            return Added::Known;
        }
        let body = self.body.get_or_insert_with(|| SegmentSet {
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
            return if same { Added::Known } else { Added::Invalid("two segments of one index") };
        }
        let (first, len) = (segment.first as usize, segment.entries.len());
        let places = first..first.saturating_add(len);
        if body.count != segment.count || places.end > self.names.len() {
            return Added::Invalid("a segment that is not of its block");
        }
        body.segments.insert(segment.index, segment.clone());
        let complete = body.segments.len() == usize::from(body.count);
        let is_disjoint =
            self.names.get(places).is_some_and(|names| names.iter().all(|n| *n == Name::Unknown));
        if !is_disjoint {
            return Added::Invalid("segments that overlap");
        }
        self.named += len;
        if complete && self.named != self.names.len() {
            return Added::Invalid("segments that leave places out");
        }
        self.name_places(segment);
        Added::New
    }

    /// Returns true if exactly this segment has arrived.
    pub(crate) fn has_segment(&self, segment: &Segment) -> bool {
        let known = self.body.as_ref().and_then(|body| body.segments.get(&segment.index));
        known.is_some_and(|known| **known == *segment)
    }

    /// Returns true if segments have arrived.
    pub(crate) fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// Returns the round of the proposal whose segments are being collected.
    pub(crate) fn round(&self) -> Option<u64> {
        self.body.as_ref().map(|body| body.round)
    }

    /// Returns the proposer and the round of the segments that have arrived, and the indices of the missing ones.
    /// `None` if none is missing.
    pub(crate) fn missing_segments(&self) -> Option<(MemberIndex, u64, Vec<u16>)> {
        let body = self.body.as_ref()?;
        let missing: Vec<u16> = (0..body.count).filter(|index| !body.segments.contains_key(index)).collect();
        (!missing.is_empty()).then_some((body.signer, body.round, missing))
    }

    /// Returns the segments of a round that have arrived.
    pub(crate) fn segments(&self, round: u64) -> impl Iterator<Item = &Arc<Segment>> {
        let body = self.body.as_ref().filter(|body| body.round == round);
        body.into_iter().flat_map(|body| body.segments.values())
    }

    /// Sets the segments of this member's own proposal, to serve them.
    pub(crate) fn set_own_segments(&mut self, signer: MemberIndex, round: u64, segments: &[Arc<Segment>]) {
        let count = segments.len() as u16;
        let segments = segments.iter().map(|segment| (segment.index, segment.clone())).collect();
        self.body = Some(SegmentSet { signer, round, count, segments });
    }

    fn name_places(&mut self, segment: &Segment) {
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

    /// Fills a newly named place if its transaction is known, or registers it for that transaction.
    fn match_known(&mut self, place: u32) {
        let short = match self.names.get(place as usize) {
            Some(Name::Short(short)) => *short,
            Some(Name::Full(id)) => ShortId::new(&self.block, id),
            _ => return,
        };
        self.open.entry(short).or_default().push(place);
        self.fill_from_known(place, short);
    }
}
