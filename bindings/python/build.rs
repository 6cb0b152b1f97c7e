//! Writes what follows from `quorate-interface`, the declaration of the blocks: the glue, and Python's modules with their
//! stubs, which maturin adds to the wheel with the module of the exceptions.

use quorate_generator::{blocks, errors, python, python_module, write_files};

fn main() -> Result<(), String> {
    let blocks = blocks()?;
    write_files(python::files(&blocks))?;
    write_files(python_module::files(&blocks))?;
    errors::write("errors.py", errors::python::emit)
}
