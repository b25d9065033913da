#!/usr/bin/env python3
"""Reads the samples in this directory and writes expected.json: the event that each record is, by the rules of its format.

It is written from the rules and shares no code with the program. Standard library only: python3 recount.py
"""
import json
import os
import re
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qsl, urlencode

HERE = os.path.dirname(os.path.abspath(__file__))
KAFKA_TIME = datetime(2026, 5, 12, 12, tzinfo=timezone.utc)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SNOWPLOW = """app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id name_tracker v_tracker
v_collector v_etl user_id user_ipaddress user_fingerprint domain_userid domain_sessionidx network_userid geo_country geo_region
geo_city geo_zipcode geo_latitude geo_longitude geo_region_name ip_isp ip_organization ip_domain ip_netspeed page_url page_title
page_referrer page_urlscheme page_urlhost page_urlport page_urlpath page_urlquery page_urlfragment refr_urlscheme refr_urlhost
refr_urlport refr_urlpath refr_urlquery refr_urlfragment refr_medium refr_source refr_term mkt_medium mkt_source mkt_term
mkt_content mkt_campaign contexts se_category se_action se_label se_property se_value unstruct_event tr_orderid tr_affiliation
tr_total tr_tax tr_shipping tr_city tr_state tr_country ti_orderid ti_sku ti_name ti_category ti_price ti_quantity pp_xoffset_min
pp_xoffset_max pp_yoffset_min pp_yoffset_max useragent br_name br_family br_version br_type br_renderengine br_lang
br_features_pdf br_features_flash br_features_java br_features_director br_features_quicktime br_features_realplayer
br_features_windowsmedia br_features_gears br_features_silverlight br_cookies br_colordepth br_viewwidth br_viewheight os_name
os_family os_manufacturer os_timezone dvce_type dvce_ismobile dvce_screenwidth dvce_screenheight doc_charset doc_width doc_height
tr_currency tr_total_base tr_tax_base tr_shipping_base ti_currency ti_price_base base_currency geo_timezone mkt_clickid
mkt_network etl_tags dvce_sent_tstamp refr_domain_userid refr_dvce_tstamp derived_contexts domain_sessionid derived_tstamp
event_vendor event_name event_format event_version event_fingerprint true_tstamp""".split()
TEXTS = "id visitorId sessionId userId url referrer title userAgent name country region city device browser os".split()
NONE = ("undefined", "null", "0", "anonymous", "00000000-0000-0000-0000-000000000000")  # docs/events.md, placeholder ids


def get(record, path):
    """The value at a path of keys joined by "/"; None when it is missing, null or empty."""
    for key in path.split("/"):
        record = record.get(key) if isinstance(record, dict) else None
    return None if record == "" else record


def first(record, *paths):
    return next((v for v in (get(record, p) for p in paths) if v is not None), None)


def text(value):
    """A string as it is, a number as its digits; anything else is no text."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value) or None


def number(value):
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value == int(value) else value


def moment(value):
    """The time of "2026-05-12T14:03:07.25Z", also with an offset, or with a space and no zone, which is UTC."""
    m = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?", value if isinstance(value, str) else "")
    if not m:
        return None
    day, clock, fraction, zone = m.groups()
    time = datetime.fromisoformat(f"{day}T{clock}+00:00") + timedelta(milliseconds=int(((fraction or "") + "000")[:3]))
    if zone and zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
        time -= (1 if zone[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes)
    return time


def segment(r, rudderstack=False):
    kind = get(r, "type")
    page = kind in ("page", "screen")
    properties, referrer = get(r, "properties"), first(r, "context/page/referrer", "properties/referrer")
    return dict(
        siteId="shop.example", type="page_view" if page else get(r, "event") if kind == "track" else kind,
        timestamp=moment(first(r, "timestamp", "originalTimestamp", "sentAt")), id=get(r, "messageId"),
        visitorId=first(r, "anonymousId", "userId"), userId=get(r, "userId"),
        sessionId=get(r, "context/sessionId") if rudderstack else None,
        url=first(r, "context/page/url", "properties/url"), referrer=None if referrer == "$direct" else referrer,
        title=first(r, "context/page/title", "properties/title"), userAgent=get(r, "context/userAgent"),
        name=get(r, "name"), value=first(r, "properties/revenue", "properties/value"),
        country=get(r, "context/location/country"), os=get(r, "context/os/name"),
        properties=properties if isinstance(properties, dict) and properties else None)


def rudderstack(r):
    return segment(r, True)


def snowplow(r):
    return dict(
        siteId=get(r, "app_id"), type="struct" if get(r, "event") == "struct" else first(r, "event_name", "event"),
        timestamp=moment(first(r, "derived_tstamp", "collector_tstamp")), id=get(r, "event_id"),
        visitorId=first(r, "domain_userid", "network_userid", "user_fingerprint"), userId=get(r, "user_id"),
        sessionId=get(r, "domain_sessionid"), url=get(r, "page_url"), referrer=get(r, "page_referrer"), title=get(r, "page_title"),
        userAgent=get(r, "useragent"), name=get(r, "se_action"), value=first(r, "se_value", "tr_total"),
        country=get(r, "geo_country"), region=get(r, "geo_region"), city=get(r, "geo_city"),
        browser=first(r, "br_name", "br_family"), os=get(r, "os_name"), device=get(r, "dvce_type"))


def posthog(r):
    p = get(r, "properties")
    if isinstance(p, str):  # in PostHog's own topic clickhouse_events_json the properties are JSON inside a string
        p = json.loads(p)
    referrer = get(p, "$referrer")
    return dict(
        siteId=get(p, "$host"), type="page_view" if get(r, "event") in ("$pageview", "$screen") else get(r, "event"),
        timestamp=moment(get(r, "timestamp")), id=get(r, "uuid"), visitorId=get(r, "distinct_id"), sessionId=get(p, "$session_id"),
        url=get(p, "$current_url"), referrer=None if referrer == "$direct" else referrer, title=first(p, "title", "$title"),
        userAgent=first(p, "$raw_user_agent", "$user_agent"), value=first(p, "revenue", "value"),
        country=get(p, "$geoip_country_code"), region=get(p, "$geoip_subdivision_1_code"), city=get(p, "$geoip_city_name"),
        device=get(p, "$device_type"), browser=get(p, "$browser"), os=get(p, "$os"))


def ga4(r):
    params = {p["key"]: p["value"] for p in r.get("event_params") or []}
    user, session = get(r, "user_pseudo_id"), get(params, "ga_session_id/int_value")
    micros = get(r, "event_timestamp")
    return dict(
        siteId=first(r, "device/web_info/hostname", "stream_id"), type=get(r, "event_name"),
        timestamp=None if micros is None else EPOCH + timedelta(milliseconds=int(micros) // 1000),
        visitorId=user, userId=get(r, "user_id"), sessionId=f"{user}.{session}" if user and session else None,
        url=get(params, "page_location/string_value"), referrer=get(params, "page_referrer/string_value"),
        title=get(params, "page_title/string_value"),
        value=first(r, "ecommerce/purchase_revenue", "ecommerce/purchase_revenue_in_usd", "event_value_in_usd"),
        country=get(r, "geo/country"), region=get(r, "geo/region"), city=get(r, "geo/city"), device=get(r, "device/category"),
        browser=get(r, "device/web_info/browser"), os=get(r, "device/operating_system"))


def plausible(r):
    query = [(k, r[k]) for k in ("utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term") if get(r, k)]
    url = f"https://{r['hostname']}{get(r, 'pathname') or ''}" if get(r, "hostname") else None
    referrer, country = get(r, "referrer"), get(r, "country_code")
    return dict(
        siteId=get(r, "hostname"), type="page_view" if get(r, "name") == "pageview" else get(r, "name"),
        timestamp=moment(get(r, "timestamp")), visitorId=get(r, "user_id"), sessionId=get(r, "session_id"),
        url=url + ("?" + urlencode(query) if query else "") if url else None,
        referrer=referrer if not referrer or "://" in referrer else "https://" + referrer, value=get(r, "revenue_source_amount"),
        country=None if country in ("\0\0", "ZZ") else country,  # both mean none in Plausible's own queries
        region=get(r, "subdivision1_code"), device=get(r, "screen_size"), browser=get(r, "browser"), os=get(r, "operating_system"))


def umami(r):
    host, path, query, domain = (get(r, k) for k in ("hostname", "url_path", "url_query", "referrer_domain"))
    kinds = {3: "link", 4: "pixel", 5: "performance"}  # Umami's event types that are neither page views nor custom events
    return dict(
        siteId=host or get(r, "website_id"), type=get(r, "event_name") or kinds.get(get(r, "event_type"), "page_view"),
        timestamp=moment(get(r, "created_at")), id=get(r, "event_id"), visitorId=get(r, "session_id"), sessionId=get(r, "visit_id"),
        userId=get(r, "distinct_id"), url=f"https://{host}{path or ''}" + (f"?{query}" if query else "") if host else None,
        referrer=f"https://{domain}{get(r, 'referrer_path') or ''}" if domain else None, title=get(r, "page_title"),
        **{k: get(r, k) for k in ("country", "region", "city", "device", "browser", "os")})


def matomo(line):
    r = dict(parse_qsl(line.split("?", 1)[1] if re.match(r"(https?://|/|\?)", line) else line, keep_blank_values=True))
    cdt = get(r, "cdt")
    time = KAFKA_TIME if cdt is None else EPOCH + timedelta(seconds=int(cdt)) if cdt.isdigit() else moment(cdt)
    kinds = (("ping", "ping"), ("download", "download"), ("link", "outbound"), ("search", "search"))
    kind = next((name for key, name in kinds if get(r, key)), None)
    if not kind:
        kind = get(r, "e_a") or ("content" if get(r, "c_n") else "goal" if get(r, "idgoal") else "page_view")
    return dict(
        siteId=get(r, "idsite"), type=kind, timestamp=time, visitorId=first(r, "cid", "_id", "uid"), userId=get(r, "uid"),
        url=get(r, "url"), referrer=get(r, "urlref"), title=get(r, "action_name"), userAgent=get(r, "ua"), name=first(r, "e_n", "search"),
        value=first(r, "revenue", "e_v"), country=get(r, "country"), region=get(r, "region"), city=get(r, "city"))


def event(fields):
    time, kind = fields.get("timestamp"), fields.get("type")
    out = {k: text(fields.get(k)) for k in TEXTS}
    visitors = [out[k] for k in ("visitorId", "sessionId") if out[k] and out[k] not in NONE]
    site = text(fields.get("siteId"))
    if not (site and isinstance(kind, str) and time and visitors):
        return {"refused": True}
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)
    out = {"siteId": site, "type": kind, "timestamp": stamp, **out, "value": number(fields.get("value"))}
    out["properties"] = fields.get("properties")
    return {k: v for k, v in out.items() if v is not None}


FORMATS = {
    "segment": (json.loads, segment), "rudderstack": (json.loads, rudderstack),
    "snowplow-tsv": (lambda line: dict(zip(SNOWPLOW, line.split("\t"))), snowplow), "snowplow-json": (json.loads, snowplow),
    "posthog": (json.loads, posthog), "ga4": (json.loads, ga4), "plausible": (json.loads, plausible), "umami": (json.loads, umami),
    "matomo": (str, matomo)}
ENDINGS = {"snowplow-tsv": "tsv", "matomo": "txt"}

blocks = []
for name, (read, convert) in FORMATS.items():
    with open(os.path.join(HERE, f"{name}.{ENDINGS.get(name, 'ndjson')}"), encoding="utf-8", newline="\n") as f:
        events = [event(convert(read(line.rstrip("\n")))) for line in f]
    rows = ",\n".join(json.dumps(e, ensure_ascii=False, separators=(",", ":")) for e in events)
    blocks.append(f'"{name}": {{"records": {len(events)}, "events": [\n{rows}\n]}}')
    print(name, len(events), "records,", sum("refused" in e for e in events), "refused")
with open(os.path.join(HERE, "expected.json"), "w", encoding="utf-8") as f:
    f.write("{\n" + ",\n".join(blocks) + "\n}\n")
