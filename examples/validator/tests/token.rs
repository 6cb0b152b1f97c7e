//! `quorate signer` with a voting key in a real token of SoftHSM2, the software token of Debian's package `softhsm2`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use quorate::certificate::{Kind, Statement};
use quorate::ed25519::Ed25519;
use quorate_node::genesis::Genesis;
use quorate_node::keys::NodeKeys;
use quorate_node::signer::{RemoteSigner, SignerAddress};
use quorate_support::ports::free_address;
use support::chain::{Chain, FOUNDERS};
use support::{CommandOutput, Running, Sandbox, eventually};

const VOTE: Kind = Kind::new(1);
const TOKEN: &str = "quorate";
const PIN: &str = "correct horse";
/// Where distributions have SoftHSM2's module. `SOFTHSM2_MODULE` names another place.
const MODULES: &[&str] = &[
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/softhsm/libsofthsm.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
    "/opt/homebrew/lib/softhsm/libsofthsm2.so",
];

/// A chain of Ed25519 keys, in which alice's voting key is in a token.
struct World {
    chain: Chain,
    module: String,
}

impl World {
    fn new() -> Self {
        let named = std::env::var("SOFTHSM2_MODULE").ok();
        let module = named.or_else(|| {
            MODULES.iter().find(|module| Path::new(module).exists()).map(|module| (*module).to_owned())
        });
        let module = module.expect(
            "SoftHSM2 is missing: run `apt-get install softhsm2` as root, or set SOFTHSM2_MODULE to libsofthsm2.so",
        );
        let world = Self { chain: Chain::new("jolteon"), module };
        let sandbox = world.sandbox();
        fs::create_dir(sandbox.path("tokens")).unwrap();
        let directory = sandbox.path("tokens");
        sandbox.write(
            "softhsm2.conf",
            format!(
                "directories.tokendir = {}\nobjectstore.backend = file\nlog.level = ERROR\n",
                directory.display()
            ),
        );
        world.private("pin", PIN);
        let token = ["--init-token", "--free", "--label", TOKEN, "--so-pin", "12345678", "--pin", PIN];
        world.tool("softhsm2-util", &token);
        world.make_keys();
        world
    }

    /// Replaces the keys and the genesis of the chain.
    fn make_keys(&self) {
        let sandbox = self.sandbox();
        fs::remove_file(sandbox.path("genesis.toml")).unwrap();
        let mut genesis = vec!["genesis".to_owned(), "--chain".into(), "test".into()];
        for name in FOUNDERS {
            let public = sandbox.read(&format!("{name}/public.toml"));
            let address = public.lines().find_map(|line| line.strip_prefix("address = ")).unwrap();
            let address = address.trim_matches('"');
            for file in ["keys", "public.toml"] {
                fs::remove_file(sandbox.path(&format!("{name}/{file}"))).unwrap();
            }
            let keygen = ["keygen", "--name", name, "--address", address, "--out"];
            if name == "alice" {
                self.ok(&[&keygen[..], &["signer", "--new-key"], &self.token("voting")].concat());
                sandbox.ok(&[&keygen[..], &[name, "--signer", "signer/public.toml"]].concat());
            } else {
                sandbox.ok(&[&keygen[..], &[name, "--scheme", "ed25519"]].concat());
            }
            genesis.push(format!("{name}/public.toml"));
        }
        sandbox.ok(&genesis.iter().map(String::as_str).collect::<Vec<_>>());
    }

    fn sandbox(&self) -> &Sandbox {
        &self.chain.sandbox
    }

    /// The options of the token, with this key.
    fn token<'a>(&'a self, key: &'a str) -> [&'a str; 8] {
        ["--pkcs11", &self.module, "--token", TOKEN, "--key", key, "--pin-file", "pin"]
    }

    fn private(&self, name: &str, content: &str) {
        self.sandbox().write(name, content);
        fs::set_permissions(self.sandbox().path(name), Permissions::from_mode(0o600)).unwrap();
    }

    /// Runs a tool with the configuration of the token.
    fn tool(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.sandbox().path(""));
        let done = command.env("SOFTHSM2_CONF", self.sandbox().path("softhsm2.conf")).output();
        let done = done.unwrap_or_else(|error| panic!("{program}: {error}; install it"));
        assert!(done.status.success(), "{program} {arguments:?}: {done:?}");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox().command(arguments);
        command.env("SOFTHSM2_CONF", self.sandbox().path("softhsm2.conf"));
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let done = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(done.stdout), text(done.stderr));
        assert!(!format!("{stdout}{stderr}").contains(PIN), "the PIN is printed: {stdout}{stderr}");
        CommandOutput { code: done.status.code().unwrap_or(-1), stdout, stderr }
    }

    fn ok(&self, arguments: &[&str]) {
        let done = self.run(arguments);
        assert_eq!(done.code, 0, "{arguments:?}: {}{}", done.stdout, done.stderr);
    }

    fn fails(&self, exit: i32, code: &str, text: &str, arguments: &[&str]) {
        let done = self.run(arguments);
        assert_eq!(done.code, exit, "{arguments:?}: {}{}", done.stdout, done.stderr);
        for text in [code, text] {
            assert!(done.stderr.contains(text), "{arguments:?}: expected {text:?} in: {}", done.stderr);
        }
    }

    /// Starts the signer, and returns it with its line for the configuration.
    fn start(&self, listen: &str, more: &[&str]) -> (Running, String) {
        let token = self.token("voting");
        let mut command = self.command(&[&signer(listen)[..], &token[..], more].concat());
        command.stderr(fs::File::create(self.sandbox().path("signer.log")).unwrap());
        let mut running = Running { child: command.spawn().unwrap() };
        let line = running.wait_for_line("signer = ");
        (running, line)
    }

    fn statement(&self, view: u64, digest: u8) -> Statement {
        let genesis = Genesis::load(&self.sandbox().path("genesis.toml")).unwrap();
        genesis.committees::<Ed25519>().unwrap().voters.statement(VOTE, view, [digest; 32])
    }

    fn client(&self, line: &str) -> RemoteSigner<Ed25519> {
        let text = line.trim().strip_prefix("signer = ").unwrap().trim_matches('"');
        let signer: SignerAddress = text.parse().unwrap();
        let genesis = Genesis::load(&self.sandbox().path("genesis.toml")).unwrap();
        let voters = genesis.committees::<Ed25519>().unwrap().voters;
        let identity = NodeKeys::load(&self.sandbox().path("alice/keys"), None).unwrap().identity().unwrap();
        RemoteSigner::new(signer, identity, voters, 0).unwrap()
    }

    /// The directory of the only token.
    fn token_directory(&self) -> PathBuf {
        fs::read_dir(self.sandbox().path("tokens")).unwrap().next().unwrap().unwrap().path()
    }
}

fn signer(listen: &str) -> Vec<&str> {
    let keys = ["--keys", "signer/keys", "--data", "journal"];
    [&["signer", "--genesis", "genesis.toml", "--listen", listen][..], &keys].concat()
}

fn kill(mut running: Running) {
    running.signal("KILL");
    running.child.wait().unwrap();
}

#[test]
fn a_setup_that_cannot_sign_says_what_to_do() {
    let world = World::new();
    let anywhere = signer("127.0.0.1:0");
    let with = |options: &[&'static str]| [&anywhere[..], options, &["--new-signer"]].concat();
    let module: &'static str = Box::leak(world.module.clone().into_boxed_str());
    let fails = |exit, code, text, options: &[&'static str]| world.fails(exit, code, text, &with(options));

    let key = ["--pkcs11", module, "--token", TOKEN, "--key"];
    fails(3, "TOKEN_PIN", "QUORATE_TOKEN_PIN", &[&key[..], &["voting"]].concat());
    world.private("wrong", "9999");
    let wrong = [&key[..], &["voting", "--pin-file", "wrong"]].concat();
    fails(3, "TOKEN_PIN", "it is wrong, and was tried once", &wrong);
    fails(3, "TOKEN_KEY", "the token has: voting", &[&key[..], &["vorting", "--pin-file", "pin"]].concat());
    let absent = ["--pkcs11", module, "--token", "another", "--key", "voting", "--pin-file", "pin"];
    fails(1, "TOKEN_NOT_FOUND", "present: quorate", &absent);
    let absent = ["--pkcs11", "/no/module.so", "--token", TOKEN, "--key", "voting", "--pin-file", "pin"];
    fails(3, "TOKEN_MODULE", "/no/module.so", &absent);
    fails(2, "", "--key", &["--pkcs11", module, "--token", TOKEN]);
    fails(2, "", "--pkcs11", &["--token", TOKEN]);

    // A key of another type, and the key of no member.
    world.tool("openssl", &["genpkey", "-algorithm", "RSA", "-out", "rsa.pem"]);
    let import = ["--import", "rsa.pem", "--token", TOKEN, "--label", "rsa", "--id", "02", "--pin", PIN];
    world.tool("softhsm2-util", &import);
    fails(3, "TOKEN_KEY", "found CKK_RSA", &[&key[..], &["rsa", "--pin-file", "pin"]].concat());
    let keygen = |key| {
        let keygen = ["keygen", "--name", "x", "--address", "x:1", "--out", "x", "--new-key"];
        [&keygen[..], &world.token(key)].concat()
    };
    world.ok(&keygen("x"));
    fails(3, "", "belongs to no member", &[&key[..], &["x", "--pin-file", "pin"]].concat());
    world.fails(3, "TOKEN_KEY", "a key has this label", &keygen("voting"));
    assert!(!world.sandbox().path("journal").exists(), "no journal of a key that was not opened");

    // The secret key file has no use but the signer's identity.
    let public = |name: &str| {
        let text = world.sandbox().read(&format!("{name}/public.toml"));
        text.lines().find(|line| line.starts_with("voting_key")).unwrap().to_owned()
    };
    assert_eq!(public("alice"), public("signer"));
    let own = NodeKeys::load(&world.sandbox().path("signer/keys"), None).unwrap().public().unwrap();
    assert!(!public("signer").contains(&own.voting_key.to_string()));
}

#[test]
fn a_killed_signer_with_a_token_signs_nothing_twice() {
    let world = World::new();
    let (running, line) = world.start("127.0.0.1:0", &["--new-signer"]);
    let vote = world.client(&line).sign(world.statement(7, 1)).unwrap();
    kill(running);

    let (mut running, line) = world.start("127.0.0.1:0", &[]);
    let mut client = world.client(&line);
    assert_eq!(client.sign(world.statement(7, 2)).unwrap_err().code(), "CONTRADICTION");
    let mut client = world.client(&line);
    assert_eq!(client.sign(world.statement(7, 1)).unwrap(), vote);

    // Without the token there is no signature, and the signer ends.
    let (place, aside) = (world.token_directory(), world.sandbox().path("aside"));
    fs::rename(&place, &aside).unwrap();
    assert_eq!(client.sign(world.statement(8, 1)).unwrap_err().code(), "JOURNAL_FAILED");
    assert_eq!(running.child.wait().unwrap().code(), Some(1));
    let log = world.sandbox().read("signer.log");
    assert!(log.contains("KEY_FAILED") && log.contains("check that the token is connected"), "{log}");
    let again = [&signer("127.0.0.1:0")[..], &world.token("voting")].concat();
    world.fails(1, "TOKEN_NOT_FOUND", "present: none", &again);

    // Connected again, it continues with all records.
    fs::rename(&aside, &place).unwrap();
    let (_running, line) = world.start("127.0.0.1:0", &[]);
    let mut client = world.client(&line);
    assert!(client.sign(world.statement(8, 2)).is_ok(), "the failed statement left no record");
    assert_eq!(client.sign(world.statement(7, 2)).unwrap_err().code(), "CONTRADICTION");
    let log = world.sandbox().read("signer.log");
    assert!(!log.contains(PIN), "{log}");
}

#[test]
fn a_validator_votes_with_a_key_in_a_token() {
    let mut world = World::new();
    let listen = free_address().unwrap().to_string();
    let (running, line) = world.start(&listen, &["--new-signer"]);
    world.chain.configure("alice", &line);
    // Without alice's votes the other two are no quorum.
    for name in ["alice", "bob", "carol"] {
        world.chain.start(name);
    }
    for name in ["alice", "bob", "carol"] {
        world.chain.wait_for_membership(name, 0);
    }
    world.chain.commit("bob", "put greeting hello");
    kill(running);
    world.sandbox().ok(&["submit", "--node", &world.chain.node("bob"), "put greeting stalled"]);
    eventually("alice misses its signer", || world.sandbox().read("alice/log.txt").contains("SIGNER_FAILED"));
    let (_running, _) = world.start(&listen, &[]);
    world.chain.commit("bob", "put greeting again");
    world.chain.compare_states();
}
