#!/usr/bin/env python3
"""Decode the binary attributes of a footfall table without Go. The formats are drawn in docs/internals/encodings.md.

    aws dynamodb query --table-name footfall --key-condition-expression ... --output json | python3 decode.py

Standard input is an answer of DynamoDB: {"Item": {...}}, {"Items": [...]}, or one item. Standard output is a line of JSON for each
item that has an encoded attribute: its pk and sk, the ids of a session, and what the attributes hold. It needs Python 3.9 and nothing else.
"""

import base64
import datetime
import json
import math
import sys
import urllib.parse

DIMENSIONS = [  # in the order of their numbers
    "hostname", "page", "referrer", "channel", "utm_source", "utm_medium", "utm_campaign", "utm_content",
    "utm_term", "country", "region", "city", "device", "browser", "os", "event",
]


class Damaged(ValueError):
    """The bytes are not what they should be."""


# --- bytes


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        if self.left() < n:
            raise Damaged(f"{n} bytes wanted, {self.left()} are left")
        self.at += n
        return self.data[self.at - n : self.at]

    def byte(self):
        return self.take(1)[0]

    def uvarint(self):
        n = shift = 0
        while True:
            b = self.byte()
            n |= (b & 127) << shift
            if b < 128:
                return n
            shift += 7

    def varint(self):
        n = self.uvarint()
        return n >> 1 if n & 1 == 0 else ~(n >> 1)

    def value(self, last):
        """A value that shares its first bytes with the one before it."""
        shared = self.byte()
        return last[:shared] + self.take(self.uvarint())


def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC32C = crc32c_table()


def unseal(data):
    """What lies between the version and the CRC-32C, both of which must be right."""
    if len(data) < 5:
        raise Damaged(f"{len(data)} bytes are too few")
    if data[0] != 1:
        raise Damaged(f"version {data[0]} is unknown")
    crc = 0xFFFFFFFF
    for b in data[:-4]:
        crc = crc >> 8 ^ CRC32C[(crc ^ b) & 255]
    if crc ^ 0xFFFFFFFF != int.from_bytes(data[-4:], "big"):
        raise Damaged("the CRC is not that of the bytes")
    return data[1:-4]


# --- compression


def s2(data):
    """A block of S2, which is Snappy's with a copy that repeats the last offset."""
    r = Reader(data)
    size = r.uvarint()
    out = bytearray()
    offset = 0
    while r.left():
        tag = r.byte()
        kind, length = tag & 3, tag >> 2
        if kind == 0:
            if length >= 60:
                length = int.from_bytes(r.take(length - 59), "little")
            out += r.take(length + 1)
            continue
        if kind == 1:
            near = (tag >> 5) << 8 | r.byte()
            length &= 7
            if near:
                offset, length = near, length + 4
            elif length < 5:
                length += 4
            else:  # 1, 2 or 3 bytes say how long a repeated copy is.
                length = int.from_bytes(r.take(length - 4), "little") + [8, 4 + (1 << 8), 4 + (1 << 16)][length - 5]
        else:
            offset, length = int.from_bytes(r.take(2 if kind == 2 else 4), "little"), length + 1
        if not 0 < offset <= len(out):
            raise Damaged(f"a copy from {offset} bytes before position {len(out)}")
        for _ in range(length):
            out.append(out[-offset])
    if len(out) != size:
        raise Damaged(f"{len(out)} bytes unpacked, not {size}")
    return bytes(out)


class Backwards:
    """Bits from the end of the bytes; the highest bit that is set in the last byte only marks the end."""

    def __init__(self, data):
        if not data or data[-1] == 0:
            raise Damaged("a stream of bits has no end")
        self.bits = int.from_bytes(data, "little")
        self.left = len(data) * 8 - 9 + data[-1].bit_length()

    def read(self, n):
        """n bits; beyond the end they are 0, and left is below 0."""
        self.left -= n
        at = self.left
        return (self.bits >> at if at >= 0 else self.bits << -at) & ((1 << n) - 1)


def fse_counts(data, limit):
    """How often each symbol is in a table of states, the table's size as a power of 2, and the bytes that say so: RFC 8878, 4.1.1."""
    bits, at = int.from_bytes(data[:600], "little"), 4
    log = (bits & 15) + 5
    if log > limit:
        raise Damaged(f"a table of 2^{log} states")
    counts, rest, zeros = [], (1 << log) + 1, False
    while rest > 1:
        if len(counts) > 255:
            raise Damaged("a table of too many symbols")
        if zeros:  # how many symbols follow that do not occur
            while True:
                n = bits >> at & 3
                at += 2
                counts += [0] * n
                if n < 3:
                    break
        width = rest.bit_length()
        low = (1 << width) - 1 - rest
        n = bits >> at & ((1 << width - 1) - 1)
        if n < low:
            at += width - 1
        else:
            n = bits >> at & ((1 << width) - 1)
            at += width
            if n >= 1 << width - 1:
                n -= low
        counts.append(n - 1)
        rest -= abs(n - 1)
        zeros = n == 1
    if rest < 1:
        raise Damaged("a table of too many states")
    return counts, log, (at + 7) // 8


def fse_table(counts, log):
    """For each state its symbol, how many bits follow it, and what is added to them for the next state."""
    size = 1 << log
    cells, high = [0] * size, size - 1
    for symbol, n in enumerate(counts):
        if n == -1:
            cells[high] = symbol
            high -= 1
    cell, step = 0, (size >> 1) + (size >> 3) + 3
    for symbol, n in enumerate(counts):
        for _ in range(max(n, 0)):
            cells[cell] = symbol
            cell = cell + step & size - 1
            while cell > high:
                cell = cell + step & size - 1
    following = [abs(n) for n in counts]
    table = []
    for symbol in cells:
        n = following[symbol]
        following[symbol] += 1
        width = log - n.bit_length() + 1
        table.append((symbol, width, (n << width) - size))
    return table


def fse_weights(data):
    """Huffman weights that are compressed with finite state entropy, as RFC 8878, 4.1 and 4.2.1.2 say."""
    counts, log, end = fse_counts(data, 6)
    table = fse_table(counts, log)
    stream = Backwards(data[end:])
    states = [stream.read(log), stream.read(log)]
    weights = []
    while True:
        for i in (0, 1):
            symbol, width, base = table[states[i]]
            weights.append(symbol)
            states[i] = base + stream.read(width)
            if stream.left < 0:  # The other state holds the last one.
                weights.append(table[states[1 - i]][0])
                return weights


def huffman(r):
    """A table of Huffman's code: the next log bits say the byte and how many of the bits are its own. RFC 8878, 4.2.1."""
    head = r.byte()
    if head < 128:
        weights = fse_weights(r.take(head))
    else:
        n = head - 127
        halves = r.take((n + 1) // 2)
        weights = [w for b in halves for w in (b >> 4, b & 15)][:n]
    total = sum(1 << w >> 1 for w in weights)
    log = total.bit_length()
    last = (1 << log) - total
    if total == 0 or last & last - 1:
        raise Damaged("weights that do not add up")
    weights.append(last.bit_length())
    table = []
    for w in range(1, log + 1):
        for byte, weight in enumerate(weights):
            if weight == w:
                table += [(byte, log + 1 - w)] * (1 << w - 1)
    return table, log


def huffman_stream(data, size, table, log):
    """size bytes of a stream of Huffman's code."""
    stream, out = Backwards(data), bytearray()
    for _ in range(size):
        byte, width = table[stream.read(log)]
        stream.left += log - width
        out.append(byte)
    if stream.left != 0:
        raise Damaged(f"a stream has {stream.left} bits left")
    return out


def huffman_streams(r, size, table, log):
    """size bytes of four streams of Huffman's code: RFC 8878, 4.2.2."""
    sizes = r.take(6)
    out, part = bytearray(), (size + 3) // 4
    for i in range(4):
        data = r.take(int.from_bytes(sizes[2 * i : 2 * i + 2], "little") if i < 3 else r.left())
        out += huffman_stream(data, min(part, size - len(out)), table, log)
    return bytes(out)


def huff0(data, size):
    """size bytes that were compressed by Huffman's code in four streams: RFC 8878, 4.2."""
    r = Reader(data)
    return huffman_streams(r, size, *huffman(r))


def bases(first, bits):
    """The least number of each code, and how many bits are added to it."""
    out = []
    for n in bits:
        out.append((first, n))
        first += 1 << n
    return out


class Code:
    """The codes of lengths or offsets in sequences of Zstandard: how they are read if nothing is said, RFC 8878, 3.1.1.3.2."""

    def __init__(self, bases, limit, log, counts):
        self.bases, self.limit, self.usual = bases, limit, (fse_table(counts, log), log)

    def table(self, mode, r, last):
        """The table of states of a block."""
        if mode == 0:
            return self.usual
        if mode == 1:
            return [(r.byte(), 0, 0)], 0
        if mode == 2:
            counts, log, size = fse_counts(r.data[r.at :], self.limit)
            r.take(size)
            return fse_table(counts, log), log
        if last is None:
            raise Damaged("a table is to be that of the block before, and there is none")
        return last


LITERALS = Code(bases(0, [0] * 16 + [1] * 4 + [2, 2, 3, 3, 4] + list(range(6, 17))), 9, 6,
                [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4)
OFFSETS = Code([(1 << n, n) for n in range(32)], 8, 5, [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5)
MATCHES = Code(bases(3, [0] * 32 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5] + list(range(7, 17))), 9, 6,
               [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7)


class Zstandard:
    """One frame of Zstandard, with the raw content of a dictionary: RFC 8878."""

    def __init__(self, dictionary):
        self.out = bytearray(dictionary)
        self.skip = len(dictionary)
        self.tree = None
        self.tables = [None, None, None]  # of the block before
        self.offsets = [1, 4, 8]

    def frame(self, data, most):
        """What is unpacked; most is how many bytes that may be."""
        r = Reader(data)
        if r.take(4) != b"\x28\xb5\x2f\xfd":
            raise Damaged("no frame of Zstandard")
        head = r.byte()
        if not head & 32:
            r.byte()  # how far copies reach
        r.take([0, 1, 2, 4][head & 3])  # the number of the dictionary
        r.take([head >> 5 & 1, 2, 4, 8][head >> 6])  # the size
        last = False
        while not last:
            block = int.from_bytes(r.take(3), "little")
            last, kind, size = block & 1, block >> 1 & 3, block >> 3
            if kind == 0:
                self.out += r.take(size)
            elif kind == 1:
                if len(self.out) + size > self.skip + most:
                    raise Damaged(f"more than {most} bytes")
                self.out += r.take(1) * size
            elif kind == 2:
                self.block(Reader(r.take(size)), most)
            else:
                raise Damaged("a block of another kind")
        if r.left() != (4 if head & 4 else 0):
            raise Damaged(f"{r.left()} bytes follow")
        return bytes(self.out[self.skip :])

    def literals(self, r):
        """The bytes of a block that are no copies: 3.1.1.3.1."""
        head = r.byte()
        kind, form = head & 3, head >> 2 & 3
        if kind < 2:
            size = head >> 3 if form & 1 == 0 else (head | int.from_bytes(r.take(form // 2 + 1), "little") << 8) >> 4
            return r.take(size) if kind == 0 else r.take(1) * size
        width = [10, 10, 14, 18][form]
        head |= int.from_bytes(r.take([2, 2, 3, 4][form]), "little") << 8
        size, packed = head >> 4 & (1 << width) - 1, head >> 4 + width
        part = Reader(r.take(packed))
        if kind == 2:
            self.tree = huffman(part)
        if self.tree is None:
            raise Damaged("literals need the code of a block before")
        if form == 0:
            return bytes(huffman_stream(part.take(part.left()), size, *self.tree))
        return huffman_streams(part, size, *self.tree)

    def block(self, r, most):
        """Literals and copies in turn: 3.1.1.3.2."""
        literals = Reader(self.literals(r))
        count = r.byte()
        if count == 255:
            count = int.from_bytes(r.take(2), "little") + 0x7F00
        elif count > 127:
            count = (count - 128 << 8) + r.byte()
        if count:
            self.sequences(r, count, literals, most)
        self.out += literals.take(literals.left())

    def sequences(self, r, count, literals, most):
        modes = r.byte()
        self.tables = [code.table(modes >> shift & 3, r, last)
                       for code, shift, last in zip((LITERALS, OFFSETS, MATCHES), (6, 4, 2), self.tables)]
        stream = Backwards(r.take(r.left()))
        states = [stream.read(log) for _, log in self.tables]
        for i in range(count):
            cells = [table[state] for (table, _), state in zip(self.tables, states)]
            symbols = [cell[0] for cell in cells]
            if any(symbol >= len(code.bases) for code, symbol in zip((LITERALS, OFFSETS, MATCHES), symbols)):
                raise Damaged("a code that there is not")
            plain, far, length = LITERALS.bases[symbols[0]], OFFSETS.bases[symbols[1]], MATCHES.bases[symbols[2]]
            far = far[0] + stream.read(far[1])
            length = length[0] + stream.read(length[1])
            plain = plain[0] + stream.read(plain[1])
            if i < count - 1:
                for n in (0, 2, 1):
                    states[n] = cells[n][2] + stream.read(cells[n][1])
            self.out += literals.take(plain)
            self.copy(self.offset(far, plain), length, most)
        if stream.left != 0:
            raise Damaged(f"the sequences have {stream.left} bits left")

    def offset(self, value, plain):
        """How far back a copy begins: 3.1.1.5."""
        last = self.offsets
        if value > 3:
            self.offsets = [value - 3] + last[:2]
            return value - 3
        n = value - 1 if plain else value
        far = last[n] if n < 3 else last[0] - 1
        if n:
            self.offsets = [far, last[0], last[1] if n > 1 else last[2]]
        return far

    def copy(self, offset, length, most):
        begin = len(self.out) - offset
        if offset < 1 or begin < 0:
            raise Damaged(f"a copy from {offset} bytes before position {len(self.out)}")
        if len(self.out) + length > self.skip + most:
            raise Damaged(f"more than {most} bytes")
        piece = self.out[begin : begin + min(offset, length)]
        self.out += (piece * (length // len(piece) + 1))[:length]


# --- visitors

BETA = {
    14: [-0.371009760230692, 0.00978811941207509, 0.185796293324165, 0.203015527328432,
         -0.116710521803686, 0.0431106699492820, -0.00599583540511831, 0.000449704299509437],
    12: [-0.384979202588598, 0.183162233114364, 0.130396688841854, 0.0704838927629266,
         -0.0089589397146453, 0.0113010036741605, -0.00194285569591290, 0.000225435774024964],
    10: [-0.25935400670790054, -0.52598301999805808, 1.48933034925876839, -1.29642714084993571,
         0.62284756217221615, -0.15672326770251041, 0.02054415903878563, -0.00112488483925502],
}


class Visitors:
    """Distinct visitors: the set of their hashes, or HyperLogLog's registers where there are more."""

    def __init__(self, precision, exact, hashes=(), registers=None):
        self.precision, self.exact = precision, exact
        self.hashes, self.registers = set(hashes), registers

    def merge(self, other):
        """Make this the visitors of both."""
        if self.registers is None and other.registers is None and len(self.hashes | other.hashes) <= self.exact:
            self.hashes |= other.hashes
            return
        self.registers = bytes(map(max, self.as_registers(), other.as_registers()))
        self.hashes = set()

    def as_registers(self):
        if self.registers is not None:
            return self.registers
        registers = bytearray(1 << self.precision)
        rest = 64 - self.precision
        for h in self.hashes:
            zeros = rest - (h & (1 << rest) - 1).bit_length()
            registers[h >> rest] = max(registers[h >> rest], zeros + 1)
        return bytes(registers)

    def estimate(self):
        """How many they are: exact, or LogLog-Beta's estimate (Qin, Kim and Tung, arXiv:1612.02284)."""
        if self.registers is None:
            return len(self.hashes)
        m = len(self.registers)
        total = sum(math.ldexp(self.registers.count(r), -r) for r in range(64, -1, -1))
        empty = float(self.registers.count(0))
        c, log, beta = BETA[self.precision], math.log(empty + 1), 0.0
        for k in range(7, 0, -1):
            beta = (beta + c[k]) * log
        beta += c[0] * empty
        alpha = 0.7213 / (1 + 1.079 / m)
        return min(int(alpha * m * (m - empty) / (total + beta) + 0.5), 1 << 53)

    def error(self):
        """The relative standard error of estimate; 0 where it is exact."""
        return 0 if self.registers is None else 1.04 / math.sqrt(len(self.registers))

    def plain(self):
        return {"uniqueVisitors": self.estimate(), "uniqueVisitorsError": self.error()}


def hashes_of(data):
    return [int.from_bytes(data[i : i + 8], "big") for i in range(0, len(data), 8)]


def uniques(data):
    """The visitors of an hour, a day, a month or a realtime minute."""
    r = Reader(unseal(data))
    precision = r.byte()
    if precision == 0x8C:
        return row_visitors(r)
    form = r.byte()
    if precision not in (10, 14) or form > 2:
        raise Damaged(f"precision {precision}, form {form}")
    exact, size = (1024 if precision == 14 else 128), 1 << precision
    if form == 0:
        return Visitors(precision, exact, hashes_of(r.take(r.left())))
    if form == 1:
        r.take(8)
        return Visitors(precision, exact, registers=r.take(size))
    return Visitors(precision, exact, registers=huff0(r.take(r.left()), size))


class Bits:
    """Bits, the highest of a byte first. What is left of the last byte is not used."""

    def __init__(self, r):
        self.r, self.last, self.left = r, 0, 0

    def bit(self):
        if self.left == 0:
            self.last, self.left = self.r.byte(), 8
        self.left -= 1
        return self.last >> self.left & 1

    def number(self, bits):
        n = 0
        for _ in range(bits):
            n = 2 * n + self.bit()
        return n

    def unary(self):
        """A number that is as many ones, and a zero."""
        n = 0
        while self.bit():
            n += 1
        return n


def row_visitors(r):
    """The visitors of a row of a breakdown."""
    head = r.byte()
    if head <= 64:
        return Visitors(12, 64, hashes_of(r.take(8 * head)))
    registers = bytearray(4096)
    if head == 65:
        k = r.byte()
        bits = Bits(r)
        for group in range(0, 4096, 1 << k):
            while register := bits.unary():
                registers[group + bits.number(k)] = register
    elif head == 66:
        bits = Bits(r)
        registers = bytes(bits.unary() for _ in range(4096))
    elif head == 67:
        for i, b in enumerate(r.take(2048)):
            registers[2 * i], registers[2 * i + 1] = b >> 4, b & 15
        for i, register in enumerate(registers):
            if register == 15:
                registers[i] = r.byte()
    else:
        raise Damaged(f"the visitors of a row begin with {head}")
    return Visitors(12, 64, registers=bytes(registers))


# --- rows


def text(value):
    return value.decode("utf-8", "replace")


def top(data):
    """The most frequent values, as realtime keeps pages."""
    r = Reader(unseal(data))
    if r.byte() != ord("T"):
        raise Damaged("these are the bytes of something else")
    r.uvarint()  # how many rows there may be
    floor, other = r.uvarint(), r.uvarint()
    rows, last = [], b""
    for _ in range(r.uvarint()):
        last = r.value(last)
        rows.append({"value": text(last), "events": r.uvarint(), "maxUndercount": r.uvarint()})
    rows.sort(key=rank)
    return {"rows": rows, "other": other, "floor": floor}


def rank(row):
    """Rows are ordered by the most events that they can have had; of equals the least value by bytes is first."""
    return -row["events"] - row["maxUndercount"]


FIGURES = ["pageViews", "sessions", "bounces", "durationMs", "entries", "exits"]
ATTENTION = ["timedPageViews", "timeOnPageMs", "scrolledPageViews", "scrollDepthSum"]


def tally(r):
    """What was counted, and the error of a row."""
    has = r.byte()
    error = r.uvarint() if has & 128 else 0
    counted = {name: r.uvarint() if has & 1 << bit else 0 for bit, name in enumerate(FIGURES)}
    more = r.byte() if has & 64 else 0
    if more & 15:
        counted["attention"] = {name: r.uvarint() if more & 1 << bit else 0 for bit, name in enumerate(ATTENTION)}
    if more & 16:
        n, total = r.uvarint(), wide(r)
        # Strings: JavaScript's numbers end at 2^53.
        counted["values"] = {"n": n, "sumMicros": str(total), "minMicros": str(r.varint()), "maxMicros": str(r.varint())}
    if more & 224:
        counted["conversions"] = {"sessions": r.uvarint() if more & 32 else 0, "further": r.uvarint() if more & 64 else 0,
                                  "worthMicros": str(wide(r) if more & 128 else 0)}
    return {**counted, **row_visitors(r).plain()}, error


def wide(r):
    """A zigzag number of 128 bits, the high half first."""
    zigzag = r.uvarint() << 64 | r.uvarint()
    return zigzag >> 1 if zigzag & 1 == 0 else ~(zigzag >> 1)


def dimension(number):
    """The name of a dimension. 16 to 115 are properties that the site has chosen: METADATA has their keys."""
    if 16 <= number < 116:
        return f"property {number - 15}"
    return DIMENSIONS[number if number < 16 else number - 100]


def breakdown(data):
    """What was counted by the values of each dimension."""
    r = Reader(unseal(s2(data)))
    if r.byte() != ord("B"):
        raise Damaged("these are the bytes of something else")
    r.uvarint()  # how many rows a dimension may have
    dimensions = {}
    for _ in range(r.byte()):
        name = dimension(r.byte())
        floor, events = r.uvarint(), r.uvarint()
        other = {"events": events, **tally(r)[0]}
        rows, last = [], b""
        for _ in range(r.uvarint()):
            last = r.value(last)
            events = r.uvarint()
            counted, error = tally(r)
            r.uvarint()  # the position in the log at which the row was admitted
            rows.append({"value": text(last), "events": events, "maxUndercount": error, **counted})
        rows.sort(key=rank)
        dimensions[name] = {"rows": rows, "other": other, "floor": floor}
    return dimensions


# --- sessions

ORIGIN = [  # what the earliest event of a session says, in the order of DIMENSIONS
    "hostname", "", "referrer", "channel", "utmSource", "utmMedium", "utmCampaign", "utmContent", "utmTerm",
    "country", "region", "city", "device", "browser", "os", "eventName",
]
WORDS = [  # values that most sessions have, by number
    "desktop", "mobile", "tablet", "tv", "console", "Direct", "Organic Search", "Organic Social",
    "Organic Shopping", "Organic Video", "Referral", "Email", "Paid Search", "Paid Social", "Paid Shopping",
    "Paid Video", "Paid Other", "Display", "Affiliates", "SMS", "Audio", "AI Assistants",
    "Mobile Push Notifications", "Unassigned", "Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Browser",
    "Facebook", "Instagram", "Windows", "Android", "iOS", "macOS", "Linux", "ChromeOS", "google", "bing",
    "facebook", "newsletter", "email", "cpc", "organic", "social", "referral", "www.google.com", "www.bing.com",
    "duckduckgo.com", "www.facebook.com", "t.co",
]


def session(data):
    """What a session shows. What follows in the bytes is for the pipeline only."""
    r = Reader(data)
    version = r.byte()
    if version != 7:
        raise Damaged(f"version {version} is unknown")
    if not r.left():
        return {}
    flags = r.uvarint()
    opened = r.varint()
    started, ended = opened + r.varint(), opened + r.varint()
    views, events = r.varint(), r.varint()
    r.varint()  # the position in the log at which it is counted
    shown = {"openedAt": opened, "startedAt": started, "endedAt": ended, "durationMs": ended - started, "pageViews": views,
             "events": events, "bounce": views <= 1 and not flags & 1, "engaged": ended - started >= 10_000 or views >= 2}
    if flags & 2:
        page = b""
        for name in ("entryPage", "exitPage"):
            r.varint(), r.varint()  # its time and position
            size = r.uvarint()
            page = r.take(size) if size else page
            shown[name] = text(page)
    if flags & 4:
        has = r.uvarint()
        for bit, name in enumerate(ORIGIN):
            if has & 1 << bit:
                n = r.uvarint()
                shown[name] = WORDS[n >> 1] if n & 1 else text(r.take(n >> 1))
    return shown


# --- sessions of visitors


def listed(data, sk):
    """The sessions that an item lists. sk is the item's: bucket, hour, partition, flush, number; or NEW, minute, partition, flush."""
    _, at, tp = sk.split("#")[:3]
    start = datetime.datetime.strptime(at[:13], "%Y-%m-%dT%H").replace(tzinfo=datetime.timezone.utc)
    r = Reader(data)
    version = r.byte()
    if version != 1:
        raise Damaged(f"version {version} is unknown")
    rows = []
    while r.left():
        visitor = r.take(8).hex()
        opened = int(start.timestamp()) * 1000 + int.from_bytes(r.take(3), "big")
        kind = r.uvarint()
        if kind == 0:
            id = hyphened(r.take(16).hex())
        elif kind == 1:
            id = r.take(16).hex()
        elif kind == 2:
            id = f"~visit-{visitor}-{tp}-{r.uvarint()}"
        else:
            id = text(r.take(kind - 3))
        rows.append({"visitor": visitor, "openedAt": opened, "sessionId": id})
    return rows


def hyphened(digits):
    """The UUID of 32 hex digits."""
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


# --- packs

DICTIONARY = rb"""Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15
Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/140.0.0.0 Mobile Safari/537.36
Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1
Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1
visitor session user event click scroll engagement ping search signup login logout purchase add_to_cart checkout form_submit download video_play outbound_link
{"plan":"free","variant":"A","value":1,"currency":"EUR","price":19.99,"quantity":1,"product":"","category":"","method":"","position":0,"engagementMs":15000,"scrollDepth":75,"loggedIn":false,"language":"en-US","true":true,"null":null}
https://www.facebook.com/ https://www.linkedin.com/ https://t.co/ https://duckduckgo.com/ https://www.bing.com/ https://news.ycombinator.com/ https://www.youtube.com/ https://www.reddit.com/ https://www.google.com/
https://www.example.com/index.html /about /contact /pricing /blog/ /docs/ /products/ /category/ /search?q= /cart /checkout /account /login ?utm_source=google&utm_medium=cpc&utm_campaign= &utm_source=newsletter&utm_medium=email&utm_content=&utm_term=
Windows macOS Linux Android iOS Chrome Safari Firefox Edge Opera Samsung Internet desktop mobile tablet agent referrer rate
US DE GB FR NL ES IT PL SE AT CH BE DK NO FI PT BR MX CA AU IN JP KR CN SG ZA New York London Berlin Paris Amsterdam Madrid California England Bavaria Texas Ontario
page_view"""

TEXTS = [  # of a raw event, in the order of their bits
    "type", "id", "visitorId", "sessionId", "userId", "url", "referrer", "title", "userAgent", "name",
    "country", "region", "city", "device", "browser", "os", "properties", "value", "bot",
]
MOST = 256 << 10  # bytes of a pack


def pack(data):
    """The raw events of a pack. The partition of their records is in the key of the item."""
    r = Reader(unseal(data))
    if r.byte() != ord("P"):
        raise Damaged("these are the bytes of something else")
    if (number := r.byte()) != 1:
        raise Damaged(f"dictionary {number} is unknown")
    size = r.uvarint()
    body = Zstandard(DICTIONARY).frame(r.take(r.left()), MOST)
    if len(body) != size:
        raise Damaged(f"{len(body)} bytes unpacked, not {size}")
    r = Reader(body)
    topic, days = text(r.take(r.uvarint())), r.varint()
    events = [raw_event(r) for _ in range(r.uvarint())]
    if r.left():
        raise Damaged(f"{r.left()} bytes follow the events")
    return {"topic": topic, "days": days, "events": events}


def raw_event(r):
    ulid = int.from_bytes(r.take(16), "big")
    at = ulid >> 80
    event = {"ulid": "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[ulid >> 5 * n & 31] for n in range(25, -1, -1)), "timestamp": at,
             "recordTime": at + r.varint(), "offset": r.uvarint()}
    has = r.uvarint()
    for n, name in enumerate(TEXTS):
        if has >> (n if n < 19 else n + 2) & 1:
            event[name] = text(r.take(r.uvarint()))
    for bit, name in enumerate(("foreign", "excluded"), 19):
        if has >> bit & 1:
            event[name] = True
    return event


# --- items


def key_id(segment):
    """The id that a segment of a key spells; None: the key has the beginning of the id and a hash."""
    if segment[:2] in ("%x", "%u"):
        digits = base64.urlsafe_b64decode(segment[2:] + "==").hex()
        if segment[1] == "x":
            return digits
        return hyphened(digits)
    return None if "%~" in segment else urllib.parse.unquote(segment)


def session_ids(item):
    """Of a session, the ids that its keys spell, and the attributes of those that they do not."""
    ids = {}
    for name, attribute, before, after in (("sessionId", "sk", "SESSION#", 2), ("userId", "gsi1pk", "", 1)):
        spelled = item.get(attribute, {}).get("S", "")
        id = None
        if spelled.startswith(before) and spelled and not (name == "sessionId" and "erased" in item):
            id = key_id(spelled.split("#")[-after])
        if name in item:
            id = item[name]["S"]
        if id:
            ids[name] = id
    visitor = item.get("visitorId", {}).get("S", "")
    if visitor:
        ids["visitorId"] = visitor[1:] if visitor.startswith("%%") else key_id(visitor) if visitor.startswith("%") else visitor
    return ids


def decoder(item, attribute):
    """The function that decodes an attribute of an item; None: it is not encoded."""
    entity = item.get("_et", {}).get("S", "")
    if attribute == "part" and entity in ("Breakdown", "SealedBreakdown"):
        return breakdown
    if attribute == "part" and entity in ("Uniques", "SealedUniques") or attribute == "visitors" and entity == "Realtime":
        return lambda data: uniques(data).plain()
    if attribute == "pages" and entity == "Realtime":
        return top
    if attribute == "part" and entity == "Pack":
        return pack
    if attribute == "cur" and entity == "Session":
        return session
    if attribute == "listed" and entity in ("VisitorSessions", "NewSessions"):
        return lambda data: listed(data, item["sk"]["S"])
    if entity == "Stats" and attribute[:1] == "h" and attribute[1:2].isdigit():
        return lambda data: uniques(data).plain()
    return None


def items(answer):
    if "Items" in answer:
        return answer["Items"]
    return [answer.get("Item", answer)]


def main():
    for item in items(json.load(sys.stdin)):
        decoded = {}
        for name, value in sorted(item.items()):
            decode = decoder(item, name)
            if decode and "B" in value:
                decoded[name] = decode(base64.b64decode(value["B"]))
        if decoded:
            ids = session_ids(item) if item.get("_et", {}).get("S") == "Session" else {}
            print(json.dumps({"pk": item["pk"]["S"], "sk": item["sk"]["S"], **ids, **decoded}, ensure_ascii=False))


if __name__ == "__main__":
    main()
