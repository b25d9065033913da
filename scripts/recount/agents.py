"""Browsers, operating systems, kinds of devices, and bots.

Bots are those of the two lists that footfall ships with, which are data of others: isbot's patterns, read as the regular expressions
that they are, and Matomo's hosts of referrer spam. docs/metrics.md defines no spelling of browsers, so browsers() has rules of its
own for the user agents whose answer is beyond doubt, and says None about all others.
"""
import functools
import json
import pathlib
import re

LISTS = pathlib.Path(__file__).resolve().parent.parent.parent / "internal/classify/data"


@functools.cache
def patterns():
    """isbot's expressions. JavaScript allows two things that Python does not: texts of several lengths in (?<!a|b), and [\\w\\d-.]."""
    found = []
    for text in json.loads((LISTS / "bots.json").read_text()):
        text = re.sub(r"\(\?<!([^)]*)\)", lambda m: "".join(f"(?<!{x})" for x in m.group(1).split("|")), text)
        found.append(re.compile(text.replace(r"\d-.", r"\d\-."), re.ASCII))
    return found


@functools.cache
def spammers():
    return {line.strip().lower() for line in (LISTS / "spammers.txt").read_text().splitlines() if line.strip()}


# Programs that isbot does not have.
MORE_BOTS = ["amzn-user/", "assetnote/", "miniature.io/", "360jk", "webthumbnail"]
# The model of an Android device, which is not looked at.
MODEL = re.compile(r"^(mozilla/5\.0 \(.*?android [^;)]*;(?: \w\w-[\w-]{1,9};)?)[^;)]*?(?= build/|[;)])")


@functools.cache
def is_bot(user_agent):
    text = user_agent.encode()[:256].decode(errors="ignore").lower()
    if len(user_agent.encode()) > 256:
        text += "\u2026"  # What is cut has no end that a pattern may look for.
    text = MODEL.sub(r"\1 k", text)
    return any(p.search(text) for p in patterns()) or any(name in text for name in MORE_BOTS)


def is_spam(host):
    parts = host.split(".")
    return any(".".join(parts[n:]) in spammers() for n in range(len(parts)))


BROWSERS = [("Edge", r"Edg(e|A|iOS)?/"), ("Opera", r"OPR/"), ("Samsung Browser", r"SamsungBrowser/"), ("Firefox", r"(Firefox|FxiOS)/"),
            ("Chrome", r"(Chrome|CriOS)/"), ("Safari", r"Version/[\d.]+ (Mobile/\w+ )?Safari/"), ("Internet Explorer", r"MSIE |Trident/7")]
SYSTEMS = [("Windows", "Windows NT"), ("iOS", "iPhone|iPad"), ("Android", "Android"), ("ChromeOS", "CrOS"), ("macOS", "Mac OS X"),
           ("Linux", "Linux")]
# A user agent of another program that names a browser, too.
OTHERS = re.compile(r"Chromium|Vivaldi|YaBrowser|UCBrowser|QQBrowser|Maxthon|SeaMonkey|Iceweasel|Iceape|PaleMoon|Konqueror|Epiphany|Silk|"
                    r"Opera|Puffin|Coast|Focus|Instagram|FBAN|FBAV|GSA/|Line/|DuckDuckGo|Ddg|Dragon|Iron|Navigator|Camino|compatible; (?!MSIE)|"
                    r"Android \d.*Version/|PLAYSTATION|Nintendo|Xbox|SmartTV|Tizen|Kindle|BlackBerry|webOS|Phone OS|Windows Phone|IEMobile|Tablet PC|"
                    r"Android.*(?:SM-[TX]|GT-P|Pad|Tab|TV|BRAVIA|Box|Kids)|"
                    r"Galeon|Midori|Arora|Flock|Avant|AOL|Sleipnir|Lunascape|TenCent|360SE|SE 2.X|Crazy|myibrow|Electron|OBS/|CitizenFX|Quark|Huawei|MAXTHON|Chrome/\d+ |Alexa|BIDU|Comodo|RockMelt|wv\)")


@functools.cache
def browsers(user_agent):
    """Browser, operating system and kind of device of a user agent; None without one, and also where it is not beyond doubt."""
    if not user_agent.startswith("Mozilla/") or OTHERS.search(user_agent) or len(user_agent) > 256:
        return None
    browser = next((name for name, text in BROWSERS if re.search(text, user_agent)), None)
    system = next((name for name, text in SYSTEMS if re.search(text, user_agent)), None)
    if browser is None or system is None:
        return None
    if system in ("Windows", "macOS", "Linux", "ChromeOS"):
        device = "desktop"
    else:
        device = "tablet" if "iPad" in user_agent or system == "Android" and "Mobile" not in user_agent else "mobile"
    return {"browser": browser, "os": system, "device": device}
