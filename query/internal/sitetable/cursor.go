package sitetable

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
)

// MaxScanned is the maximum number of items that are read for one page. With a filter, or if most items have expired, a page
// then ends early, with fewer rows and a cursor.
const MaxScanned = 10_000

// A Position is a place in a list: after the item of that sort key, and where several items or rows share it,
// after the one of that number (a shard, or an index into the item). The zero position is the start of the list.
type Position struct {
	Key string
	N   int
}

// Start reports whether this is the start of the list.
func (p Position) Start() bool { return p.Key == "" }

// A Cursor is what is encoded in a page's cursor: the place it ended at and the range of the first page, which
// holds for all, so that "-24h" does not move from page to page. It holds sort keys only, so that no cursor leads
// to another site; the fingerprint of the question keeps it from being taken for another question's.
type Cursor struct {
	Question string `json:"q"`
	Key      string `json:"k"`
	N        int    `json:"n,omitempty"`
	From     int64  `json:"f,omitempty"`
	To       int64  `json:"t,omitempty"`
	Before   int64  `json:"b,omitempty"` // where the range ends that stats are compared with
	// Earlier is that range, if it was named: a name as -7d moves.
	Earlier *[2]int64 `json:"e,omitempty"`
}

// Position is the place at which the page ended.
func (c Cursor) Position() Position { return Position{c.Key, c.N} }

func (c Cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// Fingerprint names a question by what decides its rows and their order. No part holds a NUL.
func Fingerprint(desc bool, parts ...string) string {
	sum := sha256.Sum256([]byte(strconv.FormatBool(desc) + "\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// ParseCursor reads a cursor of the question. ok is false for the first page.
func ParseCursor(s, question string) (c Cursor, ok bool, err error) {
	if c, ok, err = DecodeCursor(s); ok {
		err = c.Check(s, question)
	}
	return c, ok, err
}

// A Listing is a page of a list that is asked for.
type Listing struct {
	question string
	Limit    int
	Desc     bool
	Cursor   Cursor // of the page before
	Resumed  bool   // there was one
}

// NewListing checks what is asked of a list, which the parts name.
func NewListing(p ranges.Paging, parts ...string) (l Listing, err error) {
	if l.Limit, err = p.Rows(); err != nil {
		return l, err
	}
	l.question, l.Desc = Fingerprint(p.Desc, parts...), p.Desc
	l.Cursor, l.Resumed, err = ParseCursor(p.Cursor, l.question)
	return l, err
}

// Span returns the range of the list: that of the first page, which begins at from and ends at to.
func (l Listing) Span(from, to time.Time) (calendar.Span, error) {
	if s := (calendar.Span{From: l.Cursor.From, To: l.Cursor.To}); l.Resumed {
		if s.From < 0 || s.From >= s.To || s.To > calendar.LastInstant.UnixMilli() {
			return calendar.Span{}, &ranges.ParamError{Param: "cursor", Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
		}
		return s, nil
	}
	return calendar.NewSpan(from, to)
}

// Next returns the cursor of the page after a position, in a list of a range; the zero span: it has none.
func (l Listing) Next(last Position, s calendar.Span) string {
	return Cursor{Question: l.question, Key: last.Key, N: last.N, From: s.From, To: s.To}.String()
}

// DecodeCursor reads a cursor of any question. ok is false for the first page.
func DecodeCursor(s string) (c Cursor, ok bool, err error) {
	if s == "" {
		return Cursor{}, false, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.Key == "" {
		return Cursor{}, false, &ranges.ParamError{Param: "cursor", Value: s,
			Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
	}
	return c, true, nil
}

// Check reports whether the cursor, which was given as s, is one of the question.
func (c Cursor) Check(s, question string) error {
	if c.Question != question {
		return &ranges.ParamError{Param: "cursor", Value: s,
			Remedy: "belongs to another question: use it with the site, filters and order of the question that returned it"}
	}
	return nil
}
