"""query stats --where with several values of a dimension, which are quoted here, and with all but those."""
import collections

from recount.answers import number
from recount.clock import rfc3339
from recount.figures import figures, value_of

OWN = "page", "event", "country", "hostname"  # Dimensions whose values each event has by itself.
COUNTED = "events", "pageViews", "uniqueVisitors"


def quoted(value):
    return '"' + value.replace('"', '""') + '"'


def chosen(counted):
    """Values of a dimension: frequent and rare ones, those with a comma or a quotation mark, and one that there is not."""
    values = [v for v, _ in sorted(counted.items(), key=lambda c: (-c[1], str(c[0]))) if v]
    strange = [v for v in values if "," in v or '"' in v][:6]
    return list(dict.fromkeys([*values[:1], *values[2:4], *values[-1:], *strange, "none, such"]))


def ask_any_of(f, name, site, begin, end):
    events, sessions = site.within(begin, end)[:2]
    span = "--from", rfc3339(begin), "--to", rfc3339(end)
    for dimension in OWN:
        values = chosen(collections.Counter(value_of(dimension, e.event, e.source) for e in events))
        for op, of in ("=", values), ("=", ["", *values]), ("!=", values):
            passes = lambda said: ((said or "") in of) == (op == "=")
            want = figures([e for e in events if passes(value_of(dimension, e.event, e.source))], [])
            text = dimension + op + ",".join(quoted(v) for v in reversed(of))
            answer = f.query("stats", name, *span, "--exact", "--where", text)
            compare(f, "query stats --where --exact", f"{name}, {text}", answer["totals"], want, *COUNTED, "valueSum")
        ask_rows(f, name, span, dimension, values, [e for e in events if value_of(dimension, e.event, e.source) in values],
                 [s for s in sessions if value_of(dimension, s.opening, s.source) in values])


def ask_rows(f, name, span, dimension, values, events, sessions):
    """Breakdowns answer by the rows of the values, which may lack some events."""
    text = f"{dimension}={','.join(quoted(v) for v in values)}"
    have, want = f.query("stats", name, *span, "--where", text)["totals"], figures(events, sessions)
    command, what = "query stats --where", f"{name}, {text}"
    if have["maxUndercount"] == 0:
        compare(f, command, what, have, want, *COUNTED)
    else:
        f.equal(command, f"{what}: events", have["events"] <= want["events"] <= have["events"] + have["maxUndercount"], True)
    if dimension != "page" and dimension != "event" and have["maxUndercountOfSessions"] == 0:
        compare(f, command, what, have, want, "sessions", "bounces", "durationMs")


def compare(f, command, what, have, want, *names):
    for name in names:
        said = number(have[name]) if name == "valueSum" else have[name]
        f.equal(command, f"{what}: {name}", said, want[name], have["uniqueVisitorsError"] if name == "uniqueVisitors" else 0)
