package sqlite

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/sinks"
)

// cursor is where a page ended: the values, in its last item, of the columns that the query is ordered by. Its text,
// opaque to callers, is base64 of
//
//	fingerprint  8 bytes, of the query without its limit and cursor
//	values       each: uvarint length, bytes
//
// The next page begins behind these values, whether or not the item still exists.
type cursor []string

var errCursor = errors.New("the cursor is not one of this query: begin without a cursor, or repeat the query that gave it, " +
	"unchanged but for its limit")

func (c cursor) write(q sinks.Query) string {
	b := binary.BigEndian.AppendUint64(nil, fingerprint(q))
	for _, s := range c {
		b = appendText(b, s)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads q.After.
func readCursor(q sinks.Query) (cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil || len(b) < 8 || binary.BigEndian.Uint64(b) != fingerprint(q) {
		return nil, errCursor
	}
	values := 3
	if q.Index == sinks.Base {
		values = 1
	}
	d := decoder{b: b, s: string(b), at: 8}
	var c cursor
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
