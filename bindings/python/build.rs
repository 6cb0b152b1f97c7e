//! Writes the glue and the type stubs of the blocks that `quorate-interface` declares; maturin adds the stubs to the wheel.

use quorate_generator::{python, stub, write};

fn main() -> Result<(), String> {
    write("rs", python::emit)?;
    write("pyi", stub::emit)
}
