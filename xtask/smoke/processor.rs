//! Prints the instruction sets that this processor lacks. With the argument `avx` or `adx`, executes such an instruction,
//! which crashes the program on a processor that lacks it.

use std::arch::{asm, is_x86_feature_detected};

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => {
            let has = [
                ("avx", is_x86_feature_detected!("avx")),
                ("avx2", is_x86_feature_detected!("avx2")),
                ("adx", is_x86_feature_detected!("adx")),
                ("bmi2", is_x86_feature_detected!("bmi2")),
            ];
            let lacks: Vec<&str> = has.iter().filter(|(_, has)| !has).map(|(name, _)| *name).collect();
            println!("lacks {}", lacks.join(" "));
        }
        // Each instruction changes only the declared registers.
        Some("avx") => unsafe { asm!("vpxor ymm0, ymm0, ymm0", out("ymm0") _) },
        Some("adx") => unsafe { asm!("adcx {0}, {0}", inout(reg) 1u64 => _) },
        Some(other) => panic!("expected avx or adx, got {other}"),
    }
}
