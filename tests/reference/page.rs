//! A page of Markdown as its code blocks and tables.

use std::path::PathBuf;

pub struct Page {
    pub name: &'static str,
    text: String,
}

/// A fenced block: what stands behind the three backticks, and its text.
#[derive(Debug)]
pub struct Block {
    pub info: String,
    /// From 1.
    pub line: usize,
    pub text: String,
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

impl Page {
    pub fn read(name: &'static str) -> Page {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        Page { name, text }
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        for (index, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), open) {
                (Some(info), false) => blocks.push(Block {
                    info: info.to_owned(),
                    line: index + 1,
                    text: String::new(),
                }),
                (None, true) => {
                    let block = blocks.last_mut().unwrap();
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                _ => {}
            }
            open ^= line.starts_with("```");
        }
        assert!(!open, "{}: a block is not closed", self.name);
        blocks
    }

    /// Cells of all tables below the heading whose first column has that title.
    pub fn rows(&self, heading: &str, title: &str) -> Vec<Vec<String>> {
        let wanted = format!("## {heading}");
        let section = self.text.lines().skip_while(|line| *line != wanted).skip(1);
        let section = section.take_while(|line| !line.starts_with("## "));
        let mut rows = Vec::new();
        let mut inside = None;
        for line in section {
            let Some(row) = line.strip_prefix('|') else {
                inside = None;
                continue;
            };
            let row = row.trim_end_matches('|').split('|');
            let row: Vec<String> = row.map(|cell| cell.trim().to_owned()).collect();
            match inside {
                None => inside = Some(row[0] == title),
                Some(true) if !row[0].starts_with("---") => rows.push(row),
                Some(_) => {}
            }
        }
        assert!(
            !rows.is_empty(),
            "{}: no table of {title} below {wanted}",
            self.name
        );
        rows
    }

    /// The names in the first column of these tables.
    pub fn names(&self, heading: &str, title: &str) -> Vec<String> {
        let rows = self.rows(heading, title);
        rows.iter().flat_map(|row| code(&row[0])).collect()
    }
}

/// The words of a text that stand in backticks.
pub fn code(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
