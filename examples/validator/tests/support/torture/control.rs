//! Faults of a validator's disk and clock, which `faults.c` applies while the validator runs.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Sandbox;

/// Exit code of a validator whose power failed.
pub const POWER_FAILED: i32 = 86;

/// A field of the library's control file.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// 1 while the disk is full.
    Full,
    /// Time that each fsync takes longer, in milliseconds.
    SyncDelay,
    /// Number of writes until the power fails; 0 if it does not.
    WritesLeft,
    /// Seed that selects the writes that a power failure undoes.
    Seed,
    /// Difference of the system clock, in seconds.
    Clock,
}

/// The faults of one validator.
pub struct Control {
    library: PathBuf,
    path: PathBuf,
    data: PathBuf,
    file: File,
}

/// Compiles the library.
pub fn compile(sandbox: &Sandbox) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/faults.c");
    let library = sandbox.path("faults.so");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread", "-o"]);
    let built = cc.args([&library, &source]).arg("-ldl").status();
    assert!(built.expect("`cc` compiles the faults of disk and clock").success());
    library
}

impl Control {
    /// Creates the control file of a validator without faults.
    pub fn new(sandbox: &Sandbox, library: &Path, name: &str) -> Self {
        // The library compares paths as the system names them.
        let folder = sandbox.path(name).canonicalize().unwrap();
        let path = folder.join("faults");
        let file = File::create_new(&path).unwrap();
        file.set_len(8 * (Field::Clock as u64 + 1)).unwrap();
        Self { library: library.to_owned(), path, data: folder.join("data"), file }
    }

    /// Lets a command load the library.
    pub fn attach(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAULTS_CONTROL", &self.path)
            .env("FAULTS_DATA", &self.data)
            // Ctrl-C reaches only the test, which ends the validators.
            .process_group(0);
    }

    pub fn set(&self, field: Field, value: i64) {
        self.file.write_all_at(&value.to_ne_bytes(), 8 * field as u64).unwrap();
    }
}

/// A folder in which commands run with the faults of a validator.
struct Commands {
    sandbox: Sandbox,
    control: Control,
}

impl Commands {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir_all(sandbox.path("alice/data")).unwrap();
        let control = Control::new(&sandbox, &compile(&sandbox), "alice");
        Self { sandbox, control }
    }

    /// Runs a script in the data directory. Returns its exit code and output.
    fn run(&self, script: &str) -> (Option<i32>, String) {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).current_dir(&self.control.data);
        self.control.attach(&mut shell);
        let output = shell.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn read(&self, name: &str) -> String {
        self.sandbox.read(&format!("alice/data/{name}"))
    }
}

#[test]
fn a_full_disk_takes_a_part_of_one_write() {
    let commands = Commands::new();
    assert_eq!(commands.run("printf 1234 > old").0, Some(0));
    commands.control.set(Field::Full, 1);
    assert_ne!(commands.run("printf abcdefgh >> old").0, Some(0));
    assert_eq!(commands.read("old"), "1234abcd");
    assert_ne!(commands.run("printf 1234 > new").0, Some(0));
    assert!(!commands.control.data.join("new").exists());
    commands.control.set(Field::Full, 0);
    assert_eq!(commands.run("printf 5678 >> old").0, Some(0));
}

#[test]
fn a_power_failure_spares_only_synchronized_writes() {
    let script =
        "printf before > a; printf changed 1<> a; printf synced | dd of=b conv=fsync; printf torntorn > c";
    let (commands, mut found) = (Commands::new(), BTreeSet::new());
    for seed in 0..100 {
        assert_eq!(commands.run("rm -f a b c").0, Some(0));
        commands.control.set(Field::Seed, seed << 40 | 5);
        commands.control.set(Field::WritesLeft, 4);
        assert_eq!(commands.run(script).0, Some(POWER_FAILED));
        assert_eq!(commands.read("b"), "synced");
        let torn = commands.read("c");
        assert!(["torn", "\0\0\0\0", ""].contains(&&*torn), "{torn:?}");
        found.insert(commands.read("a"));
    }
    // Written, lost but for the size, and lost.
    assert_eq!(found, ["changed", "\0\0\0\0\0\0\0", ""].map(str::to_owned).into());
}

#[test]
fn the_clock_differs_as_told() {
    let commands = Commands::new();
    let seconds = || commands.run("date +%s").1.trim().parse::<u64>().unwrap();
    let before = seconds();
    commands.control.set(Field::Clock, 10_000);
    assert!((10_000..20_000).contains(&(seconds() - before)));
}
