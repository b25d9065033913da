"""Writes events as JSON, and as fastavro and Google's protobuf encode them, to a directory:

python3 -m venv venv && venv/bin/pip install fastavro grpcio-tools && venv/bin/python encode.py 20000 /tmp/encoded
mvn dependency:get -Dartifact=org.apache.avro:avro:1.12.0 -Dmaven.repo.local=m2
java -cp "$(find m2 -name '*.jar' | paste -sd:)" Encode.java /tmp/encoded
go test ./pipeline -run TestEncodersCountAsJSON -encoded /tmp/encoded

A file has the values one after another, each after its length in 4 bytes, big-endian.
"""
import gzip, io, json, os, random, struct, sys, tempfile

import fastavro
from grpc_tools import protoc

here, rnd = os.path.dirname(os.path.abspath(__file__)), random.Random(1)
BEGIN = 946684800000  # 2000-01-01, when the test's clock begins
AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
]


def number(digits, places):
    """A double, which JSON spells with few digits."""
    n = rnd.randrange(-(10**digits), 10**digits) / 10 ** rnd.randint(0, places)
    return int(n) if n.is_integer() else n


def properties():
    labels = rnd.sample(["a", "b\\c", "größe", "日本", 'quote"', "line\nbreak", "😀"], rnd.randint(1, 3))
    return {
        "plan": rnd.choice(["pro", "", "free"]), "n": rnd.getrandbits(rnd.choice([1, 8, 40, 62])) * rnd.choice([1, -1]),
        "ratio": number(6, 3), "paid": rnd.random() < 0.5, "labels": {k: rnd.choice(["", "x", "é\t"]) for k in sorted(labels)},
        "items": [rnd.randrange(1000) for _ in range(rnd.randint(1, 3))],
    }


OPTIONAL = {
    "sessionId": (0.9, None), "userId": (0.1, lambda: "u%d" % rnd.randrange(3)),
    "url": (0.95, lambda: "https://h%d.example/p%d?utm_source=s%d" % (rnd.randrange(3), rnd.randrange(40), rnd.randrange(9))),
    "referrer": (0.3, lambda: rnd.choice(["https://www.google.com/", "https://t.co/x", "https://r%d.example/" % rnd.randrange(30)])),
    "title": (0.3, lambda: rnd.choice(["Blue kettle", 'Größe "M" \\ 日本', "😀\n", ""])),
    "userAgent": (0.5, lambda: rnd.choice(AGENTS)),
    "name": (0.2, lambda: "button %d" % rnd.randrange(15)), "value": (0.2, lambda: number(9, 6)),
    "country": (0.3, lambda: "C%d" % rnd.randrange(20)), "city": (0.3, lambda: rnd.choice(["Zürich", "city %d" % rnd.randrange(60)])),
    "device": (0.2, lambda: rnd.choice(["desktop", "mobile", "tablet"])), "properties": (0.4, properties),
}


def event(i):
    """An event; those without a site are to be rejected, and those that repeat an id are duplicates."""
    late = rnd.randrange(90) if rnd.random() < 0.95 else rnd.randrange(3 * 3600)
    e = {} if rnd.random() < 0.04 else {"siteId": "site-%d" % rnd.randrange(2)}
    own = i if rnd.random() < 0.9 else rnd.randrange(max(0, i - 50), i + 1)
    e.update(type=rnd.choice(["page_view", "click", "ping"]), timestamp=BEGIN + 1500 * i - 1000 * late, id="e%d" % own,
             visitorId="v%d-%d" % (i % 2, rnd.randrange(300)))
    for name, (often, make) in OPTIONAL.items():
        if rnd.random() < often:
            e[name] = make() if make else "s%d-%d" % (i % 2, i // 60 * 3 + rnd.randrange(3))
    return e


def avro(schema, e):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, e)
    return b"\0" + struct.pack(">I", 1) + out.getvalue()


def messages():
    with tempfile.TemporaryDirectory() as d:
        if protoc.main(["", "-I" + here, "--python_out=" + d, here + "/event.proto"]):
            sys.exit("protoc has failed")
        sys.path.insert(0, d)
        import event_pb2
        return event_pb2


SNAKE = {"siteId": "site_id", "visitorId": "visitor_id", "sessionId": "session_id", "userId": "user_id", "userAgent": "user_agent"}


def protobuf(pb, e):
    fields = {SNAKE.get(k, k): v for k, v in e.items()}
    return b"\0" + struct.pack(">I", 2) + b"\0" + pb.Event(**fields).SerializeToString(deterministic=True)


def main(count, to):
    os.makedirs(to, exist_ok=True)
    events = [event(i) for i in range(count)]
    schema, pb = fastavro.parse_schema(json.load(open(here + "/event.avsc"))), messages()
    for name, encode in (
        ("events", lambda e: json.dumps(e, ensure_ascii=False, separators=(",", ":")).encode()),
        ("avro.python", lambda e: avro(schema, e)), ("protobuf.python", lambda e: protobuf(pb, e)),
    ):
        with gzip.GzipFile("%s/%s.gz" % (to, name), "wb", mtime=0) as file:
            for value in map(encode, events):
                file.write(struct.pack(">I", len(value)) + value)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
