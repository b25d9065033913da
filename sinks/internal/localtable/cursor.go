package localtable

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Cursor is where a page ended: what the query is sorted by, in the page's last item. That is sk on the table, and gsi1sk, pk and
// sk on GSI1. Its text, opaque to callers of the table, is base64 of
//
//	fingerprint  8 bytes, of the query without its limit and cursor
//	values       each: uvarint length, bytes
//
// The next page begins after these values, whether or not the item still exists.
type Cursor []string

var errCursor = errors.New("the cursor is not one of this query: begin without a cursor, or repeat the query that gave it, " +
	"unchanged but for its limit")

// cursorAt returns the cursor of a page that ends with an item.
func cursorAt(x sinks.Index, it sinks.Item) Cursor {
	if k := it.Key(); x == sinks.GSI1 {
		return Cursor{consumed.IndexKeyOf(it).SK, k.PK, k.SK}
	}
	return Cursor{it.Key().SK}
}

func (c Cursor) text(q sinks.Query) string {
	b := binary.BigEndian.AppendUint64(nil, fingerprint(q))
	for _, s := range c {
		b = appendText(b, s)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ReadCursor reads q.After.
func readCursor(q sinks.Query) (Cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil || len(b) < 8 || binary.BigEndian.Uint64(b) != fingerprint(q) {
		return nil, errCursor
	}
	values := 3
	if q.Index == sinks.Base {
		values = 1
	}
	d := decoder{b: b, s: string(b), at: 8}
	var c Cursor
	for range values {
		c = append(c, d.text())
	}
	if !d.ok() || d.at != len(b) {
		return nil, errCursor
	}
	return c, nil
}

func fingerprint(q sinks.Query) uint64 {
	var b []byte
	for _, s := range []string{strconv.Itoa(int(q.Index)), q.PK, q.Prefix, q.From, q.To, strconv.FormatBool(q.Desc)} {
		b = appendText(b, s)
	}
	return xxhash.Sum64(b)
}
