// A chain's genesis file, which lists the validators. Its hash is the chain id, to which every signature is bound.
package org.quorate.watch

import java.math.BigInteger
import org.quorate.ChainId
import org.quorate.Committee
import org.quorate.Member
import org.quorate.PublicKey
import org.quorate.Signature
import org.quorate.Suite
import org.quorate.UnverifiedKey
import org.quorate.Wire

private val SCHEMES = mapOf("bls" to Suite.MIN_SIG, "ed25519" to Suite.ED25519)
private val PARAMETERS = mapOf(
    "max_transaction_bytes" to (128L shl 10),
    "batch_bytes" to 500_000L,
    "batch_delay_ms" to 100L,
    "view_timeout_ms" to 1_000L,
    "max_view_timeout_ms" to 30_000L,
)
private val KEYS = listOf("identity_key", "identity_possession", "voting_key", "voting_possession")
private val FIELD = Regex("""([a-z_]+)\s*=\s*("(?:[^"\\]|\\["\\])*"|'[^']*'|[0-9]+)\s*(?:#.*)?""")

/** The reason why a genesis file is invalid. */
class InvalidGenesis(message: String) : RuntimeException(message)

/** The committees of a genesis file, with verified proofs of possession. */
fun readGenesis(text: String): Committees {
    val file = GenesisFile.parse(text)
    val suite = SCHEMES[file.top.text("scheme")] ?: throw InvalidGenesis("unknown scheme: expected bls or ed25519")
    val chain = chainId(file)
    val epoch = file.epoch.toLong().toULong()
    fun committee(suite: Suite, kind: String): Committee = Committee(
        chain,
        epoch,
        file.members.map { member ->
            val key = PublicKey.decode(suite, member.bytes("${kind}_key"))
            val possession = Signature.decode(suite, member.bytes("${kind}_possession"))
            Member(UnverifiedKey(key, possession).verify(), member.number("weight", 128))
        },
    )
    val identities = committee(Suite.ED25519, "identity")
    return Committees(committee(suite, "voting"), identities)
}

/** The hash of the file's content in the encoding of examples/node/src/genesis. */
private fun chainId(file: GenesisFile): ChainId {
    val w = Wire.Writer()
    w.u8(1)
    w.bytes(file.top.text("chain").toByteArray())
    w.bytes(file.top.text("scheme").toByteArray())
    w.u64(file.epoch.toLong().toULong())
    for ((name, standard) in PARAMETERS) {
        w.u32(file.parameters.number(name, 32, BigInteger.valueOf(standard)).toLong())
    }
    w.count(file.members.size.toLong())
    for (member in file.members) {
        w.bytes(member.text("name").toByteArray())
        w.bytes(member.text("address").toByteArray())
        w.u128(member.number("weight", 128))
        for (key in KEYS) w.bytes(member.bytes(key))
    }
    return ChainId.fromBytes(Wire.hash("quorate-v1-genesis", w.intoBytes()))
}

/**
 * Parser for the subset of TOML that `quorate genesis` writes: numbers, strings, one table and one list of tables. Refuses
 * unknown fields, because they may change the meaning of the file.
 */
private class GenesisFile(val top: Fields, val parameters: Fields, val members: List<Fields>) {
    val epoch: BigInteger get() = top.number("epoch", 64, BigInteger.ZERO)

    companion object {
        fun parse(text: String): GenesisFile {
            val top = Fields(setOf("chain", "scheme", "epoch"))
            val members = mutableListOf<Fields>()
            var parameters: Fields? = null
            var place = top
            for ((index, line) in text.lines().map { it.trim() }.withIndex()) {
                fun wrong(what: String): Nothing = throw InvalidGenesis("line ${index + 1}: $what")
                val field = FIELD.matchEntire(line)
                when {
                    line.isEmpty() || line.startsWith("#") -> {}
                    Regex("""\[\[member]]\s*(#.*)?""").matches(line) -> {
                        place = Fields(setOf("name", "address", "weight") + KEYS)
                        members += place
                    }
                    Regex("""\[parameters]\s*(#.*)?""").matches(line) && parameters == null -> {
                        place = Fields(PARAMETERS.keys)
                        parameters = place
                    }
                    field == null -> wrong("expected a field, [parameters] or [[member]]")
                    !place.put(field.groupValues[1], field.groupValues[2]) ->
                        wrong("unknown or repeated field ${field.groupValues[1]}")
                }
            }
            if (members.isEmpty()) throw InvalidGenesis("expected at least one member")
            return GenesisFile(top, parameters ?: Fields(PARAMETERS.keys), members)
        }
    }
}

/** The fields of a table; strings include their quotes. */
private class Fields(private val known: Set<String>) {
    private val values = mutableMapOf<String, String>()

    fun put(name: String, value: String): Boolean = name in known && values.put(name, value) == null

    fun text(name: String): String {
        val value = values[name]?.takeUnless { it[0].isDigit() } ?: throw InvalidGenesis("missing string $name")
        val inner = value.substring(1, value.length - 1)
        return if (value[0] == '"') inner.replace(Regex("""\\(.)"""), "$1") else inner
    }

    fun bytes(name: String): ByteArray =
        unhexOrNull(text(name).lowercase()) ?: throw InvalidGenesis("$name is not hexadecimal")

    /** An integer; numbers beyond TOML's range are strings. */
    fun number(name: String, bits: Int, otherwise: BigInteger? = null): BigInteger {
        val value = values[name] ?: return otherwise ?: throw InvalidGenesis("missing number $name")
        val digits = if (value[0].isDigit()) value else text(name)
        val found = if (Regex("[0-9]{1,39}").matches(digits)) BigInteger(digits) else null
        return found?.takeIf { it.bitLength() <= bits }
            ?: throw InvalidGenesis("$name: expected an integer of at most $bits bits")
    }
}
