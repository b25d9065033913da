"""query sessions, session, events and conversions, and funnel report: lists of what was counted, and reports of raw events."""
import collections
import decimal
import hashlib
import importlib.machinery
import importlib.util
import pathlib

from recount import agents
from recount.clock import instant, parse, rfc3339
from recount.figures import UNKNOWN, value_of
from recount.origin import CAMPAIGN, page_of

SAID = {"hostname": "hostname", "referrer": "referrer", "country": "country", "region": "region", "city": "city", "device": "device",
        "browser": "browser", "os": "os"} | {name: "utm" + name[4:].title() for name in CAMPAIGN}


def few(of, number):
    return sorted(of, key=lambda x: hashlib.sha256(str(x).encode()).digest())[:number]


def session_of(site, s, channels):
    """What query session says of a session."""
    said = {"visitorId": s.visitor or "", "userId": s.user or "", "openedAt": s.opened, "startedAt": s.start, "endedAt": s.last,
            "durationMs": s.last - s.start, "pageViews": s.views, "events": s.events, "bounce": s.bounced(), "engaged": s.engaged(),
            "entryPage": s.entry[1] if s.entry else "", "exitPage": s.exit[1] if s.exit else "",
            "goals": [site.goals[name].number for name in s.reached], "eventName": value_of("event", s.opening, s.source) or ""}
    for dimension, name in SAID.items():
        said[name] = value_of(dimension, s.opening, s.source) or ""
    if channels:
        said["channel"] = s.source["channel"]
    if s.id:
        said["sessionId"] = s.id
    return {name: value for name, value in said.items() if value is not UNKNOWN}


def compare_session(f, command, what, have, want):
    for name, value in want.items():
        said = parse(have[name]) if name.endswith("At") else have[name]
        f.equal(command, f"{what}: {name}", said, value)


def ask_sessions(f, name, site, channels):
    """The sessions of some visitors and users: those of a site are listed for two days only."""
    visitors, users = collections.defaultdict(list), collections.defaultdict(list)
    for s in site.all_sessions:
        visitors[s.visitor].append(s)
        if s.user:
            users[s.user].append(s)
    for flag, of, number in (("--visitor", visitors, 15), ("--user", users, 5)):
        command = f"query sessions {flag}"
        for who in few(of, number):
            answer = f.query("sessions", name, flag, who, "--limit", "1000", "--from", "2010")
            have = sorted(answer["sessions"], key=lambda s: (parse(s["startedAt"]), parse(s["openedAt"]), s["events"]))
            f.equal(command, f"{name}, {who}: number", len(have), len(of[who]))
            for one, other in zip(have, sorted(of[who], key=lambda s: (s.start, s.opened, s.events))):
                compare_session(f, command, f"{name}, {who}", one, session_of(site, other, channels))
    raw = collections.defaultdict(list)
    for at, event, bot, excluded in site.raw:
        if event.get("sessionId"):
            raw[event["sessionId"]].append((at, event, bot, excluded))
    for s in few([s for s in site.all_sessions if s.id], 5):
        answer = f.query("session", name, s.id)
        for part in answer["parts"]:
            compare_session(f, "query session", f"{name}, {s.id}", part, session_of(site, s, channels))
        answer = f.query("events", name, "--session", s.id, "--limit", "1000")
        compare_events(f, "query events --session", f"{name}, {s.id}", answer,
                       [r for r in raw[s.id] if s.start <= r[0] <= s.last])


def ask_recent(f, name, site):
    """The sessions of the last two days, the one that was opened last first."""
    answer, command = f.query("sessions", name, "--limit", "10000"), "query sessions"
    have = [(parse(s["startedAt"]), parse(s["endedAt"]), s["visitorId"], s["events"], s["pageViews"]) for s in answer["sessions"]]
    want = [(s.start, s.last, s.visitor or "", s.events, s.views) for s in site.all_sessions]
    f.equal(command, f"{name}: number", len(have), len(want))
    opened = [parse(s["openedAt"]) for s in answer["sessions"]]
    f.equal(command, f"{name}: order", opened, sorted(opened, reverse=True))
    for one, other in zip(sorted(have), sorted(want)):
        f.equal(command, name, one, other)


def compare_events(f, command, what, answer, want):
    def of(at, event, bot, excluded):
        worth = str(event["value"]) if event.get("value") is not None else None
        return (at, event["type"], event.get("visitorId", ""), event.get("sessionId", ""), event.get("userId", ""), event.get("name", ""),
                event.get("url", ""), event.get("country", ""), decimal.Decimal(worth) if worth else None, bot or "", excluded)

    have = [of(parse(e["timestamp"]), e, e.get("bot"), e.get("excluded", False)) for e in answer["events"]]
    f.equal(command, f"{what}: number", len(have), len(want))
    for one, other in zip(sorted(have, key=str), sorted((of(*w) for w in want), key=str)):
        f.equal(command, what, one, other)


def ask_events(f, name, site, begin, end):
    answer = f.query("events", name, "--from", rfc3339(begin), "--to", rfc3339(end), "--limit", "10000")
    compare_events(f, "query events", f"{name}, {instant(begin)}", answer, [r for r in site.raw if begin <= r[0] < end])


def ask_conversions(f, name, site):
    for goal in site.goals:
        answer = f.query("conversions", name, goal, "--from", "2010", "--limit", "10000")
        have = sorted((parse(c["at"]), c["visitorId"], c["userId"], c["type"], c["name"], c["page"], str(number(c["value"])),
                       "" if c["sessionId"].startswith("~visit-") else c["sessionId"]) for c in answer["conversions"])
        want = sorted((c.at, c.event.get("visitorId", ""), c.event.get("userId", ""), c.event["type"], c.event.get("name", ""),
                       page_of(c.event) or "", str(number(c.worth)), c.event.get("sessionId", "")) for c in site.conversions if c.goal == goal)
        f.equal("query conversions", f"{name}, {goal}: number", len(have), len(want))
        for one, other in zip(have, want):
            f.equal("query conversions", f"{name}, {goal}", one, other)


def number(said):
    return None if said is None else decimal.Decimal(said).normalize()


FUNNELS = {"thanked": (["page:/", "page:/thanks"], "1h", 3_600_000, False),
           "shown": (["page-prefix:/p/", "event:signup", "page:/a"], "2h", 7_200_000, False),
           "strictly": (["page:/a", "page:/b"], "30m", 1_800_000, True)}


def funnels():
    """The other script: it follows each attempt by itself."""
    path = str(pathlib.Path(__file__).resolve().parent.parent / "recount-funnels")
    loader = importlib.machinery.SourceFileLoader("funnels", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("funnels", loader))
    loader.exec_module(module)
    return module


def pattern(step):
    kind, _, text = step.partition(":")
    return {"on": "event", "type": text} if kind == "event" else {"on": "page", "how": {"page": "exact", "page-prefix": "prefix"}[kind], "text": text}


def ask_funnels(f, name, site, begin, end):
    theirs = funnels()
    for funnel, (steps, _, window, strict) in FUNNELS.items():
        for bots in False, True:
            command = "funnel report" + " --include-bots" * bots
            answer = f.json("funnel", "report", name, funnel, "--from", rfc3339(begin), "--to", rfc3339(end), *["--include-bots"] * bots)
            visitors = collections.defaultdict(list)
            for at, event, bot, excluded in sorted(site.raw, key=lambda r: r[0]):
                if begin <= at < end and (bots or not bot) and not excluded:
                    visitors[event["visitorId"]].append(theirs.Event(name, at, event["visitorId"], event["type"], event.get("name"), page_of(event)))
            want = theirs.funnel(visitors.values(), [pattern(step) for step in steps], window, strict)
            for n, (one, other) in enumerate(zip(answer["steps"], want)):
                what = f"{name}, {funnel}, step {n + 1}"
                f.equal(command, f"{what}: visitors", one["visitors"], other["visitors"])
                f.equal(command, f"{what}: medianMs", one["medianMs"], other["medianMs"])
                before = want[max(n - 1, 0)]["visitors"]
                f.equal(command, f"{what}: dropOff", one["dropOff"], before - other["visitors"])
                f.rate(command, f"{what}: shareOfFirst", one["shareOfFirst"], other["visitors"], want[0]["visitors"])
                if n:
                    f.rate(command, f"{what}: shareOfPrevious", one["shareOfPrevious"], other["visitors"], before)


def ask_realtime(f, name, events, end):
    """Five minutes that end with a whole one. Bots are those of the lists only."""
    for bots in False, True:
        command = "query realtime" + " --include-bots" * bots
        answer = f.query("realtime", name, "--at", rfc3339(end - 1), "--pages", "50", *["--include-bots"] * bots)
        of_bots = [e for e in events if agents.is_bot(e.get("userAgent", "")) and e.get("userAgent")]
        people = [e for e in events if e not in of_bots]
        minutes(f, command, name, answer, people, of_bots if bots else [], of_bots)
        f.equal(command, f"{name}: currentVisitors", answer["currentVisitors"], len({e["visitorId"] for e in people}))
        pages = collections.Counter(page_of(e) for e in people if e["type"] == "page_view")
        f.equal(command, f"{name}: activePages", {p["page"]: p["pageViews"] for p in answer["activePages"]}, dict(pages))


def minutes(f, command, name, answer, people, added, of_bots):
    for row, start in [(answer, None)] + [(row, parse(row["start"])) for row in answer["series"]]:
        within = lambda events: [e for e in events if start is None or start <= e["timestamp"] < start + 60_000]
        views = lambda events: sum(e["type"] == "page_view" for e in events)
        what = f"{name}, {'totals' if start is None else instant(start)}"
        f.equal(command, f"{what}: events", row["events"], len(within(people + added)))
        f.equal(command, f"{what}: pageViews", row["pageViews"], views(within(people + added)))
        f.equal(command, f"{what}: botEvents", row["botEvents"], len(within(of_bots)))
        f.equal(command, f"{what}: botPageViews", row["botPageViews"], views(within(of_bots)))
        if start is not None:
            f.equal(command, f"{what}: visitors", row["visitors"], len({e["visitorId"] for e in within(people)}))
    f.equal(command, f"{name}: events of all minutes", sum(row["events"] for row in answer["series"]), len(people + added))
