//! The examples of the package's README as JUnit tests.
//!
//! A block that begins with its imports starts a program; the blocks after it in the same language continue it, as the
//! reader does. Each program becomes one test, which Maven compiles with the others.

use std::fs;
use std::path::Path;

use crate::process::Outcome;

#[derive(Debug, PartialEq, Eq)]
struct Program {
    language: Language,
    title: String,
    imports: Vec<String>,
    body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Kotlin,
    Java,
}

/// Writes the programs of a README into a folder of test sources, and answers with how many there are.
pub(super) fn write(readme: &Path, folder: &Path) -> Outcome<usize> {
    let text = fs::read_to_string(readme).map_err(|e| format!("{}: {e}", readme.display()))?;
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let programs = programs(&text)?;
    for (number, program) in programs.iter().enumerate() {
        let class = format!("Readme{number}Test");
        let (name, source) = match program.language {
            Language::Kotlin => (format!("{class}.kt"), program.kotlin(&class)),
            Language::Java => (format!("{class}.java"), program.java(&class)),
        };
        let path = folder.join(name);
        fs::write(&path, source).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(programs.len())
}

impl Program {
    fn kotlin(&self, class: &str) -> String {
        let Self { title, body, .. } = self;
        let imports: String = self.imports.iter().map(|line| format!("{line}\n")).collect();
        format!(
            "package org.quorate.readme\n\n{imports}\nclass {class} {{\n    @org.junit.jupiter.api.Test\n    \
             fun `{title}`() = kotlinx.coroutines.runBlocking<Unit> {{\n{body}    }}\n}}\n"
        )
    }

    fn java(&self, class: &str) -> String {
        let Self { title, body, .. } = self;
        let imports: String = self.imports.iter().map(|line| format!("{line}\n")).collect();
        format!(
            "package org.quorate.readme;\n\n{imports}\nclass {class} {{\n    @org.junit.jupiter.api.Test\n    \
             @org.junit.jupiter.api.DisplayName(\"{title}\")\n    void run() throws Exception {{\n{body}    }}\n}}\n"
        )
    }
}

fn programs(text: &str) -> Outcome<Vec<Program>> {
    let mut programs: Vec<Program> = Vec::new();
    let mut title = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix('#') {
            title = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == ' ')
                .collect::<String>()
                .trim()
                .to_owned();
        }
        let language = match line {
            "```kotlin" => Language::Kotlin,
            "```java" => Language::Java,
            _ => continue,
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if block.first().is_some_and(|line| line.starts_with("import ")) {
            programs.push(Program {
                language,
                title: title.clone(),
                imports: Vec::new(),
                body: String::new(),
            });
        }
        let program = programs
            .iter_mut()
            .rfind(|program| program.language == language)
            .ok_or_else(|| format!("the first {language:?} example, under \"{title}\", has no imports"))?;
        for line in block {
            if line.starts_with("import ") {
                program.imports.push(line.to_owned());
            } else {
                program.body.push_str(line);
                program.body.push('\n');
            }
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_start_a_program_and_other_blocks_continue_it() {
        let text = "# A: `b`\n```kotlin\nimport org.quorate.*\n\nval a = 1\n```\n```java\nimport x.Y;\nint b;\n```\n\
                    ## More\n```kotlin\nval c = a\n```\n```sh\nls\n```\n";
        let programs = programs(text).unwrap();
        let made = |language, import: &str, body: &str| Program {
            language,
            title: "A b".to_owned(),
            imports: vec![import.to_owned()],
            body: body.to_owned(),
        };
        let kotlin = made(Language::Kotlin, "import org.quorate.*", "\nval a = 1\nval c = a\n");
        assert!(kotlin.kotlin("T").contains("fun `A b`() ="));
        assert_eq!(programs, [kotlin, made(Language::Java, "import x.Y;", "int b;\n")]);
    }

    #[test]
    fn an_example_that_continues_nothing_is_refused() {
        assert!(super::programs("```java\nint a;\n```\n").unwrap_err().contains("no imports"));
    }
}
