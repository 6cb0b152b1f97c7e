use super::super::chain::{Cell, Shape};

/// What happens to cells: how often each is hashed, and what of it changes.
#[derive(Clone, Copy)]
pub(in super::super) struct Walk<'a> {
    pub(in super::super) shape: Shape,
    /// Each cell's first step, and the step before which all stop. `None`: one hash that is no step.
    pub(super) steps: Option<(&'a [u8], u8)>,
}

impl<'a> Walk<'a> {
    /// One hash of each cell.
    pub(in super::super) fn once(shape: Shape) -> Self {
        Self { shape, steps: None }
    }

    /// Cell i takes the steps from `from[i]` to before `to`. The last byte of its input is the step's number. Cells
    /// that start together should be neighbours: a cell waits for those beside it.
    pub(in super::super) fn steps(shape: Shape, from: &'a [u8], to: u8) -> Self {
        Self { shape, steps: Some((from, to)) }
    }

    /// The plain form of everything here.
    pub(in super::super) fn plain(&self, cells: &mut [Cell], hash: impl Fn(&Cell) -> [u8; 32]) {
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

/// What vectors need.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), feature = "std"))]
impl<'a> Walk<'a> {
    /// The same for the cells from the `count`th on.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn after(&self, count: usize) -> Walk<'a> {
        let steps = self.steps.map(|(from, to)| (from.get(count..).unwrap_or_default(), to));
        Walk { shape: self.shape, steps }
    }

    /// First steps of the cells from `start` on, and where they stop; a cell that is not there takes none.
    pub(super) fn group<const G: usize>(&self, start: usize) -> ([u8; G], u8) {
        let to = self.bounds(start).1;
        (core::array::from_fn(|i| self.bounds(start + i).0), to)
    }

    /// 0xff for each byte of a cell that a hash replaces.
    pub(super) fn replaced(&self) -> [u8; 64] {
        core::array::from_fn(|i| if i < self.shape.output { 0xff } else { 0 })
    }

    /// 0xff for the byte that is the step's number.
    pub(super) fn numbered(&self) -> [u8; 64] {
        let at = self.steps.map(|_| self.shape.input - 1);
        core::array::from_fn(|i| if at == Some(i) { 0xff } else { 0 })
    }
}
