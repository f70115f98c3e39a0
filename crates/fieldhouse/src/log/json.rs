//! Log lines as JSON, in the shape of tracing-subscriber's. Its own formatter takes several times as long, and every request writes a line.

use std::fmt::{self, Debug};

use fieldhouse_server::Clock;
use jiff::fmt::StdFmtWrite;
use jiff::fmt::temporal::DateTimePrinter;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes microseconds, so that lines sort by time.
static TIMES: DateTimePrinter = DateTimePrinter::new().precision(Some(6));

/// Writes one JSON object per event.
pub(crate) struct JsonLines {
    clock: Clock,
    /// Writes events inside spans, which are rare: those of statements, when they are traced.
    in_spans: Format<Json>,
}

impl JsonLines {
    pub(crate) fn new() -> Self {
        Self { clock: Clock::system(), in_spans: Format::default().json().flatten_event(true) }
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        cx: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if cx.lookup_current().is_some() {
            return self.in_spans.format_event(cx, line, event);
        }
        let metadata = event.metadata();
        line.write_str("{\"timestamp\":\"")?;
        TIMES.print_timestamp(&self.clock.now(), StdFmtWrite(&mut line)).map_err(|_| fmt::Error)?;
        line.write_str("\",\"level\":\"")?;
        line.write_str(metadata.level().as_str())?;
        line.write_char('"')?;
        let mut members = Members { line: line.by_ref(), result: Ok(()) };
        event.record(&mut members);
        members.result?;
        line.write_str(",\"target\":")?;
        write_text(&mut line, metadata.target())?;
        line.write_str("}\n")
    }
}

/// Writes the fields of an event as members.
struct Members<'a> {
    line: Writer<'a>,
    result: fmt::Result,
}

impl Members<'_> {
    fn member(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        let member = || {
            self.line.write_str(",\"")?;
            self.line.write_str(field.name())?;
            self.line.write_str("\":")?;
            value(&mut self.line)
        };
        if self.result.is_ok() {
            self.result = member();
        }
    }
}

impl Visit for Members<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, |line| line.write_str(itoa::Buffer::new().format(value)));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, |line| line.write_str(itoa::Buffer::new().format(value)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, |line| write!(line, "{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no infinity.
        self.member(
            field,
            |line| if value.is_finite() { write!(line, "{value}") } else { line.write_str("null") },
        );
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.member(field, |line| write_text(line, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.member(field, |line| write_text(line, &format!("{value:?}")));
    }
}

/// Writes a JSON string. Most need no escape.
fn write_text(line: &mut Writer<'_>, text: &str) -> fmt::Result {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        line.write_char('"')?;
        line.write_str(text)?;
        return line.write_char('"');
    }
    line.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    /// Collects what is written.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn emit() {
        tracing::info!(request_id = "a\"b\\c\n\u{1}é", status = 200_u16, left = -3, part = 0.5, ok = true, method = ?"GET", trace_id = None::<&str>, "request completed");
    }

    #[test]
    fn a_line_has_the_members_that_tracing_subscriber_writes() {
        let (ours, theirs) = (Lines::default(), Lines::default());
        let (one, other) = (ours.clone(), theirs.clone());
        let layer = tracing_subscriber::fmt::layer().with_writer(move || one.clone()).json();
        let subscriber = tracing_subscriber::registry().with(layer.event_format(JsonLines::new()));
        tracing::subscriber::with_default(subscriber, emit);
        let layer = tracing_subscriber::fmt::layer().with_writer(move || other.clone());
        let subscriber = tracing_subscriber::registry().with(layer.json().flatten_event(true));
        tracing::subscriber::with_default(subscriber, emit);
        let [ours, theirs] = [ours, theirs].map(|lines| {
            let line = String::from_utf8(lines.0.lock().expect("no panic").clone()).expect("text");
            assert!(line.ends_with("}\n") && line.matches('\n').count() == 1, "{line}");
            serde_json::from_str::<Value>(&line).expect("JSON").as_object().expect("an object").clone()
        });
        let names = |line: &serde_json::Map<String, Value>| line.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs));
        for (name, value) in ours.iter().filter(|(name, _)| *name != "timestamp") {
            assert_eq!(value, &theirs[name], "{name}");
        }
        let lengths = [&ours, &theirs].map(|line| line["timestamp"].as_str().expect("a time").len());
        assert_eq!(lengths[0], lengths[1]);
    }
}
