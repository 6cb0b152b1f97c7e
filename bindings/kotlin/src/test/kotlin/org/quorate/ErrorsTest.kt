package org.quorate

import java.math.BigInteger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.internal.Detail
import org.quorate.internal.Failure

/** The subclasses of [QuorateException] and the codes of the core are the same list. */
class ErrorsTest {
    @Test
    fun `every code has its class and every class its code`() {
        val made = Quorate.CODES.associateWith { QuorateException.fromNative(Failure(it, "text", listOf(3u), details)) }
        made.forEach { (code, error) -> assertEquals(code, error.code) }
        val classes = QuorateException::class.java.permittedSubclasses.toSet()
        assertEquals(classes, made.values.map { it.javaClass }.toSet(), "classes that no code of the core makes")
        assertEquals(Quorate.CODES.size, classes.size)
        classes.forEach { assertTrue(it.simpleName.uppercase() in Quorate.CODES.map { code -> code.replace("_", "") }) }
    }

    @Test
    fun `every property of a subclass returns its detail`() {
        for (code in Quorate.CODES) {
            val error = QuorateException.fromNative(Failure(code, "text", listOf(3u), details))
            val getters = error.javaClass.declaredMethods.filter { it.name.startsWith("get") }
            getters.forEach { assertTrue(it.invoke(error).toString() in listOf("something", "7"), "$code: ${it.name}") }
        }
    }

    @Test
    fun `an error of the core keeps its fields`() {
        SecretKey.generate(Suite.ED25519).use { secret ->
            val committee = Committee(ChainId.fromName("x"), 0u, listOf(Member(VerifiedKey.fromSecret(secret), 3)))
            val error = assertThrows<QuorateException.BelowQuorum> { committee.requireQuorum(SignerSet(1)) }
            assertEquals(BigInteger.ZERO, error.signed)
            assertEquals(BigInteger.valueOf(3), error.needed)
            assertEquals(setOf("signed", "needed"), error.details.keys)
            val vote = Vote(committee.statement(1, 1u, ByteArray(32)), 0, secret.sign(ByteArray(0)))
            assertEquals(listOf(0), assertThrows<QuorateException.BadSignature> { vote.verify(committee) }.culprits)
        }
    }

    @Test
    fun `constants are those of the specification`() {
        assertTrue(Regex("\\d+\\.\\d+\\.\\d+").matches(Quorate.VERSION))
        assertEquals(BigInteger.TWO.pow(125), Committee.MAX_TOTAL_WEIGHT)
    }

    private val details =
        "limit index first second signed needed kind signed_view expected actual count offset".split(' ')
            .map { Detail.Number(it, BigInteger("7")) } + listOf("what", "rule", "operation").map { Detail.Text(it, "something") }
}
