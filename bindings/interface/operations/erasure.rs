//! Erasure coding.

pub mod erasure {
    fn shape_of(input: Json) -> erasure::Shape { erasure::Shape::new(input.u16("data"), input.u16("parity")) }

    fn coding_of(input: Json) -> erasure::Coding {
        let suite = erasure::Suite::decode(input.bytes("suite"));
        erasure::Coding::new(shape_of(input), input.usize("max_message"), suite)
    }

    pub fn coding(input: Json) -> Json {
        let coding = coding_of(input);
        json! {
            shard_len: coding.shard_len(coding.max_message()),
            max_encoded_len: erasure::CheckedShard::max_encoded_len(coding),
        }
    }

    pub fn disperse(input: Json) -> Json {
        let coding = coding_of(input);
        let sent = erasure::Coder::new(coding).disperse(input.bytes("message"));
        let commitment = sent.commitment();
        check!(sent.message() == input.bytes("message"));
        check!(range(coding.shape().shards()).map(|index| sent.shard(index)) == sent.shards());
        check!(erasure::Commitment::decode(commitment.encode(), coding) == commitment);
        json! {
            commitment: commitment.encode(),
            identity: commitment.identity(),
            shards: input.usizes("indices").map(|index| sent.shard(index).encode()),
        }
    }

    pub fn shard(input: Json) -> Json {
        let coding = coding_of(input);
        let shard = erasure::CheckedShard::decode(input.bytes("shard"), coding);
        json! { identity: shard.commitment().identity(), index: shard.index(), bytes: shard.bytes() }
    }

    pub fn decode(input: Json) -> Json {
        let coding = coding_of(input);
        let shards = input.byte_strings("shards").map(|shard| erasure::CheckedShard::decode(shard, coding));
        json! { message: erasure::Coder::new(coding).decode(shards).message() }
    }

    fn row_shown(row: erasure::Row) -> Json {
        json! {
            data: row.shape().data(),
            parity: row.shape().parity(),
            message: row.message().to_string(),
            suite: row.suite().encode(),
            cost: row.cost(),
        }
    }

    fn table_of(input: Json) -> erasure::Table { erasure::Table::decode(input.bytes("table")) }
    pub fn table(input: Json) -> Json { json! { rows: table_of(input).rows().map(|row| row_shown(row)) } }

    pub fn lookup(input: Json) -> Json {
        let allowed = input.u8s("suites");
        let row = table_of(input).best(shape_of(input), input.length("message"), |suite| {
            allowed.contains(suite.number())
        });
        json! { row: row.map(|found| row_shown(found)) }
    }
}
