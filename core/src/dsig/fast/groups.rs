use super::super::cell::HashCell;
use super::walk::Walk;

/// Calls `work` with groups of `G` cells, their first steps and the step before which they stop. A last, smaller
/// group is padded with cells that take no step.
#[inline(always)]
pub(super) fn for_each_group<const G: usize>(
    cells: &mut [HashCell],
    walk: &Walk<'_>,
    mut work: impl FnMut(&mut [HashCell; G], &[u8; G], u8),
) {
    let mut padded = [HashCell::ZERO; G];
    for (number, group) in cells.chunks_mut(G).enumerate() {
        let (len, (mut from, to)) = (group.len(), walk.group(number * G));
        if len < G {
            padded.iter_mut().zip(&*group).for_each(|(to, from)| *to = *from);
            from.iter_mut().skip(len).for_each(|from| *from = to);
        }
        if from.iter().any(|from| *from < to) {
            // Called in one place only, so that it is inlined into this loop.
            work(group.first_chunk_mut().unwrap_or(&mut padded), &from, to);
        }
        if len < G {
            group.iter_mut().zip(&padded).for_each(|(to, from)| *to = *from);
        }
    }
}
