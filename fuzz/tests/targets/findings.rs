//! Inputs that once failed, named by the bug.

use quorate_fuzz::TARGETS;

fn holds(target: &str, digits: &str) {
    let input: Vec<u8> =
        (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect();
    let target = TARGETS.iter().find(|known| known.name == target).expect("a target of that name");
    (target.run)(&input);
}

/// Acknowledgements are checked together; the member whose acknowledgement completed the set was blamed for another
/// member's forged one.
#[test]
fn only_the_forger_of_an_acknowledgement_is_blamed() {
    holds(
        "jolteon-machine",
        "000a00000000000000000000000000002d0000000000000000000000000000000000275ab911c28d96ae91b6\
         384a97910e84d0b77bcd550b1db2a00a0df132000000000000000000000000000000ffffffffffff3f000000\
         000000000000000000000000000008000a0a0000000000000000000000000000000000000000000000000000\
         0000000000000000000052b8ab7228f812dd139cf16d53573534e17d72328860df3662cbbafeb4f4f11e0800\
         ",
    );
}
