//! An event of a calendar: its start, length and place.

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Span, SpanRelativeTo};

use super::lines::Line;
use fieldhouse_domain::time::TimeZoneName;

/// An event with its properties; those of its alarms are left out.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) line: u64,
    pub(super) properties: Vec<Line>,
}

/// When something is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct When {
    pub(super) date: Date,
    /// `None` for a whole day.
    pub(super) time: Option<Time>,
    /// The zone that the file names.
    pub(super) zone: Option<TimeZoneName>,
}

/// The zones of a calendar.
pub(super) struct Zones {
    /// The zone of times without one.
    pub(super) usual: TimeZoneName,
    /// Whether the caller named it. Then it also takes the place of unknown zones.
    pub(super) named: bool,
}

impl Event {
    pub(super) fn property(&self, name: &str) -> Option<&Line> {
        self.properties.iter().find(|line| line.name == name)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = self.property(name)?.text();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    pub(super) fn start(&self, zones: &Zones) -> Result<When, String> {
        let line = self.property("DTSTART").ok_or("has no DTSTART")?;
        when(line, zones)
    }

    /// How long it takes, if the file says it.
    pub(super) fn length(&self, start: &When, zones: &Zones) -> Result<Option<SignedDuration>, String> {
        if start.time.is_none() {
            return Ok(None);
        }
        let length = if let Some(line) = self.property("DURATION") {
            let wrong = || format!("has an invalid DURATION: \"{}\"", line.value);
            let span: Span = line.value.trim().parse().map_err(|_| wrong())?;
            span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?
        } else if let Some(line) = self.property("DTEND") {
            let end = when(line, zones)?;
            let instant = |when: &When| {
                let local = when.date.to_datetime(when.time.unwrap_or(Time::midnight()));
                when.zone.as_ref().unwrap_or(&zones.usual).instant(local)
            };
            let (start, end) =
                (instant(start).ok_or("is too far away")?, instant(&end).ok_or("is too far away")?);
            end.duration_since(start)
        } else {
            return Ok(None);
        };
        if length.is_negative() {
            return Err("ends before it starts".to_owned());
        }
        Ok(Some(length).filter(|length| length.is_positive()))
    }
}

fn when(line: &Line, zones: &Zones) -> Result<When, String> {
    let value = line.value.trim();
    let wrong = || format!("has an invalid {}: \"{value}\"", line.name);
    if line.parameter("VALUE").is_some_and(|kind| kind.eq_ignore_ascii_case("DATE")) || value.len() == 8 {
        let date = Date::strptime("%Y%m%d", value).map_err(|_| wrong())?;
        return Ok(When { date, time: None, zone: None });
    }
    let (clock, is_utc) = value.strip_suffix('Z').map_or((value, false), |clock| (clock, true));
    let at = DateTime::strptime("%Y%m%dT%H%M%S", clock).map_err(|_| wrong())?;
    if is_utc {
        let utc = TimeZoneName::stored("UTC".to_owned());
        // A start in UTC says nothing about the clock at the venue: it is shown in the usual zone.
        let local = zones.usual.local(utc.instant(at).ok_or_else(wrong)?);
        return Ok(When { date: local.date(), time: Some(local.time()), zone: None });
    }
    let zone = match line.parameter("TZID").map(|name| (name, TimeZoneName::parse(name))) {
        None => None,
        Some((_, Ok(zone))) => Some(zone),
        Some((_, Err(_))) if zones.named => None,
        Some((name, Err(_))) => return Err(format!("has an unknown time zone: \"{name}\". Set time_zone")),
    };
    Ok(When { date: at.date(), time: Some(at.time()), zone })
}
