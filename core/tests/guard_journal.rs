//! Two processes want the journal of one key.
#![cfg(all(feature = "journal", feature = "ed25519"))]
#![allow(clippy::unwrap_used, reason = "test code")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use quorate::certificate::Kind;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::guard::JournaledGuard;
use quorate::scheme::{Scheme, VerifiedKey};

const DIRECTORY: &str = "QUORATE_TEST_JOURNAL";
const CHAIN: ChainId = ChainId([1; 32]);

fn secret() -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[7; 32]).unwrap()
}

fn sign(guard: &mut JournaledGuard<Ed25519>, view: u64, value: u8) -> quorate::Result<()> {
    let committee = Committee::new(CHAIN, 0, vec![(VerifiedKey::from_secret(&secret()), 1)])?;
    guard.sign(&committee, committee.statement(Kind::new(1), view, [value; 32])).map(drop)
}

/// Runs in a process of its own: it waits for a line, opens the journal, says what happened, and waits for a line again.
#[test]
fn one_of_the_processes() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let opened = JournaledGuard::<Ed25519>::open(Path::new(&directory), secret(), CHAIN);
    let outcome = match opened {
        Ok(mut guard) => sign(&mut guard, 1, std::process::id() as u8).map(|()| guard),
        Err(error) => Err(error),
    };
    println!("\n:{}", outcome.as_ref().err().map_or("SIGNED", |error| error.code()));
    std::io::stdin().read_line(&mut line).unwrap();
    drop(outcome);
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(directory: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "one_of_the_processes", "--nocapture"]).env(DIRECTORY, directory);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    fn go(&mut self) {
        self.input.write_all(b"\n").unwrap();
    }

    fn outcome(&mut self) -> String {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        lines.filter_map(|line| line.strip_prefix(':').map(str::to_owned)).next().unwrap()
    }

    fn end(mut self) {
        self.go();
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn one_of_two_processes_signs() {
    let directory = tempfile::tempdir().unwrap();
    drop(JournaledGuard::<Ed25519>::create(directory.path(), secret(), CHAIN).unwrap());
    let mut processes = [Process::start(directory.path()), Process::start(directory.path())];
    processes.iter_mut().for_each(Process::go);
    let mut outcomes = processes.each_mut().map(Process::outcome);
    outcomes.sort();
    assert_eq!(outcomes, ["JOURNAL_IN_USE", "SIGNED"]);
    processes.into_iter().for_each(Process::end);
    // The lock ends with its process, and the record of the winner is there.
    let guard = JournaledGuard::<Ed25519>::open(directory.path(), secret(), CHAIN).unwrap();
    assert_eq!(guard.last(Kind::new(1)), Some((0, 1)));
}

#[test]
fn a_killed_process_leaves_a_usable_journal() {
    let directory = tempfile::tempdir().unwrap();
    drop(JournaledGuard::<Ed25519>::create(directory.path(), secret(), CHAIN).unwrap());
    let mut process = Process::start(directory.path());
    process.go();
    assert_eq!(process.outcome(), "SIGNED");
    process.child.kill().unwrap();
    process.child.wait().unwrap();
    let mut guard = JournaledGuard::<Ed25519>::open(directory.path(), secret(), CHAIN).unwrap();
    let other = (process.child.id() as u8).wrapping_add(1);
    assert_eq!(sign(&mut guard, 1, other).unwrap_err().code(), "CONTRADICTION");
    sign(&mut guard, 2, other).unwrap();
}
