//! The faults, and the recovery of the validators from each.

use std::fs;
use std::process::Command;

use super::control::{Field, POWER_FAILED};
use super::network::Torture;
use crate::support::chain::FOUNDERS;
use crate::support::eventually;

/// A fault of one or more validators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL to this number of validators.
    Kill(usize),
    /// SIGTERM; the power may fail while the validator stops.
    Stop,
    /// SIGSTOP for some blocks.
    Pause,
    /// The data directory is replaced by an older copy.
    Rollback,
    /// The data directory is empty, as if its disk were not mounted, for one start.
    Wipe,
    /// The state is deleted, but not the records and blocks.
    WipeState,
    /// No space is left on the disk.
    FullDisk,
    /// The disk takes long to synchronize a file.
    SlowDisk,
    /// The power fails in the middle of a write: it is torn, and others are lost that were not synchronized.
    TornWrite,
    /// The clock of the system jumps, and jumps back after a restart.
    Clock,
}

impl Fault {
    /// All faults with their names on the command line.
    pub const ALL: [(&'static str, Self); 12] = [
        ("kill", Self::Kill(1)),
        ("kill-two", Self::Kill(2)),
        ("kill-all", Self::Kill(4)),
        ("stop", Self::Stop),
        ("pause", Self::Pause),
        ("rollback", Self::Rollback),
        ("wipe", Self::Wipe),
        ("wipe-state", Self::WipeState),
        ("full-disk", Self::FullDisk),
        ("slow-disk", Self::SlowDisk),
        ("torn-write", Self::TornWrite),
        ("clock", Self::Clock),
    ];

    /// The faults that validators with this protocol survive.
    pub fn of_protocol(protocol: &str) -> Vec<Self> {
        // An ABFT validator does not notice that its data is older than its signatures.
        let survives = |fault: &Self| protocol != "abft" || *fault != Self::Rollback;
        Self::ALL.into_iter().map(|(_, fault)| fault).filter(survives).collect()
    }
}

impl Torture {
    /// Applies a fault, ends it, and starts the validators that it stopped. Returns a description.
    pub(super) fn apply(&mut self, fault: Fault) -> String {
        let victim = FOUNDERS[self.below(FOUNDERS.len())];
        match fault {
            Fault::Kill(count) => self.kill(count),
            Fault::Stop => self.stop(victim),
            Fault::Pause => self.pause(victim),
            Fault::Rollback => self.roll_back(victim),
            Fault::Wipe => self.wipe(victim),
            Fault::WipeState => self.wipe_state(victim),
            Fault::FullDisk => self.fill_disk(victim),
            Fault::SlowDisk => self.slow_disk(victim),
            Fault::TornWrite => self.tear_write(victim),
            Fault::Clock => self.set_clock(victim),
        }
    }

    fn kill(&mut self, count: usize) -> String {
        let mut victims = FOUNDERS.to_vec();
        while victims.len() > count {
            victims.swap_remove(self.below(victims.len()));
        }
        victims.iter().for_each(|name| self.chain.kill(name));
        if count == 1 {
            self.grow_without(victims[0], 2);
        }
        for name in &victims {
            self.start_validator(name);
            // A second kill, during the recovery.
            if self.below(3) == 0 {
                self.chain.kill(name);
                self.start_validator(name);
            }
        }
        format!("SIGKILL of {}", victims.join(", "))
    }

    fn stop(&mut self, victim: &'static str) -> String {
        let writes = self.below(2) * (1 + self.below(40));
        self.tear_after(victim, writes);
        self.chain.process(victim).signal("TERM");
        let (code, _) = self.chain.wait_for_exit(victim);
        // It may end before the power fails.
        assert!(code == Some(0) || (writes > 0 && code == Some(POWER_FAILED)), "{victim}: {code:?}");
        self.tear_after(victim, 0);
        self.grow_without(victim, 1);
        self.start_validator(victim);
        let end = if code == Some(0) { "" } else { ", and torn write" };
        format!("SIGTERM of {victim}{end}")
    }

    fn pause(&mut self, victim: &'static str) -> String {
        let blocks = 4 + self.below(16) as u64;
        self.chain.process(victim).signal("STOP");
        self.grow_without(victim, blocks);
        self.chain.process(victim).signal("CONT");
        format!("SIGSTOP of {victim} for {blocks} blocks")
    }

    /// The validator stands still during the copy, as for a snapshot of the file system.
    fn roll_back(&mut self, victim: &'static str) -> String {
        let folder = self.chain.sandbox.path(victim);
        let (data, copy) = (folder.join("data"), folder.join("copy"));
        self.chain.process(victim).signal("STOP");
        assert!(Command::new("cp").arg("-a").args([&data, &copy]).status().unwrap().success());
        self.chain.process(victim).signal("CONT");
        let blocks = 1 + self.below(4) as u64;
        self.grow(victim, blocks);
        self.chain.kill(victim);
        fs::remove_dir_all(&data).unwrap();
        fs::rename(&copy, &data).unwrap();
        self.start_validator(victim);
        format!("rollback of {victim} by {blocks} blocks")
    }

    /// A founder must not start without its records: with an empty directory it could sign twice.
    fn wipe(&mut self, victim: &'static str) -> String {
        let folder = self.chain.sandbox.path(victim);
        let (data, elsewhere) = (folder.join("data"), folder.join("elsewhere"));
        self.chain.kill(victim);
        fs::rename(&data, &elsewhere).unwrap();
        fs::create_dir(&data).unwrap();
        self.start_validator(victim);
        let (code, _) = self.chain.wait_for_exit(victim);
        assert_eq!(code, Some(13), "{victim} starts without its data");
        self.grow_without(victim, 1);
        fs::remove_dir(&data).expect("the directory is still empty");
        fs::rename(&elsewhere, &data).unwrap();
        self.start_validator(victim);
        format!("empty data directory of {victim}")
    }

    fn wipe_state(&mut self, victim: &'static str) -> String {
        self.chain.kill(victim);
        fs::remove_dir_all(self.chain.sandbox.path(victim).join("data/state")).unwrap();
        self.start_validator(victim);
        format!("deleted state of {victim}")
    }

    fn fill_disk(&mut self, victim: &'static str) -> String {
        self.controls[victim].set(Field::Full, 1);
        let (code, log) = self.chain.wait_for_exit(victim);
        assert_eq!(code, Some(1), "{victim} stops: {log}");
        let end = log.lines().last().unwrap_or_default();
        assert!(end.contains("No space left on device"), "{victim} names the cause: {end}");
        self.grow_without(victim, 1);
        self.controls[victim].set(Field::Full, 0);
        self.start_validator(victim);
        format!("full disk of {victim}")
    }

    fn slow_disk(&mut self, victim: &'static str) -> String {
        let delay = 50 + self.below(150) as i64;
        self.controls[victim].set(Field::SyncDelay, delay);
        self.grow_without(victim, 5);
        self.grow(victim, 3);
        self.controls[victim].set(Field::SyncDelay, 0);
        format!("slow disk of {victim}: {delay} ms per fsync")
    }

    fn tear_write(&mut self, victim: &'static str) -> String {
        let writes = 1 + self.below(60);
        self.tear_after(victim, writes);
        self.wait_for_power_failure(victim);
        // A second failure during the recovery, which writes little.
        let again = self.below(12);
        if again > 0 {
            self.tear_after(victim, again);
            self.start_validator(victim);
            self.wait_for_power_failure(victim);
        }
        self.grow_without(victim, 1);
        self.start_validator(victim);
        format!("torn write of {victim}: {writes}, then {again}")
    }

    /// Lets the power fail after this number of writes; 0 for never.
    fn tear_after(&mut self, victim: &str, writes: usize) {
        let seed = self.random.next_u64();
        self.controls[victim].set(Field::Seed, seed.cast_signed());
        self.controls[victim].set(Field::WritesLeft, writes as i64);
    }

    fn wait_for_power_failure(&mut self, victim: &str) {
        let (code, log) = self.chain.wait_for_exit(victim);
        let end = log.lines().last().unwrap_or_default();
        assert_eq!(code, Some(POWER_FAILED), "{victim} writes until the power fails: {end}");
    }

    /// A validator reads the clock when it starts, so a jump shows after a restart only.
    fn set_clock(&mut self, victim: &'static str) -> String {
        let seconds = (2 + self.below(4) as i64) * if self.below(2) == 0 { 1 } else { -1 };
        self.controls[victim].set(Field::Clock, seconds);
        self.grow(victim, 2);
        self.chain.kill(victim);
        self.start_validator(victim);
        self.wait_for_clock(victim, -1000 * seconds);
        self.grow_without(victim, 2);
        self.controls[victim].set(Field::Clock, 0);
        self.grow_without(victim, 1);
        self.chain.kill(victim);
        self.start_validator(victim);
        self.wait_for_clock(victim, 0);
        format!("clock of {victim}: {seconds:+} s, and back")
    }

    fn wait_for_clock(&self, victim: &str, difference: i64) {
        eventually(&format!("{victim} reports a clock difference of {difference} ms"), || {
            let reported = self.status(victim).and_then(|status| status["clock_difference_ms"].as_i64());
            reported.is_some_and(|reported| (reported - difference).abs() < 500)
        });
    }
}
