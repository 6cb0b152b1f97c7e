/*
 * Included before blst's C code when it is compiled for WebAssembly, for which blst has no assembly.
 *
 * blst implements field arithmetic once for all lengths, with the length as an argument. Without these attributes, Clang
 * compiles calls of that general code, whose loops have no constant length. `always_inline` copies the general code into
 * the functions for 384 bits, where the length is constant and the inner loops are unrolled. `noinline` prevents further
 * copies of these functions, which would enlarge the module.
 *
 * This file only declares functions: if blst changes their types, the compiler reports the conflict.
 */
typedef unsigned int quorate_limb;

static void mul_mont_n(quorate_limb ret[], const quorate_limb a[], const quorate_limb b[],
                       const quorate_limb p[], quorate_limb n0, __SIZE_TYPE__ n)
    __attribute__((always_inline));
static void mul_mont_nonred_n(quorate_limb ret[], const quorate_limb a[], const quorate_limb b[],
                              const quorate_limb p[], quorate_limb n0, __SIZE_TYPE__ n)
    __attribute__((always_inline));
static void from_mont_n(quorate_limb ret[], const quorate_limb a[], const quorate_limb p[],
                        quorate_limb n0, __SIZE_TYPE__ n)
    __attribute__((always_inline));
static void mul_by_3_mod_n(quorate_limb ret[], const quorate_limb a[], const quorate_limb p[],
                           __SIZE_TYPE__ n)
    __attribute__((always_inline));

void mul_mont_384(quorate_limb ret[12], const quorate_limb a[12], const quorate_limb b[12],
                  const quorate_limb p[12], quorate_limb n0)
    __attribute__((noinline));
void sqr_mont_384(quorate_limb ret[12], const quorate_limb a[12], const quorate_limb p[12],
                  quorate_limb n0)
    __attribute__((noinline));
