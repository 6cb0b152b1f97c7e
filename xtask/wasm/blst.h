/*
 * Included before blst's C where it is compiled for WebAssembly, which has no assembly of its own.
 *
 * blst writes its field arithmetic once for all lengths. Clang calls that general code with the length as an argument,
 * and so every product of two field elements runs loops over an array whose size is only known then. These attributes
 * ask for the general code to be copied into the functions of 384 bits, where the length is a constant and the inner
 * loops are gone, and for these functions not to be copied any further, which would cost many bytes.
 *
 * Nothing is defined here: should blst change these functions, their types clash and the compiler says so.
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
