// Package sketch holds the summaries that footfall keeps per bucket and merges at read: Uniques counts distinct
// visitors, Top finds the most frequent values, Breakdown tells what was counted by values of dimensions. Hasher makes
// the hashes that Uniques takes.
//
// They are pure: no clock, no chance, no map order. The state of a Uniques is a function of the set of hashes that were
// added, however they were ordered, repeated or merged; that of a Top or a Breakdown is a function of the sequence of
// calls. None is safe for concurrent use; each has one owner.
//
//	uniques.go, kind.go, estimate.go     Uniques and its kinds; rowvisitors.go, sparse.go: those of a breakdown's row
//	codec.go, forms.go, rowcodec.go      the bytes of Uniques: all, their payloads, those of a breakdown's row
//	top.go, topcodec.go, index.go        Top, its bytes, and how it finds the row of a value
//	breakdown.go, breakdowndimension.go  Breakdown and its dimensions; counts.go, breakdownsum.go: what a row counts
//	breakdownbook.go                     what sessions and page views add to rows that are there
//	breakdownlog.go, breakdownreplay.go  what was done to a Breakdown, and doing it again
//	breakdownread.go                     what readers and package verify ask of a Breakdown
//	breakdowncodec.go, tallycodec.go     its bytes, and those of what a row counts
//	bytes.go                             what the bytes of all sketches are made of
//	minute.go, room.go                   visitors and pages of a minute; room that small breakdowns share
//	hash.go                              Hasher
//
// # Bytes
//
// Numbers are big-endian, uvarint is that of encoding/binary. The last four bytes are the CRC-32C of all that come
// before them. Equal sketches have equal bytes; bytes of another version are refused, and a decoder changes its
// receiver only when all of the bytes are right.
//
// Uniques:
//
//	+---------+-----------+------+-------------------------------+--------+
//	| version | precision | form | payload                       | CRC32C |
//	|  1 byte |    1 byte |  1 B |                               |    4 B |
//	+---------+-----------+------+-------------------------------+--------+
//	     1      14 | 10      0     the exact set: hashes of 8 bytes, ascending
//	                         1     a dense sketch as axiomhq/hyperloglog v0.3.0 marshals it:
//	                               2, precision, 0, 0, number of registers (4 B), a byte for each register
//	                         2     the registers alone, by huff0 (4 streams), when that is smaller than form 1;
//	                               the 8 bytes that axiomhq wants before them follow from the precision
//
// Those of a breakdown's row have 0x8c for the precision, and then, instead of form and payload:
//
//	visitors: +--------+---------------------------------------------------------------------------------+
//	          | head   | 0 to 64: the number of hashes, of 8 bytes each, ascending                       |
//	          | 1 byte | 65: fewer than 1,024 registers are above 0: a byte, k; then each of the         |
//	          |        |     2^(12-k) groups of 2^k registers: for each above 0, ascending, its value    |
//	          |        |     in unary and k bits, which of the group; and a 0 bit                        |
//	          |        | 66: each of the 4,096 registers in unary                                        |
//	          |        | 67: where that is shorter, half a byte for each register, min(it, 15), the      |
//	          |        |     first one in the high half; then a byte for each that is 15 or more         |
//	          +--------+---------------------------------------------------------------------------------+
//	          A number n in unary is n 1 bits and a 0 bit. Bits begin at the highest of a byte; 0 bits fill up the
//	          last byte. k is 12 less the bits of the number of registers above 0: 5 for 64 to 127 of them.
//
// Top:
//
//	+---------+------+----------+---------+---------+---------+------------------+--------+
//	| version | 'T'  | capacity | floor   | other   | rows    | the rows,        | CRC32C |
//	|  1 byte | 1 B  | uvarint  | uvarint | uvarint | uvarint | values ascending |    4 B |
//	+---------+------+----------+---------+---------+---------+------------------+--------+
//	     1      0x54
//
//	row: +--------+-----------------+--------+---------+---------+
//	     | shared | rest's length   | rest   | count   | error   |
//	     | 1 byte | uvarint         |        | uvarint | uvarint |
//	     +--------+-----------------+--------+---------+---------+
//	     shared is how many bytes, 255 at most, the value has in common with the one before it; rest follows them.
//
// Breakdown:
//
//	+---------+------+----------+------------+---------------------------+--------+
//	| version | 'B'  | capacity | dimensions | those that have anything, | CRC32C |
//	|  1 byte | 1 B  | uvarint  | 1 byte     | numbers ascending         |    4 B |
//	+---------+------+----------+------------+---------------------------+--------+
//	     1      0x42
//
//	dimension: +--------+---------+--------------+----------+---------+------------------+
//	           | number | floor   | other events | other's  | rows    | the rows,        |
//	           | 1 byte | uvarint | uvarint      | tally    | uvarint | values ascending |
//	           +--------+---------+--------------+----------+---------+------------------+
//
//	row: +--------+---------------+------+---------+-------+-------------+
//	     | shared | rest's length | rest | events  | tally | admitted at |
//	     | 1 byte | uvarint       |      | uvarint |       | uvarint     |
//	     +--------+---------------+------+---------+-------+-------------+
//
//	tally: +--------+---------------------------------+----------+
//	       | has    | numbers above 0                 | visitors |
//	       | 1 byte | uvarint each, see below         |          |
//	       +--------+---------------------------------+----------+
//	       has says by bit which numbers follow: 7 the error, which comes first, 0 page views, 1 sessions, 2 bounces,
//	       3 duration in ms, 4 entries, 5 exits, 6 more: a byte that says by bit which numbers follow it.
//	more says of a page 0 page views whose time is known, 1 that time in ms, 2 page views whose scroll depth is known,
//	       3 that depth in percent, and of named events 4 values, which their sum, the least and the greatest follow: the sum's
//	       128 bits as two uvarints, the high one first, the others as one each, all of them zigzag. It says of pages, referrers,
//	       channels and utm_* 5 sessions that have reached a goal, 6 the goals that they have reached besides one each, 7 their worth
//	       in millionths, as that sum.
package sketch
