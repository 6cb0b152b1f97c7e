//! The files of the matrix of languages: all read what each writes. As `core/examples/matrix.rs`.

pub mod matrix {
    /// Writes new objects of the suite that the input names.
    pub fn write(input: Json) -> Json {
        let suite = suite_named(input.text("suite"));
        let secrets = range(7).map(|_| SecretKey::generate(suite));
        let keys = secrets.map(|secret| UnverifiedKey::prove(secret));
        let chain = ChainId::from_name("matrix");
        let committee =
            Committee::new(chain, 3u64, range(7).map(|at| (keys[at].verify(), (at + 1) as u128)));
        let statement = committee.statement(1, 9u64, zeros(32));
        let votes = secrets.map(|secret| Vote::sign_unguarded(secret, committee, statement));
        let timeouts = range(7).map(|at| {
            TimeoutVote::sign_unguarded(secrets[at], committee, 1, 9u64, ((at + 4) / 2) as u64)
        });
        let other = Vote::sign_unguarded(secrets[2], committee, committee.statement(1, 9u64, chain.bytes()));
        let guard = Guard::new(SecretKey::from_bytes(suite, secrets[0].to_bytes()), chain);
        json! {
            suite: suite.to_string(),
            chain: "matrix",
            epoch: committee.epoch(),
            members: range(7).map(|at| json! { key: keys[at].encode(), weight: (at + 1).to_string() }),
            committee_id: committee.id(),
            statement: statement.encode(),
            votes: votes.map(|vote| vote.encode()),
            link_votes: votes.map(|vote| vote.encode_link()),
            certificate: certificate_of(votes, committee).encode(),
            timeout_votes: timeouts.map(|vote| vote.encode()),
            timeout_certificate: timeout_certificate_of(timeouts, committee).encode(),
            equivocation: Equivocation::new(votes[2], other).encode(),
            guard_record: guard.sign(committee, statement).record.encode(),
            merkle: write_merkle(keys),
            gossip: if counted_suites().contains(suite) { write_gossip(votes, committee) } else { shown(None) },
            sortition: if drawn_suites().contains(suite) { write_sortition(secrets, committee) } else { shown(None) },
        }
    }

    fn write_merkle(keys: Vec<UnverifiedKey>) -> Json {
        let tree = Merkle::new("quorate-matrix-leaf", "quorate-matrix-node");
        let items = range(5).map(|at| keys[at].encode());
        let leaves = tree.leaves(items);
        json! {
            leaf_domain: tree.leaf_domain(),
            node_domain: tree.node_domain(),
            items: items,
            root: tree.root(leaves),
            path: tree.path(leaves, 4).encode(),
        }
    }

    fn sum(votes: Vec<Vote>, members: Vec<u16>, committee: Committee) -> VerifiedAggregate {
        let parts = members.map(|member| Aggregate::from_vote(votes[member].verify(committee), committee));
        parts.reduce(|one, two| one.merge(two))
    }

    /// A sum that contains one signature twice, and a certificate that contains two of them twice.
    fn write_gossip(votes: Vec<Vote>, committee: Committee) -> Json {
        let whole = sum(votes, [3, 4, 5, 6, 3, 4], committee);
        json! {
            aggregate: sum(votes, [1, 2, 2, 4], committee).value().encode(),
            certificate: whole.certificate(committee).unwrap().value().encode(),
        }
    }

    /// The expected number of winners is the number of members, so all win.
    fn write_sortition(secrets: Vec<SecretKey>, committee: Committee) -> Json {
        let seed = Seed::genesis(committee.chain(), zeros(6));
        let ticket = Lottery::new(committee, seed, 9u64).draw(secrets[5]).unwrap();
        let proof = SeedProof::sign(secrets[2], committee, seed);
        json! {
            seed: seed.encode(),
            ticket: ticket.value().encode(),
            score: ticket.score(),
            seed_proof: proof.encode(),
            next_seed: seed.next(proof, committee).encode(),
        }
    }

    /// Checks a file.
    pub fn read(file: Json) {
        let suite = suite_named(file.text("suite"));
        let committee = Committee::new(
            ChainId::from_name(file.text("chain")),
            file.u64("epoch"),
            file.list("members").map(|one| {
                (UnverifiedKey::decode(suite, one.bytes("key")).verify(), one.u128("weight"))
            }),
        );
        check!(committee.id().bytes() == file.bytes("committee_id"));
        let statement = Statement::decode(file.bytes("statement"));
        let votes = file.byte_strings("votes").map(|vote| Vote::decode(suite, vote));
        let linked = file.byte_strings("link_votes").map(|vote| Vote::decode_link(suite, vote));
        check!(votes == linked);
        check!(votes.map(|vote| vote.signer()) == range(7));
        for vote in votes {
            check!(vote.verify(committee).value().statement() == statement);
        }
        let certificate = Certificate::decode(file.bytes("certificate"), committee);
        check!(certificate.verify(committee).value().statement() == statement);
        for vote in file.byte_strings("timeout_votes") {
            TimeoutVote::decode(suite, vote).verify(committee);
        }
        TimeoutCertificate::decode(file.bytes("timeout_certificate"), committee).verify(committee);
        Equivocation::decode(suite, file.bytes("equivocation")).verify(committee);
        check!(GuardRecord::decode(file.bytes("guard_record")).view() == 9u64);
        read_merkle(file.get("merkle"));
        if counted_suites().contains(suite) {
            read_gossip(file.get("gossip"), statement, committee);
        }
        if drawn_suites().contains(suite) {
            read_sortition(file.get("sortition"), committee);
        }
    }

    fn read_merkle(file: Json) {
        let tree = Merkle::new(file.text("leaf_domain"), file.text("node_domain"));
        let items = file.byte_strings("items");
        let root = tree.root(tree.leaves(items));
        check!(root == file.bytes("root"));
        let path = Path::decode(file.bytes("path"));
        tree.verify(root, tree.leaf(items[path.index() as usize]), path);
    }

    fn counts_are(aggregate: Aggregate, statement: Statement, counts: Vec<u16>) {
        check!(aggregate.statement() == statement);
        check!(range(7).map(|member| aggregate.count(member)) == counts);
    }

    fn read_gossip(file: Json, statement: Statement, committee: Committee) {
        let aggregate = Aggregate::decode(file.bytes("aggregate"), committee);
        counts_are(aggregate.verify(committee).value(), statement, [0, 1, 2, 0, 1, 0, 0]);
        let certificate = Certificate::decode(file.bytes("certificate"), committee).verify(committee);
        counts_are(Aggregate::from_certificate(certificate).value(), statement, [0, 0, 0, 2, 2, 1, 1]);
    }

    fn read_sortition(file: Json, committee: Committee) {
        let seed = Seed::decode(file.bytes("seed"));
        let ticket = Ticket::decode(committee.suite(), file.bytes("ticket"));
        check!(ticket.round() == 9u64 && ticket.member() == 5);
        check!(ticket.verify(Lottery::new(committee, seed, 9u64)).score().bytes() == file.bytes("score"));
        let proof = SeedProof::decode(committee.suite(), file.bytes("seed_proof"));
        check!(proof.signer() == 2);
        check!(seed.next(proof, committee).encode() == file.bytes("next_seed"));
    }
}
