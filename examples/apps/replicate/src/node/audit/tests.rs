use std::path::Path;

use quorate::ed25519::{Ed25519, SecretKey, Signature};
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_broadcast::authentication::Eddsa;
use tempfile::TempDir;

use super::super::group::{self, ClientEntry, GroupFile, ReplicaEntry, Signer};
use super::super::record_file::frame;
use super::*;
use crate::application::{Counter, Executed, state_digest};
use crate::{Ballot, Certificate, Checkpoint, Prepared, Request, StableState, Statement, Value};

/// Keys of four replicas, with which records are signed.
struct Keys {
    keys: Vec<SecretKey>,
    group: Group,
    folder: TempDir,
}

impl Keys {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<_> = (0..4).map(|_| group::generate().unwrap()).collect();
        let name = |prefix: &str, i: usize| format!("{prefix}{i}");
        let replica = |(i, key): (usize, &SecretKey)| ReplicaEntry {
            name: name("replica", i),
            listen: format!("shm:{i}.sock"),
            key: group::public(key),
        };
        let client =
            |i| ClientEntry { name: name("client", i), key: group::public(&group::generate().unwrap()) };
        let file = GroupFile {
            signer: Signer::Eddsa,
            checkpoint: 2,
            replica: keys.iter().enumerate().map(replica).collect(),
            client: (0..2).map(client).collect(),
        };
        let group = Group::new(file, folder.path()).unwrap();
        Self { keys, group, folder }
    }

    /// A certificate with the signatures of replicas 0, 1 and 3.
    fn certificate(&self, statement: &Statement) -> Certificate<Signature> {
        let id = self.group.committee.id();
        let sign = |replica: u16| {
            let bytes = statement.bytes(&id, replica);
            (replica, Ed25519::sign(&self.keys[usize::from(replica)], &bytes))
        };
        Certificate::new([0, 1, 3].into_iter().map(sign), 3).unwrap()
    }

    /// A signed checkpoint of the state after these operations.
    fn stable(&self, slot: u64, values: &[Value]) -> Record<Signature> {
        let (mut executed, mut counter) = (Executed::new(2), Counter::default());
        for value in values {
            if let Value::Request(request) = value {
                executed.execute(&mut counter, *request);
            }
        }
        let state = executed.encode_with(&counter.state());
        let digest = state_digest(&state);
        let certificate = self.certificate(&Statement::Checkpoint { slot, digest });
        Record::Stable(StableState {
            checkpoint: Checkpoint { slot, digest, certificate },
            state: state.into(),
        })
    }

    fn prepared(&self, view: u64, slot: u64, value: Value) -> Record<Signature> {
        let certificate = self.certificate(&Statement::Prepare(Ballot { view, slot, value }));
        Record::Prepared(slot, Prepared { view, value, certificate })
    }

    /// Audits a file with these contents after the first.
    fn audit(&self, contents: &[Vec<u8>]) -> Report {
        self.audit_bytes(&self.file(contents))
    }

    fn file(&self, contents: &[Vec<u8>]) -> Vec<u8> {
        let binding = [&self.group.committee.id().0[..], &2u16.to_le_bytes()].concat();
        [vec![binding], contents.to_vec()].concat().iter().flat_map(|content| frame(content)).collect()
    }

    fn audit_bytes(&self, bytes: &[u8]) -> Report {
        std::fs::write(self.path().join(LOG), bytes).unwrap();
        audit::<Eddsa, Counter>(&self.group, self.path(), Counter::default()).unwrap()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn request(client: u16, sequence: u64, number: u64) -> Value {
    Value::Request(Request { client, sequence, operation: number.to_le_bytes() })
}

/// Four slots in two checkpoints, one slot after them with a certificate, and one without.
fn records(keys: &Keys) -> Vec<Record<Signature>> {
    let values = [request(0, 1, 5), Value::Noop, request(1, 1, 7), request(0, 2, 1)];
    let decided = |slot: u64| Record::Decided(slot, values[slot as usize - 1]);
    let (last, free) = (request(1, 2, 9), request(0, 3, 2));
    vec![
        decided(1),
        decided(2),
        decided(3),
        keys.stable(2, &values[..2]),
        Record::View(1),
        decided(4),
        keys.stable(4, &values),
        Record::Accepted(Ballot { view: 1, slot: 5, value: last }),
        keys.prepared(1, 5, last),
        Record::Decided(5, last),
        Record::Decided(6, free),
    ]
}

fn encode(records: &[Record<Signature>]) -> Vec<Vec<u8>> {
    records.iter().map(Encode::encode).collect()
}

/// Code and record of the first finding.
fn first(report: &Report) -> Option<(&'static str, u64)> {
    assert_eq!(report.ok, report.findings.is_empty());
    report.findings.first().map(|finding| (finding.code, finding.record))
}

#[test]
fn the_first_unproven_record_is_named() {
    let keys = Keys::new();
    let contents = encode(&records(&keys));
    let report = keys.audit(&contents);
    assert_eq!(first(&report), None, "{report:?}");
    assert_eq!((report.replica.as_str(), report.records), ("replica2", 11));
    assert_eq!((report.checkpoints, report.certificates, report.executed, report.stable), (2, 1, 4, 4));
    let byte = report.bytes - frame(&contents[10]).len();
    assert_eq!(report.unproven, Some(Unproven { slots: 1, record: 11, byte }));
    // The replica was behind, and adopted both states: slot 4 cannot be executed without slot 3.
    let report = keys.audit(&contents[3..10]);
    assert_eq!((first(&report), report.adopted, report.executed), (None, 3, 0));
    let byte = [vec![0; 34], contents[3].clone(), contents[4].clone()].iter().map(|c| frame(c).len()).sum();
    assert_eq!(report.unproven, Some(Unproven { slots: 1, record: 3, byte }));
}

#[test]
fn altered_records_are_named() {
    let keys = Keys::new();
    let valid = records(&keys);
    let with = |at: usize, record: Record<Signature>| {
        let mut records = valid.clone();
        records[at] = record;
        first(&keys.audit(&encode(&records)))
    };
    // Another operation, and one moved to another client, with new checksums.
    assert_eq!(with(2, Record::Decided(3, request(1, 1, 8))), Some(("DIVERGED", 7)));
    assert_eq!(with(0, Record::Decided(1, request(1, 1, 5))), Some(("DIVERGED", 4)));
    assert_eq!(with(9, Record::Decided(6, request(0, 3, 3))), Some(("CONTRADICTION", 11)));
    assert_eq!(
        with(8, keys.prepared(1, 5, request(1, 2, 8))),
        None,
        "a certificate of an operation not decided"
    );
    assert_eq!(with(4, Record::View(0)), None);
    assert_eq!(with(10, Record::View(0)), Some(("ORDER", 11)));
    assert_eq!(with(10, valid[6].clone()), Some(("ORDER", 11)));
    assert_eq!(
        with(10, Record::Accepted(Ballot { view: 1, slot: 5, value: Value::Noop })),
        Some(("CONTRADICTION", 11))
    );
    let Record::Stable(mut stable) = valid[6].clone() else { panic!("a checkpoint") };
    stable.state = [&stable.state[..stable.state.len() - 1], &[9]].concat().into();
    assert_eq!(with(6, Record::Stable(stable)), Some(("STATE", 7)));
    let other = Keys::new();
    assert_eq!(with(8, other.prepared(1, 5, request(1, 2, 9))), Some(("FORGED", 9)));
    let values = [request(0, 1, 6), Value::Noop];
    assert_eq!(with(3, other.stable(2, &values)), Some(("FORGED", 4)));
}

#[test]
fn any_damaged_byte_is_named_with_its_record() {
    let keys = Keys::new();
    let contents = encode(&records(&keys));
    let bytes = keys.file(&contents);
    let mut begins = vec![0];
    for content in [vec![vec![0; 34]], contents].concat() {
        begins.push(begins[begins.len() - 1] + frame(&content).len());
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        let report = keys.audit_bytes(&damaged);
        let record = begins.iter().rposition(|begin| *begin <= at).unwrap();
        let finding = &report.findings[0];
        assert_eq!((finding.code, finding.record, finding.byte), ("DAMAGED", record as u64, begins[record]));
    }
    let report = keys.audit_bytes(&bytes[..bytes.len() - 3]);
    assert_eq!((first(&report), report.torn), (None, bytes.len() - 3 - begins[11]));
}

#[test]
fn records_of_another_group_are_refused() {
    let (keys, other) = (Keys::new(), Keys::new());
    keys.audit(&[]);
    let refused = audit::<Eddsa, Counter>(&other.group, keys.path(), Counter::default());
    assert_eq!(refused.map_err(|failure| failure.code), Err("DATA_MISMATCH"));
    let missing = audit::<Eddsa, Counter>(&keys.group, &keys.path().join("none"), Counter::default());
    assert_eq!(missing.map_err(|failure| failure.code), Err("SETUP"));
}
