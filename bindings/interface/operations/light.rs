//! Light clients of the chains of the example's protocols.

pub mod light {
    /// A client that trusts the committees of a case.
    fn client_of(input: Json) -> LightClient {
        LightClient::new(
            input.text("protocol"),
            committee_from(input.get("voters")),
            committee_from(input.get("identities")),
        )
    }

    fn commit_shown(commit: VerifiedCommit) -> Json {
        json! {
            epoch: commit.epoch(),
            height: commit.height(),
            view: commit.view(),
            digest: commit.digest(),
            parent: commit.parent(),
        }
    }

    pub fn genesis(input: Json) -> Json {
        let client = LightClient::from_genesis(input.text("text"));
        let epoch = client.epoch();
        json! {
            protocol: client.protocol(),
            chain: client.chain(),
            epoch: epoch,
            voters: client.voters(epoch).id(),
            identities: client.identities(epoch).id(),
        }
    }

    pub fn certificate(input: Json) -> Json {
        let client = client_of(input);
        let verified = client.verify_certificate(input.bytes("certificate"));
        let statement = verified.value().statement();
        let batch = client.verify_certificates([input.bytes("certificate")]);
        check!(batch[0].unwrap().value().statement() == statement);
        let certifies =
            client.certifies(statement, input.u64("height"), input.u64("view"), input.bytes("digest"));
        json! { statement: statement_shown(statement), certifies: certifies }
    }

    pub fn commit(input: Json) -> Json {
        let client = client_of(input);
        let block = input.bytes("block");
        let finality = input.bytes("finality");
        let commit = client.verify_commit(block, finality);
        let batch = client.verify_commits([(block, finality)]);
        check!(batch[0].unwrap().digest() == commit.digest());
        commit_shown(commit)
    }

    pub fn transaction(input: Json) -> Json {
        let found = client_of(input).verify_transaction(input.bytes("proof"));
        json! {
            commit: commit_shown(found.commit()),
            id: found.id(),
            transaction: found.transaction(),
            batch: found.batch(),
            position: found.position(),
        }
    }

    pub fn hand_over(input: Json) -> Json {
        let client = client_of(input);
        let epoch =
            client.hand_over(input.bytes("block"), input.bytes("finality"), input.bytes("payload"));
        json! {
            epoch: epoch,
            voters: client.voters(epoch).id(),
            identities: client.identities(epoch).id(),
        }
    }
}
