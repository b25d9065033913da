"""Where an event is from: its page, its host, and what it says of the source of its session."""
import functools
import re
import urllib.parse

# How visitors of the synthetic year come: a query of the url, a referrer, and the channel that both make.
SOURCES = [("", None, "Direct"), ("", "https://www.google.com/", "Organic Search"), ("", "https://www.facebook.com/", "Organic Social"),
           ("", "https://blog.example.net/post", "Referral"),
           ("?utm_source=news&utm_medium=email&utm_campaign=may&utm_content=a%20b", None, "Email"),
           ("?utm_source=google&utm_medium=cpc&utm_campaign=brand&utm_term=kettle+blue", "https://www.google.com/", "Paid Search")]
CAMPAIGN = "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"


def page_of(event):
    return path_of(event["url"]) if "url" in event else None


@functools.cache
def path_of(url):
    path = urllib.parse.urlsplit(url).path if "://" in url else re.split("[?#]", url)[0]
    return path.encode()[:200].decode(errors="ignore") or "/"


@functools.cache
def host_of(url):
    found = re.match(r"https?://(?:[^/?#@]*@)?([^/?#:\\\s]+)(?=[/?#:]|$)", url or "")  # A text with backslashes is no host.
    return found.group(1).lower() if found else None


def below(host, domain):
    return host == domain or host.endswith("." + domain)


def bare(host):
    return (host or "").removeprefix("www.")


@functools.cache
def campaign_of(url):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    return {name: query[name][0] for name in CAMPAIGN if name in query}


CHANNELS = {(campaign_of(query).get("utm_source"), bare(host_of(referrer)) or None): channel for query, referrer, channel in SOURCES}


def source_of(event, domains=()):
    """What an event says of where its session came from, at a site of these domains."""
    said = dict(campaign_of(event.get("url", "")))
    referrer = host_of(event.get("referrer"))
    own = referrer and (bare(referrer) in (bare(event["siteId"]), bare(host_of(event.get("url")))) or
                        any(below(referrer, domain) for domain in (event["siteId"], *domains)))
    if referrer and not own:
        said["referrer"] = bare(referrer)
    channel = CHANNELS.get((said.get("utm_source"), said.get("referrer")))
    return said | ({"channel": channel} if channel else {})
