//! Every operation of the disk fails while keys are added, messages signed and histories imported.

use std::boxed::Box;
use std::path::Path;
use std::vec::Vec;

use super::super::{Attestation, Block, Interchange, SlashingProtection, ValidatorHistory};
use super::{KEY, ROOT};
use crate::Error;
use crate::guard::journal::tests::model::{Fault, ModelDisk, SURVIVALS};

fn create(disk: &ModelDisk) -> crate::Result<SlashingProtection> {
    SlashingProtection::create_on(Box::new(disk.clone()), Path::new("d"), ROOT)
}

fn open(disk: &ModelDisk) -> crate::Result<SlashingProtection> {
    SlashingProtection::open_on(Box::new(disk.clone()), Path::new("d"), ROOT)
}

/// What left: attestations, and the last slot of the import that succeeded.
#[derive(Default)]
struct Released {
    attestations: Vec<(u64, u64, u8)>,
    imported: bool,
}

fn live(disk: &ModelDisk, released: &mut Released) -> crate::Result<()> {
    let mut protection = create(disk)?;
    protection.add_key(&KEY)?;
    for epoch in 1..=6 {
        protection.record_attestation(&KEY, epoch, epoch + 1, [1; 32])?;
        released.attestations.push((epoch, epoch + 1, 1));
    }
    drop(protection);
    let mut protection = open(disk)?;
    protection.import_interchange(other_history().to_json()?.as_bytes())?;
    released.imported = true;
    protection.record_attestation(&KEY, 8, 9, [1; 32])?;
    released.attestations.push((8, 9, 1));
    Ok(())
}

fn other_history() -> Interchange {
    let history = ValidatorHistory {
        pubkey: KEY,
        signed_blocks: [Block { slot: 50, signing_root: None }].into(),
        signed_attestations: [Attestation { source_epoch: 7, target_epoch: 8, signing_root: None }].into(),
    };
    Interchange { genesis_validators_root: ROOT, data: [history].into() }
}

#[test]
fn no_fault_makes_a_validator_slashable_or_stop() {
    let disk = ModelDisk::default();
    live(&disk, &mut Released::default()).unwrap();
    let mut schedules = 0;
    for (at, len) in disk.operations().into_iter().enumerate() {
        let stops =
            (0..len.map_or(0, |len| len + 1)).step_by(7).flat_map(|at| [Fault::Stops(at), Fault::EndsAt(at)]);
        for fault in [Fault::Fails, Fault::FailsAfterwards, Fault::Ends].into_iter().chain(stops) {
            for survival in SURVIVALS {
                let (disk, mut released) = (ModelDisk::default(), Released::default());
                disk.set_fault(at, fault);
                assert!(live(&disk, &mut released).is_err(), "the fault at {at} has no effect: {fault:?}");
                disk.restart(survival);
                contradict(&disk, &released);
                schedules += 1;
            }
        }
    }
    assert!(schedules > 2_000, "{schedules}");
}

fn contradict(disk: &ModelDisk, released: &Released) {
    let opened = match open(disk) {
        Err(Error::JournalMissing { .. }) => {
            assert!(released.attestations.is_empty(), "messages left, and the journal is gone");
            create(disk)
        }
        opened => opened,
    };
    let mut protection = opened.unwrap();
    if !protection.keys().any(|key| *key == KEY) {
        assert!(released.attestations.is_empty(), "messages left, and the key is gone");
        protection.add_key(&KEY).unwrap();
    }
    for (source, target, _) in &released.attestations {
        assert!(protection.record_attestation(&KEY, *source, *target, [2; 32]).is_err());
        assert!(protection.record_attestation(&KEY, source - 1, target + 1, [2; 32]).is_err());
    }
    if released.imported {
        assert!(protection.record_block(&KEY, 50, [2; 32]).is_err());
        assert!(protection.record_attestation(&KEY, 7, 8, [2; 32]).is_err());
    }
    protection.record_attestation(&KEY, 20, 21, [2; 32]).unwrap();
    protection.record_block(&KEY, 100, [2; 32]).unwrap();
}
