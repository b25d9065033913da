"""The figures of ranges, and those of the values of a dimension: definitions of docs/metrics.md."""
import collections
import decimal

from recount import agents
from recount.origin import CAMPAIGN, host_of, page_of
from recount.site import value_of as of_event

FIGURES = ("events pageViews sessions bounces engaged durationMs values conversions excludedEvents excludedPageViews botEvents botPageViews "
           "foreignEvents overBudgetEvents").split()
NOTHING = decimal.Decimal(0)


def views(events):
    return sum(e["type"] == "page_view" for e in events)


def together(spans):
    """The figures of several sites, each in a span of its own."""
    of = [site.within(begin, end) for site, begin, end in spans]
    events, sessions, conversions, left_out, bots = ([x for part in of for x in part[n]] for n in range(5))
    out = figures(events, sessions) | {
        "engaged": sum(s.engaged() for s in sessions), "conversions": len(conversions),
        "excludedEvents": len(left_out), "excludedPageViews": views(e for _, e in left_out),
        "botEvents": len(bots), "botPageViews": views(e for _, e in bots),
        "foreignEvents": sum(e.foreign for e in events),
        "overBudgetEvents": sum(e.over for e in events),
        "newVisitors": sum(site.arrivals.within(begin, end) for site, begin, end in spans if site.arrivals),
        "viewsOfPeople": views(e.event for e in events), "ofBots": [of_event(e) for _, e in bots if of_event(e) is not None]}
    asked = [site for (site, _, _), part in zip(spans, of) if len(spans) == 1 or any(part)]
    if all(site.arrivals for site in asked):
        out["returningVisitors"] = max(0, out["uniqueVisitors"] - max(0, out["newVisitors"]))
    else:
        out["newVisitors"] = out["returningVisitors"] = None
    return out


def of_range(site, begin, end):
    return together([(site, begin, end)])


def with_bots(of):
    """What --include-bots makes of figures: rates of sessions have no bots, and hours keep no extremes of bots."""
    out = of | {"events": of["events"] + of["botEvents"], "pageViews": of["pageViews"] + of["botPageViews"],
                "values": of["values"] + len(of["ofBots"]), "valueSum": of["valueSum"] + sum(of["ofBots"], NOTHING)}
    return out | ({"valueMin": None, "valueMax": None} if of["ofBots"] else {})


def visitor_of(event):
    return event.get("visitorId") or ("session", event["sessionId"])


def figures(events, sessions):
    values = [e.value for e in events if e.value is not None]
    return {"events": len(events), "pageViews": views(e.event for e in events), "sessions": len(sessions),
            "bounces": sum(s.bounced() for s in sessions), "durationMs": sum(s.last - s.start for s in sessions),
            "values": len(values), "valueSum": sum(values, NOTHING), "valueMin": min(values, default=None),
            "valueMax": max(values, default=None), "uniqueVisitors": len({visitor_of(e.event) for e in events})}


UNKNOWN = object()  # The value of a user agent that agents.browsers does not decide.


def value_of(dimension, event, source):
    """The value that an event has in a dimension; that of its session where source says so."""
    if dimension.startswith("property:"):
        return property_of(event, dimension.removeprefix("property:"))
    match dimension:
        case "page":
            return page_of(event)
        case "hostname":
            return host_of(event.get("url"))
        case "country" | "region" | "city":
            return event.get(dimension)
        case "event":
            return event.get("name") or (event["type"] if event["type"] != "page_view" else None)
        case "browser" | "os" | "device":
            if event.get(dimension) or "userAgent" not in event:
                return event.get(dimension)
            known = agents.browsers(event["userAgent"])
            return known[dimension] if known else UNKNOWN
    return source.get(dimension)


def property_of(event, key):
    said = event.get("properties", {}).get(key)
    if said is None or said == "" or isinstance(said, (list, dict)):
        return None
    if isinstance(said, bool):
        return "true" if said else "false"
    return str(said).encode()[:256].decode(errors="ignore")


CONVERTING = {"page", "referrer", "channel", *CAMPAIGN}  # Dimensions that have conversions.


def rows(spans, dimension):
    """The figures of each value of a dimension in spans of sites; of None those without one. Only what is broken down."""
    of = collections.defaultdict(lambda: ([], []))
    for site, begin, end in spans:
        events, sessions = site.within(begin, end)[:2]
        for e in events:
            if not e.over:
                of[value_of(dimension, e.event, e.source)][0].append(e)
        for s in sessions:
            if dimension.startswith("property:"):
                continue  # A property has no sessions.
            said = s.entry and s.entry[1] if dimension == "page" else value_of(dimension, s.opening, s.source)
            of[said][1].append(s)
    out = {said: of_row(dimension, *lists) for said, lists in of.items()}
    if dimension == "page":
        for site, begin, end in spans:
            for s in site.within(begin, end)[1]:
                if s.entry:
                    out[s.entry[1]]["entries"] += 1
                    out.setdefault(s.exit[1], of_row(dimension, [], []))["exits"] += 1
        attention(out, spans)
    return out


def of_row(dimension, events, sessions):
    out = figures(events, sessions) | {"entries": 0, "exits": 0, "conversions": 0, "convertedSessions": 0, "conversionValue": NOTHING}
    if dimension in CONVERTING:
        out |= {"conversions": sum(len(s.reached) for s in sessions), "convertedSessions": sum(bool(s.reached) for s in sessions),
                "conversionValue": sum((s.worth for s in sessions), NOTHING)}
    return out


def attention(out, spans):
    """Time on page and scroll depth, of page views in the spans."""
    read = collections.defaultdict(lambda: ([], []))
    for site, begin, end in spans:
        for v in site.page_views:
            if begin <= v.at < end:
                times, depths = read[v.page]
                times += [v.time()] if v.time() is not None else []
                depths += [max(v.depths)] if v.depths else []
    for said, of in out.items():
        times, depths = read[said]
        of |= {"timedPageViews": len(times), "timeOnPageMs": sum(times), "scrolledPageViews": len(depths), "scrollDepthSum": sum(depths)}
