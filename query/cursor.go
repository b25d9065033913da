package query

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
)

// maxScanned is the maximum number of items that are read for one page. With a filter, or if most items have expired, a page
// then ends early, with fewer rows and a cursor.
const maxScanned = 10_000

// A position is a place in a list: after the item of that sort key, and where several items or rows share it,
// after the one of that number (a shard, or an index into the item). The zero position is the start of the list.
type position struct {
	Key string
	N   int
}

func (p position) start() bool { return p.Key == "" }

// A cursor is what is encoded in a page's cursor: the place it ended at and the range of the first page, which
// holds for all, so that "-24h" does not move from page to page. It holds sort keys only, so that no cursor leads
// to another site; the fingerprint of the question keeps it from being taken for another question's.
type cursor struct {
	Question string `json:"q"`
	Key      string `json:"k"`
	N        int    `json:"n,omitempty"`
	From     int64  `json:"f,omitempty"`
	To       int64  `json:"t,omitempty"`
	Before   int64  `json:"b,omitempty"` // where the range ends that stats are compared with
	// Earlier is that range, if it was named: a name as -7d moves.
	Earlier *[2]int64 `json:"e,omitempty"`
}

func (c cursor) position() position { return position{c.Key, c.N} }

func (c cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// fingerprint names a question by what decides its rows and their order. No part holds a NUL.
func fingerprint(desc bool, parts ...string) string {
	sum := sha256.Sum256([]byte(strconv.FormatBool(desc) + "\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// parseCursor reads a cursor of the question. ok is false for the first page.
func parseCursor(s, question string) (c cursor, ok bool, err error) {
	if c, ok, err = decodeCursor(s); ok {
		err = c.check(s, question)
	}
	return c, ok, err
}

// A listing is a page of a list that is asked for.
type listing struct {
	question string
	limit    int
	desc     bool
	cursor   cursor // of the page before
	resumed  bool   // there was one
}

// newListing checks what is asked of a list, which the parts name.
func newListing(p Paging, parts ...string) (l listing, err error) {
	if l.limit, err = p.Rows(); err != nil {
		return l, err
	}
	l.question, l.desc = fingerprint(p.Desc, parts...), p.Desc
	l.cursor, l.resumed, err = parseCursor(p.Cursor, l.question)
	return l, err
}

// span returns the range of the list: that of the first page, which begins at from and ends at to.
func (l listing) span(from, to time.Time) (calendar.Span, error) {
	if s := (calendar.Span{From: l.cursor.From, To: l.cursor.To}); l.resumed {
		if s.From < 0 || s.From >= s.To || s.To > calendar.LastInstant.UnixMilli() {
			return calendar.Span{}, &ParamError{Param: "cursor", Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
		}
		return s, nil
	}
	return calendar.NewSpan(from, to)
}

// next returns the cursor of the page after a position, in a list of a range; the zero span: it has none.
func (l listing) next(last position, s calendar.Span) string {
	return cursor{Question: l.question, Key: last.Key, N: last.N, From: s.From, To: s.To}.String()
}

// decodeCursor reads a cursor of any question. ok is false for the first page.
func decodeCursor(s string) (c cursor, ok bool, err error) {
	if s == "" {
		return cursor{}, false, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.Key == "" {
		return cursor{}, false, &ParamError{Param: "cursor", Value: s,
			Remedy: "not a cursor of an answer: leave it out to begin at the first page"}
	}
	return c, true, nil
}

// check reports whether the cursor, which was given as s, is one of the question.
func (c cursor) check(s, question string) error {
	if c.Question != question {
		return &ParamError{Param: "cursor", Value: s,
			Remedy: "belongs to another question: use it with the site, filters and order of the question that returned it"}
	}
	return nil
}
