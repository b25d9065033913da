#!/usr/bin/env node
// Decode the binary attributes of a footfall table without Go. The formats are drawn in docs/internals/encodings.md.
//
//     aws dynamodb query --table-name footfall --key-condition-expression ... --output json | node decode.js
//
// Standard input is an answer of DynamoDB: {"Item": {...}}, {"Items": [...]}, or one item. Standard output is a line of JSON for each
// item that has an encoded attribute: its pk and sk, the ids of a session, and what the attributes hold. It needs Node.js 18 and nothing else.
'use strict';

const DIMENSIONS = [ // in the order of their numbers
  'hostname', 'page', 'referrer', 'channel', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content',
  'utm_term', 'country', 'region', 'city', 'device', 'browser', 'os', 'event',
];

// --- bytes

class Reader {
  constructor(data) {
    this.data = data;
    this.at = 0;
  }

  left() {
    return this.data.length - this.at;
  }

  take(n) {
    if (this.left() < n) throw new Error(`${n} bytes wanted, ${this.left()} are left`);
    this.at += n;
    return this.data.subarray(this.at - n, this.at);
  }

  byte() {
    return this.take(1)[0];
  }

  // big reads a uvarint of up to 64 bits.
  big() {
    let n = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const b = this.byte();
      n |= BigInt(b & 127) << shift;
      if (b < 128) return n;
    }
  }

  uvarint() {
    return Number(this.big());
  }

  varint() {
    return Number(unzigzag(this.big()));
  }

  // value reads one that shares its first bytes with the one before it.
  value(last) {
    const shared = this.byte();
    return Buffer.concat([last.subarray(0, shared), this.take(this.uvarint())]);
  }
}

const unzigzag = (n) => (n & 1n ? ~(n >> 1n) : n >> 1n);

const little = (bytes) => bytes.reduceRight((n, b) => n * 256 + b, 0);

const CRC32C = Array.from({ length: 256 }, (_, n) => {
  for (let i = 0; i < 8; i++) n = (n >>> 1) ^ (n & 1 ? 0x82f63b78 : 0);
  return n >>> 0;
});

// unseal returns what lies between the version and the CRC-32C, both of which must be right.
function unseal(data) {
  if (data.length < 5) throw new Error(`${data.length} bytes are too few`);
  if (data[0] !== 1) throw new Error(`version ${data[0]} is unknown`);
  const body = data.subarray(0, -4);
  let crc = 0xffffffff;
  for (const b of body) crc = (crc >>> 8) ^ CRC32C[(crc ^ b) & 255];
  if (~crc >>> 0 !== data.readUInt32BE(body.length)) throw new Error('the CRC is not that of the bytes');
  return body.subarray(1);
}

// --- compression

// s2 unpacks a block of S2, which is Snappy's with a copy that repeats the last offset.
function s2(data) {
  const r = new Reader(data);
  const out = Buffer.alloc(r.uvarint());
  let at = 0;
  let offset = 0;
  while (r.left() > 0) {
    const tag = r.byte();
    const kind = tag & 3;
    let length = tag >> 2;
    if (kind === 0) {
      if (length >= 60) length = little(r.take(length - 59));
      at += r.take(length + 1).copy(out, at);
      continue;
    }
    if (kind === 1) {
      const near = ((tag >> 5) << 8) | r.byte();
      length &= 7;
      if (near > 0) {
        offset = near;
        length += 4;
      } else if (length < 5) {
        length += 4;
      } else { // 1, 2 or 3 bytes say how long a repeated copy is.
        length = little(r.take(length - 4)) + [8, 4 + (1 << 8), 4 + (1 << 16)][length - 5];
      }
    } else {
      offset = little(r.take(kind === 2 ? 2 : 4));
      length += 1;
    }
    if (offset === 0 || offset > at || at + length > out.length) throw new Error(`a copy from ${offset} bytes before position ${at}`);
    for (const end = at + length; at < end; at++) out[at] = out[at - offset];
  }
  if (at !== out.length) throw new Error(`${at} bytes unpacked, not ${out.length}`);
  return out;
}

// bits returns n bits of the bytes from a position, the lowest first; beyond either end they are 0.
function bits(data, at, n) {
  let v = 0;
  for (let i = n - 1; i >= 0; i--) v = v * 2 + (((data[(at + i) >> 3] ?? 0) >> ((at + i) & 7)) & 1);
  return v;
}

// Backwards reads bits from the end of the bytes; the highest bit that is set in the last byte only marks the end.
class Backwards {
  constructor(data) {
    const last = data[data.length - 1];
    if (!last) throw new Error('a stream of bits has no end');
    this.data = data;
    this.left = data.length * 8 - 1 - Math.clz32(last) + 24;
  }

  // read takes n bits; beyond the end they are 0, and left is below 0.
  read(n) {
    this.left -= n;
    return bits(this.data, this.left, n);
  }
}

const width = (n) => 32 - Math.clz32(n);

// fseCounts reads how often each symbol is in a table of states, the table's size as a power of 2, and how many bytes say so:
// RFC 8878, 4.1.1.
function fseCounts(data, limit) {
  const log = (data[0] & 15) + 5;
  if (log > limit) throw new Error(`a table of 2^${log} states`);
  const counts = [];
  let at = 4;
  let zeros = false;
  let rest = (1 << log) + 1;
  while (rest > 1) {
    if (counts.length > 255) throw new Error('a table of too many symbols');
    for (let n = 3; zeros && n === 3; ) { // how many symbols follow that do not occur
      n = bits(data, at, 2);
      at += 2;
      for (let i = 0; i < n; i++) counts.push(0);
    }
    const w = width(rest);
    const low = (1 << w) - 1 - rest;
    let n = bits(data, at, w - 1);
    if (n < low) {
      at += w - 1;
    } else {
      n = bits(data, at, w);
      at += w;
      if (n >= 1 << (w - 1)) n -= low;
    }
    counts.push(n - 1);
    rest -= Math.abs(n - 1);
    zeros = n === 1;
  }
  if (rest < 1) throw new Error('a table of too many states');
  return { counts, log, size: (at + 7) >> 3 };
}

// fseTable returns for each state its symbol, how many bits follow it, and what is added to them for the next state.
function fseTable(counts, log) {
  const size = 1 << log;
  const cells = new Array(size).fill(0);
  let high = size - 1;
  counts.forEach((n, symbol) => {
    if (n === -1) cells[high--] = symbol;
  });
  let cell = 0;
  counts.forEach((n, symbol) => {
    for (let i = 0; i < n; i++) {
      cells[cell] = symbol;
      do cell = (cell + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (cell > high);
    }
  });
  const following = counts.map(Math.abs);
  return cells.map((symbol) => {
    const n = following[symbol]++;
    const w = log - width(n) + 1;
    return { symbol, width: w, base: (n << w) - size };
  });
}

// fseWeights reads Huffman weights that are compressed with finite state entropy, as RFC 8878, 4.1 and 4.2.1.2 say.
function fseWeights(data) {
  const { counts, log, size } = fseCounts(data, 6);
  const table = fseTable(counts, log);
  const stream = new Backwards(data.subarray(size));
  const states = [stream.read(log), stream.read(log)];
  const weights = [];
  for (let i = 0; ; i = 1 - i) {
    const { symbol, width: w, base } = table[states[i]];
    weights.push(symbol);
    states[i] = base + stream.read(w);
    if (stream.left < 0) { // The other state holds the last one.
      weights.push(table[states[1 - i]].symbol);
      return weights;
    }
  }
}

// huffman reads a table of Huffman's code: the next log bits say the byte and how many of the bits are its own. RFC 8878, 4.2.1.
function huffman(r) {
  const head = r.byte();
  let weights;
  if (head < 128) {
    weights = fseWeights(r.take(head));
  } else {
    const n = head - 127;
    weights = [...r.take((n + 1) >> 1)].flatMap((b) => [b >> 4, b & 15]).slice(0, n);
  }
  const total = weights.reduce((sum, w) => sum + ((1 << w) >> 1), 0);
  const log = width(total);
  const last = (1 << log) - total;
  if (total === 0 || last & (last - 1)) throw new Error('weights that do not add up');
  weights.push(width(last));
  const cells = [];
  for (let w = 1; w <= log; w++) {
    weights.forEach((weight, byte) => {
      if (weight === w) for (let i = 0; i < 1 << (w - 1); i++) cells.push({ byte, width: log + 1 - w });
    });
  }
  return { cells, log };
}

// huffmanStream fills out from a stream of Huffman's code.
function huffmanStream(data, out, { cells, log }) {
  const stream = new Backwards(data);
  for (let at = 0; at < out.length; at++) {
    const { byte, width: w } = cells[stream.read(log)];
    stream.left += log - w;
    out[at] = byte;
  }
  if (stream.left !== 0) throw new Error(`a stream has ${stream.left} bits left`);
}

// huffmanStreams reads size bytes of four streams of Huffman's code: RFC 8878, 4.2.2.
function huffmanStreams(r, size, table) {
  const sizes = r.take(6);
  const out = Buffer.alloc(size);
  const part = (size + 3) >> 2;
  for (let i = 0; i < 4; i++) {
    const data = r.take(i < 3 ? sizes.readUInt16LE(2 * i) : r.left());
    huffmanStream(data, out.subarray(i * part, i < 3 ? (i + 1) * part : size), table);
  }
  return out;
}

// huff0 unpacks size bytes that were compressed by Huffman's code in four streams: RFC 8878, 4.2.
function huff0(data, size) {
  const r = new Reader(data);
  const table = huffman(r);
  return huffmanStreams(r, size, table);
}

const repeat = (value, n) => new Array(n).fill(value);
const upwards = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);

// bases returns the least number of each code, and how many bits are added to it.
function bases(first, widths) {
  return widths.map((w) => {
    first += 2 ** w;
    return { base: first - 2 ** w, width: w };
  });
}

// What codes of lengths and offsets mean in sequences of Zstandard, and their tables if nothing is said: RFC 8878, 3.1.1.3.2.
const LITERALS = {
  bases: bases(0, [...repeat(0, 16), ...repeat(1, 4), 2, 2, 3, 3, 4, ...upwards(6, 17)]), limit: 9,
  usual: { log: 6, cells: fseTable([4, 3, ...repeat(2, 11), ...repeat(1, 3), ...repeat(2, 9), 3, 2, ...repeat(1, 5), ...repeat(-1, 4)], 6) },
};
const OFFSETS = {
  bases: upwards(0, 32).map((w) => ({ base: 2 ** w, width: w })), limit: 8,
  usual: { log: 5, cells: fseTable([...repeat(1, 6), ...repeat(2, 3), ...repeat(1, 15), ...repeat(-1, 5)], 5) },
};
const MATCHES = {
  bases: bases(3, [...repeat(0, 32), ...repeat(1, 4), 2, 2, 3, 3, 4, 4, 5, ...upwards(7, 17)]), limit: 9,
  usual: { log: 6, cells: fseTable([1, 4, 3, ...repeat(2, 6), ...repeat(1, 37), ...repeat(-1, 7)], 6) },
};

// states reads the table of states of a block; last is that of the block before.
function states(code, mode, r, last) {
  if (mode === 0) return code.usual;
  if (mode === 1) return { log: 0, cells: [{ symbol: r.byte(), width: 0, base: 0 }] };
  if (mode === 2) {
    const { counts, log, size } = fseCounts(r.data.subarray(r.at), code.limit);
    r.take(size);
    return { log, cells: fseTable(counts, log) };
  }
  if (!last) throw new Error('a table is to be that of the block before, and there is none');
  return last;
}

// Zstandard unpacks one frame of Zstandard, with the raw content of a dictionary: RFC 8878.
class Zstandard {
  constructor(dictionary, most) {
    this.out = Buffer.alloc(dictionary.length + most);
    this.begin = this.at = dictionary.copy(this.out);
    this.tree = null;
    this.tables = [null, null, null]; // of the block before
    this.offsets = [1, 4, 8];
  }

  frame(data) {
    const r = new Reader(data);
    if (!r.take(4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))) throw new Error('no frame of Zstandard');
    const head = r.byte();
    if (!(head & 32)) r.byte(); // how far copies reach
    r.take([0, 1, 2, 4][head & 3]); // the number of the dictionary
    r.take([(head >> 5) & 1, 2, 4, 8][head >> 6]); // the size
    for (let last = false; !last; ) {
      const block = little(r.take(3));
      last = (block & 1) === 1;
      const size = block >> 3;
      switch ((block >> 1) & 3) {
        case 0: this.literally(r.take(size)); break;
        case 1: this.literally(Buffer.alloc(this.room(size), r.byte())); break;
        case 2: this.block(new Reader(r.take(size))); break;
        default: throw new Error('a block of another kind');
      }
    }
    if (r.left() !== (head & 4 ? 4 : 0)) throw new Error(`${r.left()} bytes follow`);
    return this.out.subarray(this.begin, this.at);
  }

  // room returns n if there is room for as many bytes.
  room(n) {
    if (this.at + n > this.out.length) throw new Error(`more than ${this.out.length - this.begin} bytes`);
    return n;
  }

  literally(bytes) {
    this.room(bytes.length);
    this.at += bytes.copy(this.out, this.at);
  }

  // literals reads the bytes of a block that are no copies: 3.1.1.3.1.
  literals(r) {
    let head = r.byte();
    const kind = head & 3;
    const form = (head >> 2) & 3;
    if (kind < 2) {
      const size = form & 1 ? (head + little(r.take((form >> 1) + 1)) * 256) >> 4 : head >> 3;
      return kind === 0 ? r.take(size) : Buffer.alloc(this.room(size), r.byte());
    }
    const w = 2 ** [10, 10, 14, 18][form];
    head = Math.floor((head + little(r.take([2, 2, 3, 4][form])) * 256) / 16); // Up to 40 bits.
    const size = this.room(head % w);
    const part = new Reader(r.take(Math.floor(head / w)));
    if (kind === 2) this.tree = huffman(part);
    if (!this.tree) throw new Error('literals need the code of a block before');
    if (form > 0) return huffmanStreams(part, size, this.tree);
    const out = Buffer.alloc(size);
    huffmanStream(part.take(part.left()), out, this.tree);
    return out;
  }

  // block reads literals and copies in turn: 3.1.1.3.2.
  block(r) {
    const literals = new Reader(this.literals(r));
    let count = r.byte();
    if (count === 255) count = little(r.take(2)) + 0x7f00;
    else if (count > 127) count = ((count - 128) << 8) + r.byte();
    if (count > 0) this.sequences(r, count, literals);
    this.literally(literals.take(literals.left()));
  }

  sequences(r, count, literals) {
    const codes = [LITERALS, OFFSETS, MATCHES];
    const modes = r.byte();
    this.tables = codes.map((code, i) => states(code, (modes >> (6 - 2 * i)) & 3, r, this.tables[i]));
    const stream = new Backwards(r.take(r.left()));
    const at = this.tables.map(({ log }) => stream.read(log));
    for (let i = 0; i < count; i++) {
      const cells = this.tables.map((table, n) => table.cells[at[n]]);
      const numbers = [0, 0, 0];
      for (const n of [1, 2, 0]) {
        const code = codes[n].bases[cells[n].symbol];
        if (!code) throw new Error('a code that there is not');
        numbers[n] = code.base + stream.read(code.width);
      }
      if (i < count - 1) for (const n of [0, 2, 1]) at[n] = cells[n].base + stream.read(cells[n].width);
      const [plain, far, length] = numbers;
      this.literally(literals.take(plain));
      this.copy(this.offset(far, plain), length);
    }
    if (stream.left !== 0) throw new Error(`the sequences have ${stream.left} bits left`);
  }

  // offset returns how far back a copy begins: 3.1.1.5.
  offset(value, plain) {
    const last = this.offsets;
    if (value > 3) {
      this.offsets = [value - 3, last[0], last[1]];
      return value - 3;
    }
    const n = plain > 0 ? value - 1 : value;
    const far = n < 3 ? last[n] : last[0] - 1;
    if (n > 0) this.offsets = [far, last[0], n > 1 ? last[1] : last[2]];
    return far;
  }

  copy(offset, length) {
    if (offset < 1 || offset > this.at) throw new Error(`a copy from ${offset} bytes before position ${this.at}`);
    for (const end = this.at + this.room(length); this.at < end; this.at++) this.out[this.at] = this.out[this.at - offset];
  }
}

// --- visitors

const BETA = {
  14: [-0.371009760230692, 0.00978811941207509, 0.185796293324165, 0.203015527328432,
    -0.116710521803686, 0.0431106699492820, -0.00599583540511831, 0.000449704299509437],
  12: [-0.384979202588598, 0.183162233114364, 0.130396688841854, 0.0704838927629266,
    -0.0089589397146453, 0.0113010036741605, -0.00194285569591290, 0.000225435774024964],
  10: [-0.25935400670790054, -0.52598301999805808, 1.48933034925876839, -1.29642714084993571,
    0.62284756217221615, -0.15672326770251041, 0.02054415903878563, -0.00112488483925502],
};

// Visitors are distinct visitors: the set of their hashes, or HyperLogLog's registers where there are more.
class Visitors {
  constructor(precision, exact, { hashes = [], registers = null }) {
    this.precision = precision;
    this.exact = exact;
    this.hashes = new Set(hashes);
    this.registers = registers;
  }

  // merge makes these the visitors of both.
  merge(other) {
    const both = new Set([...this.hashes, ...other.hashes]);
    if (!this.registers && !other.registers && both.size <= this.exact) {
      this.hashes = both;
      return;
    }
    const theirs = other.asRegisters();
    this.registers = this.asRegisters().map((r, i) => Math.max(r, theirs[i]));
    this.hashes = new Set();
  }

  asRegisters() {
    if (this.registers) return this.registers;
    const registers = new Uint8Array(1 << this.precision);
    const rest = BigInt(64 - this.precision);
    for (const h of this.hashes) {
      const low = h & ((1n << rest) - 1n);
      const zeros = Number(rest) - (low ? low.toString(2).length : 0);
      const i = Number(h >> rest);
      registers[i] = Math.max(registers[i], zeros + 1);
    }
    return registers;
  }

  // estimate returns how many they are: exact, or LogLog-Beta's estimate (Qin, Kim and Tung, arXiv:1612.02284).
  estimate() {
    if (!this.registers) return this.hashes.size;
    const m = this.registers.length;
    const histogram = new Array(256).fill(0);
    for (const r of this.registers) histogram[r]++;
    let total = 0;
    for (let r = 255; r >= 0; r--) total += histogram[r] * 2 ** -r;
    const empty = histogram[0];
    const c = BETA[this.precision];
    const log = Math.log(empty + 1);
    let beta = 0;
    for (let k = 7; k > 0; k--) beta = (beta + c[k]) * log;
    beta += c[0] * empty;
    const alpha = 0.7213 / (1 + 1.079 / m);
    return Math.min(Math.floor((alpha * m * (m - empty)) / (total + beta) + 0.5), 2 ** 53);
  }

  // error returns the relative standard error of estimate; 0 where it is exact.
  error() {
    return this.registers ? 1.04 / Math.sqrt(this.registers.length) : 0;
  }

  plain() {
    return { uniqueVisitors: this.estimate(), uniqueVisitorsError: this.error() };
  }
}

function hashesOf(data) {
  return Array.from({ length: data.length / 8 }, (_, i) => data.readBigUInt64BE(8 * i));
}

// uniques reads the visitors of an hour, a day, a month or a realtime minute.
function uniques(data) {
  const r = new Reader(unseal(data));
  const precision = r.byte();
  if (precision === 0x8c) return rowVisitors(r);
  const form = r.byte();
  if (![10, 14].includes(precision) || form > 2) throw new Error(`precision ${precision}, form ${form}`);
  const exact = precision === 14 ? 1024 : 128;
  const size = 1 << precision;
  if (form === 0) return new Visitors(precision, exact, { hashes: hashesOf(r.take(r.left())) });
  if (form === 1) {
    r.take(8);
    return new Visitors(precision, exact, { registers: r.take(size) });
  }
  return new Visitors(precision, exact, { registers: huff0(r.take(r.left()), size) });
}

// Bits reads bits, the highest of a byte first. What is left of the last byte is not used.
class Bits {
  constructor(r) {
    this.r = r;
    this.last = 0;
    this.left = 0;
  }

  bit() {
    if (this.left === 0) {
      this.last = this.r.byte();
      this.left = 8;
    }
    this.left--;
    return (this.last >> this.left) & 1;
  }

  number(bits) {
    let n = 0;
    for (; bits > 0; bits--) n = 2 * n + this.bit();
    return n;
  }

  // unary reads a number that is as many ones, and a zero.
  unary() {
    let n = 0;
    while (this.bit() === 1) n++;
    return n;
  }
}

// rowVisitors reads the visitors of a row.
function rowVisitors(r) {
  const head = r.byte();
  if (head <= 64) return new Visitors(12, 64, { hashes: hashesOf(r.take(8 * head)) });
  const registers = new Uint8Array(4096);
  if (head === 65) {
    const k = r.byte();
    const bits = new Bits(r);
    for (let group = 0; group < 4096; group += 1 << k) {
      for (let register = bits.unary(); register > 0; register = bits.unary()) {
        registers[group + bits.number(k)] = register;
      }
    }
  } else if (head === 66) {
    const bits = new Bits(r);
    for (let i = 0; i < 4096; i++) registers[i] = bits.unary();
  } else if (head === 67) {
    r.take(2048).forEach((b, i) => registers.set([b >> 4, b & 15], 2 * i));
    registers.forEach((register, i) => {
      if (register === 15) registers[i] = r.byte();
    });
  } else {
    throw new Error(`the visitors of a row begin with ${head}`);
  }
  return new Visitors(12, 64, { registers });
}

// --- rows

// byRank orders rows by the most events that they can have had; of equals the least value by bytes is first.
const byRank = (a, b) => b.events + b.maxUndercount - a.events - a.maxUndercount;

// top reads the most frequent values, as realtime keeps pages.
function top(data) {
  const r = new Reader(unseal(data));
  if (r.byte() !== 'T'.charCodeAt(0)) throw new Error('these are the bytes of something else');
  r.uvarint(); // how many rows there may be
  const floor = r.uvarint();
  const other = r.uvarint();
  const rows = [];
  let last = Buffer.alloc(0);
  for (let n = r.uvarint(); n > 0; n--) {
    last = r.value(last);
    rows.push({ value: last.toString(), events: r.uvarint(), maxUndercount: r.uvarint() });
  }
  return { rows: rows.sort(byRank), other, floor };
}

const FIGURES = ['pageViews', 'sessions', 'bounces', 'durationMs', 'entries', 'exits'];
const ATTENTION = ['timedPageViews', 'timeOnPageMs', 'scrolledPageViews', 'scrollDepthSum'];

// tally reads what was counted, and the error of a row.
function tally(r) {
  const has = r.byte();
  const error = has & 128 ? r.uvarint() : 0;
  const numbers = (names, flags) => Object.fromEntries(names.map((name, bit) => [name, flags & (1 << bit) ? r.uvarint() : 0]));
  const counted = numbers(FIGURES, has);
  const more = has & 64 ? r.byte() : 0;
  if (more & 15) counted.attention = numbers(ATTENTION, more);
  if (more & 16) {
    const n = r.uvarint();
    const sum = wide(r);
    // Strings: numbers end at 2^53.
    const micros = { sumMicros: sum, minMicros: unzigzag(r.big()), maxMicros: unzigzag(r.big()) };
    counted.values = { n, ...Object.fromEntries(Object.entries(micros).map(([name, v]) => [name, v.toString()])) };
  }
  if (more & 224) {
    const sessions = more & 32 ? r.uvarint() : 0;
    const further = more & 64 ? r.uvarint() : 0;
    counted.conversions = { sessions, further, worthMicros: (more & 128 ? wide(r) : 0n).toString() };
  }
  return { error, counted: { ...counted, ...rowVisitors(r).plain() } };
}

// wide reads a zigzag number of 128 bits, the high half first.
const wide = (r) => unzigzag((r.big() << 64n) | r.big());

// dimension names a dimension. 16 to 115 are properties that the site has chosen: METADATA has their keys.
function dimension(number) {
  if (number >= 16 && number < 116) return `property ${number - 15}`;
  return DIMENSIONS[number < 16 ? number : number - 100];
}

// breakdown reads what was counted by the values of each dimension.
function breakdown(data) {
  const r = new Reader(unseal(s2(data)));
  if (r.byte() !== 'B'.charCodeAt(0)) throw new Error('these are the bytes of something else');
  r.uvarint(); // how many rows a dimension may have
  const dimensions = {};
  for (let n = r.byte(); n > 0; n--) {
    const name = dimension(r.byte());
    const floor = r.uvarint();
    const other = { events: r.uvarint(), ...tally(r).counted };
    const rows = [];
    let last = Buffer.alloc(0);
    for (let left = r.uvarint(); left > 0; left--) {
      last = r.value(last);
      const events = r.uvarint();
      const { error, counted } = tally(r);
      r.uvarint(); // the position in the log at which the row was admitted
      rows.push({ value: last.toString(), events, maxUndercount: error, ...counted });
    }
    dimensions[name] = { rows: rows.sort(byRank), other, floor };
  }
  return dimensions;
}

// --- sessions

const ORIGIN = [ // what the earliest event of a session says, in the order of DIMENSIONS
  'hostname', '', 'referrer', 'channel', 'utmSource', 'utmMedium', 'utmCampaign', 'utmContent', 'utmTerm',
  'country', 'region', 'city', 'device', 'browser', 'os', 'eventName',
];
const WORDS = [ // values that most sessions have, by number
  'desktop', 'mobile', 'tablet', 'tv', 'console', 'Direct', 'Organic Search', 'Organic Social',
  'Organic Shopping', 'Organic Video', 'Referral', 'Email', 'Paid Search', 'Paid Social', 'Paid Shopping',
  'Paid Video', 'Paid Other', 'Display', 'Affiliates', 'SMS', 'Audio', 'AI Assistants',
  'Mobile Push Notifications', 'Unassigned', 'Chrome', 'Safari', 'Firefox', 'Edge', 'Opera', 'Samsung Browser',
  'Facebook', 'Instagram', 'Windows', 'Android', 'iOS', 'macOS', 'Linux', 'ChromeOS', 'google', 'bing',
  'facebook', 'newsletter', 'email', 'cpc', 'organic', 'social', 'referral', 'www.google.com', 'www.bing.com',
  'duckduckgo.com', 'www.facebook.com', 't.co',
];

// session returns what a session shows. What follows in the bytes is for the pipeline only.
function session(data) {
  const r = new Reader(data);
  const version = r.byte();
  if (version !== 7) throw new Error(`version ${version} is unknown`);
  if (r.left() === 0) return {};
  const flags = r.uvarint();
  const openedAt = r.varint();
  const startedAt = openedAt + r.varint();
  const endedAt = openedAt + r.varint();
  const durationMs = endedAt - startedAt;
  const pageViews = r.varint();
  const events = r.varint();
  r.varint(); // the position in the log at which it is counted
  const shown = { openedAt, startedAt, endedAt, durationMs, pageViews, events,
    bounce: pageViews <= 1 && !(flags & 1), engaged: durationMs >= 10000 || pageViews >= 2 };
  if (flags & 2) {
    let page = Buffer.alloc(0);
    for (const name of ['entryPage', 'exitPage']) {
      r.varint(); // its time
      r.varint(); // its position
      const size = r.uvarint();
      if (size > 0) page = r.take(size);
      shown[name] = page.toString();
    }
  }
  if (flags & 4) {
    const has = r.uvarint();
    ORIGIN.forEach((name, bit) => {
      if (!(has & 1 << bit)) return;
      const n = r.uvarint();
      shown[name] = n & 1 ? WORDS[n >> 1] : r.take(n >> 1).toString();
    });
  }
  return shown;
}

// --- sessions of visitors

// listed returns the sessions that an item lists. sk is the item's: bucket, hour, partition, flush, number; or NEW, minute, partition, flush.
function listed(data, sk) {
  const [, at, tp] = sk.split('#');
  const hour = at.slice(0, 13);
  const r = new Reader(data);
  const version = r.byte();
  if (version !== 1) throw new Error(`version ${version} is unknown`);
  const rows = [];
  while (r.left() > 0) {
    const visitor = r.take(8).toString('hex');
    const openedAt = Date.parse(`${hour}:00Z`) + r.take(3).readUIntBE(0, 3);
    const kind = r.uvarint();
    let sessionId;
    if (kind === 0) sessionId = hyphened(r.take(16).toString('hex'));
    else if (kind === 1) sessionId = r.take(16).toString('hex');
    else if (kind === 2) sessionId = `~visit-${visitor}-${tp}-${r.uvarint()}`;
    else sessionId = r.take(kind - 3).toString();
    rows.push({ visitor, openedAt, sessionId });
  }
  return rows;
}

// hyphened returns the UUID of 32 hex digits.
function hyphened(digits) {
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}

// --- packs

const DICTIONARY = Buffer.from(String.raw`Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0
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
page_view`);

const TEXTS = [ // of a raw event, in the order of their bits
  'type', 'id', 'visitorId', 'sessionId', 'userId', 'url', 'referrer', 'title', 'userAgent', 'name', 'country',
  'region', 'city', 'device', 'browser', 'os', 'properties', 'value', 'bot',
];
const MOST = 256 << 10; // bytes of a pack

// pack reads the raw events of a pack. The partition of their records is in the key of the item.
function pack(data) {
  const outer = new Reader(unseal(data));
  if (outer.byte() !== 'P'.charCodeAt(0)) throw new Error('these are the bytes of something else');
  const number = outer.byte();
  if (number !== 1) throw new Error(`dictionary ${number} is unknown`);
  const size = outer.uvarint();
  const body = new Zstandard(DICTIONARY, MOST).frame(outer.take(outer.left()));
  if (body.length !== size) throw new Error(`${body.length} bytes unpacked, not ${size}`);
  const r = new Reader(body);
  const topic = r.take(r.uvarint()).toString();
  const days = r.varint();
  const events = Array.from({ length: r.uvarint() }, () => rawEvent(r));
  if (r.left() > 0) throw new Error(`${r.left()} bytes follow the events`);
  return { topic, days, events };
}

function rawEvent(r) {
  let id = BigInt(`0x${r.take(16).toString('hex')}`);
  const timestamp = Number(id >> 80n);
  let ulid = '';
  for (; ulid.length < 26; id >>= 5n) ulid = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Number(id & 31n)] + ulid;
  const event = { ulid, timestamp, recordTime: timestamp + r.varint(), offset: r.uvarint() };
  const has = r.uvarint();
  TEXTS.forEach((name, n) => {
    if ((has >> (n < 19 ? n : n + 2)) & 1) event[name] = r.take(r.uvarint()).toString();
  });
  ['foreign', 'excluded'].forEach((name, i) => {
    if ((has >> (19 + i)) & 1) event[name] = true;
  });
  return event;
}

// --- items

// keyID returns the id that a segment of a key spells; null: the key has the beginning of the id and a hash.
function keyID(segment) {
  if (/^%[xu]/.test(segment)) {
    const digits = Buffer.from(segment.slice(2), 'base64url').toString('hex');
    if (segment[1] === 'x') return digits;
    return hyphened(digits);
  }
  return segment.includes('%~') ? null : decodeURIComponent(segment);
}

// sessionIDs returns, of a session, the ids that its keys spell, and the attributes of those that they do not.
function sessionIDs(item) {
  const ids = {};
  for (const [name, attribute, before, after] of [['sessionId', 'sk', 'SESSION#', 2], ['userId', 'gsi1pk', '', 1]]) {
    const spelled = item[attribute]?.S ?? '';
    let id = null;
    if (spelled.startsWith(before) && spelled && !(name === 'sessionId' && item.erased)) id = keyID(spelled.split('#').at(-after));
    id = item[name]?.S ?? id;
    if (id) ids[name] = id;
  }
  const visitor = item.visitorId?.S ?? '';
  if (visitor.startsWith('%%')) ids.visitorId = visitor.slice(1);
  else if (visitor) ids.visitorId = visitor.startsWith('%') ? keyID(visitor) : visitor;
  return ids;
}

// decoder returns the function that decodes an attribute of an item; null: it is not encoded.
function decoder(item, attribute) {
  const entity = item._et?.S;
  const visitors = (data) => uniques(data).plain();
  if (attribute === 'part' && ['Breakdown', 'SealedBreakdown'].includes(entity)) return breakdown;
  if (attribute === 'part' && ['Uniques', 'SealedUniques'].includes(entity)) return visitors;
  if (attribute === 'visitors' && entity === 'Realtime') return visitors;
  if (attribute === 'pages' && entity === 'Realtime') return top;
  if (attribute === 'part' && entity === 'Pack') return pack;
  if (attribute === 'cur' && entity === 'Session') return session;
  if (attribute === 'listed' && ['VisitorSessions', 'NewSessions'].includes(entity)) return (data) => listed(data, item.sk.S);
  if (/^h\d/.test(attribute) && entity === 'Stats') return visitors;
  return null;
}

function main() {
  const answer = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  for (const item of answer.Items ?? [answer.Item ?? answer]) {
    const decoded = {};
    for (const name of Object.keys(item).sort()) {
      const decode = decoder(item, name);
      if (decode && item[name].B !== undefined) decoded[name] = decode(Buffer.from(item[name].B, 'base64'));
    }
    if (Object.keys(decoded).length === 0) continue;
    const ids = item._et?.S === 'Session' ? sessionIDs(item) : {};
    console.log(JSON.stringify({ pk: item.pk.S, sk: item.sk.S, ...ids, ...decoded }));
  }
}

if (require.main === module) main();

module.exports = { breakdown, listed, pack, session, top, uniques, Visitors };
