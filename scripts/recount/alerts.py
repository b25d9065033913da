"""footfall alert try: in which hours a condition was met, judged from an own count of each hour. docs/serve.md has the
formulas, and `footfall alert --help` the conditions."""
import collections
import datetime as dt
import functools
import math

from recount.clock import DAY, HOUR, UTC, instant, parse, rfc3339
from recount.figures import value_of

WEEKS, CONTEXT, QUIET, GRACE = 4, 24, 24, 5 * 60_000
WINDOWS = [1, 2, 3, 4, 6, 8, 12, 16, 24]
SURE, SURE_OF_VALUE, LEAST_SPREAD, MOST_VALUES = 4.8, 5.5, 4, 5
WEIGHTS = {4: 3.35, 3: 2.23, 2: 2}  # of the middle of so many weeks, as a mean of independent counts
MEDIANS = {2: 0.455, 3: 0.693, 4: 0.789}  # of chi-squared with a degree less, by its mean
# What is counted, and the bound: percent of usual or a count, at least so many, in so many hours (0: any window); "stops" is a percent of None.
Rule = collections.namedtuple("Rule", "of above percent bound least hours")
RULES = {
    "pageViews drops": Rule("pageViews", False, 75, None, 0, 0), "pageViews spikes": Rule("pageViews", True, 200, None, 50, 0),
    "silence": Rule("events", False, None, None, 0, 0), "sessions > 150 % of usual": Rule("sessions", True, 150, None, 0, 0),
    "events < 60 % of usual for 24 hours": Rule("events", False, 60, None, 0, 24), "pageViews > 12": Rule("pageViews", True, None, 12, 0, 1),
    "events < 3 for 6 hours": Rule("events", False, None, 3, 0, 6), "pageViews > 40 for 24 hours": Rule("pageViews", True, None, 40, 0, 24)}
OF_GOALS = {"goal thanks stops": Rule("goal thanks", False, None, None, 0, 0),
            "goal thanks < 50 % of usual for 24 hours": Rule("goal thanks", False, 50, None, 0, 24)}
OF_VALUES = {"source surges": ("referrer", 300, 50, 1), "referrer > 101 % of usual for 24 hours": ("referrer", 101, 0, 24),
             "country > 110 % of usual for 24 hours": ("country", 110, 0, 24)}
CONDITIONS = [*RULES, *OF_GOALS, *OF_VALUES]


def hour_of(ms):
    return ms // HOUR


@functools.cache
def offset(hour, zone):
    """Seconds that the site's clocks are ahead of UTC."""
    return instant(hour * HOUR, zone).utcoffset() // dt.timedelta(seconds=1)


def spans(hour, zone):
    """The hours that one is judged by, the last first, in its own week and in each before: of the same times by the site's clocks."""
    weeks = []
    for week in range(WEEKS + 1):
        earlier = [hour - n - 168 * week for n in range(CONTEXT)]
        weeks.append([h + int((offset(hour - n, zone) - offset(h, zone)) / 3600) for n, h in enumerate(earlier)])
    return weeks


def middle(sums):
    ordered = sorted(sums)
    usual = sum(ordered[1:3]) / 2 if len(sums) == 4 else ordered[1] if len(sums) == 3 else sum(ordered) / 2
    return usual, WEIGHTS[len(sums)]


def dispersion(sums):
    mean = sum(sums) / len(sums)
    return sum((n - mean) ** 2 for n in sums) / mean / (len(sums) - 1) if mean else 0


def deviations(count, usual, weight):
    """The root of the likelihood ratio of two Poisson rates to one."""
    total = usual * weight
    both = (count + total) / (1 + weight)
    of = lambda n, expected: n * math.log(n / expected) if n else 0
    return math.sqrt(2 * max(0, of(count, both) + of(total, weight * both)))


def beyond(rule, count, usual):
    if rule.percent is None:
        return count == 0
    bound = usual * rule.percent / 100
    return count > bound and count >= rule.least if rule.above else count < bound


def spread_of(weeks):
    """By how much more than by chance counts of the same hours differ: the median of as many parts of a day as have counts."""
    width = 1
    total = middle([sum(week) for week in weeks])[0]
    while width < CONTEXT and total * width < 4 * CONTEXT:
        width = {1: 2, 2: 3, 3: 6, 6: 12, 12: 24}[width]
    parts = [[sum(week[n:n + width]) for week in weeks] for n in range(0, CONTEXT, width)]
    found = sorted(dispersion(part) for part in parts if max(part))
    return max(1, found[len(found) // 2] / MEDIANS[len(weeks)]) if found else 1


def judge(rule, counts, hour, zone):
    """(hours, count, usual) if an hour meets a condition."""
    if rule.bound is not None:
        count = sum(counts[hour - n] for n in range(rule.hours))
        return (rule.hours, count, 0) if (count > rule.bound if rule.above else count < rule.bound) else None
    own, *weeks = [[counts[h] for h in week] for week in spans(hour, zone)]
    weeks = [week for week in weeks if any(week)]
    if len(weeks) < 2:
        return None
    for hours in [rule.hours] if rule.hours else WINDOWS:
        count, (usual, weight) = sum(own[:hours]), middle([sum(week[:hours]) for week in weeks])
        far = deviations(count, usual, weight)
        if beyond(rule, count, usual) and far >= SURE and far >= SURE * math.sqrt(1 + (spread_of(weeks) - 1) * hours):
            return hours, count, usual
    return None


def counts_of(site, of):
    """How many of something each hour has."""
    kind, _, goal = of.partition(" ")
    match kind:
        case "goal":
            return collections.Counter(hour_of(c.at) for c in site.conversions if c.goal == goal)
        case "sessions":
            return collections.Counter(hour_of(s.start) for s in site.all_sessions)
        case "pageViews":
            return collections.Counter(hour_of(e.at) for e in site.events if e.event["type"] == "page_view")
    return collections.Counter(hour_of(e.at) for e in site.events)


def judge_values(counts, hour, zone, percent, least, hours):
    """[(value, count, usual)] of the values that surge, the largest first. counts are sessions by hour and value."""
    weeks = []
    for week in spans(hour, zone):
        weeks.append(sum((counts[h] for h in range(min(week[:hours]), max(week[:hours]) + 1)), collections.Counter()))
    own, earlier = weeks[0], [week for week in weeks[1:] if week.total()]
    found = []
    if len(earlier) < 2:
        return found
    for value, count in own.items():
        sums = [week[value] for week in earlier]
        usual, weight = middle(sums)
        spread = max(LEAST_SPREAD, dispersion(sums) / MEDIANS[len(sums)])
        if count > usual * percent / 100 and count >= least and deviations(count, usual, weight) >= SURE_OF_VALUE * math.sqrt(spread):
            found.append((value, count, usual))
    return sorted(found, key=lambda x: (-x[1], x[0]))[:MOST_VALUES]


def said(finding):
    return hour_of(parse(finding["start"])), [(d["hours"], d["count"], round(float(d["usual"]), 1), d["value"]) for d in finding["found"]]


def fired(first, last, of):
    """The hours in which it fires, and what it finds. Then it is quiet for a day."""
    hour, found = first, []
    while hour < last:
        found_here = of(hour)
        if found_here:
            found.append((hour, found_here))
            hour += QUIET
        hour += 1
    return found


def compare(f, name, when, begin, end, of):
    answer = f.json("alert", "try", name, "--when", when, "--from", rfc3339(begin), "--to", rfc3339(end))
    have = dict(said(finding) for finding in answer["findings"])
    want = dict(fired(hour_of(begin), hour_of(end), of))
    command = "alert try"
    f.compared[command] += hour_of(end) - hour_of(begin) - len(have.keys() | want.keys())  # Hours in which neither found anything.
    for hour in sorted(have.keys() | want.keys()):
        expected = [(hours, count, math.floor(usual * 10 + 0.5) / 10, value) for hours, count, usual, value in want.get(hour, [])]
        f.equal(command, f"{name}, {when}, {instant(hour * HOUR, UTC)}", have.get(hour, []), expected)
    return len(have)


def ask_alerts(f, name, site, zone, now):
    """Every hour of at most a year, for each kind of condition; for values, of three days. Of goals, where it has these."""
    times = site.times[0]
    end = min(times[-1] // DAY * DAY + 2 * DAY, (now - GRACE) // HOUR * HOUR)
    begin = max(times[0] // HOUR * HOUR, end - 365 * DAY) # No hour is tried before the first data.
    found = collections.Counter()
    for when, rule in {**RULES, **{when: rule for when, rule in OF_GOALS.items() if rule.of.split()[1] in site.goals}}.items():
        counts = counts_of(site, rule.of)
        one = lambda hour: [(*d, "")] if (d := judge(rule, counts, hour, zone)) else []
        found[when] += compare(f, name, when, begin, end, one)
    for when, (dimension, percent, least, hours) in OF_VALUES.items():
        counts = collections.defaultdict(collections.Counter)
        for s in site.all_sessions:
            value = value_of(dimension, s.opening, s.source)
            if value is not None:
                counts[hour_of(s.start)][value] += 1
        of = lambda hour: [(hours, count, usual, value) for value, count, usual in judge_values(counts, hour, zone, percent, least, hours)]
        a = max(begin, end - 7 * DAY)
        found[when] += compare(f, name, when, a, min(end, a + 3 * DAY), of)
    return found
