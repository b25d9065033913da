"""query top: the values of a dimension, what is in no row, and the order and share of rows."""
import collections
import decimal

from recount.answers import ROUNDED, number
from recount.clock import rfc3339
from recount.figures import CONVERTING, NOTHING, UNKNOWN, of_row, rows, together

ADDED = ["events", "pageViews"]
BOOKED = ["sessions", "bounces", "durationMs"]
RATED = {"exitRate": "pageViews", "avgTimeOnPageMs": "timedPageViews", "avgScrollDepth": "scrolledPageViews"}  # Others: sessions.
ATTENTION = ["timedPageViews", "timeOnPageMs", "scrolledPageViews", "scrollDepthSum"]


class Asked:
    """An answer of query top, beside the recount of its range."""

    def __init__(self, f, args, spans, dimension, begin, end):
        self.f, self.spans, self.dimension = f, spans, dimension
        self.sort = args[args.index("--sort") + 1] if "--sort" in args else "pageViews" if dimension == "page" else "uniqueVisitors"
        self.least = int(args[args.index("--min-count") + 1]) if "--min-count" in args else 0
        self.command = f"query top {dimension}" + "".join(" " + a for a in args if a.startswith("--"))
        self.what = args[-1]
        self.answer = f.query("top", *args, dimension, "--from", rfc3339(begin), "--to", rfc3339(end), "--limit", "1000")
        self.want = rows(spans, dimension)
        self.unsure = self.want.pop(UNKNOWN, None)
        self.lacks = self.answer["maxUndercountOfSessions"]
        self.exact = not any(self.lacks.values()) and all(r["maxUndercount"] == 0 for r in self.answer["rows"]) and not self.other()["events"]
        self.booked = BOOKED + ["entries", "exits"] * (dimension == "page") + ["conversions", "convertedSessions"] * (dimension in CONVERTING)

    def other(self):
        return self.answer["other"] or collections.defaultdict(int)

    def equal(self, what, have, want, error=0):
        self.f.equal(self.command, f"{self.what}: {what}", have, want, error)

    def compare(self):
        for row in self.answer["rows"]:
            of = self.want.get(row["value"])
            if of is None and self.unsure:
                of = of_row(self.dimension, [], [])
            if of is None:
                self.equal(repr(row["value"]), row["value"], "no such value")
            elif self.unsure:
                self.between(row, of)
            else:
                self.row(row, of)
        if self.answer["other"] is None or self.exact:
            shown = {row["value"] for row in self.answer["rows"]}
            missing = {v for v, x in self.want.items() if v is not None and any(x[n] for n in ("events", "sessions", "exits"))} - shown
            self.equal("values without a row", sorted(missing), [])
        if self.least:
            self.few()
        self.order()
        if not self.unsure:
            self.none()
        self.sums()

    def few(self):
        """Rows are of at least so many, and where none may lack any, all values that have as many are rows."""
        shown, of = self.answer["rows"], RATED.get(self.sort, "sessions")
        for row in shown:
            self.equal(f"{row['value']!r}: {of} of a row", row[of] >= self.least, True)
        if not self.unsure and not any(self.lacks.values()) and self.answer["maxIfAbsent"] == 0:
            many = sorted(v for v, x in self.want.items() if v is not None and x[of] >= self.least)
            self.equal("values of at least as many", sorted(row["value"] for row in shown), many)

    def between(self, row, of):
        """Of user agents that the recount does not decide, any may have this value."""
        for name in ADDED + BOOKED:
            self.equal(f"{row['value']!r}: {name}", of[name] <= row[name] <= of[name] + self.unsure[name], True)

    def row(self, row, of):
        what = repr(row["value"])
        for name in ADDED + ["values"] * (self.dimension == "event"):
            if row["maxUndercount"] == 0:
                self.equal(f"{what}: {name}", row[name], of[name])
            else:
                self.equal(f"{what}: {name} within its bound", row[name] <= of[name] <= row[name] + row["maxUndercount"], True)
        for name in self.booked:
            most = self.lacks["conversions" if name == "convertedSessions" else name]
            self.equal(f"{what}: {name} within its bound", row[name] <= of[name] <= row[name] + most, True)
        if not any(self.lacks.values()):
            self.of_sessions(what, row, of)
        if self.dimension == "page":
            self.attention(what, row, of)
        if row["maxUndercount"] == 0:
            self.equal(f"{what}: uniqueVisitors", row["uniqueVisitors"], of["uniqueVisitors"], row["uniqueVisitorsError"])
            if self.dimension == "event":
                for name in "valueSum", "valueMin", "valueMax":
                    self.equal(f"{what}: {name}", number(row[name]), of[name])

    def of_sessions(self, what, row, of):
        self.f.rate(self.command, f"{self.what}: {what}: bounceRate", row["bounceRate"], of["bounces"], of["sessions"])
        self.f.rate(self.command, f"{self.what}: {what}: avgDurationMs", row["avgDurationMs"], of["durationMs"], of["sessions"], 1)
        if self.dimension in CONVERTING:
            self.equal(f"{what}: conversionValue", decimal.Decimal(row["conversionValue"]), of["conversionValue"])
            if len(self.spans) == 1 and self.spans[0][0].goals:
                self.f.rate(self.command, f"{self.what}: {what}: conversionRate", row["conversionRate"], of["convertedSessions"], of["sessions"])

    def attention(self, what, row, of):
        """How a page was read. A row that has not always been there may have missed some."""
        for name in ATTENTION:
            if row["maxUndercount"] == 0:
                self.equal(f"{what}: {name}", row[name], of[name])
            else:
                self.equal(f"{what}: {name} at most", row[name] <= of[name], True)
        for name, over, under, within in (("exitRate", "exits", "pageViews", ROUNDED),
                                          ("avgScrollDepth", "scrollDepthSum", "scrolledPageViews", ROUNDED),
                                          ("avgTimeOnPageMs", "timeOnPageMs", "timedPageViews", decimal.Decimal("0.5"))):
            parts = row[under] * (100 if over == "scrollDepthSum" else 1)
            self.f.rate(self.command, f"{self.what}: {what}: {name}", row[name], row[over], parts, within)

    def order(self):
        sort = self.answer["sort"]
        self.equal("sort", sort, self.sort)
        shown = [(-decimal.Decimal(row[sort]), -row["events"]) for row in self.answer["rows"]]
        self.equal("order", shown, sorted(shown))
        if sort in ("conversionValue", "valueSum") or self.least:  # Rates have no share.
            return
        every = self.whole(sort)
        for row in self.answer["rows"]:
            error = 4 * (float(row["uniqueVisitorsError"]) + (0.01625 if every > 64 else 0)) * (sort == "uniqueVisitors")
            exact = decimal.Decimal(row[sort]) / every if every else None
            near = exact is None or abs(row["share"] - exact) <= ROUNDED + exact * decimal.Decimal(error)
            self.equal(f"{row['value']!r}: share", exact if near else row["share"], exact)

    def whole(self, sort):
        """What a share is a part of: the figure of all that is broken down, entries and exits of all of them."""
        events = [e for site, a, b in self.spans for e in site.within(a, b)[0] if not e.over]
        sessions = [s for site, a, b in self.spans for s in site.within(a, b)[1]]
        of = of_row("channel", events, sessions)
        return sum(s.entry is not None for s in sessions) if sort in ("entries", "exits") else of[sort]

    def none(self):
        none, want = self.answer["none"], self.want.get(None) or of_row(self.dimension, [], [])
        if self.exact:
            for name in ADDED + BOOKED + ["conversions", "convertedSessions"] * (self.dimension in CONVERTING):
                self.equal(f"(none): {name}", none[name], want[name])
            if self.dimension in CONVERTING:
                self.equal("(none): conversionValue", decimal.Decimal(none["conversionValue"]), want["conversionValue"])

    def sums(self):
        """Rows, others and (none) add up to what the range has."""
        total, parts = together(self.spans), [*self.answer["rows"], self.other(), self.answer["none"]]
        over = total["overBudgetEvents"]
        self.equal("eventsNotBrokenDown", self.answer["eventsNotBrokenDown"], over)
        self.equal("sum of events", sum(p["events"] for p in parts) + over, total["events"])
        sessions = [s for site, a, b in self.spans for s in site.within(a, b)[1]]
        if not self.dimension.startswith("property:"):
            for name in BOOKED:
                self.equal(f"sum of {name}", sum(p[name] for p in parts), total[name])
        if self.dimension in CONVERTING:
            self.equal("sum of conversions", sum(p["conversions"] for p in parts), sum(len(s.reached) for s in sessions))
            worth = sum((decimal.Decimal(p["conversionValue"] or 0) for p in parts), NOTHING)
            self.equal("sum of conversionValue", worth, sum((s.worth for s in sessions), NOTHING))
        if self.answer["bots"] is not None:
            self.equal("bots: events", self.answer["bots"]["events"], total["botEvents"])
            self.equal("bots: pageViews", self.answer["bots"]["pageViews"], total["botPageViews"])


def ask_top(f, args, spans, dimension, begin, end):
    Asked(f, args, spans, dimension, begin, end).compare()
