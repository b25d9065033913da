// Package sketch holds the summaries that footfall keeps per bucket and merges at read: Uniques counts distinct
// visitors, Top finds the most frequent values. Hasher makes the hashes that Uniques takes.
//
// Both are pure: no clock, no chance, no map order. The state of a Uniques is a function of the set of hashes that
// were added, however they were ordered, repeated or merged; that of a Top is a function of the sequence of its Adds.
// Neither is safe for concurrent use; each has one owner.
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
// Those of a breakdown's row have 0x8a for the precision, and then, instead of form and payload:
//
//	visitors: +--------+---------------------------------------------------------------------------------+
//	          | head   | 0 to 64: so many hashes of 8 bytes, ascending                                   |
//	          | 1 byte | 65: a byte, n, how many registers are above 0, 1 to 255; n times 2 bytes:       |
//	          |        |     10 bits which register, ascending, 6 bits what it is                        |
//	          |        | 66: for 256 and more above 0, half a byte for each register, min(it, 15), the   |
//	          |        |     first one in the high half; then a byte for each that is 15 or more         |
//	          +--------+---------------------------------------------------------------------------------+
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
package sketch
