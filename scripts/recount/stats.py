"""query stats, uniques and goals: figures of buckets and of ranges."""
import csv
import datetime as dt
import decimal
import itertools
import zoneinfo

from recount.clock import DAY, HOUR, UTC, buckets, instant, midnight, millis, parse, rfc3339
from recount.figures import FIGURES, of_range, together, with_bots
from recount.sources import YEARS

SUMS = [name for name in FIGURES if not name.startswith("bot")]


def empty(want):
    """A bucket without a row had none of these."""
    return sum(want[name] for name in ("events", "excludedEvents", "sessions", "botEvents", "conversions"))


def row_of(have, by, start):
    """The row of a bucket, taken out. The row of a week that the range cuts begins before it."""
    if by in ("week", "month", "year"):
        return have.pop(max((at for at in have if at <= start), default=None), None)
    return have.pop(start, None)


def ask_stats(f, name, site, begin, end, by, tz, bots=False):
    command, zone = f"query stats --by {by}" + " --include-bots" * bots, zoneinfo.ZoneInfo(tz)
    answer = f.query("stats", name, "--by", by, "--tz", tz, "--from", rfc3339(begin), "--to", rfc3339(end), "--limit", "10000",
                     *["--include-bots"] * bots)
    have = {parse(b["start"]): b for b in answer["buckets"]}
    spans = [(at, at + HOUR) for at in range(begin, end, HOUR)] if by == "hour" else list(buckets(by, begin, end, zone))
    wanted = (lambda a, b: with_bots(of_range(site, a, b))) if bots else (lambda a, b: of_range(site, a, b))
    for start, stop in spans:
        want, row, what = wanted(start, stop), row_of(have, by, start), f"{name}, {tz}, {instant(start, zone)}"
        if row is None:
            f.equal(command, what + ": events of a bucket without a row", 0, empty(want))
        else:
            f.figures(command, what, row, want, FIGURES)
    f.equal(command, f"{name}, {tz}: other buckets", len(have), 0)
    f.figures(command, f"{name}, {tz}: totals", answer["totals"], wanted(begin, end), FIGURES)


def ask_sites(f, sites, args, first, last, by, tz=None):
    """The figures of several sites. Without a zone a date is that of each site's own zone."""
    command = f"query stats {args[0]} --by {by}" + " --tz" * (tz is not None)
    answer = f.query("stats", *args, "--by", by, "--from", str(first), "--to", str(last), *(["--tz", tz] if tz else []))
    have = {b["start"][:10]: b for b in answer["buckets"]}
    zones = {name: zoneinfo.ZoneInfo(tz or YEARS.get(name, "UTC")) for name in sites}
    span = lambda a, b: together([(site, midnight(a, zones[name]), midnight(b, zones[name])) for name, site in sites.items()])
    for start, stop in buckets(by, midnight(first, UTC), midnight(last, UTC), UTC):
        a, b = instant(start).date(), instant(stop).date()
        row, want, what = have.pop(str(a if by == "day" else a.replace(day=1)), None), span(a, b), f"{args}, {tz}, {a}"
        if row is None:
            f.equal(command, what + ": events of a bucket without a row", 0, empty(want))
        else:
            f.figures(command, what, row, want, FIGURES)
    f.equal(command, f"{args}, {tz}: other buckets", len(have), 0)
    f.figures(command, f"{args}, {tz}: totals", answer["totals"], span(first, last), FIGURES)
    f.equal(command, f"{args}, {tz}: sites", answer["included"]["sites"], len(sites))


def ask_retention(f, name, site, begin, end):
    """Whole weeks of the site's zone that lie between two midnights, from the first that has new visitors, as JSON and as CSV."""
    command, zone = "query retention", site.arrivals.zone
    new, back = site.arrivals.retention()
    first = instant(begin + 6 * DAY, zone).date()
    weeks = [date.toordinal() for date in (first - dt.timedelta(first.weekday()) + dt.timedelta(7 * n) for n in range(60))
             if midnight(date + dt.timedelta(7), zone) <= end]
    weeks = list(itertools.dropwhile(lambda week: new[week] == 0, weeks))
    args = ["retention", name, "--by", "week", "--from", rfc3339(begin), "--to", rfc3339(end)]
    answer, rows = f.query(*args), list(csv.reader(f.run("query", *args, "--output", "csv").splitlines()))
    f.equal(command, f"{name}: weeks", [parse(c["start"]) for c in answer["cohorts"]], [midnight(dt.date.fromordinal(w), zone) for w in weeks])
    for place, (week, cohort, row) in enumerate(zip(weeks, answer["cohorts"], rows[1:])):
        what, later = f"{name}, {dt.date.fromordinal(week)}", [w for w in weeks if w > week][:52]
        f.equal(command, what + ": newVisitors", cohort["newVisitors"], new[week])
        f.equal(command, what + ": later weeks", len(cohort["later"]), len(later))
        for other, have in zip(later, cohort["later"]):
            f.equal(command, f"{what}: +{have['week']}", have["visitors"], back[week, other])
            f.rate(command, f"{what}: +{have['week']}, share", have["share"], back[week, other], new[week])
        f.equal(command, what + ": CSV", row[1:], [str(new[week]), *(str(back[week, w]) for w in later), *[""] * (len(rows[0]) - 2 - len(later))])


def ask_uniques(f, name, site, begin, end):
    for bots in False, True:
        command = "query uniques" + " --include-bots" * bots
        answer = f.query("uniques", name, "--from", rfc3339(begin), "--to", rfc3339(end), *["--include-bots"] * bots)
        want = of_range(site, begin, end)
        f.equal(command, name, answer["uniqueVisitors"], want["uniqueVisitors"], 0 if answer["exact"] else 0.0081)
        f.equal(command, f"{name}: events", answer["events"], want["events"] + want["botEvents"] * bots)
        f.equal(command, f"{name}: botEvents", answer["botEvents"], want["botEvents"])


def ask_goals(f, name, site, begin, end, by, zone):
    """Conversions in the bucket of their event, and their rate of sessions: these goals count from the beginning."""
    command = f"query goals --by {by}"
    answer = f.query("goals", name, "--by", by, "--from", rfc3339(begin), "--to", rfc3339(end), "--limit", "10000")
    have = {parse(b["start"]): b for b in answer["buckets"]}
    for start, stop in buckets(by, begin, end, zone):
        row = row_of(have, by, start)
        if row is None:
            f.equal(command, f"{name}, {instant(start, zone)}: conversions without a row", 0, len(site.within(start, stop)[2]))
        else:
            goals_of(f, command, f"{name}, {instant(start, zone)}", site, row, start, stop)
    goals_of(f, command, f"{name}: totals", site, answer["totals"], begin, end)
    f.equal(command, f"{name}: number", len(answer["totals"]["goals"]), len(site.goals))


def goals_of(f, command, what, site, row, begin, end):
    _, sessions, conversions = site.within(begin, end)[:3]
    f.equal(command, f"{what}: sessions", row["sessions"], len(sessions))
    f.equal(command, f"{what}: conversions", row["conversions"], len(conversions))
    said = {goal["goalId"]: goal for goal in row["goals"]}
    for goal in site.goals:
        of, have = [c for c in conversions if c.goal == goal], said.get(goal)
        if have is None:
            f.equal(command, f"{what}: {goal} without a row", 0, len(of))
            continue
        f.equal(command, f"{what}: {goal}: conversions", have["conversions"], len(of))
        f.equal(command, f"{what}: {goal}: valueSum", decimal.Decimal(have["valueSum"]), sum((c.worth or 0 for c in of), decimal.Decimal(0)))
        f.equal(command, f"{what}: {goal}: since", have["since"], None)
        f.rate(command, f"{what}: {goal}: conversionRate", have["conversionRate"], min(len(of), len(sessions)), len(sessions))


def periods(today):
    """The days of each --period, and those of the period before; None where that depends on how much of it is over."""
    day, week, month = dt.timedelta(1), today - dt.timedelta(today.weekday()), today.replace(day=1)
    before = (month - day).replace(day=1)
    earlier = (before - day).replace(day=1)
    year = today.replace(month=1, day=1)
    former = lambda date, years=1: date.replace(year=date.year - years)
    return {"today": ((today, today + day), None), "yesterday": ((today - day, today), (today - 2 * day, today - day)),
            "7d": ((today - 7 * day, today), (today - 14 * day, today - 7 * day)),
            "28d": ((today - 28 * day, today), (today - 56 * day, today - 28 * day)),
            "30d": ((today - 30 * day, today), (today - 65 * day, today - 35 * day)),
            "week": ((week, week + 7 * day), None), "last-week": ((week - 7 * day, week), (week - 14 * day, week - 7 * day)),
            "month": ((month, (month + 32 * day).replace(day=1)), None), "last-month": ((before, month), (earlier, before)),
            "year": ((year, former(year, -1)), None), "last-year": ((former(year), year), (former(year, 2), former(year))),
            f"{before:%Y-%m}": ((before, month), (earlier, before)),
            str(today - 40 * day): ((today - 40 * day, today - 39 * day), (today - 41 * day, today - 40 * day))}


def running(today):
    """Of each --period that is not over, the first day of the one before, and the day that is compared with today."""
    week, month, year = today - dt.timedelta(today.weekday()), today.replace(day=1), today.replace(month=1, day=1)
    before = (month - dt.timedelta(1)).replace(day=1)
    out = {"today": (today - dt.timedelta(1),) * 2, "week": (week - dt.timedelta(7), today - dt.timedelta(7))}
    if today.day < 29:  # Not all months have the others.
        out |= {"month": (before, before.replace(day=today.day)),
                "year": (year.replace(year=year.year - 1), today.replace(year=today.year - 1))}
    return out


def ask_running(f, name, site, zone):
    """What is so far is compared with as much of the period before, up to the end of an hour."""
    for period in running(dt.date.today()):
        for _ in range(3):
            now = millis(dt.datetime.now(UTC))
            answer = f.query("stats", name, "--period", period, "--compare")
            if now // HOUR == millis(dt.datetime.now(UTC)) // HOUR:  # Both were asked in the same hour.
                break
        today = instant(now, zone).date()
        if period not in running(today):  # It is the 29th there already.
            continue
        begin, day = running(today)[period]
        end = midnight(day, zone) + now - midnight(today, zone)
        a, b = (midnight(date, zone) for date in periods(today)[period][0])
        compared(f, f"{name}: {period}", site, answer, of_range(site, a, b), [midnight(begin, zone), end - end % HOUR + HOUR], zone,
                 early=now - a < HOUR)


def ask_filled(f, name, site, begin, end, zone):
    """With --fill each day has a row."""
    answer = f.query("stats", name, "--by", "day", "--fill", "--from", rfc3339(begin), "--to", rfc3339(end), "--limit", "10000")
    days = list(buckets("day", begin, end, zone))
    f.equal("query stats --fill", f"{name}: rows", [parse(b["start"]) for b in answer["buckets"]], [a for a, _ in days])
    for row, (a, b) in zip(answer["buckets"], days):
        f.figures("query stats --fill", f"{name}: {instant(a, zone)}", row, of_range(site, a, b), FIGURES)


def ask_periods(f, name, site, zone, now):
    for period, ((a, b), before) in periods(instant(now, zone).date()).items():
        answer = f.query("stats", name, "--period", period, *["--compare"] * (before is not None))
        want, what = of_range(site, midnight(a, zone), midnight(b, zone)), f"{name}: {period}"
        f.figures("query stats --period", what, answer["totals"], want, FIGURES)
        if before:
            compared(f, what, site, answer, want, [midnight(date, zone) for date in before], zone)


def compared(f, what, site, answer, want, before, zone, early=False):
    """The totals of the period before, and by how much each figure has changed since. A period that begins before the site's first day with
    data has no relative changes, nor has one in its first hour."""
    command, previous = "query stats --compare", answer["previous"]
    f.equal(command, f"{what}: previous.from", parse(previous["from"]), before[0])
    f.equal(command, f"{what}: previous.to", parse(previous["to"]), before[1])
    first = midnight(instant(min(r[0] for r in site.raw), zone).date(), zone)
    lacking = before[0] < first
    f.equal(command, f"{what}: previous.dataFrom", previous.get("dataFrom") and parse(previous["dataFrom"]), first if lacking else None)
    was = of_range(site, *before)
    f.figures(command, f"{what}: previous", previous["totals"], was, FIGURES)
    change = previous["change"]
    for name in SUMS:
        if name in change:
            f.equal(command, f"{what}: change of {name}", number_of(change[name]["absolute"]), decimal.Decimal(want[name] - was[name]))
            f.rate(command, f"{what}: relative change of {name}", change[name]["relative"], want[name] - was[name],
                   0 if lacking or early else was[name])


def number_of(said):
    return None if said is None else decimal.Decimal(said)
