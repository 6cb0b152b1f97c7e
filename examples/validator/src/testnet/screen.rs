use std::io::{IsTerminal, Write};

use crossterm::cursor::{Hide, MoveToColumn, MoveUp, Show};
use crossterm::queue;
use crossterm::terminal::{self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

/// Lines at the bottom of a terminal that are redrawn in place. The last drawn lines stay after a drop.
#[derive(Debug)]
pub(crate) struct Screen {
    drawn: u16,
}

impl Screen {
    /// Creates a screen if standard output is a terminal.
    pub(crate) fn new() -> Option<Self> {
        std::io::stdout().is_terminal().then_some(Self { drawn: 0 })
    }

    /// Returns columns and rows of the terminal.
    pub(crate) fn size() -> (usize, usize) {
        terminal::size().map_or((80, 24), |(columns, rows)| (columns.into(), rows.into()))
    }

    /// Redraws the lines in place, in one write and as one synchronized update where the terminal supports it, so that
    /// nothing flickers.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        let (_, rows) = Self::size();
        // A line that scrolled away cannot be redrawn.
        let lines = lines.get(..lines.len().min(rows.saturating_sub(1))).unwrap_or_default();
        let mut out = Vec::new();
        // Writing into a Vec cannot fail.
        let _ = queue!(out, BeginSynchronizedUpdate, Hide, MoveToColumn(0));
        if self.drawn > 0 {
            let _ = queue!(out, MoveUp(self.drawn));
        }
        for line in lines {
            out.extend_from_slice(line.as_bytes());
            let _ = queue!(out, Clear(ClearType::UntilNewLine));
            out.extend_from_slice(b"\r\n");
        }
        // Show the cursor after each frame, so that a killed process leaves the terminal usable.
        let _ = queue!(out, Clear(ClearType::FromCursorDown), Show, EndSynchronizedUpdate);
        self.drawn = lines.len() as u16;
        write(&out);
    }

    /// Writes a permanent line above the redrawn lines.
    pub(crate) fn note(&mut self, line: &str) {
        let mut out = Vec::new();
        let _ = queue!(out, MoveToColumn(0));
        if self.drawn > 0 {
            let _ = queue!(out, MoveUp(self.drawn));
        }
        let _ = queue!(out, Clear(ClearType::FromCursorDown));
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(b"\r\n");
        self.drawn = 0;
        write(&out);
    }
}

fn write(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    // A closed terminal must not stop the network.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}
