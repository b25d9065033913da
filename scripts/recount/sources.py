"""The events that are published: real data of two sources, a synthetic year, a site with a budget, and the last minutes."""
import datetime as dt
import gzip
import hashlib
import json
import math
import random
import re
import urllib.parse

from recount.clock import DAY, HOUR, MINUTE, millis
from recount.origin import SOURCES

LOG_LINE = re.compile(r'(\S+) \S+ .*? \[([^]]+)\] "((?:[^"\\]|\\.)*)" (\d+) (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"')


def access_log(data):
    """Each line twice: of a site without user agents, and of one with them."""
    with gzip.open(data / "access-log/apache_logs.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = LOG_LINE.match(line)
            if not fields:
                continue  # Line 8,899 is cut.
            address, at, request, _, _, referrer, agent = fields.groups()
            target = request.split(" ")[1]
            page = bool(re.search(r"(/|\.html?|/[^./?]*)([?#]|$)", target))
            event = {"siteId": "www.example.com", "type": "page_view" if page else "asset", "url": target,
                     "visitorId": hashlib.sha256((address + "\n" + agent).encode()).hexdigest()[:20],
                     "timestamp": millis(dt.datetime.strptime(at, "%d/%b/%Y:%H:%M:%S %z"))}
            if referrer != "-":
                event["referrer"] = referrer
            yield event
            yield event | {"siteId": "www.example.org"} | ({"userAgent": agent} if agent != "-" else {})


def wikiticker(data):
    with gzip.open(data / "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            edit = json.loads(line)
            event = {"siteId": edit["channel"], "type": "edit", "name": edit["namespace"], "visitorId": edit["user"],
                     "timestamp": millis(dt.datetime.fromisoformat(edit["time"].replace("Z", "+00:00"))),
                     "url": "/wiki/" + urllib.parse.quote(edit["page"], safe="/,"), "value": edit["delta"]}
            if edit.get("countryIsoCode"):
                event["country"] = edit["countryIsoCode"]
            yield event


YEARS = {"berlin.example": "Europe/Berlin", "sydney.example": "Australia/Sydney"}
BUDGET, LIVE, WATCHED = "budget.example", "live.example", "watched.example"
AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14; SM-X200) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"]
BOTS = ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "curl/8.5.0", "python-requests/2.32",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"]
SPAM = "https://semalt.com/crawler"
PLANS = ["free", "pro", "pro", 3, 3.0, True, None, "", [1], {"a": 1}, "ö" * 140]


def year(today):
    """Sessions of 400 days up to yesterday. Of some, the first event arrives last; some are floods, and some events come twice."""
    dice = random.Random(7)
    for day in range(400, 0, -1):
        sent = []
        for site in YEARS:
            for _ in range(dice.randint(6, 14)):
                sent.append(session(dice, site, today - day * DAY + dice.randrange(DAY - 2 * HOUR)))
        dice.shuffle(sent)
        yield from (event for events in sent for event in events)


def session(dice, site, at):
    visitor, query, referrer = f"v{dice.randrange(900)}", *dice.choice(SOURCES)[:2]
    session = f"s{dice.randrange(10**9)}" if dice.random() < 0.6 else None
    agent, bot = dice.choice(AGENTS), dice.random() < 0.03
    flood = dice.random() < 0.01
    events = []
    for n in range(dice.randrange(20, 70) if flood else dice.choice([1, 1, 2, 3, 5])):
        page = dice.choice(["/", "/a", "/b", "/thanks", "/admin/x", f"/p/{dice.randrange(40)}"])
        host = "mirror.example.net" if dice.random() < 0.01 else site
        event = {"siteId": site, "type": "page_view", "timestamp": at, "visitorId": visitor, "country": dice.choice(["DE", "AU", "FR"]),
                 "region": dice.choice("ABC"), "url": f"https://{host}{page}" + (query if n == 0 else ""), "userAgent": agent}
        if dice.random() < 0.3:
            event["city"] = dice.choice(["Köln", "Perth"])
        if dice.random() < 0.05:
            event |= {"device": "kiosk", "browser": "Own", "os": "OwnOS"}
        if dice.random() < 0.3:
            event["properties"] = {"plan": dice.choice(PLANS), "theme": dice.choice(["dark", "light"])}
        if dice.random() < 0.1:
            event["userId"] = f"u{dice.randrange(50)}"
        if n == 0 and referrer:
            event["referrer"] = referrer
        if bot:
            event["userAgent"] = dice.choice(BOTS)
        elif dice.random() < 0.01:
            event["referrer"] = SPAM
        if n > 0 and dice.random() < 0.2:
            event.update(type=dice.choice(["signup", "ping"]), value=dice.randrange(-5000, 5000) / 100)
            if dice.random() < 0.5:
                event["name"] = dice.choice(["form", "letter"])
        elif n > 0 and dice.random() < 0.3:
            event.update(type="engagement", properties={"scroll": dice.choice([dice.randrange(101), 101, None])})
            if dice.random() < 0.6:
                event["properties"]["engagementMs"] = dice.choice([dice.randrange(90_000), 0, dice.random() * 5000, -1, "7"])
            if dice.random() < 0.7:  # Of the page before it.
                event["url"] = events[-1]["url"].split("?")[0]
        if session:
            event["sessionId"] = session
        events.append(event)
        at += dice.randrange(1, 5_000) if flood and dice.random() < 0.98 else dice.randrange(1, 20 * MINUTE)
    if dice.random() < 0.2:
        events = events[1:] + events[:1]
    if flood and dice.random() < 0.5:
        dice.shuffle(events)
    if dice.random() < 0.1:
        events = repeated(dice, events)
    return events


def repeated(dice, events):
    """Some of the events a second time: with the same id, at the same time or some minutes later."""
    out = []
    for event in events:
        event = event | {"id": f"{dice.randrange(10**12)}"}
        out.append(event)
        if dice.random() < 0.5:
            out.append(event | {"timestamp": event["timestamp"] + dice.choice([0, 0, 14 * MINUTE, 15 * MINUTE, 15 * MINUTE + 1, HOUR])})
    return out


def over_budget(today):
    """A site that is sometimes beyond its budget of one event a second."""
    dice = random.Random(8)
    for day in range(30, 0, -1):
        at = today - day * DAY + dice.randrange(DAY - HOUR)
        for _ in range(dice.randint(1, 12)):
            at -= at % MINUTE
            for n in sorted(dice.randrange(MINUTE) for _ in range(dice.choice([20, 59, 60, 61, 90, 130]))):
                event = {"siteId": BUDGET, "type": "page_view", "timestamp": at + n, "visitorId": f"v{dice.randrange(60)}",
                         "url": f"https://{BUDGET}/{dice.choice('abc')}"}
                if dice.random() < 0.05:
                    event["userAgent"] = BOTS[1]
                if dice.random() < 0.1:
                    event |= {"type": "signup", "value": dice.randrange(100)}
                yield event
            at += dice.choice([1, 1, 2, 5, 10, 11, 20, -1, -3]) * MINUTE


def watched(today):
    """A site with the hours and weekends of people, and days on which it drops, is silent, spikes, has a new source or converts nobody."""
    dice = random.Random(38)
    for n in range(110, 0, -1):
        day, what = today - n * DAY, {70: "drop", 60: "silence", 50: "spike", 40: "no goal", 30: "drop", 5: "source"}.get(n)
        for hour in range(24):
            busy = (1.1 - math.cos(2 * math.pi * (hour - 3) / 24)) * (0.6 if day // DAY % 7 in (2, 3) else 1)  # 1 January 1970 was a Thursday.
            busy *= {"drop": 0.2, "silence": 0, "spike": 4, "source": 12}.get(what, 1)
            for _ in range(int(4 * busy + dice.random())):
                source = "https://new.example/" if what == "source" and dice.random() < 0.7 else dice.choice(SOURCES)[1]
                at, visitor = day + hour * HOUR + dice.randrange(HOUR), f"v{dice.randrange(900)}"
                for page in ["/", "/a", "/thanks"][:dice.choice([1, 1, 2, 2 if what == "no goal" else 3])]:
                    event = {"siteId": WATCHED, "type": "page_view", "timestamp": at, "visitorId": visitor,
                             "url": f"https://{WATCHED}{page}", "country": dice.choice(["DE", "FR"]), "userAgent": AGENTS[0],
                             "sessionId": f"{visitor}.{day // DAY}.{hour}"}
                    if source and page == "/":
                        event["referrer"] = source
                    yield event
                    at += 1


def live(now):
    """Four whole minutes before that of now. Few visitors, so that minutes have all of them."""
    dice = random.Random(9)
    for n in range(600):
        page = f"/{dice.randrange(12)}"
        event = {"siteId": LIVE, "type": dice.choice(["page_view", "page_view", "click"]), "visitorId": f"v{dice.randrange(90)}",
                 "timestamp": now - now % MINUTE - 4 * MINUTE + dice.randrange(4 * MINUTE), "url": f"https://{LIVE}{page}"}
        if dice.random() < 0.1:
            event["userAgent"] = dice.choice(BOTS)
        yield event
