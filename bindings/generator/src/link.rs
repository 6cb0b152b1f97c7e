//! What blocks know of each other.

use std::collections::HashMap;

use crate::model::{Block, Class, Listed, Type};

type Outcome<T> = Result<T, String>;

/// Copies to each block the classes that it imports from others.
///
/// # Errors
/// A block imports a name that no other block declares.
pub fn link(blocks: &mut [Block]) -> Outcome<()> {
    let passed: Vec<(String, String, bool)> = blocks.iter().flat_map(passed).collect();
    for class in blocks.iter_mut().flat_map(|block| &mut block.classes) {
        let of_class = || passed.iter().filter(|one| one.0 == class.home.path && one.1 == class.name);
        (class.shared, class.taken) = (of_class().next().is_some(), of_class().any(|one| one.2));
    }
    import_all(blocks)?;
    import_contained(blocks);
    let mut listed: HashMap<String, Listed> = HashMap::new();
    for (class, when) in blocks.iter().flat_map(Block::listed) {
        let known = listed.entry(class.native.clone()).or_insert(when);
        *known = (*known).max(when);
    }
    for class in blocks.iter_mut().flat_map(Block::all_classes_mut) {
        class.listed = listed.get(&class.native).copied();
    }
    Ok(())
}

/// Copies to each block the classes that imported plain data contains.
fn import_contained(blocks: &mut [Block]) {
    let all = blocks.to_vec();
    for block in blocks {
        let mut pending = block.imported.clone();
        while let Some(class) = pending.pop() {
            let home = all.iter().find(|other| other.name == class.home.block);
            for name in Block::contained(&class) {
                let found = home.and_then(|home| home.class(name));
                if let Some(found) = found.filter(|_| block.class(name).is_none()) {
                    block.reachable.push(found.clone());
                    pending.push(found.clone());
                }
            }
        }
    }
}

fn import_all(blocks: &mut [Block]) -> Outcome<()> {
    let all: Vec<Class> = blocks.iter().flat_map(|block| block.classes.clone()).collect();
    for block in blocks {
        for (path, name) in &block.imports {
            let found = all.iter().find(|class| class.home.path == *path && class.name == *name);
            let found = found.ok_or_else(|| format!("{}: no block `{path}` has `{name}`", block.path))?;
            // Several files of a block may import it.
            if !block.imported.contains(found) {
                block.imported.push(found.clone());
            }
        }
    }
    Ok(())
}

/// The classes whose objects the functions of a block take: the paths of their blocks, their names, and whether a function
/// takes the object itself.
fn passed(block: &Block) -> Vec<(String, String, bool)> {
    let functions = block.classes.iter().flat_map(|class| &class.functions);
    let named =
        functions.flat_map(|function| &function.parameters).filter_map(|one| match one.kind.innermost() {
            Type::Class(name) => Some((name, one.owned)),
            _ => None,
        });
    let path = |name: &String| {
        let imported = block.imports.iter().find(|(_, imported)| imported == name);
        imported.map_or_else(|| block.path.clone(), |(path, _)| path.clone())
    };
    named.map(|(name, owned)| (path(name), name.clone(), owned)).collect()
}
