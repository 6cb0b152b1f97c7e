//! Writes the glue and the type stubs of the blocks that `quorate-interface` declares, and the module with the exceptions;
//! maturin adds the stubs and that module to the wheel.

use quorate_generator::{errors, python, stub, write};

fn main() -> Result<(), String> {
    write("rs", python::emit)?;
    write("pyi", stub::emit)?;
    errors::write("errors.py", errors::python::emit)
}
