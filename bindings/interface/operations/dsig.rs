//! One-time signatures. A signer's randomness cannot be chosen: the model's signatures are verified instead, beside those
//! that are made here of the same messages.

pub mod dsig {
    fn suite_of(input: Json) -> dsig::Suite { dsig::suites()[input.usize("suite") - 1] }
    fn decoded_key(bytes: Bytes) -> PublicKey { PublicKey::decode(suite_named("ed25519"), bytes) }

    fn verifier_of(suite: dsig::Suite, key: PublicKey) -> dsig::Verifier {
        let verifier = dsig::Verifier::new(suite);
        verifier.admit(key);
        verifier
    }

    fn index_of(signature: Bytes) -> usize { decoded_u16(signature, 2) }

    /// The fields at fixed positions of a decoded signature.
    fn fields_of(signature: Bytes) -> Json {
        let reader = Reader::new(signature);
        reader.raw(8);
        json! { index: index_of(signature), root: reader.raw(32) }
    }

    fn code_of(refusal: Option<String>) -> String {
        if let Some(code) = refusal {
            return code;
        }
        "ok"
    }

    pub fn decode(input: Json) -> Json {
        let signature = input.bytes("signature");
        let stranger = SecretKey::generate(suite_named("ed25519")).public_key();
        check!(!dsig::Verifier::new(suite_of(input)).can_verify_fast(stranger, signature));
        fields_of(signature)
    }

    /// All ways to verify agree, before and after the root is known.
    pub fn verify(input: Json) -> Json {
        let suite = suite_of(input);
        let key = decoded_key(input.bytes("public_key"));
        let message = input.bytes("message");
        let signature = input.bytes("signature");
        let verifier = verifier_of(suite, key);
        let verdict = attempt(|| verifier.verify(key, message, signature));
        let repeated = attempt(|| verifier.verify(key, message, signature));
        let audited = attempt(|| dsig::Auditor::new(suite).check(key, message, signature));
        agree([repeated, audited], verdict);
        let together = dsig::verify_all(suite, [(key, message, signature)]);
        check!(together.map(|error| error.map(|error| error.code())) == [refused(verdict)]);
        // Without a verifier, the first byte selects the suite.
        if signature.len() >= 1 && signature[0] == input.u8("suite") {
            agree([attempt(|| dsig::verify(key, message, signature))], verdict);
        }
        let is_known = attempt(|| verifier.can_verify_fast(key, signature));
        if refused(is_known).is_none() {
            check!(is_known.unwrap() == refused(verdict).is_none());
        }
        verdict.unwrap();
        fields_of(signature)
    }

    pub fn announcement(input: Json) -> Json {
        let key = decoded_key(input.bytes("public_key"));
        let announcement = input.bytes("announcement");
        verifier_of(suite_of(input), key).announce(key, announcement, 0u64);
        let reader = Reader::new(announcement);
        reader.raw(68);
        let leaves = range((announcement.len() - 68) / 32).map(|_| reader.raw(32));
        reader.finish();
        json! { root: Merkle::new("quorate-v1-dsig-leaf", "quorate-v1-dsig-node").root(leaves), keys: leaves.len() }
    }

    pub fn sign(input: Json) -> Json {
        let suite = suite_of(input);
        let now = input.u64("time");
        let made = input.get("made");
        let secret = SecretKey::from_bytes(suite_named("ed25519"), input.bytes("secret"));
        let signer = dsig::Signer::new(secret, suite, None, input.u8("log2"), 1);
        let key = signer.public_key();
        let announced = signer.prepare(now).unwrap().announcement;
        check!(announced.len() == made.bytes("announcement").len());
        let ours = verifier_of(suite, key);
        let theirs = verifier_of(suite, key);
        ours.announce(key, announced, now);
        theirs.announce(key, made.bytes("announcement"), now);
        let messages = input.byte_strings("messages");
        let signatures = made.byte_strings("signatures");
        check!(messages.len() == signatures.len());
        for at in range(messages.len()) {
            let signature = signer.sign(messages[at], None, now);
            check!(signature.len() == dsig::signature_len(suite));
            check!(index_of(signature) == index_of(signatures[at]));
            check!(ours.can_verify_fast(key, signature) && theirs.can_verify_fast(key, signatures[at]));
            ours.verify(key, messages[at], signature);
            theirs.verify(key, messages[at], signatures[at]);
        }
        made
    }

    pub fn reuse(input: Json) -> Json {
        let suite = suite_of(input);
        let evidence = input.bytes("evidence");
        let culprit = dsig::verify_reuse(suite, evidence);
        let reader = Reader::new(evidence);
        check!(reader.raw(32) == culprit.encode());
        let message = reader.bytes(16777216);
        let signature = reader.raw(dsig::signature_len(suite));
        let other = reader.bytes(16777216);
        let signature_of_other = reader.raw(dsig::signature_len(suite));
        reader.finish();
        check!(dsig::reuse(culprit, (message, signature), (other, signature_of_other)) == evidence);
        let verifier = verifier_of(suite, culprit);
        verifier.verify(culprit, message, signature);
        let second = attempt(|| verifier.verify(culprit, other, signature_of_other));
        verifier.verify(culprit, message, signature);
        let auditor = dsig::Auditor::new(suite);
        auditor.check(culprit, message, signature);
        agree([attempt(|| auditor.check(culprit, other, signature_of_other))], second);
        auditor.check(culprit, message, signature);
        check!(refused(second) == "ONE_TIME_REUSE");
        let signed = [message, other];
        let signatures = [signature, signature_of_other];
        for round in range(20) {
            let fresh = verifier_of(suite, culprit);
            let verdicts =
                together(2, |at| refused(attempt(|| fresh.verify(culprit, signed[at], signatures[at]))));
            check!(verdicts.filter(|one| one == "ONE_TIME_REUSE").len() == 1);
        }
        let entries = [
            (culprit, message, signature),
            (culprit, other, signature_of_other),
            (culprit, message, slice(signature, 0, signature.len() - 1)),
        ];
        let codes = dsig::verify_all(suite, entries).map(|error| error.map(|error| error.code()));
        check!(codes == [None, "ONE_TIME_REUSE", "MALFORMED"]);
        let same = attempt(|| dsig::reuse(culprit, (message, signature), (message, signature)));
        check!(refused(same) == "NOT_EVIDENCE");
        json! { culprit: culprit.encode() }
    }

    fn result_of(verifier: dsig::Verifier, signer: PublicKey, data: Bytes, step: Json, input: Json) -> Json {
        match step.text("do") {
            "announce" => {
                let announced = attempt(|| verifier.announce(signer, data, step.u64("time")));
                shown(code_of(refused(announced)))
            }
            "fast" => outcome(|| verifier.can_verify_fast(signer, data)),
            _ => {
                let message = input.byte_strings("messages")[step.usize("message")];
                let verdict = attempt(|| verifier.verify(signer, message, data));
                shown(code_of(refused(verdict)))
            }
        }
    }

    pub fn session(input: Json) -> Json {
        let signers = input.byte_strings("signers").map(|key| decoded_key(key));
        let data = input.byte_strings("bytes");
        let verifier = dsig::Verifier::new(
            suite_of(input),
            input.usize("announced"),
            input.usize("checked"),
            input.u32("burst"),
            microseconds(input.usize("interval")),
        );
        for at in range(input.usize("admitted")) {
            verifier.admit(signers[at]);
        }
        let outcomes = input.list("steps").map(|step| {
            result_of(verifier, signers[step.usize("signer")], data[step.usize("bytes")], step, input)
        });
        json! { outcomes: outcomes }
    }
}
