"""A site, counted event by event in the order of the log: duplicates, excluded pages, bots, the budget, sessions and visits, goals."""
import bisect
import collections
import decimal

from recount import agents
from recount.arrivals import Arrivals
from recount.clock import DAY, MINUTE
from recount.origin import below, host_of, page_of, source_of

GAP, LONGEST, REMEMBERED = 30 * MINUTE, DAY, 8
DUPLICATES = 15 * MINUTE
RATE, MINUTES = 15, 16  # bots.rate of this recount, and how many minutes a session has counts of.
QUIET = {"engagement", "ping", "asset"}  # Types that end no bounce.

# An event that is counted: what its session said as it came, its value, whether its host is foreign, and whether it is beyond the budget.
Counted = collections.namedtuple("Counted", "at event source value foreign over")
Conversion = collections.namedtuple("Conversion", "at goal worth event session")


def value_of(event):
    return decimal.Decimal(str(event["value"])) if event.get("value") is not None else None


class Session:
    def __init__(self, event, at, place):
        self.id = event.get("sessionId")
        self.start, self.last, self.opened = at, at, at
        self.place = self.touched = place  # in the log: of the first record, and of the last
        self.reach = [at, at]  # from when to when a visit lasts: bots' events extend it, too
        self.first, self.source, self.opening = None, None, None
        self.views, self.events, self.interactive = 0, 0, False
        self.entry = self.exit = None
        self.page = None  # its last page view in the log, a PageView
        self.reached, self.worth = [], decimal.Decimal(0)
        self.visitor = self.user = None
        self.minutes, self.flood = {}, None

    def engaged(self):
        return self.last - self.start >= 10_000 or self.views >= 2

    def bounced(self):
        return self.views <= 1 and not self.interactive

    def floods(self, at, place):
        """Whether an event is a bot's by the rate: see Bots in docs/metrics.md."""
        minute = at // MINUTE
        if self.flood is not None and minute >= self.flood:
            return True
        if minute not in self.minutes and len(self.minutes) == MINUTES:
            del self.minutes[min(self.minutes, key=lambda m: self.minutes[m][1])]
        number = self.minutes.get(minute, (0, 0))[0] + 1
        self.minutes[minute] = number, place
        if number > RATE:
            self.flood = minute
        return number > RATE


class PageView:
    """A page view, and what its session's next events in the log say of it."""

    def __init__(self, at, page):
        self.at, self.page = at, page
        self.next, self.spoken, self.depths = None, [], []

    def follow(self, event, at):
        if self.next is None:
            self.next = at
        if event["type"] != "engagement" or page_of(event) not in (None, self.page):
            return
        for said, name, most in ((self.spoken, "engagementMs", DAY), (self.depths, "scroll", 2**31 - 1)):
            number = event.get("properties", {}).get(name)
            if type(number) in (int, float) and 0 <= int(number) <= most:
                said.append(min(int(number), 100) if name == "scroll" else int(number))

    def time(self):
        if self.spoken:
            return sum(self.spoken)
        if self.next is not None and self.next > self.at:
            return min(self.next - self.at, 30 * MINUTE)
        return None


class Goal:
    """What reaches it, as `goal create --on` spells it, or how long a session has lasted."""

    def __init__(self, number, on="", duration=None, worth=None):
        self.number, self.on, self.duration, self.worth = number, on, duration, worth

    def met(self, session, event, page):
        kind, _, text = self.on.partition(":")
        view = event["type"] == "page_view"
        match kind:
            case "page":
                return view and page == text
            case "page-prefix":
                return view and page is not None and page.startswith(text)
            case "event":
                return event["type"] == text
            case "name":
                return event.get("name") == text
        return session.last - session.start >= self.duration

    def value(self, event):
        if self.worth is not None:
            return decimal.Decimal(self.worth)
        return None if self.duration else value_of(event)


class Budget:
    """Of the records of a minute the first 60 times as many as a second may have. The minute is the latest one, within ten."""

    def __init__(self, per_second):
        self.most, self.minute, self.used = 60 * per_second, None, 0

    def beyond(self, at):
        minute = at // MINUTE
        if self.minute is None or 0 < minute - self.minute <= 10:
            self.minute, self.used = minute, 0
        elif abs(minute - self.minute) > 10:
            self.minute = minute
        self.used += 1
        return self.used > self.most


class Site:
    def __init__(self, goals=None, excluded=None, domains=(), budget=0, arrivals=None):
        self.goals, self.excluded, self.domains = goals or {}, excluded, domains
        self.budget, self.arrivals = Budget(budget) if budget else None, arrivals
        self.events, self.bots, self.left_out = [], [], []
        self.conversions = []
        self.sessions, self.visits = {}, collections.defaultdict(list)
        self.all_sessions = []
        self.page_views = []
        self.raw = []  # every event but duplicates, and why it is a bot's
        self.seen = {}  # the last record of an id

    def visit(self, event, at, place):
        visits = self.visits[event["visitorId"]]
        near = [v for v in visits if v.reach[0] - GAP <= at <= v.reach[1] + GAP and max(v.reach[1], at) - min(v.reach[0], at) <= LONGEST]
        if near:
            found = max(near, key=lambda v: (v.reach[0], v.place))
        else:
            found = Session(event, at, place)
            visits.append(found)
            if len(visits) > REMEMBERED:
                visits.remove(min(visits, key=lambda v: v.touched))
        found.touched, found.reach = place, [min(found.reach[0], at), max(found.reach[1], at)]
        return found

    def duplicate(self, event, at):
        if "id" not in event:
            return False
        before, self.seen[event["id"]] = self.seen.get(event["id"]), at
        return before is not None and abs(at - before) <= DUPLICATES

    def listed(self, event):
        """Why a list says that an event is a bot's."""
        if agents.is_bot(event.get("userAgent", "")) and event.get("userAgent"):
            return "agent"
        host, own = host_of(event.get("referrer")), host_of(event.get("url"))
        return "referrer" if host and host.removeprefix("www.") != (own or "").removeprefix("www.") and agents.is_spam(host) else None

    def count(self, event, place):
        at, page = event["timestamp"], page_of(event)
        if self.duplicate(event, at):
            return
        if self.excluded and page and page.startswith(self.excluded):
            self.left_out.append((at, event))
            self.raw.append((at, event, self.listed(event), True))
            return
        bot = self.listed(event)
        if not bot and self.budget and self.budget.beyond(at):
            self.events.append(Counted(at, event, None, value_of(event), self.foreign(event), True))
            self.raw.append((at, event, None, False))
            return
        session = None
        if not bot:
            session = self.session(event, at, place)
            bot = "rate" if session.floods(at, place) else None
        self.raw.append((at, event, bot, False))
        if bot:
            self.bots.append((at, event))
            return
        self.take(session, event, at, place)
        if self.arrivals:
            self.arrivals.count(event.get("visitorId") or ("session", event["sessionId"]), at)
        self.events.append(Counted(at, event, session.source, value_of(event), self.foreign(event), False))

    def session(self, event, at, place):
        if "sessionId" not in event:
            return self.visit(event, at, place)
        name = event["sessionId"]
        if name not in self.sessions:
            self.sessions[name] = Session(event, at, place)
        return self.sessions[name]

    def take(self, s, event, at, place):
        page, view = page_of(event), event["type"] == "page_view"
        if s.events == 0:
            s.start, s.last, s.opened, s.place = at, at, at, place
            self.all_sessions.append(s)
        if s.page:
            s.page.follow(event, at)
        s.visitor, s.user = s.visitor or event.get("visitorId"), s.user or event.get("userId")
        s.start, s.last = min(s.start, at), max(s.last, at)
        s.events += 1
        s.views += view
        s.interactive = s.interactive or not view and event["type"] not in QUIET
        if s.first is None or at < s.first:
            s.first, s.source, s.opening = at, source_of(event, self.domains), event
        if view and page:
            s.page = PageView(at, page)
            self.page_views.append(s.page)
            if s.entry is None or at < s.entry[0]:
                s.entry = at, page
            if s.exit is None or at >= s.exit[0]:
                s.exit = at, page
        for name, goal in self.goals.items():
            if name not in s.reached and goal.met(s, event, page):
                s.reached.append(name)
                worth = goal.value(event)
                s.worth += worth or 0
                self.conversions.append(Conversion(at, name, worth, event, s))

    def foreign(self, event):
        host = host_of(event.get("url"))
        return bool(self.domains and host) and not any(below(host, domain) for domain in self.domains)

    def close(self):
        by_time = lambda x: x[0]
        self.lists = [sorted(self.events, key=by_time), sorted(self.all_sessions, key=lambda s: s.start), sorted(self.conversions, key=by_time),
                      sorted(self.left_out, key=by_time), sorted(self.bots, key=by_time)]
        self.times = [[e[0] for e in self.lists[0]], [s.start for s in self.lists[1]], *([x[0] for x in every] for every in self.lists[2:])]

    def within(self, begin, end):
        """The events, sessions, conversions, excluded events and bots' events of a range."""
        return [every[bisect.bisect_left(t, begin):bisect.bisect_left(t, end)] for every, t in zip(self.lists, self.times)]
