//! A member that attests two messages, over real links: the evidence kept by the other members, and its verification.

use std::fs;
use std::sync::Arc;

use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Encode, Writer, domain};
use quorate_broadcast::{Message, SignedMessage, Slot, attestation_bytes, digest};
use quorate_node::config::LinkConfig;
use quorate_node::genesis::Genesis;
use quorate_node::keys::NodeKeys;
use quorate_node::links::{Lane, Limits, LinkEvent, Links, Received, Settings, Sink};
use quorate_node::metrics::Metrics;

use super::*;

/// The faulty member: the last of four.
const FAULTY: u16 = 3;

/// Time limit of a wait: only a member that does not do what is expected reaches it.
const LIMIT: Duration = Duration::from_secs(120);

/// Ignores all frames.
struct Deaf;

impl Sink for Deaf {
    fn frame(&self, _: Received) {}
    fn event(&self, _: LinkEvent) {}
}

/// Returns the group parameters of a group that signs with Ed25519, as in `spec/broadcast.md`.
fn group_parameters() -> Vec<u8> {
    let mut w = Writer::new();
    w.bytes(b"eddsa");
    w.bytes(b"");
    w.u32(128);
    w.u64(16_384);
    w.into_bytes()
}

/// Sends members 0 and 2 one message and member 1 another in the same slot, and an invalid message directly before,
/// so that another fault of the member is less than a second old. Returns the evidence files of members 0 and 1.
fn send_equivocation(dir: &Path) -> [Vec<PathBuf>; 2] {
    let genesis = Genesis::load(&dir.join("g/group.toml")).unwrap();
    let chain = ChainId(domain::hash(
        domain::BROADCAST_GROUP,
        &[&genesis.chain_id().0[..], &group_parameters()].concat(),
    ));
    let identities = genesis.committees::<Ed25519>().unwrap().identities;
    let members = identities.keys().iter().cloned().map(|key| (key, 1)).collect();
    let committee = Committee::from_attested(chain, 0, members, Repeats::Refuse).unwrap();
    let keys = NodeKeys::load(&dir.join(format!("g/node{FAULTY}.keys")), None).unwrap();
    let send = |message: &[u8]| {
        let slot = Slot { sender: FAULTY, sequence: 1 };
        let word = attestation_bytes(&committee.id(), FAULTY, slot, &digest(message));
        let signature = Ed25519::sign(&keys.identity().unwrap(), &word);
        Message::Send(SignedMessage { sequence: 1, message: message.into(), signature }).encode()
    };
    let [one, other] = [send(b"yes"), send(b"no")];
    let mut forged = send(b"forged");
    *forged.last_mut().unwrap() ^= 1;

    let settings = Settings {
        config: LinkConfig { max_backoff_ms: 200, ..LinkConfig::default() },
        limits: Limits::default(),
        chain,
        me: Some(FAULTY),
        identity: keys.identity().unwrap(),
        members: genesis.members.iter().map(|m| (m.name.clone(), m.address.clone())).collect(),
        identities: Arc::new(committee),
        former_members: Vec::new(),
        metrics: Metrics::new().links,
    };
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let links = Links::start(settings, Arc::new(Deaf)).await.unwrap();
        let deadline = Instant::now() + LIMIT;
        while !links.sender().status().iter().all(|peer| peer.outgoing) {
            assert!(Instant::now() < deadline, "the faulty member is not connected");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for (to, bytes) in [(0, &one), (1, &other), (2, &one)] {
            links.sender().send(to, Lane::Urgent, forged.clone().into());
            links.sender().send(to, Lane::Urgent, bytes.clone().into());
        }
        while !links.sender().status().iter().all(|peer| peer.queued_frames == 0) {
            assert!(Instant::now() < deadline, "the links do not accept the frames");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // The links carry the frames until they are shut down.
        let files = tokio::task::block_in_place(|| [0, 1].map(|i| wait_for_evidence(dir, i)));
        links.shutdown().await;
        files
    })
}

/// Waits for a member's evidence files and returns them.
fn wait_for_evidence(dir: &Path, i: usize) -> Vec<PathBuf> {
    let deadline = Instant::now() + LIMIT;
    loop {
        let entries = fs::read_dir(dir.join(format!("g/data{i}/evidence")));
        let files: Vec<_> = entries.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
        if files.iter().any(|file| file.extension().is_some_and(|e| e == "evidence")) {
            return files;
        }
        assert!(Instant::now() < deadline, "member {i} stores no evidence");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a member's log contains `text`.
fn wait_for_log(member: &Member, text: &str) {
    let deadline = Instant::now() + LIMIT;
    while !member.log().contains(text) {
        assert!(Instant::now() < deadline, "no {text:?} in the log: {}", member.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn equivocation_is_proven_with_the_group_file_alone() {
    let dir = group();
    // Member 2 cannot store evidence: a file is in the place of the directory.
    fs::create_dir(dir.path().join("g/data2")).unwrap();
    fs::write(dir.path().join("g/data2/evidence"), "in the way").unwrap();
    let mut members: Vec<Member> = (0..3).map(|i| Member::start(dir.path(), i, "eddsa")).collect();
    members[0].say("hello");
    members.iter_mut().for_each(|member| member.hears("hello"));
    let files = send_equivocation(dir.path());

    // Members report the location of the evidence; the member that cannot store it reports the error and continues.
    members[2].say("still here");
    members.iter_mut().for_each(|member| member.hears("still here"));
    for member in &members[..2] {
        wait_for_log(member, "BAD_SIGNATURE");
        wait_for_log(member, "check-evidence");
    }
    wait_for_log(&members[2], "could not be written");
    // The evidence survives the processes.
    members.into_iter().for_each(|member| drop(member.kill()));

    let group = dir.path().join("g/group.toml").to_string_lossy().into_owned();
    let check = |file: &Path| vec!["check-evidence".into(), path(file), "--group".into(), group.clone()];
    for files in &files {
        let [file] = &files[..] else { panic!("one file: {files:?}") };
        let bytes = fs::read(file).unwrap();
        let begin = [b"qbevid01", &group_parameters()[..]].concat();
        assert_eq!((bytes.starts_with(&begin), bytes.len()), (true, begin.len() + 204));
        let arguments = check(file);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.starts_with("node3 attested two messages"), "{text}");
        let found = json(&[&arguments[..], &["--json"]].concat());
        assert_eq!((&found[0]["holds"], &found[0]["culprit"]), (&true.into(), &"node3".into()));
        assert_eq!((&found[0]["sender"], &found[0]["sequence"]), (&"node3".into(), &1.into()));
        let mut digests = [b"yes".as_slice(), b"no"].map(|message| hex::encode(digest(message)));
        digests.sort();
        assert_eq!(found[0]["digests"], serde_json::json!(digests));
    }

    // Modified or truncated evidence, and evidence of another group, proves nothing.
    let bytes = fs::read(&files[0][0]).unwrap();
    let wrong = dir.path().join("wrong");
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    let (last, begin) = (bytes.len() - 1, bytes.len() - 204);
    for (code, bytes) in [
        ("BAD_SIGNATURE", changed(last)),
        ("BAD_SIGNATURE", changed(begin - 12)),
        ("MALFORMED", changed(0)),
        ("MALFORMED", bytes[..last].to_vec()),
        ("MALFORMED", Vec::new()),
        ("MALFORMED", [&bytes[..], b"x"].concat()),
        ("TOO_LARGE", vec![0; 1 << 20]),
    ] {
        fs::write(&wrong, bytes).unwrap();
        let arguments = check(&wrong);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        fails(7, code, &arguments);
        let output = run(&[&arguments[..], &["--json"]].concat());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&found["holds"], &found["code"]), (&false.into(), &code.into()));
    }
    let other_group = tempfile::tempdir().unwrap();
    let elsewhere = path(&other_group.path().join("g"));
    assert!(run(&["init", "--out", &elsewhere]).status.success());
    let file = path(&files[0][0]);
    fails(7, "BAD_SIGNATURE", &["check-evidence", &file, "--group", &format!("{elsewhere}/group.toml")]);
    fails(3, "nowhere", &["check-evidence", "nowhere", "--group", &group]);
    fails(3, "nowhere", &["check-evidence", &file, "--group", "nowhere"]);
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
