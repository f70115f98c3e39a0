//! The parameters of a query, known when the program is compiled.

/// The maximum number of parameters of a query.
const MAX_PARAMETERS: usize = 64;

/// The numbers of a query's parameters by first appearance, which is how SQLite numbers them: it takes `$2` as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parameters {
    numbers: [u8; MAX_PARAMETERS],
    count: usize,
}

impl Parameters {
    /// Those of an SQL text.
    pub(super) const fn of(sql: &str) -> Self {
        let sql = sql.as_bytes();
        let mut found = Self { numbers: [0; MAX_PARAMETERS], count: 0 };
        let mut at = 0;
        while at < sql.len() {
            let is_parameter = sql[at] == b'$';
            at += 1;
            let mut number = 0;
            while is_parameter && at < sql.len() && sql[at].is_ascii_digit() {
                number = number * 10 + (sql[at] - b'0');
                at += 1;
            }
            if number > 0 && !found.contains(number) {
                found.numbers[found.count] = number;
                found.count += 1;
            }
        }
        found
    }

    /// The numbers.
    pub(super) fn numbers(&self) -> &[u8] {
        &self.numbers[..self.count]
    }

    const fn contains(&self, number: u8) -> bool {
        let mut at = 0;
        while at < self.count {
            if self.numbers[at] == number {
                return true;
            }
            at += 1;
        }
        false
    }
}
