//! What changed since an earlier run: ratios, and processor time.

use crate::figures::{FIELDHOUSE, Measured, find};
use crate::lines::{self, Line};
use crate::result::Outcome;

/// One line for each workload that both runs measured. Ratios are compared, because rates vary with the machine.
pub(crate) fn changes(base: &Outcome, now: &Outcome) -> String {
    let mut text = format!("Compared with {}:\n", base.about());
    let base_lines = lines::lines(&base.measured);
    let now_lines = lines::lines(&now.measured);
    for line in now_lines.iter().filter(|line| line.goal.is_some()) {
        let is = |known: &&Line| known.engine == line.engine && known.title == line.title;
        let Some(before) = base_lines.iter().find(is) else { continue };
        let ratio = |line: &Line| line.ratio.map_or(f64::NAN, |ratio| ratio.median);
        let ratios = change(ratio(before), ratio(line), 3);
        let processor = change(before.processor, line.processor, 1);
        let (engine, title) = (line.engine.name(), &line.title);
        let change = format!("{engine:<9} {title:<58} ratio {ratios}  CPU {processor}\n");
        text.push_str(&change);
    }
    text.push_str(&missing(&base.measured, &now.measured));
    text
}

/// The two values, and the difference in percent.
fn change(before: f64, now: f64, digits: usize) -> String {
    format!("{before:.digits$} -> {now:.digits$} ({:+.0} %)", (now / before - 1.0) * 100.0)
}

fn missing(base: &[Measured], now: &[Measured]) -> String {
    let of_fieldhouse = now.iter().filter(|one| one.subject == FIELDHOUSE);
    let new = of_fieldhouse.filter(|one| find(base, one.engine, &one.workload, &one.subject).is_none());
    let names: Vec<_> = new.map(|one| format!("{} on {}", one.workload, one.engine.name())).collect();
    if names.is_empty() { String::new() } else { format!("Not in the earlier run: {}\n", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::LIMIT;
    use crate::figures::tests::measured;

    #[test]
    fn ratios_and_processor_time_are_compared() {
        let of = |rate: f64| {
            let all = vec![measured("list", LIMIT, &[100.0]), measured("list", FIELDHOUSE, &[rate])];
            Outcome::now(String::new(), 1, all, Vec::new())
        };
        let text = changes(&of(20.0), &of(30.0));
        assert!(text.contains("ratio 0.200 -> 0.300 (+50 %)"), "{text}");
        assert!(text.contains("CPU 50000.0 -> 33333.3 (-33 %)"), "{text}");
        let new = Outcome::now(String::new(), 1, Vec::new(), Vec::new());
        assert!(changes(&new, &of(1.0)).contains("Not in the earlier run: list on sqlite"));
    }
}
