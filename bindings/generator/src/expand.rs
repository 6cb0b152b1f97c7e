//! Macros of the interface: declarations that several blocks share.
//!
//! A macro has one rule, whose parameters are identifiers with commas between them: `($key:ident, $share:ident) => {…}`.
//! `class!` is a structure with its functions, and `functions!` has further ones; their attributes can be words before
//! `struct` and `fn`.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, ImplItemFn, Item, ItemMacro, LitStr, Token, parse_quote};

type Outcome<T> = Result<T, String>;

/// Macros by their names.
#[derive(Debug, Default)]
pub(crate) struct Macros(HashMap<String, Macro>);

#[derive(Debug)]
struct Macro {
    parameters: Vec<Ident>,
    body: TokenStream,
}

impl Macros {
    /// Reads the macros that files define.
    pub(crate) fn read(files: &[syn::File]) -> Self {
        let items = files.iter().flat_map(|file| &file.items);
        let found = items.filter_map(|item| match item {
            Item::Macro(item) => {
                let parts: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
                let groups = parts.iter().filter_map(|part| match part {
                    TokenTree::Group(group) => Some(group.stream()),
                    _ => None,
                });
                let [parameters, body] = <[TokenStream; 2]>::try_from(groups.collect::<Vec<_>>()).ok()?;
                Some((item.ident.as_ref()?.to_string(), Macro { parameters: named(parameters), body }))
            }
            _ => None,
        });
        Self(found.collect())
    }

    /// Replaces each call of a known macro by the items that it makes.
    pub(crate) fn expand(&self, file: &mut syn::File) -> Outcome<()> {
        let mut items = Vec::new();
        for item in file.items.drain(..) {
            let called = match &item {
                Item::Macro(one) if one.ident.is_none() => {
                    let name = one.mac.path.segments.last().map(|last| last.ident.to_string());
                    name.and_then(|name| self.0.get(&name)).map(|found| (found, one.mac.tokens.clone()))
                }
                _ => None,
            };
            match called {
                Some((called, arguments)) => items.extend(called.items(arguments)?),
                None => items.push(item),
            }
        }
        for item in items {
            match item {
                Item::Macro(called) => file.items.extend(declared(called)?),
                item => file.items.push(item),
            }
        }
        Ok(())
    }
}

/// The items of a call of `class!` or `functions!`; the call itself of another macro.
fn declared(called: ItemMacro) -> Outcome<Vec<Item>> {
    let parse = match called.mac.path.get_ident() {
        Some(name) if name == "class" => class,
        Some(name) if name == "functions" => further,
        _ => return Ok(vec![Item::Macro(called)]),
    };
    let mut items = called.mac.parse_body_with(parse).map_err(|error| error.to_string())?;
    for item in &mut items {
        if let Item::Struct(syn::ItemStruct { attrs, .. }) | Item::Impl(syn::ItemImpl { attrs, .. }) = item {
            attrs.extend(called.attrs.iter().map(|one| -> Attribute { parse_quote!(#one) }));
        }
    }
    Ok(items)
}

fn class(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let attributes = attributes(input)?;
    input.parse::<Token![struct]>()?;
    let (name, fields): (Ident, Group) = (input.parse()?, input.parse()?);
    input.parse::<Token![:]>()?;
    let list = Punctuated::<Ident, Token![,]>::parse_separated_nonempty;
    let derived = if input.peek(Token![;]) { Punctuated::new() } else { list(input)? };
    let end: Token![;] = input.parse()?;
    let end = (fields.delimiter() == Delimiter::Parenthesis).then_some(end);
    if input.fork().parse::<Ident>().is_ok_and(|word| word == "shown") {
        while input.parse::<Option<Token![;]>>()?.is_none() {
            input.parse::<TokenTree>()?;
        }
    }
    let (mut own, mut others) = (Vec::new(), Vec::new());
    while input.peek(Token![const]) || input.peek2(Token![const]) {
        match input.parse::<Option<Ident>>()? {
            None => own.push(constant::<ImplItem>(input, None)?),
            Some(_) => {
                let class = name.to_string();
                let within = parse_quote!(#[cfg_attr(binding, within = #class)]);
                others.push(constant::<Item>(input, Some(within))?);
            }
        }
    }
    let functions = functions(input)?;
    others.push(parse_quote!(#(#attributes)* #[derive(#derived)] pub struct #name #fields #end));
    others.push(parse_quote!(impl #name { #(#own)* #(#functions)* }));
    Ok(others)
}

/// A constant as an item of a module or of an implementation.
fn constant<T: Parse>(input: ParseStream<'_>, within: Option<Attribute>) -> syn::Result<T> {
    input.parse::<Token![const]>()?;
    let name: Ident = input.parse()?;
    input.parse::<Token![:]>()?;
    let kind: Ident = input.parse()?;
    input.parse::<Token![=]>()?;
    let value: syn::Lit = input.parse()?;
    if input.parse::<Option<Token![==]>>()?.is_some() {
        input.parse::<Expr>()?;
    }
    input.parse::<Token![,]>()?;
    let docs: LitStr = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(parse_quote!(#within #[doc = #docs] pub const #name: #kind = #value;))
}

fn further(input: ParseStream<'_>) -> syn::Result<Vec<Item>> {
    let name: Ident = input.parse()?;
    input.parse::<Token![:]>()?;
    let members = functions(input)?;
    Ok(vec![parse_quote!(impl #name { #(#members)* })])
}

fn functions(input: ParseStream<'_>) -> syn::Result<Vec<ImplItem>> {
    let mut functions = Vec::new();
    while !input.is_empty() {
        let attrs = attributes(input)?;
        let function: ImplItemFn = input.parse()?;
        functions.push(ImplItem::Fn(ImplItemFn { attrs, vis: parse_quote!(pub), ..function }));
    }
    Ok(functions)
}

/// Attributes, and those that are words.
fn attributes(input: ParseStream<'_>) -> syn::Result<Vec<Attribute>> {
    let mut attributes = input.call(Attribute::parse_outer)?;
    while input.peek(syn::Ident) {
        let word: Ident = input.parse()?;
        attributes.push(parse_quote!(#[cfg_attr(binding, #word)]));
    }
    Ok(attributes)
}

impl Macro {
    fn items(&self, arguments: TokenStream) -> Outcome<Vec<Item>> {
        let arguments: Vec<Ident> = identifiers(arguments).collect();
        if arguments.len() != self.parameters.len() {
            let (expected, found) = (self.parameters.len(), arguments.len());
            return Err(format!("a macro with {expected} parameters is called with {found} identifiers"));
        }
        let values: HashMap<String, Ident> =
            self.parameters.iter().map(Ident::to_string).zip(arguments).collect();
        let made = replaced(self.body.clone(), &values);
        syn::parse2::<syn::File>(made).map(|file| file.items).map_err(|error| error.to_string())
    }
}

fn identifiers(tokens: TokenStream) -> impl Iterator<Item = Ident> {
    tokens.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name),
        _ => None,
    })
}

/// The names of parameters: `$name:ident`.
fn named(parameters: TokenStream) -> Vec<Ident> {
    identifiers(parameters).filter(|name| name != "ident").collect()
}

/// The body with the arguments in place of the parameters.
fn replaced(body: TokenStream, values: &HashMap<String, Ident>) -> TokenStream {
    let mut made = TokenStream::new();
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let token = match token {
            TokenTree::Group(group) => {
                let inner = replaced(group.stream(), values);
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => match tokens.peek() {
                Some(TokenTree::Ident(name)) if *name == "crate" => {
                    // `$crate` is the interface itself.
                    continue;
                }
                Some(TokenTree::Ident(name)) => match values.get(&name.to_string()) {
                    Some(value) => {
                        tokens.next();
                        TokenTree::Ident(value.clone())
                    }
                    None => TokenTree::Punct(dollar),
                },
                _ => TokenTree::Punct(dollar),
            },
            other => other,
        };
        made.extend([token]);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_classes_become_items() {
        let file = |source| syn::parse_file(source).unwrap();
        let source = "macro_rules! pair { ($key:ident, $share:ident) => { \
            /// A key.\npub struct $key(u8);\npub struct $share($key); } }";
        let macros = Macros::read(&[file(source)]);
        let mut called = file("pair! { Key, Share }");
        macros.expand(&mut called).unwrap();
        assert_eq!(called, file("/// A key.\npub struct Key(u8);\npub struct Share(Key);"));
        let mut classes = file(
            "#[cfg(full)] class! { /// A key.\nobject hex struct Key(u8): Clone, Hash; shown |self, f| f.write_str(\"key\"); \
            const LEN: u32 = 1 == core::LEN, \"Its length.\"; module const MOST: u8 = 2 == core::MOST, \"Most.\"; /// Its size.\ngetter fn size(&self) -> u8 { 1 } } \
            functions! { Key: #[cfg(full)] variant quick fn new() -> Self { Key(1) } fn size_of() -> u8 { 2 } }",
        );
        macros.expand(&mut classes).unwrap();
        let items = file(
            "#[cfg_attr(binding, within = \"Key\")] #[doc = \"Most.\"] pub const MOST: u8 = 2; \
            /// A key.\n#[cfg_attr(binding, object)] #[cfg_attr(binding, hex)] #[derive(Clone, Hash)] #[cfg(full)] pub struct Key(u8); \
            #[cfg(full)] impl Key { #[doc = \"Its length.\"] pub const LEN: u32 = 1; \
            /// Its size.\n#[cfg_attr(binding, getter)] pub fn size(&self) -> u8 { 1 } } \
            impl Key { #[cfg(full)] #[cfg_attr(binding, variant)] #[cfg_attr(binding, quick)] pub fn new() -> Self { Key(1) } \
            pub fn size_of() -> u8 { 2 } }",
        );
        assert_eq!(classes, items);
        let mut wrong = file("pair! { Key }");
        assert!(macros.expand(&mut wrong).unwrap_err().contains("2 parameters is called with 1"));
    }
}
