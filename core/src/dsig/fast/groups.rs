use super::super::chain::Cell;
use super::walk::Walk;

/// Calls `work` with groups of `G` cells, the steps they start with and the one before which they stop. What is left
/// over is filled with cells that take no step.
#[inline(always)]
pub(super) fn in_groups<const G: usize>(
    cells: &mut [Cell],
    walk: &Walk<'_>,
    mut work: impl FnMut(&mut [Cell; G], &[u8; G], u8),
) {
    let mut room = [Cell::ZERO; G];
    for (number, group) in cells.chunks_mut(G).enumerate() {
        let (len, (mut from, to)) = (group.len(), walk.group(number * G));
        if len < G {
            room.iter_mut().zip(&*group).for_each(|(to, from)| *to = *from);
            from.iter_mut().skip(len).for_each(|from| *from = to);
        }
        if from.iter().any(|from| *from < to) {
            // Called in one place only, so that it is compiled into this loop.
            work(group.first_chunk_mut().unwrap_or(&mut room), &from, to);
        }
        if len < G {
            group.iter_mut().zip(&room).for_each(|(to, from)| *to = *from);
        }
    }
}
