//! Committees, and what their members sign without any format of quorate.

fn committee_of(input: Json) -> Committee { committee_from(input.get("committee")) }

/// The committee of a definition in a vector file.
fn committee_from(definition: Json) -> Committee {
    let suite = suite_of(definition);
    Committee::from_attested(
        ChainId::from_bytes(definition.bytes("chain")),
        definition.u64("epoch"),
        definition.list("members").map(|one| (PublicKey::decode(suite, one.bytes("public_key")), one.u128("weight"))),
        definition.has("repeats") && definition.flag("repeats"),
    )
}

pub mod committee {
    fn figures(committee: Committee) -> Json {
        json! {
            id: committee.id(),
            total_weight: committee.total_weight(),
            quorum_weight: committee.quorum_weight(),
            honest_weight: committee.honest_weight(),
        }
    }

    pub fn new(input: Json) -> Json {
        let suite = suite_of(input);
        figures(Committee::new(
            ChainId::from_bytes(input.bytes("chain")),
            input.u64("epoch"),
            input.list("members").map(|member| (verified_key(suite, member), member.u128("weight"))),
        ))
    }

    pub fn from_attested(input: Json) -> Json { figures(committee_of(input)) }

    fn signers_of(committee: Committee, input: Json) -> SignerSet {
        if input.has("indices") {
            return committee.signer_set(input.u32s("indices"));
        }
        if input.has("lsb_first") {
            return committee.signer_set_lsb_first(input.bytes("lsb_first"));
        }
        committee.signer_set_msb_first(input.bytes("msb_first"))
    }

    pub fn signers(input: Json) -> Json {
        let committee = committee_of(input);
        let signers = signers_of(committee, input);
        json! { signers: signers, weight: committee.weight_of(signers) }
    }

    /// The committee with the ciphersuite of its chain, if the input names one.
    fn on_its_chain(input: Json) -> Committee {
        if input.has("ciphersuite") {
            return committee_of(input).with_ciphersuite(ciphersuite_of(input));
        }
        committee_of(input)
    }

    /// A batch must give the verdict of the single verification.
    pub fn verify_raw(input: Json) -> Json {
        let committee = on_its_chain(input);
        let signers = signers_of(committee, input);
        let message = input.bytes("message");
        let proof = input.bytes("proof");
        let single = attempt(|| committee.verify_raw(message, signers, proof));
        if is_whole() {
            let batched = committee.verify_raw_batch([(message, signers, proof), (message, signers, proof)]);
            agree(batched.map(|one| one.attempt()), single);
        }
        json! { weight: single.unwrap() }
    }

    pub fn verify_raw_each(input: Json) -> Json {
        let committee = on_its_chain(input);
        let weight = committee.verify_raw_each(
            input.list("signed").map(|one| (one.u16("member"), one.bytes("message"))),
            input.bytes("proof"),
        );
        json! { weight: weight }
    }
}

pub mod header {
    /// The core leaves the suite's number to its caller; in the bindings a number without a suite is an error.
    pub fn peek(input: Json) -> Json {
        let given = input.bytes("bytes");
        let peeked = attempt(|| UntrustedHeader::peek(given));
        if let Some(code) = refused(peeked) {
            if code == "WRONG_CONTEXT" {
                let number = input.get("made").u8("suite");
                check!(number == given[0] && !is_suite(number));
                return input.get("made");
            }
        }
        let header = peeked.unwrap();
        check!(header.encode() == slice(given, 0, 18));
        check!(UntrustedHeader::decode(header.encode()) == header);
        json! {
            suite: suite_number(header.suite()),
            kind: header.kind(),
            epoch: header.epoch(),
            view: header.view(),
        }
    }
}
