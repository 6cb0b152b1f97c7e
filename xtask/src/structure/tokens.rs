//! A lexer for the parts of Rust and Kotlin that name other files: identifiers and punctuation, without comments and
//! literals.

/// A token of source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// An identifier or keyword.
    Name(&'a str),
    /// The path separator `::`.
    Separator,
    /// Any other character that is not white space.
    Mark(char),
    /// A string literal, without its quotes. Only file names in attributes are read from it.
    Text(&'a str),
}

/// The tokens of Rust or Kotlin source text, in order.
pub(crate) fn tokens_of(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token() {
        tokens.push(token);
    }
    tokens
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Moves behind the next occurrence of `end`, and returns the text before it.
    fn take_until(&mut self, end: &str) -> &'a str {
        let rest = self.rest();
        let length = rest.find(end).unwrap_or(rest.len());
        self.at += (length + end.len()).min(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.at += first.len_utf8();
            } else if rest.starts_with("//") {
                self.take_until("\n");
            } else if rest.starts_with("/*") {
                self.take_until("*/");
            } else if let Some(token) = self.raw_string() {
                return Some(token);
            } else if first == '"' {
                return Some(Token::Text(self.string()));
            } else if first == '\'' {
                self.character();
            } else if is_name(first) {
                let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                self.at += length;
                return Some(Token::Name(rest.get(..length).unwrap_or_default()));
            } else if rest.starts_with("::") {
                self.at += 2;
                return Some(Token::Separator);
            } else {
                self.at += first.len_utf8();
                return Some(Token::Mark(first));
            }
        }
    }

    /// `r"…"`, `r#"…"#`, `br"…"` and Kotlin's `"""…"""`.
    fn raw_string(&mut self) -> Option<Token<'a>> {
        if self.rest().starts_with("\"\"\"") {
            self.at += 3;
            return Some(Token::Text(self.take_until("\"\"\"")));
        }
        let after = self.rest().strip_prefix('b').unwrap_or_else(|| self.rest()).strip_prefix('r')?;
        let hashes = after.chars().take_while(|c| *c == '#').count();
        let body = after.get(hashes..)?.strip_prefix('"')?;
        self.at += self.rest().len() - body.len();
        Some(Token::Text(self.take_until(&format!("\"{}", "#".repeat(hashes)))))
    }

    fn string(&mut self) -> &'a str {
        let body = self.rest().get(1..).unwrap_or_default();
        let mut escaped = false;
        let end = body.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let length = end.map_or(body.len(), |(at, _)| at);
        self.at += (length + 2).min(body.len() + 1);
        body.get(..length).unwrap_or_default()
    }

    /// Skips a character literal, or the quote of a lifetime.
    fn character(&mut self) {
        let body = self.rest().get(1..).unwrap_or_default();
        let length = if body.starts_with('\\') {
            // The escaped character may be a quote.
            body.get(2..).and_then(|rest| rest.find('\'')).map(|at| at + 3)
        } else {
            let first = body.chars().next().map_or(0, char::len_utf8);
            body.get(first..).filter(|rest| rest.starts_with('\'')).map(|_| first + 1)
        };
        self.at += 1 + length.unwrap_or(0);
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::Token::{Mark, Name, Separator, Text};
    use super::*;

    #[test]
    fn comments_and_characters_are_skipped() {
        let tokens = tokens_of("a::b /* c */ 'd' '\\'' &'e f // g\n.h");
        let expected =
            [Name("a"), Separator, Name("b"), Mark('&'), Name("e"), Name("f"), Mark('.'), Name("h")];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        let source = r###"x("a\"b", r#"c"d"#, b"e") y"###;
        let texts: Vec<_> = tokens_of(source).into_iter().filter(|token| matches!(token, Text(_))).collect();
        assert_eq!(texts, [Text("a\\\"b"), Text("c\"d"), Text("e")]);
        assert_eq!(tokens_of(source).last(), Some(&Name("y")));
    }
}
