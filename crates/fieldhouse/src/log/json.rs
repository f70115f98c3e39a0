//! Log lines as JSON, in the shape of tracing-subscriber's. Its own formatter takes several times as long, and every request writes a line.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write as _};

use fieldhouse_server::Clock;
use jiff::fmt::StdFmtWrite;
use jiff::fmt::temporal::DateTimePrinter;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt as fmt_layer;
use tracing_subscriber::fmt::format::{Format, Json, JsonFields};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::Batches;

/// Writes microseconds, so that lines sort by time.
static TIMES: DateTimePrinter = DateTimePrinter::new().precision(Some(6));

/// Writes one JSON object per event. Events inside spans are rare, because only statements that are traced have spans: `in_spans` writes them.
pub(crate) struct JsonLines<L> {
    clock: Clock,
    batches: Batches,
    in_spans: L,
}

thread_local! {
    /// The line that is being written. Each thread uses its buffer again.
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Lines of the same shape for events inside spans.
pub(crate) type InSpans<S> = fmt_layer::Layer<S, JsonFields, Format<Json>, Batches>;

impl<S: Subscriber + for<'a> LookupSpan<'a>> JsonLines<InSpans<S>> {
    pub(crate) fn new(batches: Batches) -> Self {
        let in_spans = fmt_layer::layer().with_writer(batches.clone()).json().flatten_event(true);
        Self { clock: Clock::system(), batches, in_spans }
    }
}

impl<L> JsonLines<L> {
    fn write(&self, event: &Event<'_>, line: &mut String) -> fmt::Result {
        let metadata = event.metadata();
        line.push_str("{\"timestamp\":\"");
        TIMES.print_timestamp(&self.clock.now(), StdFmtWrite(&mut *line)).map_err(|_| fmt::Error)?;
        line.push_str("\",\"level\":\"");
        line.push_str(metadata.level().as_str());
        line.push('"');
        let mut members = Members { line, result: Ok(()) };
        event.record(&mut members);
        members.result?;
        line.push_str(",\"target\":");
        write_text(line, metadata.target())?;
        line.push_str("}\n");
        Ok(())
    }
}

impl<S, L> Layer<S> for JsonLines<L>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    L: Layer<S>,
{
    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        if cx.lookup_current().is_some() {
            return self.in_spans.on_event(event, cx);
        }
        LINE.with_borrow_mut(|line| {
            line.clear();
            // Writing to a string succeeds; what cannot be written leaves no line.
            if self.write(event, line).is_ok() {
                self.batches.add(line.as_bytes());
            }
        });
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        self.in_spans.on_new_span(attributes, id, cx);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, cx: Context<'_, S>) {
        self.in_spans.on_record(id, values, cx);
    }

    fn on_enter(&self, id: &Id, cx: Context<'_, S>) {
        self.in_spans.on_enter(id, cx);
    }

    fn on_exit(&self, id: &Id, cx: Context<'_, S>) {
        self.in_spans.on_exit(id, cx);
    }

    fn on_close(&self, id: Id, cx: Context<'_, S>) {
        self.in_spans.on_close(id, cx);
    }
}

/// Writes the fields of an event as members.
struct Members<'a> {
    line: &'a mut String,
    result: fmt::Result,
}

impl Members<'_> {
    fn member(&mut self, field: &Field, value: impl FnOnce(&mut String) -> fmt::Result) {
        self.line.push_str(",\"");
        self.line.push_str(field.name());
        self.line.push_str("\":");
        self.result = self.result.and(value(self.line));
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
        self.member(field, |line| {
            line.push('"');
            write!(Escaped(line), "{value:?}")?;
            line.write_char('"')
        });
    }
}

/// Writes parts of a JSON string.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if is_plain(text) {
            return self.0.write_str(text);
        }
        let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
        self.0.write_str(&quoted[1..quoted.len() - 1])
    }
}

/// Writes a JSON string.
fn write_text(line: &mut String, text: &str) -> fmt::Result {
    line.push('"');
    Escaped(line).write_str(text)?;
    line.write_char('"')
}

/// Whether a string is the same in JSON. Most are.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
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
        compare(emit);
        compare(|| tracing::info_span!("read", name = "seasons.list").in_scope(emit));
    }

    /// Compares the lines of one event.
    fn compare(emit: fn()) {
        let (ours, theirs) = (Batches::default(), Lines::default());
        let other = theirs.clone();
        let subscriber = tracing_subscriber::registry().with(JsonLines::new(ours.clone()));
        tracing::subscriber::with_default(subscriber, emit);
        let layer = tracing_subscriber::fmt::layer().with_writer(move || other.clone());
        let subscriber = tracing_subscriber::registry().with(layer.json().flatten_event(true));
        tracing::subscriber::with_default(subscriber, emit);
        let ours = ours.0.waiting().bytes.clone();
        let theirs = theirs.0.lock().expect("no panic").clone();
        let [ours, theirs] = [ours, theirs].map(|line| {
            let line = String::from_utf8(line).expect("text");
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
