//! Erasure coding: any k of n shards restore a message.

pub mod erasure {
    fn coder_of(suite: erasure::Suite) -> erasure::Coder {
        erasure::Coder::new(erasure::Coding::new(erasure::Shape::new(3, 4), 65536, suite))
    }

    fn available() -> Vec<erasure::Suite> { [erasure::Suite::leopard(), erasure::Suite::gf8()] }
    fn jerasure() -> erasure::Suite { erasure::Suite::jerasure(erasure::Packets::new(8, 3)) }

    fn received(sent: erasure::Dispersal, coding: erasure::Coding) -> Vec<erasure::CheckedShard> {
        sent.shards().map(|shard| erasure::CheckedShard::decode(shard.encode(), coding))
    }

    pub fn any_k_of_n_shards_restore_the_message() {
        for suite in available() {
            let coder = coder_of(suite);
            let message = joined(range(200).map(|at| filled(at, at)));
            let sent = coder.disperse(message);
            let shards = received(sent, coder.coding());
            check!(shards == sent.shards() && shards.map(|shard| shard.index()) == range(7));
            for one in range(7) {
                for two in range(one) {
                    for three in range(two) {
                        let decoded = coder.decode([shards[one], shards[two], shards[three]]);
                        check!(decoded.message() == message && decoded.commitment() == sent.commitment());
                        // All shards are restored, including those that were lost.
                        check!(decoded.shards() == shards);
                    }
                }
            }
            check!(coder.coding().suite() == suite && sent.commitment().suite() == suite);
            check!(
                sent.commitment().message_len() == message.len() && sent.commitment().shape().shards() == 7
            );
            check!(shards[0].encode().len() <= erasure::CheckedShard::max_encoded_len(coder.coding()));
            check!(shards[0].bytes().len() == coder.coding().shard_len(message.len()));
            check!(coder.disperse(b"").message() == b"" && coder.disperse(b"x").message() == b"x");
        }
    }

    pub fn shards_that_do_not_fit_together_are_refused() {
        let coder = coder_of(erasure::Suite::gf8());
        let one = coder.disperse(b"one").shards();
        refuses!(WRONG_CONTEXT, coder_of(erasure::Suite::leopard()).decode([one[0], one[1], one[2]]));
        refuses!(MALFORMED, coder.disperse(b"m").shard(7));
        refuses!(TOO_LARGE, coder.disperse(zeros(65537)));
        out_of_range!(index, coder.disperse(b"m").shard(-1));
    }

    /// A shard of another code word, whose path is right.
    fn cheated(
        data: Vec<Bytes>,
        index: usize,
        start: Bytes,
        coding: erasure::Coding,
    ) -> erasure::CheckedShard {
        let tree = Merkle::new("quorate-v1-erasure-shard", "quorate-v1-erasure-node");
        let leaves = tree.leaves(data);
        let commitment = joined([slice(start, 0, start.len() - 32), tree.root(leaves)]);
        let path = tree.path(leaves, index).encode();
        erasure::CheckedShard::decode(joined([commitment, path, data[index]]), coding)
    }

    pub fn all_members_detect_shards_that_encode_no_message() {
        // Two data shards and two parity shards, one of them from another message; the tree over them is right.
        let coding = erasure::Coding::new(erasure::Shape::new(2, 2), 100, erasure::Suite::gf8());
        let coder = erasure::Coder::new(coding);
        let one = coder.disperse(b"a message").shards();
        let two = coder.disperse(b"ANOTHER 1").shards();
        let data = [one[0], one[1], one[2], two[3]].map(|shard| shard.bytes());
        let start = one[0].commitment().encode();
        let shards = range(4).map(|index| cheated(data, index, start, coding));
        for given in [[0, 1], [2, 3], [0, 3], [0, 1, 2], [0, 1, 2, 3]] {
            refuses!(BAD_ENCODING, [], coder.decode(given.map(|index| shards[index])));
        }
    }

    pub fn shards_are_checked_as_they_are_read() {
        let coder = coder_of(erasure::Suite::gf8());
        let coding = coder.coding();
        let shard = coder.disperse(b"a message").shard(2);
        let encoded = shard.encode();
        for at in range(encoded.len()) {
            // Another length gives another commitment that the same shard fits.
            if at < 7 || at >= 11 {
                refuses!(any, erasure::CheckedShard::decode(flipped(encoded, at), coding));
            }
        }
        let shape = coding.shape();
        let leopard = erasure::Coding::new(shape, 1000, erasure::Suite::leopard());
        refuses!(WRONG_CONTEXT, erasure::CheckedShard::decode(encoded, leopard));
        refuses!(TOO_LARGE, erasure::CheckedShard::decode(encoded, erasure::Coding::new(shape, 3)));
        let commitment = shard.commitment();
        check!(erasure::Commitment::decode(commitment.encode(), coding) == commitment);
        check!(commitment.encode().len() == erasure::Commitment::LEN);
        check!(commitment.identity().len() == 32 && commitment.root().len() == 32);
        let other = erasure::Coding::new(erasure::Shape::new(3, 3), 1000);
        refuses!(WRONG_CONTEXT, erasure::Commitment::decode(commitment.encode(), other));
    }

    pub fn shapes_suites_and_codings_are_values() {
        let shape = erasure::Shape::for_committee(100, 25);
        check!(shape.data() == 50 && shape.parity() == 50 && shape.shards() == 100);
        check!(shape == erasure::Shape::new(50, 50));
        check!(erasure::Suite::recommended(erasure::Shape::new(200, 56)) == erasure::Suite::gf8());
        check!(erasure::Suite::recommended(erasure::Shape::new(200, 57)) == erasure::Suite::leopard());
        let coding = erasure::Coding::new(shape, 5);
        check!(coding.suite() == erasure::Suite::gf8());
        check!(coding == erasure::Coding::new(shape, 5, erasure::Suite::gf8()));
        check!(erasure::MAX_MESSAGE == 1073741824);
        let jerasure = jerasure();
        check!(jerasure.number() == 3 && jerasure.name() == "jerasure" && jerasure.unit() == 64);
        let packets = jerasure.packets().unwrap();
        check!(packets == erasure::Packets::new(8, 3) && packets.packet() == 8);
        check!(available().map(|suite| suite.number()) == [1, 2]);
        check!(available().map(|suite| suite.name()) == ["leopard", "gf8"]);
        check!(available().map(|suite| suite.unit()) == [2, 1]);
        check!(available().all(|suite| suite.packets().is_none() && suite.is_available()));
        for suite in [erasure::Suite::leopard(), erasure::Suite::gf8(), jerasure] {
            check!(erasure::Suite::decode(suite.encode()) == suite);
        }
        refuses!(any, erasure::Suite::decode(joined([filled(9, 1), zeros(2)])));
        if !jerasure.is_available() {
            refuses!(BAD_SHAPE, coder_of(jerasure));
        }
    }

    pub fn impossible_shapes_and_lengths_are_refused() {
        refuses!(BAD_SHAPE, erasure::Shape::for_committee(3, 1), erasure::Shape::for_committee(0, 0));
        refuses!(BAD_SHAPE, erasure::Shape::for_committee(4, 65535));
        refuses!(BAD_SHAPE, erasure::Packets::new(1, 0), erasure::Packets::new(17, 0));
        refuses!(BAD_SHAPE, erasure::Packets::new(8, 17), erasure::Packets::new(255, 255));
        let shape = erasure::Shape::new(200, 57);
        let most = erasure::Shape::new(1, 32767);
        out_of_range!(data, erasure::Shape::new(65536, 0));
        out_of_range!(parity, erasure::Shape::new(1, -1));
        out_of_range!(log2_packet, erasure::Packets::new(8, 256));
        out_of_range!(max_message, erasure::Coding::new(shape, -1));
        let coder = erasure::Coder::new(erasure::Coding::new(most, 2, erasure::Suite::leopard()));
        check!(coder.decode([coder.disperse(b"ab").shard(32767)]).message() == b"ab");
        refuses!(TOO_LARGE, coder.disperse(b"abc"));
    }

    fn row_of(message: usize, suite: erasure::Suite, cost: u64) -> erasure::Row {
        erasure::Row::new(erasure::Shape::new(50, 50), message, suite, cost)
    }

    fn best_cost(table: erasure::Table, message: usize, most: u8) -> u64 {
        table.best(erasure::Shape::new(50, 50), message, |suite| suite.number() <= most).unwrap().cost()
    }

    pub fn a_table_selects_the_fastest_suite() {
        let shape = erasure::Shape::new(50, 50);
        let table = erasure::Table::new();
        check!(table.best(shape, 100).is_none() && erasure::Table::MAX_ROWS == 4096);
        table.insert(row_of(1000, erasure::Suite::leopard(), 7u64));
        table.insert(row_of(1000, erasure::Suite::gf8(), 5u64));
        table.insert(row_of(1000, jerasure(), 1u64));
        table.insert(row_of(100000, erasure::Suite::leopard(), 3u64));
        check!(best_cost(table, 900, 3) == 1u64);
        check!(best_cost(table, 900, 2) == 5u64);
        check!(best_cost(table, 900, 1) == 7u64);
        check!(best_cost(table, 1000000000, 3) == 3u64);
        let usual = table.best(shape, 900).unwrap();
        check!(usual.suite().is_available() && usual.shape() == shape && usual.message() == 1000);
        // Each suite is asked about once.
        let asked = SignerSet::new(4);
        check!(table.best(shape, 900, |suite| !asked.insert(suite.number())).is_none() && asked.size() == 3);
        throws!(own, table.best(shape, 900, |_| own_error()));
        check!(table.best(erasure::Shape::new(50, 49), 900).is_none());
        check!(table.suites(shape).len() == 3);
        let twin = erasure::Table::decode(table.encode());
        check!(twin == table && twin.rows() == table.rows() && twin.rows().len() == 4);
        let newer = erasure::Table::new();
        newer.insert(row_of(1000, erasure::Suite::gf8(), 9u64));
        check!(newer != table);
        twin.merge(newer);
        twin.merge(twin);
        check!(twin.rows().len() == 4 && best_cost(twin, 1000, 2) == 7u64);
        refuses!(any, erasure::Table::decode(flipped(table.encode(), 9)), erasure::Table::decode(zeros(0)));
        refuses!(TOO_LARGE, row_of(erasure::MAX_MESSAGE + 1, erasure::Suite::gf8(), 1u64));
    }
}
