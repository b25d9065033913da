"""Instants as milliseconds since 1970, and the days, weeks, months and years of a zone."""
import datetime as dt

UTC = dt.timezone.utc
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
EPOCH = dt.datetime(1970, 1, 1, tzinfo=UTC)


def millis(instant):
    return (instant - EPOCH) // dt.timedelta(milliseconds=1)


def instant(ms, zone=UTC):
    return (EPOCH + dt.timedelta(milliseconds=ms)).astimezone(zone)


def rfc3339(ms):
    return instant(ms).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def parse(text):
    return millis(dt.datetime.fromisoformat(text.replace("Z", "+00:00")))


def midnight(date, zone):
    return millis(dt.datetime(date.year, date.month, date.day, tzinfo=zone))


def buckets(by, begin, end, zone):
    """The bounds of the days, weeks, months or years of a zone that a range of whole days touches, cut at the range."""
    date, last = instant(begin, zone).date(), instant(end - 1, zone).date()
    while date <= last:
        if by == "day":
            to = date + dt.timedelta(1)
        elif by == "week":
            to = date + dt.timedelta(7 - date.weekday())
        elif by == "month":
            to = (date.replace(day=1) + dt.timedelta(32)).replace(day=1)
        else:
            to = dt.date(date.year + 1, 1, 1)
        yield max(begin, midnight(date, zone)), min(end, midnight(to, zone))
        date = to
