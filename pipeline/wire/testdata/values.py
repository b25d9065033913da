"""Writes avro.jsonl and protobuf.jsonl: random values as fastavro and Google's protobuf encode them, with the JSON that is to be read.

python3 -m venv venv && venv/bin/pip install fastavro grpcio-tools && venv/bin/python values.py 40
"""
import base64, io, json, math, os, random, struct, sys, tempfile, uuid, zlib
from decimal import Decimal, getcontext

import fastavro
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as F
from grpc_tools import protoc

here, rnd = os.path.dirname(os.path.abspath(__file__)), random.Random(1)
getcontext().prec = 100
SCHEMA = uuid.UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")


def text():
    return "".join(rnd.choice("abc \"\\\n\t\x01/<&é\u2028日😀\x7f") for _ in range(rnd.choice([0, 1, 5, 30])))


def integer(bits, signed=True):
    n = rnd.getrandbits(rnd.choice([1, 7, 8, bits // 2, bits]))
    return (n + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) if signed else n


def double():
    return rnd.choice([0.0, -0.0, 1.5, 1e21, 1e-7, 123456789.125, rnd.uniform(-1, 1), rnd.uniform(-1, 1) * 10.0 ** rnd.randint(-300, 300)])


def single():
    return struct.unpack("<f", struct.pack("<f", rnd.choice([0.0, 0.1, 1e10, 3e-20, rnd.uniform(-1e6, 1e6)])))[0]


def shortest(f):
    """The number with the fewest digits that is read as the same float of 32 bits."""
    return next(s for s in (float("%.*g" % (p, f)) for p in range(1, 18)) if struct.pack("<f", s) == struct.pack("<f", f))


def some(make, most=3):
    return [make() for _ in range(rnd.randint(0, most))]


def b64(b):
    return base64.b64encode(b).decode()


class Number(float):
    """A decimal that json.dumps spells as it is."""

    def __new__(cls, d):
        n = super().__new__(cls, 0)
        n.text = format(d, "f")
        return n

    def __repr__(self):
        return self.text


def dump(x):
    if isinstance(x, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dump(v) for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(dump, x)) + "]"
    return x.text if isinstance(x, Number) else json.dumps(x, allow_nan=False)


def write(file, value, expected):
    file.write('{"value":"%s","json":%s}\n' % (b64(value), dump(expected)))


def header(payload):
    kind = rnd.randrange(3)
    if kind == 0:
        return b"\0" + struct.pack(">I", 7) + payload
    return bytes([3, 0 if kind == 1 else 5]) + SCHEMA.bytes + (payload if kind == 1 else zlib.compress(payload))


# Avro: each function returns what fastavro takes and what JSON has.


def page(depth=0):
    url, size = text(), rnd.randbytes(5)
    following = page(depth + 1) if depth < 3 and rnd.random() < 0.3 else (None, None)
    return {"url": url, "size": size, "next": following[0]}, {"url": url, "size": b64(size), "next": following[1]}


def both(make):
    return lambda: (lambda x: (x, x))(make())


def branch():
    raw, p, kind = rnd.randbytes(3), page(), rnd.choice(["VIEW", "CLICK", "LEAVE"])
    one = rnd.choice(["null", "boolean", "long", "double", "string", "bytes", "enum", "record", "array", "map"])
    return {
        "null": (None, None), "boolean": (True, True), "long": (2**53 + 1, 2**53 + 1), "double": (0.5, 0.5), "string": ("x", "x"),
        "bytes": (raw, b64(raw)), "enum": (("web.Kind", kind), kind), "record": (("web.parts.Page", p[0]), p[1]),
        "array": (["a", "b"], ["a", "b"]), "map": ({"k": kind}, {"k": kind}),
    }[one]


def decimal(digits, scale):
    d = Decimal(rnd.choice([0, 1, -1, 10 ** (digits - 1), rnd.randint(-(10**digits) + 1, 10**digits - 1)])).scaleb(-scale)
    return d, Number(d)


def several(make, most=3):
    made = some(make, most)
    return [x for x, _ in made], [y for _, y in made]


def table(make):
    made = {text(): make() for _ in range(rnd.choice([0, 1, 2, 3] * 5 + [20]))}
    return {k: v[0] for k, v in made.items()}, {k: v[1] for k, v in made.items()}


def raw_of(n):
    return lambda: (lambda b: (b, b64(b)))(rnd.randbytes(n))


def speed():
    f = single()
    return f, shortest(f)


AVRO = {
    "nothing": lambda: (None, None), "bot": both(lambda: rnd.random() < 0.5), "width": both(lambda: integer(32)),
    "visitor": both(lambda: integer(64)), "speed": speed, "scroll": both(double), "raw": lambda: raw_of(rnd.randint(0, 9))(),
    "title": both(text), "kind": both(lambda: rnd.choice(["VIEW", "CLICK", "LEAVE"])), "address": raw_of(16), "page": page,
    "path": lambda: several(page), "grid": lambda: several(lambda: several(both(lambda: integer(32)))),
    "counts": lambda: table(both(lambda: integer(64))),
    "nested": lambda: table(lambda: table(both(lambda: rnd.choice([None, text()])))), "any": branch,
    "price": lambda: decimal(60, 9), "whole": lambda: decimal(20, 0), "rate": lambda: decimal(24, 24),
    "id": lambda: (lambda u: (u, str(u)))(uuid.UUID(int=rnd.getrandbits(128))), "day": both(lambda: integer(31)),
    "clock": both(lambda: rnd.randrange(86400000)), "micros": both(lambda: rnd.randrange(86400000000)),
    "at": both(lambda: integer(48)), "exact": both(lambda: integer(60)), "local": both(lambda: integer(48)),
}


def avro(count, file):
    named = {}
    fastavro.parse_schema(json.load(open(here + "/page.avsc")), named)
    schema = fastavro.parse_schema(json.load(open(here + "/event.avsc")), named)
    for _ in range(count):
        made = {name: make() for name, make in AVRO.items()}
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, {k: v[0] for k, v in made.items()})
        write(file, header(out.getvalue()), {k: v[1] for k, v in made.items()})


# Protobuf: messages are filled by their descriptors, and json_format says what JSON has, but for 64-bit integers, which are numbers here.

SCALARS = {
    F.TYPE_DOUBLE: lambda: rnd.choice([double(), math.nan, math.inf, -math.inf]) if rnd.random() < 0.1 else double(),
    F.TYPE_FLOAT: single, F.TYPE_INT32: lambda: integer(32), F.TYPE_SINT32: lambda: integer(32), F.TYPE_SFIXED32: lambda: integer(32),
    F.TYPE_INT64: lambda: integer(64), F.TYPE_SINT64: lambda: integer(64), F.TYPE_SFIXED64: lambda: integer(64),
    F.TYPE_UINT32: lambda: integer(32, False), F.TYPE_FIXED32: lambda: integer(32, False), F.TYPE_UINT64: lambda: integer(64, False),
    F.TYPE_FIXED64: lambda: integer(64, False), F.TYPE_BOOL: lambda: rnd.random() < 0.5, F.TYPE_STRING: text,
    F.TYPE_BYTES: lambda: rnd.randbytes(rnd.randint(0, 9)),
}


def plain(depth=0):
    """A value of JSON, for a Struct."""
    return rnd.choice([
        lambda: None, lambda: True, lambda: rnd.choice([0.25, 3, 1e20]), text,
        lambda: [plain(depth + 1) for _ in range(2)] if depth < 3 else [], lambda: {text(): plain(depth + 1)} if depth < 3 else {},
    ])()


def scalar(field):
    if field.enum_type:
        numbers = [v.number for v in field.enum_type.values]
        closed = field.enum_type.is_closed or field.enum_type.name == "NullValue"
        return rnd.choice(numbers if closed else numbers + [77])
    return SCALARS[field.type]()


def fill(m, depth=0):
    name = m.DESCRIPTOR.full_name
    if name == "google.protobuf.Timestamp":
        m.seconds, m.nanos = rnd.randint(-62135596800, 253402300799), rnd.choice([0, 1, 500000000, 123456000, 999999999])
    elif name == "google.protobuf.Duration":
        sign = rnd.choice([-1, 1])
        m.seconds, m.nanos = sign * rnd.choice([0, 1, 315576000000]), sign * rnd.choice([0, 1, 500000000, 123456000])
    elif name == "google.protobuf.FieldMask":
        m.paths.extend(some(lambda: rnd.choice(["a", "snake_case.and_more", "x.y"])))
    elif name in ("google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"):
        json_format.ParseDict({"Struct": {text(): plain()}, "Value": plain(), "ListValue": [plain()]}[name[16:]], m)
    else:
        for f in m.DESCRIPTOR.fields:
            if f.is_required or rnd.random() < 0.3:
                fill_field(m, f, depth)
    return m


def fill_field(m, f, depth):
    if f.message_type and f.message_type.GetOptions().map_entry:
        key, value = f.message_type.fields_by_name["key"], f.message_type.fields_by_name["value"]
        for _ in range(rnd.choice([0, 1, 3])):
            k = scalar(key)
            if not value.message_type:
                getattr(m, f.name)[k] = scalar(value)
            elif depth < 3:
                fill(getattr(m, f.name)[k], depth + 1)
    elif f.message_type and depth < 3:
        if f.is_repeated:
            for _ in range(rnd.randint(0, 3)):
                fill(getattr(m, f.name).add(), depth + 1)
        else:
            getattr(m, f.name).SetInParent()
            fill(getattr(m, f.name), depth + 1)
    elif not f.message_type and f.is_repeated:
        getattr(m, f.name).extend(some(lambda: scalar(f), 5))
    elif not f.message_type:
        setattr(m, f.name, scalar(f))


LONG = {F.TYPE_INT64, F.TYPE_UINT64, F.TYPE_SINT64, F.TYPE_FIXED64, F.TYPE_SFIXED64}


def numbers(field, x):
    """Turns the 64-bit integers of a field's JSON from strings into numbers."""
    if field.type in LONG:
        return int(x)
    d = field.message_type
    if d is None:
        return x
    if d.full_name in ("google.protobuf.Int64Value", "google.protobuf.UInt64Value"):
        return int(x)
    return x if d.full_name.startswith("google.protobuf.") else fixed(d, x)


def fixed(d, x):
    by_name = {f.json_name: f for f in d.fields}
    for name, v in x.items():
        f = by_name[name]
        if f.message_type and f.message_type.GetOptions().map_entry:
            x[name] = {k: numbers(f.message_type.fields_by_name["value"], w) for k, w in v.items()}
        else:
            x[name] = [numbers(f, w) for w in v] if f.is_repeated else numbers(f, v)
    return x


# The indexes of a message as Confluent and Glue count: Event, Part, Part.Inner. Glue sorts, and counts the entries of the maps.
MESSAGES = {"web.Event": (b"\0", 0), "web.Part": (b"\2\2", 7), "web.Part.Inner": (b"\4\2\0", 8)}


def protobuf(count, file):
    with tempfile.TemporaryDirectory() as d:
        os.mkdir(d + "/web")
        for name, to in (("event.proto", "/event.proto"), ("old.proto", "/web/old.proto")):
            open(d + to, "w").write(open(here + "/" + name).read())
        include = os.path.join(os.path.dirname(protoc.__file__), "_proto")
        if protoc.main(["", "-I" + d, "-I" + include, "--include_imports", "-o" + d + "/set", d + "/event.proto"]):
            sys.exit("protoc has failed")
        files = descriptor_pb2.FileDescriptorSet.FromString(open(d + "/set", "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for f in files.file:
        pool.Add(f)
    event = pool.FindFileByName("event.proto").message_types_by_name
    every = sorted(n for d in event.values() for n in names(d))
    for _ in range(count):
        name = rnd.choice(["web.Event"] * 4 + ["web.Part", "web.Part.Inner"])
        m = fill(message_factory.GetMessageClass(pool.FindMessageTypeByName(name))())
        payload, (confluent, glue) = m.SerializeToString(), MESSAGES[name]
        assert every.index(name) == glue
        value = header(b"")
        if value[0] == 0:
            value += confluent + payload
        else:
            payload = bytes([glue]) + payload
            value = value[:18] + (payload if value[1] == 0 else zlib.compress(payload))
        try:
            expected = fixed(m.DESCRIPTOR, json_format.MessageToDict(m))
        except json_format.SerializeToJsonError:
            continue
        write(file, value, expected)


def names(d):
    return [d.full_name] + [n for inner in d.nested_types for n in names(inner)]


if __name__ == "__main__":
    for name, make in (("avro", avro), ("protobuf", protobuf)):
        with open("%s/%s.jsonl" % (here, name), "w") as file:
            make(int(sys.argv[1]), file)
