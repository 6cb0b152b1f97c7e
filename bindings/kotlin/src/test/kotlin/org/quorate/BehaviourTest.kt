package org.quorate

import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.TestFactory

/** The behaviours of `bindings/interface/operations/behaviour`, which are the same in every language. */
class BehaviourTest {
    @TestFactory
    fun behaviours(): List<DynamicTest> =
        VectorOperations.behaviours.map { (name, run) -> DynamicTest.dynamicTest(name) { run() } }
}
