//! The Rust side of the cross-language test: writes a file of new objects per suite, and reads and verifies the files of
//! all languages.
//!
//! ```sh
//! cargo run --package quorate --example matrix -- write DIR
//! cargo run --package quorate --example matrix -- read DIR
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;
use std::{env, fs};

use quorate::any::{
    Aggregate, Certificate, Committee, Equivocation, Guard, Lottery, SecretKey, SeedProof, Suite, Ticket,
    TimeoutCertificate, TimeoutCollector, TimeoutVote, UnverifiedKey, Vote, VoteCollector,
};
use quorate::certificate::{Kind, Statement, Suspects};
use quorate::committee::{ChainId, Verified};
use quorate::guard::GuardRecord;
use quorate::merkle::{self, Merkle};
use quorate::sortition::{EXPECTED_WINNERS, Seed};
use quorate::wire::{Decode, Encode};
use serde_json::{Value, json};

const KIND: Kind = Kind::new(1);
const VIEW: u64 = 9;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", dir] => Suite::ALL.iter().for_each(|suite| write(*suite, Path::new(dir))),
        ["read", dir] => println!("{} files read", read_all(Path::new(dir))),
        _ => panic!("usage: matrix write|read DIR"),
    }
}

fn write(suite: Suite, dir: &Path) {
    let secrets: Vec<_> =
        (0..7).map(|_| SecretKey::generate(suite, &mut getrandom::SysRng).unwrap()).collect();
    let keys: Vec<_> = secrets.iter().map(UnverifiedKey::prove).collect();
    let chain = ChainId::from_name("matrix");
    let members = (1..).zip(&keys).map(|(weight, key)| (key.verify().unwrap(), weight)).collect();
    let committee = Committee::new(chain, 3, members).unwrap();
    let statement = committee.statement(KIND, VIEW, [7; 32]);
    let sign = |secret, statement| Vote::sign_unguarded(secret, &committee, statement).unwrap();
    let votes: Vec<_> = secrets.iter().map(|secret| sign(secret, statement)).collect();
    let timeouts: Vec<_> = (4..)
        .zip(&secrets)
        .map(|(value, secret)| {
            TimeoutVote::sign_unguarded(secret, &committee, KIND, VIEW, value / 2).unwrap()
        })
        .collect();

    let mut suspects = Suspects::new();
    let mut collector = VoteCollector::new(&committee, KIND, VIEW);
    let certificate = votes
        .iter()
        .find_map(|vote| collector.add(vote.clone(), &mut suspects).unwrap().certificate)
        .unwrap();
    let mut collector = TimeoutCollector::new(&committee, KIND, VIEW);
    let timeout_certificate = timeouts
        .iter()
        .find_map(|vote| collector.add(vote.clone(), &mut suspects).unwrap().certificate)
        .unwrap();
    let other = sign(&secrets[2], committee.statement(KIND, VIEW, [8; 32]));
    let equivocation = Equivocation::new(votes[2].clone(), other).unwrap();
    let key = SecretKey::from_bytes(suite, secrets[0].to_bytes().as_ref()).unwrap();
    let (_, record) = Guard::new(key, chain).sign(&committee, statement).unwrap();

    let (leaf, node) = ("quorate-matrix-leaf", "quorate-matrix-node");
    let tree = Merkle::new(leaf, node);
    let items: Vec<String> = (0..5).map(|i| format!("item {i}")).collect();
    let leaves = tree.leaves(&items);
    let members: Vec<Value> = (1..)
        .zip(&keys)
        .map(|(weight, key)| json!({ "key": hex::encode(key.encode()), "weight": weight.to_string() }))
        .collect::<Vec<_>>();
    let mut file = json!({
        "suite": suite.name(), "chain": "matrix", "epoch": "3", "members": members,
        "committee_id": committee.id().to_string(),
        "statement": hex::encode(statement.encode()),
        "votes": votes.iter().map(|vote| hex::encode(vote.encode())).collect::<Vec<_>>(),
        "link_votes": votes.iter().map(|vote| hex::encode(vote.encode_link())).collect::<Vec<_>>(),
        "certificate": hex::encode(certificate.encode()),
        "timeout_votes": timeouts.iter().map(|vote| hex::encode(vote.encode())).collect::<Vec<_>>(),
        "timeout_certificate": hex::encode(timeout_certificate.encode()),
        "equivocation": hex::encode(equivocation.encode()),
        "guard_record": hex::encode(record.encode()),
        "merkle": {
            "leaf_domain": leaf, "node_domain": node, "items": items.iter().map(hex::encode).collect::<Vec<_>>(),
            "root": hex::encode(tree.root(&leaves)), "path": hex::encode(tree.path(&leaves, 4).unwrap().encode()),
        },
    });
    if counts(suite) {
        file["gossip"] = write_gossip(&votes, &committee);
    }
    if suite != Suite::Ed25519 {
        file["sortition"] = write_sortition(&secrets, &committee, chain);
    }
    let text = serde_json::to_string_pretty(&file).unwrap();
    fs::write(dir.join(format!("rust-{suite}.json")), text).unwrap();
}

/// Returns true if aggregates of the suite have counts.
fn counts(suite: Suite) -> bool {
    matches!(suite, Suite::MinSigCounted | Suite::MinPkCounted)
}

/// Writes a sum that contains one signature twice, and a certificate that contains two signatures twice.
fn write_gossip(votes: &[Vote], committee: &Committee) -> Value {
    let single = |member: usize| {
        Aggregate::of_vote(&votes[member].clone().verify(committee).unwrap(), committee).unwrap()
    };
    let sum = |members: &[usize]| -> Verified<Aggregate> {
        members.iter().map(|member| single(*member)).reduce(|one, two| one.merge(&two, 255).unwrap()).unwrap()
    };
    let certificate = sum(&[3, 4, 5, 6, 3, 4]).certificate(committee).unwrap();
    json!({
        "aggregate": hex::encode(sum(&[1, 2, 2, 4]).encode()),
        "certificate": hex::encode(certificate.encode()),
    })
}

/// Writes a ticket and a seed proof. The expected number of winners is the number of members, so every member wins.
fn write_sortition(secrets: &[SecretKey], committee: &Committee, chain: ChainId) -> Value {
    let seed = Seed::genesis(chain, b"matrix");
    let lottery = Lottery::new(committee, seed, VIEW, EXPECTED_WINNERS).unwrap();
    let ticket = lottery.draw(&secrets[5]).unwrap().unwrap();
    let proof = SeedProof::sign(&secrets[2], committee, &seed).unwrap();
    json!({
        "seed": hex::encode(seed.encode()),
        "ticket": hex::encode(ticket.encode()),
        "score": hex::encode(ticket.score().as_bytes()),
        "seed_proof": hex::encode(proof.encode()),
        "next_seed": hex::encode(proof.next_seed(&seed, committee).unwrap().encode()),
    })
}

fn read_all(dir: &Path) -> usize {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    for path in &files {
        println!("{}", path.display());
        read(&serde_json::from_slice(&fs::read(path).unwrap()).unwrap());
    }
    files.len()
}

fn read(file: &Value) {
    let suite = Suite::from_name(file["suite"].as_str().unwrap()).unwrap();
    let key = |member: &Value| {
        let weight = member["weight"].as_str().unwrap().parse().unwrap();
        (UnverifiedKey::decode(suite, &bytes(&member["key"])).unwrap().verify().unwrap(), weight)
    };
    let members = list(&file["members"]).iter().map(key).collect();
    let epoch = file["epoch"].as_str().unwrap().parse().unwrap();
    let committee =
        Committee::new(ChainId::from_name(file["chain"].as_str().unwrap()), epoch, members).unwrap();
    assert_eq!(committee.id().to_string(), file["committee_id"].as_str().unwrap());
    let statement = Statement::decode(&bytes(&file["statement"]), &()).unwrap();
    same(&statement.encode(), &file["statement"]);

    for (signer, (plain, link)) in list(&file["votes"]).iter().zip(list(&file["link_votes"])).enumerate() {
        let vote = Vote::decode(suite, &bytes(plain)).unwrap();
        assert_eq!((usize::from(vote.signer()), *vote.statement()), (signer, statement));
        same(&vote.encode(), plain);
        same(&vote.encode_link(), link);
        assert_eq!(Vote::decode_link(suite, &bytes(link)).unwrap(), vote);
        vote.verify(&committee).unwrap();
    }
    let certificate = Certificate::decode(&bytes(&file["certificate"]), &committee).unwrap();
    same(&certificate.encode(), &file["certificate"]);
    assert_eq!(*certificate.verify(&committee).unwrap().statement(), statement);
    for encoded in list(&file["timeout_votes"]) {
        let vote = TimeoutVote::decode(suite, &bytes(encoded)).unwrap();
        same(&vote.encode(), encoded);
        vote.verify(&committee).unwrap();
    }
    let timeout = TimeoutCertificate::decode(&bytes(&file["timeout_certificate"]), &committee).unwrap();
    same(&timeout.encode(), &file["timeout_certificate"]);
    timeout.verify(&committee).unwrap();
    let evidence = Equivocation::decode(suite, &bytes(&file["equivocation"])).unwrap();
    same(&evidence.encode(), &file["equivocation"]);
    evidence.verify(&committee).unwrap();
    same(&GuardRecord::decode(&bytes(&file["guard_record"]), &()).unwrap().encode(), &file["guard_record"]);

    let tree = &file["merkle"];
    let text = |name: &str| tree[name].as_str().unwrap();
    let merkle = Merkle::new(text("leaf_domain"), text("node_domain"));
    let items: Vec<_> = list(&tree["items"]).iter().map(bytes).collect();
    let root = merkle.root(&merkle.leaves(&items));
    same(&root, &tree["root"]);
    let path = merkle::Path::decode(&bytes(&tree["path"]), &()).unwrap();
    same(&path.encode(), &tree["path"]);
    merkle.verify(&root, &merkle.leaf(&items[path.index() as usize]), &path).unwrap();
    if counts(suite) {
        read_gossip(&file["gossip"], &statement, &committee);
    }
    if suite != Suite::Ed25519 {
        read_sortition(&file["sortition"], &committee);
    }
}

fn read_gossip(file: &Value, statement: &Statement, committee: &Committee) {
    let counts = |aggregate: &Aggregate| (0..7).map(|member| aggregate.count(member)).collect::<Vec<_>>();
    let aggregate = Aggregate::decode(&bytes(&file["aggregate"]), committee).unwrap();
    same(&aggregate.encode(), &file["aggregate"]);
    assert_eq!((aggregate.statement(), counts(&aggregate)), (statement, vec![0, 1, 2, 0, 1, 0, 0]));
    aggregate.verify(committee).unwrap();
    let certificate = Certificate::decode(&bytes(&file["certificate"]), committee).unwrap();
    same(&certificate.encode(), &file["certificate"]);
    let whole = Aggregate::of_certificate(&certificate.verify(committee).unwrap()).unwrap();
    assert_eq!((whole.statement(), counts(&whole)), (statement, vec![0, 0, 0, 2, 2, 1, 1]));
}

fn read_sortition(file: &Value, committee: &Committee) {
    let seed = Seed::decode(&bytes(&file["seed"]), &()).unwrap();
    same(&seed.encode(), &file["seed"]);
    let ticket = Ticket::decode(committee.suite(), &bytes(&file["ticket"])).unwrap();
    same(&ticket.encode(), &file["ticket"]);
    assert_eq!((ticket.round(), ticket.member()), (VIEW, 5));
    let lottery = Lottery::new(committee, seed, VIEW, EXPECTED_WINNERS).unwrap();
    let won = ticket.verify(&lottery).unwrap();
    same(won.score().as_bytes(), &file["score"]);
    let proof = SeedProof::decode(committee.suite(), &bytes(&file["seed_proof"])).unwrap();
    same(&proof.encode(), &file["seed_proof"]);
    assert_eq!(proof.signer(), 2);
    same(&proof.next_seed(&seed, committee).unwrap().encode(), &file["next_seed"]);
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a hex string")).expect("hex")
}

fn same(encoded: &[u8], expected: &Value) {
    assert_eq!(hex::encode(encoded), expected.as_str().unwrap());
}
