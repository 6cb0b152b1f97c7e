use std::collections::BTreeMap;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate_broadcast::authentication::Authentication;

use super::report::{Position, Report, Unproven};
use crate::application::{Application, Executed, state_digest};
use crate::{Ballot, Prepared, Record, StableState, Statement, Value};

/// Executes the decided operations again, and compares them with the certificates.
pub(super) struct Replay<'a, P> {
    group: &'a Committee<Ed25519>,
    clients: u16,
    application: P,
    executed: Executed,
    /// Slot of the last valid checkpoint, whose state `application` and `executed` have.
    stable: u64,
    view: u64,
    /// Decided values above the checkpoint.
    decided: BTreeMap<u64, (Value, Position)>,
    /// Values with a valid certificate above the checkpoint, with the highest view.
    certified: BTreeMap<u64, (u64, Value)>,
    /// Decided operations that can no longer be proven, because others before the same checkpoint are missing.
    unproven: Vec<Position>,
    /// Accepted values above the checkpoint, by slot and view.
    accepted: BTreeMap<(u64, u64), Value>,
}

impl<'a, P: Application> Replay<'a, P> {
    pub(super) fn new(group: &'a Committee<Ed25519>, clients: u16, application: P) -> Self {
        Self {
            group,
            clients,
            application,
            executed: Executed::new(clients),
            stable: 0,
            view: 0,
            decided: BTreeMap::new(),
            certified: BTreeMap::new(),
            unproven: Vec::new(),
            accepted: BTreeMap::new(),
        }
    }

    /// Checks one record after those before it.
    pub(super) fn check<A: Authentication>(
        &mut self,
        record: Record<A::Signature>,
        position: Position,
        report: &mut Report,
    ) {
        match record {
            Record::View(view) if view < self.view => {
                let detail = format!("view {view} follows view {}", self.view);
                report.add("ORDER", position, detail);
            }
            Record::View(view) => self.view = view,
            Record::Accepted(Ballot { view, slot, value }) => {
                if *self.accepted.entry((slot, view)).or_insert(value) != value {
                    let detail = format!("two values accepted for slot {slot} in view {view}");
                    report.add("CONTRADICTION", position, detail);
                }
            }
            Record::Prepared(slot, prepared) => {
                self.check_certificate::<A>(slot, &prepared, position, report)
            }
            Record::Decided(slot, value) => {
                if self.decided.entry(slot).or_insert((value, position)).0 != value {
                    report.add("CONTRADICTION", position, format!("two values decided for slot {slot}"));
                }
            }
            Record::Stable(stable) => self.check_checkpoint::<A>(&stable, position, report),
        }
    }

    fn check_certificate<A: Authentication>(
        &mut self,
        slot: u64,
        prepared: &Prepared<A::Signature>,
        position: Position,
        report: &mut Report,
    ) {
        let Prepared { view, value, certificate } = prepared;
        let ballot = Ballot { view: *view, slot, value: *value };
        if let Err(error) = certificate.verify::<A>(self.group, &Statement::Prepare(ballot)) {
            let detail = format!("the certificate for slot {slot} in view {view}: {error}");
            return report.add("FORGED", position, detail);
        }
        report.certificates += 1;
        let highest = self.certified.entry(slot).or_insert((*view, *value));
        if highest.0 <= *view {
            *highest = (*view, *value);
        }
    }

    fn check_checkpoint<A: Authentication>(
        &mut self,
        stable: &StableState<A::Signature>,
        position: Position,
        report: &mut Report,
    ) {
        let (slot, digest) = (stable.checkpoint.slot, stable.checkpoint.digest);
        if slot <= self.stable {
            let detail = format!("the checkpoint of slot {slot} follows that of slot {}", self.stable);
            return report.add("ORDER", position, detail);
        }
        let statement = Statement::Checkpoint { slot, digest };
        if let Err(error) = stable.checkpoint.certificate.verify::<A>(self.group, &statement) {
            let detail = format!("the certificate for the state of slot {slot}: {error}");
            return report.add("FORGED", position, detail);
        }
        report.checkpoints += 1;
        report.stable = slot;
        let first = self.stable + 1;
        let slots = slot - self.stable;
        let known = self.decided.range(first..=slot).count() as u64;
        if known == slots {
            for (value, _) in self.decided.range(first..=slot).map(|(_, decided)| *decided) {
                if let Value::Request(request) = value {
                    self.executed.execute(&mut self.application, request);
                }
            }
            let state = self.executed.encode_with(&self.application.state());
            if state_digest(&state) == digest {
                report.executed += slots;
            } else {
                let records = self.decided.range(first..=slot).map(|(_, (_, position))| position.record);
                let (low, high) = (records.clone().min().unwrap_or(0), records.max().unwrap_or(0));
                let detail = format!(
                    "an operation of slots {first} to {slot}, in records {low} to {high}, is not the one that was executed"
                );
                report.add("DIVERGED", position, detail);
            }
        } else {
            report.adopted += slots - known;
            let uncertified: Vec<Position> = self.uncertified(slot).collect();
            self.unproven.extend(uncertified);
        }
        if state_digest(&stable.state) != digest {
            report.add("STATE", position, format!("the state of slot {slot} is not the signed one"));
        } else if let Err(error) = self.load(&stable.state) {
            report.add("STATE", position, format!("the state of slot {slot}: {error}"));
        }
        self.stable = slot;
        self.decided.retain(|decided, _| *decided > slot);
        self.certified.retain(|certified, _| *certified > slot);
        self.accepted.retain(|(accepted, _), _| *accepted > slot);
    }

    fn load(&mut self, state: &[u8]) -> quorate::Result<()> {
        let (executed, state) = Executed::decode_with(state, self.clients, P::MAX_STATE)?;
        self.application.restore(&state)?;
        self.executed = executed;
        Ok(())
    }

    /// Returns the decided operations up to a slot that have no certificate.
    fn uncertified(&self, up_to: u64) -> impl Iterator<Item = Position> {
        let decided = self.decided.range(..=up_to);
        decided.filter_map(|(slot, (value, position))| {
            let certified = self.certified.get(slot).is_some_and(|(_, other)| other == value);
            (!certified).then_some(*position)
        })
    }

    /// Returns the decided operations that nothing proves.
    pub(super) fn unproven(&self) -> Option<Unproven> {
        let positions = self.unproven.iter().copied().chain(self.uncertified(u64::MAX));
        let (mut slots, mut first) = (0, None::<Position>);
        for position in positions {
            slots += 1;
            first = first.filter(|first| first.record < position.record).or(Some(position));
        }
        first.map(|Position { record, byte }| Unproven { slots, record, byte })
    }
}
