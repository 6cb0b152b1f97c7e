//! Says what this processor lacks, and shows that it means it: with an argument it uses AVX or ADX, and dies of it.

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
        // Neither touches anything but the registers that are named.
        Some("avx") => unsafe { asm!("vpxor ymm0, ymm0, ymm0", out("ymm0") _) },
        Some("adx") => unsafe { asm!("adcx {0}, {0}", inout(reg) 1u64 => _) },
        Some(other) => panic!("avx or adx, not {other}"),
    }
}
