//! The code signature of a library for macOS: on arm64 the system loads a library only if the hashes in it are right. They
//! need no certificate; zig's linker writes them.

use sha2::{Digest, Sha256};

use crate::process::Outcome;

const SUPER_BLOB: u32 = 0xfade_0cc0;
const CODE_DIRECTORY: u32 = 0xfade_0c02;
const SHA_256: u8 = 2;
/// Numbers of pages above this are refused: 4 GiB of pages of 4 KiB.
const MOST_PAGES: u32 = 1 << 20;

/// Compares the hashes in a signature with the pages of the file; returns the number of pages.
pub(super) fn check(file: &[u8], blob: &[u8]) -> Outcome<u32> {
    let directory = code_directory(blob).ok_or("its signature has no directory of hashes")?;
    let cut = || "its directory of hashes is cut off".to_owned();
    let [hashes, pages, limit] = [16, 28, 32].map(|offset| number(directory, offset));
    let (hashes, pages, limit) = (hashes.ok_or_else(cut)?, pages.ok_or_else(cut)?, limit.ok_or_else(cut)?);
    let [size, kind, page_bits] = [36, 37, 39].map(|offset| directory.get(offset).copied());
    if (size, kind) != (Some(32), Some(SHA_256)) || pages > MOST_PAGES {
        return Err("expected a directory of SHA-256 hashes".to_owned());
    }
    let page = 1usize.checked_shl(page_bits.ok_or_else(cut)?.into()).ok_or("its pages are too large")?;
    let code = file.get(..limit as usize).ok_or("the file is shorter than its signature states")?;
    if code.len().div_ceil(page) != pages as usize {
        return Err(format!("expected hashes of {} pages, found {pages}", code.len().div_ceil(page)));
    }
    let wanted = directory.get(hashes as usize..).ok_or_else(cut)?.chunks_exact(32);
    for (index, (code, wanted)) in
        code.chunks(page).zip(wanted.map(Some).chain(std::iter::repeat(None))).enumerate()
    {
        if wanted != Some(Sha256::digest(code).as_slice()) {
            return Err(format!("the hash of page {index} in its signature is wrong"));
        }
    }
    Ok(pages)
}

/// The directory of hashes among the parts of a signature.
fn code_directory(blob: &[u8]) -> Option<&[u8]> {
    if number(blob, 0)? != SUPER_BLOB {
        return None;
    }
    let parts = number(blob, 8)?.min(64) as usize;
    let offsets = (0..parts).filter_map(|part| number(blob, 12 + 8 * part + 4));
    let mut found = offsets.filter_map(|offset| blob.get(offset as usize..));
    found.find(|part| number(part, 0) == Some(CODE_DIRECTORY))
}

/// The number at an offset; signatures are big-endian.
fn number(bytes: &[u8], offset: usize) -> Option<u32> {
    let four = bytes.get(offset..offset.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of two pages and its signature.
    fn signed() -> (Vec<u8>, Vec<u8>) {
        let file: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
        let mut directory = vec![0; 44];
        for (offset, value) in [(0, CODE_DIRECTORY), (16, 44), (28, 2), (32, 5000)] {
            directory[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
        }
        (directory[36], directory[37], directory[39]) = (32, SHA_256, 12);
        file.chunks(4096).for_each(|page| directory.extend(Sha256::digest(page)));
        let mut blob: Vec<u8> =
            [SUPER_BLOB, 0, 1, 0, 20].iter().flat_map(|value| value.to_be_bytes()).collect();
        blob.extend(directory);
        (file, blob)
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let (mut file, blob) = signed();
        assert_eq!(check(&file, &blob), Ok(2));
        for index in [0, 4095, 4096, 4999] {
            file[index] ^= 1;
            check(&file, &blob).unwrap_err();
            file[index] ^= 1;
        }
    }

    #[test]
    fn a_signature_that_is_cut_off_is_refused() {
        let (file, blob) = signed();
        (0..blob.len()).for_each(|length| drop(check(&file, &blob[..length]).unwrap_err()));
        check(&file[..4096], &blob).unwrap_err();
    }
}
