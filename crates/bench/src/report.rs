//! The table on the terminal and in Markdown.

use crate::figures::Spread;
use crate::lines::Line;
use crate::result::Fact;

/// The cells of a line.
fn cells(line: &Line) -> [String; 11] {
    let ratio = |spread: Spread| format!("{:.3}", spread.median);
    let spread = |spread: Spread| format!("{:.3}-{:.3}", spread.min, spread.max);
    let (target, floor) = match line.goal {
        Some(goal) => (format!("{:.2}", goal.target), format!("{:.2}", goal.floor)),
        None => (String::new(), String::new()),
    };
    [
        line.title.clone(),
        format!("{:.0}", line.rate.median),
        line.ratio.map(ratio).unwrap_or_default(),
        line.ratio.map(spread).unwrap_or_default(),
        line.ratio.map(|_| line.basis.to_owned()).unwrap_or_default(),
        number(line.processor, 1),
        number(line.p50 / 1000.0, 2),
        number(line.p99 / 1000.0, 2),
        number(line.memory, 0),
        format!("{target} {floor}").trim().to_owned(),
        line.verdict().to_owned(),
    ]
}

const HEADS: [&str; 11] =
    ["", "requests/s", "ratio", "min-max", "to", "CPU µs", "p50 ms", "p99 ms", "MB", "target floor", ""];

fn number(value: f64, digits: usize) -> String {
    if value.is_nan() || value <= 0.0 { "-".to_owned() } else { format!("{value:.digits$}") }
}

/// The table for a terminal.
pub(crate) fn plain(lines: &[Line]) -> String {
    let rows: Vec<[String; 11]> = lines.iter().map(cells).collect();
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.chain([HEADS[at].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let written = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 | 4 | 10 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let heads: Vec<String> = HEADS.map(str::to_owned).into();
    written(&heads) + &rows.iter().map(|row| written(row)).collect::<String>()
}

/// The table in Markdown.
pub(crate) fn markdown(lines: &[Line], facts: &[Fact]) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = String::from(
        "| engine | workload | requests/s | ratio | min-max | to | CPU µs | p50 ms | p99 ms | MB | target floor | |\n",
    );
    text.push_str("|---|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---|\n");
    for line in lines {
        let mut cells = cells(line).to_vec();
        let title = cells.remove(0);
        cells.splice(..0, [line.engine.title().to_owned(), title.trim().to_owned()]);
        text.push_str(&row(&cells));
    }
    text.push_str("\n| | | target | |\n|---|---:|---:|---|\n");
    for fact in facts {
        let target = fact.target.map_or_else(String::new, |target| format!("{target} {}", fact.unit));
        let value = format!("{:.1} {}", fact.value, fact.unit);
        text.push_str(&row(&[fact.name.clone(), value, target, fact.verdict().to_owned()]));
    }
    text
}

/// The lines around the tables on the page that publishes them.
const PLACE: [&str; 2] = ["<!-- measured -->\n", "<!-- end -->"];

/// A page with other tables. `None` if it has no place for them.
pub(crate) fn published(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(PLACE[0])?;
    let (_, after) = rest.split_once(PLACE[1])?;
    Some([before, PLACE[0], "\n", tables, "\n", PLACE[1], after].concat())
}

/// The other figures, one a line.
pub(crate) fn facts(facts: &[Fact]) -> String {
    let line = |fact: &Fact| {
        let target = fact.target.map_or_else(String::new, |target| format!(" (target {target})"));
        format!("{:<58} {:>9.1} {}{target} {}\n", fact.name, fact.value, fact.unit, fact.verdict())
    };
    facts.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_published_in_their_place() {
        let page = "before\n<!-- measured -->\n\nold\n\n<!-- end -->\nafter\n";
        let expected = "before\n<!-- measured -->\n\nnew\n\n<!-- end -->\nafter\n";
        assert_eq!(published(page, "new\n").as_deref(), Some(expected));
        assert_eq!(published("a page", "new\n"), None);
    }
}
