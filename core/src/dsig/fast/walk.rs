use super::super::cell::{HashCell, HashShape};

/// The work to do on cells: the steps of each cell, and the input and output lengths.
#[derive(Clone, Copy)]
pub(in super::super) struct Walk<'a> {
    pub(in super::super) shape: HashShape,
    /// First step of each cell, and the step before which all stop. `None`: one hash without a step number.
    pub(super) steps: Option<(&'a [u8], u8)>,
}

impl<'a> Walk<'a> {
    /// Hashes each cell once.
    pub(in super::super) fn once(shape: HashShape) -> Self {
        Self { shape, steps: None }
    }

    /// Cell i takes the steps from `from[i]` up to but excluding `to`. The last byte of its input is the step number.
    /// Adjacent cells should start at the same step: a cell waits for those in its group.
    pub(in super::super) fn steps(shape: HashShape, from: &'a [u8], to: u8) -> Self {
        Self { shape, steps: Some((from, to)) }
    }

    /// Reference form of every vectorised walk.
    pub(in super::super) fn plain(&self, cells: &mut [HashCell], hash: impl Fn(&HashCell) -> [u8; 32]) {
        for (at, cell) in cells.iter_mut().enumerate() {
            let (from, to) = self.bounds(at);
            for step in from..to {
                if self.steps.is_some() {
                    cell.set(self.shape.input - 1, step);
                }
                let hash = hash(cell);
                cell.replace(&hash, self.shape.output);
            }
        }
    }

    fn bounds(&self, at: usize) -> (u8, u8) {
        match self.steps {
            None => (0, 1),
            Some((from, to)) => (from.get(at).copied().unwrap_or(to), to),
        }
    }
}

/// Operations of the vectorised forms.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
impl<'a> Walk<'a> {
    /// Returns the same walk for the cells from `count` on.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn after(&self, count: usize) -> Walk<'a> {
        let steps = self.steps.map(|(from, to)| (from.get(count..).unwrap_or_default(), to));
        Walk { shape: self.shape, steps }
    }

    /// Returns the first steps of the `G` cells from `start` on, and where they stop; missing cells take no step.
    pub(super) fn group<const G: usize>(&self, start: usize) -> ([u8; G], u8) {
        let to = self.bounds(start).1;
        (core::array::from_fn(|i| self.bounds(start + i).0), to)
    }

    /// Returns 0xff for each byte of a cell that the hash replaces.
    pub(super) fn replaced(&self) -> [u8; 64] {
        core::array::from_fn(|i| if i < self.shape.output { 0xff } else { 0 })
    }

    /// Returns 0xff for the byte that holds the step number.
    pub(super) fn numbered(&self) -> [u8; 64] {
        let at = self.steps.map(|_| self.shape.input - 1);
        core::array::from_fn(|i| if at == Some(i) { 0xff } else { 0 })
    }
}
