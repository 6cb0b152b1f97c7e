//! The functions in the sources of the operations.

use proc_macro2::Span;
use syn::{FnArg, Ident, Item, ItemFn, Type, Visibility, parse_quote};

use super::language::Outcome;
use crate::expand::Macros;
use crate::names::snake;

/// A function: an operation, or a helper of some.
#[derive(Debug)]
pub(super) struct Operation {
    /// Its name with that of its module: `vote_verify`.
    pub(super) name: String,
    /// The module around it; empty for none.
    pub(super) module: String,
    /// The name of the operation or behaviour, `vote.verify`, unless it is a helper.
    pub(super) public: Option<String>,
    pub(super) function: ItemFn,
}

impl Operation {
    /// True for an operation of the vectors: a behaviour has no input.
    pub(super) fn has_input(&self) -> bool {
        !self.function.sig.inputs.is_empty()
    }
}

/// Reads all functions.
pub(super) fn read(sources: &[String]) -> Outcome<Vec<Operation>> {
    let mut operations = Vec::new();
    for source in sources {
        let mut file = syn::parse_file(source).map_err(|error| error.to_string())?;
        Macros::read(std::slice::from_ref(&file)).expand(&mut file)?;
        for item in file.items {
            match item {
                Item::Fn(function) => operations.push(operation("", function)),
                Item::Mod(module) => {
                    let name = module.ident.to_string();
                    for item in module.content.map(|(_, items)| items).unwrap_or_default() {
                        let Item::Fn(function) = item else {
                            return Err(format!("module {name}: only functions are known"));
                        };
                        operations.push(operation(&name, function));
                    }
                }
                // Its calls were replaced.
                Item::Macro(_) => {}
                _ => return Err("only modules and functions are known".to_owned()),
            }
        }
    }
    Ok(operations)
}

fn operation(module: &str, mut function: ItemFn) -> Operation {
    let name = function.sig.ident.to_string();
    let is_public = matches!(function.vis, Visibility::Public(_));
    if is_public {
        run_for_each(&mut function);
    }
    let joined = |by: &str| if module.is_empty() { name.clone() } else { format!("{module}{by}{name}") };
    let public = is_public.then(|| joined("."));
    Operation { name: joined("_"), module: module.to_owned(), public, function }
}

/// A behaviour with a parameter, as `suite: CountedSuite`, runs for each item of the list of this name, `counted_suites()`.
fn run_for_each(function: &mut ItemFn) {
    let Some(FnArg::Typed(item)) = function.sig.inputs.first() else { return };
    let Type::Path(kind) = &*item.ty else { return };
    let kind = kind.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if kind == "Json" {
        return;
    }
    let list = Ident::new(&format!("{}s", snake(&kind)), Span::call_site());
    let (name, body) = (&item.pat, &function.block);
    function.block = parse_quote!({ for #name in #list() #body });
    function.sig.inputs.clear();
}
