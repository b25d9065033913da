"""query paths: the pages that sessions view after and before a page or a goal, and their entry and exit pages."""
import collections

from recount.clock import DAY, HOUR, MINUTE, rfc3339
from recount.origin import page_of

MARGIN, GAP, LONGEST = 2 * HOUR, 30 * MINUTE, DAY

# What paths need of an event: its place in the log, and the page that it views, if it does.
Hit = collections.namedtuple("Hit", "at place page event")


def sessions_of(raw, begin, end):
    """The sessions and visits that start in a range, of its raw events and those two hours around it, in the order of event time."""
    sessions, visits, every = {}, {}, []
    within = [(at, place, *rest) for place, (at, *rest) in enumerate(raw) if begin - MARGIN <= at < end + MARGIN]
    for at, place, event, bot, excluded in sorted(within):
        if excluded:
            continue
        visitor = event["visitorId"]
        reach = visits.get(visitor) if "sessionId" not in event else None
        if reach and (at > reach[0] + GAP or at - reach[1][0].at > LONGEST):
            reach = None
        if bot:
            if bot == "rate" and reach:
                reach[0] = at
            continue
        hit = Hit(at, place, page_of(event) if event["type"] == "page_view" else None, event)
        if "sessionId" in event:
            hits = sessions.setdefault(event["sessionId"], [])
        elif reach:
            reach[0], hits = at, reach[1]
        else:
            hits = []
            visits[visitor] = [at, hits]
        if not hits:
            every.append(hits)
        hits.append(hit)
    return [hits for hits in every if begin <= hits[0].at < end]


def pages_of(hits):
    """The pages of a session with their indexes, without those that are viewed again before another one."""
    out = []
    for n, hit in enumerate(hits):
        if hit.page and not (out and out[-1][1] == hit.page):
            out.append((n, hit.page))
    return out


def path_of(hits, start, before):
    """The pages after or before the hit of that index; None: the session has no such hit."""
    if start is None:
        return None
    pages = pages_of(hits)
    return [page for n, page in reversed(pages) if n < start] if before else [page for n, page in pages if n > start]


def at_page(page):
    return lambda hits: next((n for n, hit in enumerate(hits) if hit.page == page), None)


def rows(paths, through, steps, limit):
    """The rows of an answer, by step: what is at that place of each path that goes through the pages before."""
    out = []
    for step in range(steps):
        chosen = through[:step]
        here = [path for path in paths if path[:len(chosen)] == chosen and len(path) >= step]
        views = collections.Counter(path[step] for path in here if len(path) > step)
        out += listed(views, limit, through[step] if step < len(through) else None,
                      lambda page, n, step=step: (step + 1, "page", page, "", n), lambda n, step=step: (step + 1, "others", "", "", n), len(here))
        left = sum(len(path) == step for path in here)
        out += [((step + 1, "dropOff", "", "", left), len(here))] if left else []
    return out


def pairs(sessions, limit):
    ends = [pages_of(hits) for hits in sessions]
    counted = collections.Counter((pages[0][1], pages[-1][1]) for pages in ends if pages)
    total = sum(counted.values())
    return total, listed(counted, limit, None, lambda pair, n: (0, "pair", *pair, n), lambda n: (0, "others", "", "", n), total)


def listed(counted, limit, kept, row, others, total):
    """Rows of those with most sessions, and of one that is shown whatever it has, and of all others; each with what its share is of."""
    ordered = sorted(counted.items(), key=lambda x: (-x[1], x[0]))
    shown = [x for n, x in enumerate(ordered) if n < limit or x[0] == kept]
    rest = sum(counted.values()) - sum(n for _, n in shown)
    return [(row(name, n), total) for name, n in shown] + ([(others(rest), total)] if rest else [])


def compare(f, command, what, answer, sessions, want):
    f.equal(command, f"{what}: sessions", answer["sessions"], sessions)
    have = [(r["step"], r["kind"], r["page"], r["exitPage"], r["sessions"]) for r in answer["rows"]]
    f.equal(command, f"{what}: rows", len(have), len(want))
    for row, answered, (wanted, total) in zip(have, answer["rows"], want):
        f.equal(command, what, row, wanted)
        f.rate(command, f"{what}: share", answered["share"], wanted[-1], total)


def ask_paths(f, site, args, sessions, starts):
    """Ask for pairs, and for the pages around some starts: (option, value, which hit of a session it is)."""
    command = "query paths" + " --where" * ("--where" in args)
    what = " ".join([site, *args])
    compare(f, command, what, f.query("paths", site, *args, "--limit", "5"), *pairs(sessions, 5))
    for n, (option, value, start) in enumerate(starts):
        before, steps, limit = option.startswith("--to"), 1 + n % 5, (2, 10)[n % 2]
        paths = [path for path in (path_of(hits, start(hits), before) for hits in sessions) if path is not None]
        asked = [option, value, "--steps", str(steps), "--limit", str(limit)]
        compare(f, f"{command} {option}", f"{what}, {asked}", f.query("paths", site, *args, *asked), len(paths), rows(paths, [], steps, limit))
        common = collections.Counter(tuple(path[:2]) for path in paths if len(path) > 1).most_common(4)
        if common and n % 4 in (0, 3):  # Not always one that has a row of its own.
            through, steps = list(common[-1][0]), max(steps, 2)
            asked = [option, value, "--steps", str(steps), "--limit", str(limit), *[x for page in through for x in ("--through", page)]]
            compare(f, f"{command} {option} --through", f"{what}, {asked}", f.query("paths", site, *args, *asked), len(paths),
                    rows(paths, through, steps, limit))


def around_pages(sessions, number):
    """Starts at the pages that most sessions view, and at one that none does."""
    views = collections.Counter(page for hits in sessions for page in {hit.page for hit in hits} if page)
    chosen = [page for page, _ in sorted(views.items(), key=lambda x: (-x[1], x[0]))[:number]] + ["/no-such-page"]
    return [(option, page, at_page(page)) for page in chosen for option in ("--from-page", "--to-page")]


def around_goals(goals):
    """Starts at goals: at the first event of the log that meets it, or by duration at the first that is late enough."""
    def at_goal(goal):
        def start(hits):
            if goal.duration:
                return next((n for n, hit in enumerate(hits) if hit.at - hits[0].at >= goal.duration), None)
            met = [n for n, hit in enumerate(hits) if goal.met(None, hit.event, page_of(hit.event))]
            return min(met, key=lambda n: hits[n].place, default=None)
        return start
    return [(option, name, at_goal(goal)) for name, goal in goals.items() for option in ("--from-goal", "--to-goal")]


def ask_site(f, name, site, begin, end):
    sessions = sessions_of(site.raw, begin, end)
    ask_paths(f, name, ["--from", rfc3339(begin), "--to", rfc3339(end)], sessions, around_pages(sessions, 3) + around_goals(site.goals))
