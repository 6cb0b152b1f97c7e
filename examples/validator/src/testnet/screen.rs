use std::io::{IsTerminal, Write};

use crossterm::cursor::{Hide, MoveToColumn, MoveUp, Show};
use crossterm::queue;
use crossterm::terminal::{self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};

/// Lines at the bottom of a terminal that are drawn again in place. What was drawn last stays when this is dropped.
#[derive(Debug)]
pub(crate) struct Screen {
    drawn: u16,
}

impl Screen {
    /// A screen, if standard output is a terminal.
    pub(crate) fn new() -> Option<Self> {
        std::io::stdout().is_terminal().then_some(Self { drawn: 0 })
    }

    /// Columns and rows.
    pub(crate) fn size() -> (usize, usize) {
        terminal::size().map_or((80, 24), |(columns, rows)| (columns.into(), rows.into()))
    }

    /// Draws over what was drawn before. All in one write, and as one update where the terminal knows such a
    /// thing, so that nothing flickers.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        let (_, rows) = Self::size();
        // A line that scrolled away cannot be drawn again.
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
        // Shown again each time: whenever this process is killed, the terminal is left as it was.
        let _ = queue!(out, Clear(ClearType::FromCursorDown), Show, EndSynchronizedUpdate);
        self.drawn = lines.len() as u16;
        write(&out);
    }

    /// Writes a line above what is drawn, where it stays.
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
    // A terminal that went away is no reason to stop the network.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}
