//! Encrypted key files, keystores and seeds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use support::Sandbox;

const PASSWORD: &str = "correct horse battery";

/// A file that only its owner can read.
fn private(sandbox: &Sandbox, name: &str, content: &str) {
    sandbox.write(name, content);
    fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(0o600)).unwrap();
}

fn keygen(sandbox: &Sandbox, out: &str, more: &[&str]) {
    let keygen = ["keygen", "--name", out, "--address", "127.0.0.1:1", "--out", out];
    sandbox.ok(&[&keygen, more].concat());
}

fn public_keys(sandbox: &Sandbox, keys: &str) -> (Value, Value, Value) {
    let shown: Value = serde_json::from_str(&sandbox.ok(&["key", "show", keys, "--json"])).unwrap();
    (shown["identity_key"].clone(), shown["voting_key"].clone(), shown["encrypted"].clone())
}

fn backup_to_copy<'a>(password: &[&'a str]) -> Vec<&'a str> {
    let arguments =
        ["key", "backup", "a/keys", "--out", "copy", "--kdf", "pbkdf2", "--new-password-file", "other"];
    [&arguments, password].concat()
}

#[test]
fn encrypted_keys_need_their_password() {
    let sandbox = Sandbox::new();
    private(&sandbox, "password", PASSWORD);
    private(&sandbox, "other", "another password");
    let encrypt = ["--encrypt", "--kdf", "pbkdf2", "--new-password-file", "password"];
    keygen(&sandbox, "a", &encrypt);
    let (identity, voting, encrypted) = public_keys(&sandbox, "a/keys");
    assert_eq!(encrypted, true);
    let public = sandbox.read("a/public.toml");
    assert!(public.contains(identity.as_str().unwrap()) && public.contains(voting.as_str().unwrap()));
    assert_eq!(fs::metadata(sandbox.path("a/keys")).unwrap().permissions().mode() & 0o777, 0o600);

    sandbox.fails(3, "QUORATE_KEY_PASSWORD", &backup_to_copy(&[]));
    sandbox.fails(3, "the password is wrong", &backup_to_copy(&["--password-file", "other"]));
    sandbox.ok(&backup_to_copy(&["--password-file", "password"]));
    assert_eq!(public_keys(&sandbox, "copy"), (identity, voting, true.into()));
    sandbox.fails(3, "is not overwritten", &backup_to_copy(&["--password-file", "password"]));
    sandbox.fails(3, "8 characters", &{
        private(&sandbox, "short", "1234567");
        [
            "keygen",
            "--name",
            "b",
            "--address",
            "x:1",
            "--out",
            "b",
            "--encrypt",
            "--new-password-file",
            "short",
        ]
    });
    assert!(!sandbox.path("b/keys").exists());

    // A password file alone encrypts; a public file is not overwritten either.
    keygen(&sandbox, "d", &["--kdf", "pbkdf2", "--new-password-file", "password"]);
    assert_eq!(public_keys(&sandbox, "d/keys").2, true);
    fs::remove_file(sandbox.path("d/keys")).unwrap();
    sandbox.fails(3, "is not overwritten", &["keygen", "--name", "d", "--address", "x:1", "--out", "d"]);
    assert!(!sandbox.path("d/keys").exists());
    // A password for keys in the clear is a mistake.
    keygen(&sandbox, "e", &[]);
    let backup = ["key", "backup", "e/keys", "--out", "x", "--password-file", "password", "--kdf", "pbkdf2"];
    sandbox.fails(3, "the keys are not encrypted", &backup);
}

#[test]
fn a_validator_starts_with_encrypted_keys() {
    let sandbox = Sandbox::new();
    private(&sandbox, "password", PASSWORD);
    keygen(&sandbox, "a", &["--encrypt", "--kdf", "pbkdf2", "--new-password-file", "password"]);
    sandbox.ok(&["genesis", "--chain", "x", "--out", "genesis.toml", "a/public.toml"]);
    let config = |password: &str| {
        format!("[node]\ngenesis = 'genesis.toml'\nkeys = 'a/keys'\ndata = 'data'\n{password}")
    };
    sandbox.write("without.toml", config(""));
    sandbox.write("with.toml", config("password = 'password'\n"));
    sandbox.fails(3, "there is no password", &["run", "--config", "without.toml", "--new-validator"]);
    let doctor = sandbox.run(&["doctor", "--config", "with.toml"]);
    assert!(doctor.stdout.contains("only its owner can read it"), "{}{}", doctor.stdout, doctor.stderr);
    let doctor = sandbox.run(&["doctor", "--config", "without.toml"]);
    assert!(doctor.stdout.contains("there is no password"), "{}{}", doctor.stdout, doctor.stderr);
}

#[test]
fn keystores_carry_voting_keys_between_programs() {
    let sandbox = Sandbox::new();
    private(&sandbox, "password", PASSWORD);
    keygen(&sandbox, "a", &[]);
    let new = ["--kdf", "pbkdf2", "--new-password-file", "password"];
    sandbox.ok(&[&["key", "export", "a/keys", "--out", "voting.json"], new.as_slice()].concat());
    let keystore: Value = serde_json::from_str(&sandbox.read("voting.json")).unwrap();
    assert_eq!(keystore["version"], 4);
    let import = |keystore: &str, out: &str, password: &str| {
        let import = ["key", "import", "--keystore", keystore, "--password-file", password, "--name", out];
        [&import, ["--address", "x:1", "--out", out].as_slice()]
            .concat()
            .iter()
            .map(|s| (*s).to_owned())
            .collect()
    };
    let run = |arguments: Vec<String>| sandbox.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let imported = run(import("voting.json", "b", "password"));
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let ((identity, voting, _), (other, same, _)) =
        (public_keys(&sandbox, "a/keys"), public_keys(&sandbox, "b/keys"));
    assert_eq!(voting, same);
    assert_ne!(identity, other, "an identity is new");

    // The keystore of another key under this name, a wrong password, and a file of something else.
    let mut wrong = keystore.clone();
    wrong["pubkey"] = identity;
    sandbox.write("wrong.json", wrong.to_string());
    assert_eq!(run(import("wrong.json", "c", "password")).code, 3);
    private(&sandbox, "other", "another password");
    let refused = run(import("voting.json", "c", "other"));
    assert!(refused.code == 3 && refused.stderr.contains("the password is wrong"), "{}", refused.stderr);
    assert_eq!(run(import("a/keys", "c", "password")).code, 3);
    assert!(!sandbox.path("c").exists());
}

#[test]
fn one_seed_has_many_keys() {
    let sandbox = Sandbox::new();
    let seed = "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3";
    private(&sandbox, "seed", seed);
    let import = |seed: &str, path: &str, out: &str| {
        let arguments = [
            "key",
            "import",
            "--seed",
            seed,
            "--path",
            path,
            "--name",
            out,
            "--address",
            "x:1",
            "--out",
            out,
        ];
        sandbox.run(&arguments)
    };
    for (path, out) in [("m/12381/3600/0/0/0", "a"), ("m/12381/3600/0/0/0", "b"), ("m/12381/3600/1/0/0", "c")]
    {
        let imported = import("seed", path, out);
        assert_eq!(imported.code, 0, "{}", imported.stderr);
    }
    let voting = |out: &str| public_keys(&sandbox, &format!("{out}/keys")).1;
    assert_eq!(voting("a"), voting("b"));
    assert_ne!(voting("a"), voting("c"));
    private(&sandbox, "short", &seed[..62]);
    assert_eq!(import("short", "m/0", "d").code, 3);
    sandbox.write("public", seed);
    assert!(import("public", "m/0", "d").stderr.contains("chmod 600"));
    assert_eq!(import("seed", "m/0'", "d").code, 2);
    sandbox.fails(2, "required", &["key", "import", "--name", "d", "--address", "x:1"]);
}
