package pack

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/footfall/footfall/sinks"
)

// A Pack is one item of the table: events of a flush, in the order of their ULIDs.
type Pack struct {
	Key    sinks.Key
	Site   string
	Topic  string
	TP     sinks.TP
	Step   int64
	Days   int64 // that raw events of the site are kept; -1: for ever
	Events []Event
}

// Layout of the attribute part: version, 'P', number of the dictionary, length of the body as a uvarint, the body as a frame of
// Zstandard, and the CRC-32C of all before it.
const (
	version = 1
	magic   = 'P'
	// maxBody bounds what a reader allocates: a pack of one event has a record of up to 64 KiB, whose texts are at most as long.
	maxBody = 4 * MaxBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newEncoder returns a compressor. It holds about a megabyte, so a flush makes one for all of its packs.
func newEncoder() *zstd.Encoder {
	c, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(128<<10),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true),
		zstd.WithEncoderDictRaw(dictionaryID, dictionary))
	if err != nil {
		panic(err) // The options are constants.
	}
	return c
}

// itemOf makes the item of a pack. last is the time of its last event.
func (p *Pack) itemOf(c *zstd.Encoder, body []byte, index []uint32, events int, last int64) sinks.Item {
	data := binary.AppendUvarint([]byte{version, magic, dictionaryID}, uint64(len(body)))
	data = c.EncodeAll(body, data)
	data = binary.BigEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(p.Key.PK), sinks.AttrSK: sinks.Str(p.Key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityPack), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrSiteID: sinks.Str(p.Site), sinks.AttrEvents: sinks.Int(int64(events)), sinks.AttrEndedAt: sinks.Int(last),
		sinks.AttrIDs: sinks.Bytes(indexBytes(index)), sinks.AttrPart: sinks.Bytes(data),
	}
	if p.Days >= 0 {
		it[sinks.AttrTTL] = sinks.Int(expires(last, p.Days))
	}
	return it
}

// The index has four bytes of a hash of each id in the pack, in ascending order. A reader who looks for one id need not unpack most of
// the packs that do not have it.

func hashID(text int, id []byte) uint32 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(text))
	_, _ = d.Write(id)
	return uint32(d.Sum64())
}

func (e *Event) appendIndex(index []uint32) []uint32 {
	for _, n := range [...]int{visitorText, sessionText, userText} {
		if e.Texts[n] != nil {
			index = append(index, hashID(n, e.Texts[n]))
		}
	}
	return index
}

func indexBytes(index []uint32) []byte {
	slices.Sort(index)
	index = slices.Compact(index)
	b := make([]byte, 0, 4*len(index))
	for _, h := range index {
		b = binary.BigEndian.AppendUint32(b, h)
	}
	return b
}

// Index returns the index of the pack, by its events.
func (p *Pack) Index() []byte {
	var index []uint32
	for i := range p.Events {
		index = p.Events[i].appendIndex(index)
	}
	return indexBytes(index)
}

// MayHaveSession reports whether a pack's item may have an event of a session.
func MayHaveSession(it sinks.Item, session string) bool {
	index, want := it[sinks.AttrIDs].Bytes(), hashID(sessionText, []byte(session))
	for ; len(index) >= 4; index = index[4:] {
		if binary.BigEndian.Uint32(index) == want {
			return true
		}
	}
	return false
}

// A Decoder reads packs. Not safe for concurrent use.
type Decoder struct {
	zstd *zstd.Decoder
	body []byte
}

// Read reads the item of a pack. The events are valid until the next call. An item that is no pack, or whose bytes are not as they were
// written, is a [sinks.DamagedError].
func (d *Decoder) Read(it sinks.Item) (*Pack, error) {
	p := &Pack{Key: it.Key(), Site: it[sinks.AttrSiteID].Str()}
	var err error
	if _, p.TP, p.Step, _, err = sinks.ParsePack(p.Key.SK); err != nil {
		return nil, sinks.Damaged(p.Key, sinks.AttrSK, err)
	}
	body, err := d.unpack(it[sinks.AttrPart].Bytes())
	if err == nil {
		err = p.read(body)
	}
	if err != nil {
		return nil, sinks.Damaged(p.Key, sinks.AttrPart, err)
	}
	return p, nil
}

// errDamaged reports bytes that are not as they were written.
var errDamaged = errors.New("the bytes of a pack are damaged")

// unpack decompresses the body of a pack.
func (d *Decoder) unpack(data []byte) ([]byte, error) {
	n := len(data) - 4
	switch {
	case n < 4 || data[1] != magic:
		return nil, errDamaged
	case crc32.Checksum(data[:n], castagnoli) != binary.BigEndian.Uint32(data[n:]):
		return nil, errDamaged
	case data[0] != version || data[2] != dictionaryID:
		return nil, fmt.Errorf("pack of version %d with dictionary %d: run the release that wrote it", data[0], data[2])
	}
	size, k := binary.Uvarint(data[3:n])
	if k <= 0 || size > maxBody {
		return nil, errDamaged
	}
	if d.zstd == nil {
		var err error
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderDictRaw(dictionaryID, dictionary))
		if err != nil {
			panic(err) // The options are constants.
		}
	}
	body, err := d.zstd.DecodeAll(data[3+k:n], d.body[:0])
	if err == nil && uint64(len(body)) != size {
		err = errDamaged
	}
	if err != nil {
		return nil, err
	}
	d.body = body
	return body, nil
}

// Check returns the error of bytes that are no pack's.
func Check(part []byte) error {
	body, err := new(Decoder).unpack(part)
	if err == nil {
		err = new(Pack).read(body)
	}
	return err
}

// read reads a pack's body.
func (p *Pack) read(body []byte) error {
	r := reader{b: body}
	p.Topic = string(r.text())
	p.Days = r.varint()
	n := r.uvarint()
	if r.bad || n == 0 || n > uint64(len(r.b)) || p.Days < -1 {
		return errDamaged
	}
	p.Events = make([]Event, 0, min(n, 1024))
	rest := r.b
	for range n {
		e, after, err := readEvent(rest)
		if err != nil {
			return err
		}
		p.Events, rest = append(p.Events, e), after
	}
	if len(rest) > 0 {
		return errDamaged
	}
	return nil
}

// Items returns what the events would be as items of their own.
func (p *Pack) Items() []sinks.Item {
	items := make([]sinks.Item, len(p.Events))
	for i := range p.Events {
		items[i] = p.item(&p.Events[i])
	}
	return items
}

// item makes of an event the item that it would have by itself, with its key.
func (p *Pack) item(e *Event) sinks.Item {
	it := make(sinks.Item, 20)
	it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(p.Key.PK), sinks.Str(sinks.EventPrefix+e.ID.String())
	it[sinks.AttrEntity], it[sinks.AttrSchema] = sinks.Str(sinks.EntityEvent), sinks.Int(sinks.SchemaVersion)
	it[sinks.AttrSiteID] = sinks.Str(p.Site)
	for i, t := range e.Texts {
		if t != nil {
			it[Names[i]] = sinks.Str(string(t))
		}
	}
	at := int64(e.ID.Time())
	it["timestamp"], it["recordTime"] = sinks.Int(at), sinks.Int(e.RecordTime)
	it["source"] = sinks.Str(p.Topic + "/" + strconv.FormatInt(int64(p.TP.Partition), 10) + "/" + strconv.FormatInt(e.Offset, 10))
	if e.Foreign {
		it[sinks.AttrForeign] = sinks.Int(1)
	}
	if e.Excluded {
		it[sinks.AttrExcluded] = sinks.Int(1)
	}
	if p.Days >= 0 {
		it[sinks.AttrTTL] = sinks.Int(expires(at, p.Days))
	}
	return it
}

// Without returns the item of the pack under the same key without some of its events, by their places; nil if none is left.
func (p *Pack) Without(gone []int) sinks.Item {
	var events [][]byte
	var index []uint32
	last := int64(0)
	for i := range p.Events {
		if !slices.Contains(gone, i) {
			e := &p.Events[i]
			events, index = append(events, e.Append(nil)), e.appendIndex(index)
			last = max(last, int64(e.ID.Time()))
		}
	}
	if len(events) == 0 {
		return nil
	}
	return p.itemOf(newEncoder(), p.body(events), index, len(events), last)
}

// From returns the least sort key of a pack that may have events from that of a raw event on: an instant's ULID, Reach before it.
func From(at int64) string { return sinks.PackPrefix + lowest(max(0, at-Reach+1)) }

// Compare orders events with one ULID by where their records lie: the first of copies is the one that readers see.
func Compare(a, b sinks.Item) int {
	s, t := SourceOf(a), SourceOf(b)
	return cmp.Or(strings.Compare(s.Topic, t.Topic), cmp.Compare(s.Partition, t.Partition), cmp.Compare(s.Offset, t.Offset))
}
