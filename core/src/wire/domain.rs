//! All domain strings.
//!
//! Each string has exactly one purpose: it is the context of a BLAKE3 key derivation (it then names a hash) or the
//! prefix of signed bytes (it then names a statement). No string is a prefix of another, so two purposes never produce
//! the same input.

/// Prefix of a signed statement.
pub const VOTE: &str = "quorate-v1-vote";
/// Identity of a statement.
pub const STATEMENT: &str = "quorate-v1-statement-id";
/// Identity of a committee.
pub const COMMITTEE: &str = "quorate-v1-committee";
/// Chain identifier derived from a name.
pub const CHAIN_NAME: &str = "quorate-v1-chain-name";
/// Prefix of the signed bytes of an Ed25519 proof of possession.
pub const POSSESSION_ED25519: &str = "quorate-v1-possession-ed25519";
/// Coefficients of a batch verification without a random number generator.
pub const BATCH_COEFFICIENTS: &str = "quorate-v1-batch-coefficients";
/// Binding of a guard's record to its key and chain.
pub const GUARD: &str = "quorate-v1-guard";
/// Checksum of a frame in the journal of a guard.
pub const JOURNAL_FRAME: &str = "quorate-v1-journal-frame";
/// Identity of a Jolteon block.
pub const JOLTEON_BLOCK: &str = "quorate-v1-jolteon-block";
/// Identity of block 0 of a Jolteon chain.
pub const JOLTEON_GENESIS: &str = "quorate-v1-jolteon-genesis";
/// Identity of a Gosig block.
pub const GOSIG_BLOCK: &str = "quorate-v1-gosig-block";
/// Identity of block 0 of a Gosig chain.
pub const GOSIG_GENESIS: &str = "quorate-v1-gosig-genesis";
/// Digest that a Gosig vote signs: a block and its height.
pub const GOSIG_VOTE: &str = "quorate-v1-gosig-vote";
/// Prefix of the bytes that a Gosig proposer signs for a proposal.
pub const GOSIG_PROPOSAL: &str = "quorate-v1-gosig-proposal";
/// Prefix of the bytes that a Gosig proposer signs for a segment of a body.
pub const GOSIG_SEGMENT: &str = "quorate-v1-gosig-segment";
/// Identity of a Gosig payload: count, bytes and root.
pub const GOSIG_PAYLOAD: &str = "quorate-v1-gosig-payload";
/// Short identifier of a transaction in one Gosig block.
pub const GOSIG_SHORT: &str = "quorate-v1-gosig-short";
/// Digest that members of a Gosig chain sign to approve a change of membership.
pub const GOSIG_MEMBERSHIP: &str = "quorate-v1-gosig-membership";
/// Prefix of a transaction that changes the membership of a Gosig chain.
pub const GOSIG_EPOCH: &str = "quorate-v1-gosig-epoch";
/// Random choice of the peers to which a Gosig member sends a message.
pub const GOSIG_DRAW: &str = "quorate-v1-gosig-draw";
/// Leaf of a batch's Merkle tree, which is also the identity of a transaction.
pub const BATCH_LEAF: &str = "quorate-v1-transaction";
/// Inner node of a batch's Merkle tree.
pub const BATCH_NODE: &str = "quorate-v1-batch-node";
/// Identity of a batch: its author, the number of its transactions and the root of its tree.
pub const BATCH: &str = "quorate-v1-batch-id";
/// Identity of a genesis, which is the chain identifier.
pub const GENESIS: &str = "quorate-v1-genesis";
/// Leaf of the ledger's state tree.
pub const LEDGER_LEAF: &str = "quorate-v1-ledger-leaf";
/// Inner node of the ledger's state tree.
pub const LEDGER_NODE: &str = "quorate-v1-ledger-node";
/// State root of the ledger.
pub const LEDGER_ROOT: &str = "quorate-v1-ledger-root";
/// Path of a key in the ledger's state tree.
pub const LEDGER_KEY: &str = "quorate-v1-ledger-key";
/// Hash of a ledger value.
pub const LEDGER_VALUE: &str = "quorate-v1-ledger-value";
/// Running hash of the payloads that a ledger has recorded.
pub const LEDGER_PAYLOADS: &str = "quorate-v1-ledger-payloads";
/// Running hash over the application's state roots, which blocks agree on.
pub const EXECUTED: &str = "quorate-v1-executed";
/// Checksum of a frame in a segment file of the store.
pub const STORE_FRAME: &str = "quorate-v1-store-frame";
/// Expansion of a batch seed into the secrets of one DSig key.
pub const DSIG_SECRETS: &str = "quorate-v1-dsig-secrets";
/// Mix of a DSig process seed with the fresh entropy of a batch.
pub const DSIG_SEED: &str = "quorate-v1-dsig-seed";
/// One step of a DSig chain in the BLAKE3 suites.
pub const DSIG_CHAIN: &str = "quorate-v1-dsig-chain";
/// Node of a DSig HORS forest in the BLAKE3 suites.
pub const DSIG_FOREST: &str = "quorate-v1-dsig-forest";
/// Node above the public values of a DSig key in the BLAKE3 suites.
pub const DSIG_KEY: &str = "quorate-v1-dsig-key";
/// Merklified HORS key of DSig: its salt and the root above its trees.
pub const DSIG_ROOTS: &str = "quorate-v1-dsig-roots";
/// Node above the leaves of a DSig batch's tree.
pub const DSIG_NODE: &str = "quorate-v1-dsig-node";
/// Digest that a DSig one-time key signs.
pub const DSIG_MESSAGE: &str = "quorate-v1-dsig-message";
/// Prefix of a signed DSig batch root.
pub const DSIG_BATCH: &str = "quorate-v1-dsig-batch";
/// Prefix of a signed statement of a member in a consistent broadcast.
pub const BROADCAST_VOUCH: &str = "quorate-v1-broadcast-vouch";
/// Hash of a broadcast message.
pub const BROADCAST_MESSAGE: &str = "quorate-v1-broadcast-message";
/// Identity of a broadcast group: its members, signature suites and parameters.
pub const BROADCAST_GROUP: &str = "quorate-v1-broadcast-group";
/// Prefix of a statement that a replica of the replicated state machine of the examples signs.
pub const REPLICATE_STATEMENT: &str = "quorate-v1-replicate-statement";
/// Digest of a view change or of a new view of the replicated state machine of the examples.
pub const REPLICATE_VIEW: &str = "quorate-v1-replicate-view";
/// Digest of the state of the replicated state machine of the examples.
pub const REPLICATE_SNAPSHOT: &str = "quorate-v1-replicate-snapshot";
/// Identity of a group of replicas and their clients.
pub const REPLICATE_GROUP: &str = "quorate-v1-replicate-group";
/// Prefix of the bytes with which a replica or a client of the replicated state machine authenticates a link.
pub const REPLICATE_HELLO: &str = "quorate-v1-replicate-hello";
/// Prefix of a command that a client of the audited Redis signs.
pub const AUDITED_REDIS_COMMAND: &str = "quorate-v1-audited-redis-command";
/// Prefix of the bytes with which a client of the audited Redis authenticates.
pub const AUDITED_REDIS_HELLO: &str = "quorate-v1-audited-redis-hello";
/// Running hash over the log of the audited Redis.
pub const AUDITED_REDIS_LOG: &str = "quorate-v1-audited-redis-log";
/// Prefix of a command that a client of the audited key-value store signs.
pub const AUDITED_KV_COMMAND: &str = "quorate-v1-audited-kv-command";
/// Prefix of the bytes with which a client of the audited key-value store authenticates.
pub const AUDITED_KV_HELLO: &str = "quorate-v1-audited-kv-hello";
/// Running hash over the log of the audited key-value store.
pub const AUDITED_KV_LOG: &str = "quorate-v1-audited-kv-log";
/// Prefix of a command that a trader, or a receipt that the exchange of the examples signs.
pub const EXCHANGE_COMMAND: &str = "quorate-v1-exchange-command";
/// Prefix of the bytes with which a trader of the exchange authenticates.
pub const EXCHANGE_HELLO: &str = "quorate-v1-exchange-hello";
/// Running hash over the log of the exchange.
pub const EXCHANGE_LOG: &str = "quorate-v1-exchange-log";
/// Statement of a member that it delivered a reliable broadcast.
pub const ABFT_DELIVERY: &str = "quorate-v1-abft-delivery";
/// Statement of a member that votes in a step of a proposal's promotion.
pub const ABFT_PROMOTION: &str = "quorate-v1-abft-promotion";
/// Statement of a member that enough promotions of a view are complete.
pub const ABFT_COMPLETION: &str = "quorate-v1-abft-completion";
/// Hash of a value that is proposed for agreement.
pub const ABFT_VALUE: &str = "quorate-v1-abft-value";
/// Prefix of the bytes that a member signs with Ed25519 in a list of signatures.
pub const ABFT_LIST: &str = "quorate-v1-abft-list";
/// Identity of a block of the asynchronous protocol.
pub const ABFT_BLOCK: &str = "quorate-v1-abft-block";
/// Digest by which a member recognizes a message that it has handled.
pub const ABFT_RECEIVED: &str = "quorate-v1-abft-received";
/// Random numbers of one machine, from its seed.
pub const ABFT_RANDOM: &str = "quorate-v1-abft-random";
/// Ḡ of TDH2: a second generator of unknown discrete logarithm.
pub const TDH2_GENERATOR: &str = "quorate-v1-tdh2-generator";
/// Pad over the key that a TDH2 ciphertext wraps.
pub const TDH2_PAD: &str = "quorate-v1-tdh2-pad";
/// Cipher key of a TDH2 payload, derived from the wrapped key, and the commitment to both.
pub const TDH2_WRAPPED: &str = "quorate-v1-tdh2-wrapped";
/// Hash of a TDH2 payload in its label.
pub const TDH2_PAYLOAD: &str = "quorate-v1-tdh2-payload";
/// Challenge of the validity proof of a TDH2 ciphertext.
pub const TDH2_VALIDITY: &str = "quorate-v1-tdh2-validity";
/// Identity of a TDH2 ciphertext, which is the context of the proofs of its shares.
pub const TDH2_CIPHERTEXT: &str = "quorate-v1-tdh2-ciphertext";
/// Group element of a coin, derived from the coin's name.
pub const COIN_BASE: &str = "quorate-v1-coin-base";
/// Identity of a coin, which is the context of the proofs of its shares.
pub const COIN_ID: &str = "quorate-v1-coin-id";
/// Value of a coin.
pub const COIN_VALUE: &str = "quorate-v1-coin-value";
/// Challenge of a share's proof that two discrete logarithms are equal.
pub const DLEQ_CHALLENGE: &str = "quorate-v1-dleq-challenge";
/// Nonce of such a proof.
pub const DLEQ_NONCE: &str = "quorate-v1-dleq-nonce";
/// Random point at which dealt verification keys are checked to lie on one polynomial.
pub const DLEQ_KEYS: &str = "quorate-v1-dleq-keys";
/// Identity of a threshold key: its group, its committee, the number of tolerated faults, and the key.
pub const THRESHOLD_KEY: &str = "quorate-v1-threshold-key";
/// Identity of the presignatures dealt for one epoch.
pub const THRESHOLD_DEAL: &str = "quorate-v1-threshold-deal";
/// Digest that one presignature signs: the key, the epoch, the index, the message.
pub const THRESHOLD_SIGNING: &str = "quorate-v1-threshold-signing";
/// Prefix of the bytes that a party signs to attest its share.
pub const THRESHOLD_SHARE: &str = "quorate-v1-threshold-share";
/// Leaf of a party's tree of openings.
pub const THRESHOLD_OPENING: &str = "quorate-v1-threshold-opening";
/// Inner node of a party's tree of openings.
pub const THRESHOLD_NODE: &str = "quorate-v1-threshold-node";
/// Scalar r of a nonce over ristretto255.
pub const ECDSA_NONCE: &str = "quorate-v1-ecdsa-nonce";
/// Scalar h of a message over ristretto255.
pub const ECDSA_MESSAGE: &str = "quorate-v1-ecdsa-message";
/// Coin value derived from a unique BLS signature.
pub const BLS_BEACON: &str = "quorate-v1-bls-beacon";
/// Key of a sealed file.
pub const SEALED_FILE: &str = "quorate-v1-sealed-file";
/// Shard, which is a leaf of the tree over an erasure-coded message.
pub const ERASURE_SHARD: &str = "quorate-v1-erasure-shard";
/// Inner node of the tree over an erasure-coded message.
pub const ERASURE_NODE: &str = "quorate-v1-erasure-node";
/// Identity of an erasure-coded message: code, shape, length and root.
pub const ERASURE_ID: &str = "quorate-v1-erasure-id";
/// Checksum of a file of tuned parameters of erasure codes.
pub const ERASURE_TABLE: &str = "quorate-v1-erasure-table";
/// Prefix of the bytes that a member signs to draw a lottery ticket.
pub const SORTITION_TICKET: &str = "quorate-v1-sortition-ticket";
/// Score of a ticket, derived from its signature.
pub const SORTITION_SCORE: &str = "quorate-v1-sortition-score";
/// Prefix of the bytes that a member signs to derive the next seed.
pub const SORTITION_PROOF: &str = "quorate-v1-sortition-proof";
/// Seed derived from the signature on the previous seed.
pub const SORTITION_SEED: &str = "quorate-v1-sortition-seed";
/// First seed of a chain.
pub const SORTITION_GENESIS: &str = "quorate-v1-sortition-genesis";
/// Hash of a message in the insecure scheme for simulations.
pub const TOY_MESSAGE: &str = "quorate-v1-toy-message";

/// All domain strings.
pub const ALL: &[&str] = &[
    VOTE,
    STATEMENT,
    COMMITTEE,
    CHAIN_NAME,
    POSSESSION_ED25519,
    BATCH_COEFFICIENTS,
    GUARD,
    JOURNAL_FRAME,
    JOLTEON_BLOCK,
    JOLTEON_GENESIS,
    GOSIG_BLOCK,
    GOSIG_GENESIS,
    GOSIG_VOTE,
    GOSIG_PROPOSAL,
    GOSIG_SEGMENT,
    GOSIG_PAYLOAD,
    GOSIG_SHORT,
    GOSIG_MEMBERSHIP,
    GOSIG_EPOCH,
    GOSIG_DRAW,
    BATCH_LEAF,
    BATCH_NODE,
    BATCH,
    GENESIS,
    LEDGER_LEAF,
    LEDGER_NODE,
    LEDGER_ROOT,
    LEDGER_KEY,
    LEDGER_VALUE,
    LEDGER_PAYLOADS,
    EXECUTED,
    STORE_FRAME,
    DSIG_SECRETS,
    DSIG_SEED,
    DSIG_CHAIN,
    DSIG_FOREST,
    DSIG_KEY,
    DSIG_ROOTS,
    DSIG_NODE,
    DSIG_MESSAGE,
    DSIG_BATCH,
    BROADCAST_VOUCH,
    BROADCAST_MESSAGE,
    BROADCAST_GROUP,
    REPLICATE_STATEMENT,
    REPLICATE_VIEW,
    REPLICATE_SNAPSHOT,
    REPLICATE_GROUP,
    REPLICATE_HELLO,
    AUDITED_REDIS_COMMAND,
    AUDITED_REDIS_HELLO,
    AUDITED_REDIS_LOG,
    AUDITED_KV_COMMAND,
    AUDITED_KV_HELLO,
    AUDITED_KV_LOG,
    EXCHANGE_COMMAND,
    EXCHANGE_HELLO,
    EXCHANGE_LOG,
    ABFT_DELIVERY,
    ABFT_PROMOTION,
    ABFT_COMPLETION,
    ABFT_VALUE,
    ABFT_LIST,
    ABFT_BLOCK,
    ABFT_RECEIVED,
    ABFT_RANDOM,
    TDH2_GENERATOR,
    TDH2_PAD,
    TDH2_WRAPPED,
    TDH2_PAYLOAD,
    TDH2_VALIDITY,
    TDH2_CIPHERTEXT,
    COIN_BASE,
    COIN_ID,
    COIN_VALUE,
    DLEQ_CHALLENGE,
    DLEQ_NONCE,
    DLEQ_KEYS,
    THRESHOLD_KEY,
    THRESHOLD_DEAL,
    THRESHOLD_SIGNING,
    THRESHOLD_SHARE,
    THRESHOLD_OPENING,
    THRESHOLD_NODE,
    ECDSA_NONCE,
    ECDSA_MESSAGE,
    BLS_BEACON,
    SEALED_FILE,
    ERASURE_SHARD,
    ERASURE_NODE,
    ERASURE_ID,
    ERASURE_TABLE,
    SORTITION_TICKET,
    SORTITION_SCORE,
    SORTITION_PROOF,
    SORTITION_SEED,
    SORTITION_GENESIS,
    TOY_MESSAGE,
];

/// Returns a BLAKE3 hasher in key-derivation mode.
///
/// `domain` is one of the strings above, or a string of the caller that no other protocol uses. Never pass a string
/// from outside the program.
pub fn hasher(domain: &str) -> blake3::Hasher {
    blake3::Hasher::new_derive_key(domain)
}

/// Returns the 32-byte hash of `bytes` under a domain string. Cost: ⌈len/64⌉ + 1 compressions.
pub fn hash(domain: &str, bytes: &[u8]) -> [u8; 32] {
    *hasher(domain).update(bytes).finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn no_domain_string_is_a_prefix_of_another() {
        for (i, a) in ALL.iter().enumerate() {
            assert!(a.starts_with("quorate-v1-"), "{a}");
            for (j, b) in ALL.iter().enumerate() {
                assert!(i == j || !b.starts_with(a), "{a} is a prefix of {b}");
            }
        }
    }
}
