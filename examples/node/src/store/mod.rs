//! Records, blocks and batches on disk.

mod files;
mod index;
mod segments;
