// Package query answers questions about sites from the table: the read side.
//
// A [Reader] has a method for each question. It merges what the writers keep apart: the shards of raw events and
// of the list of sites, the parts that each partition of the topic knows of a session, of an hour's visitors and
// of a minute. Sums are added and rates are derived from them here, never stored; visitors are never added, their
// sketches are merged.
//
// What all answers have in common:
//
//   - A range is half-open, [from, to), and the answer says which range it used. Its instants are in UTC, but those of
//     stats, uniques and top in the zone that was asked for.
//   - Expired items are left out, since the store deletes them late, and ExpiredOmitted says how many the answer
//     met. It is what was read for this answer, so the pages of one question can be added up, but for those of stats,
//     which read a little ahead, and on the first page what its totals need.
//   - A site that was neither counted nor created is an empty answer with SiteKnown false, not an error.
//   - Lists come in pages. A page may hold fewer rows than its limit; there is more while its cursor is not empty.
//   - Memory is bounded by the page, not by the range; but a report of a funnel keeps a few numbers of each visitor.
//
// The files: reader.go what questions share, read.go requests, scan.go walking and merging
// partition keys, cursor.go pages, span.go ranges of time, calendar.go and zone.go days, weeks and the like of a zone,
// figures.go sums and rates, hours.go what there is of hours, sealed.go days and months that are sealed, raw.go walking all
// raw events, rawkept.go whether they are there, and a file for each question. Stats have several: rows.go walks hours and
// days, row.go makes buckets of them and decides which of the two to use, compare.go sets a range beside the one before.
//
// Answers are plain data, which encoding/json spells as `footfall query --output json` prints it.
package query

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
)

// Known is part of every answer about a site.
type Known struct {
	SiteKnown bool `json:"-"` // the site was counted or created
}

// UnknownSite reports whether the answer is about a site that was neither counted nor created.
func (k Known) UnknownSite() bool { return !k.SiteKnown }

// Reader answers questions from one table, whose reads it repeats up to six times unless the table does. It writes nothing. Safe
// for concurrent use.
type Reader struct{ store *store }

// New makes a Reader of the items that keys spells. now decides which items have expired, and is the
// default end of a range.
func New(table sinks.Table, keys sinks.Keys, now func() time.Time) *Reader {
	return &Reader{&store{table: patience.Reads(table), keys: keys, now: now}}
}

// ParamError reports that a question cannot be asked as it stands: the fault is the asker's.
type ParamError struct {
	Param  string // as the command line names it: site, from, limit, ...
	Value  string
	Remedy string
}

func (e *ParamError) Error() string {
	if e.Value == "" {
		return e.Param + ": " + e.Remedy
	}
	return fmt.Sprintf("%s %q: %s", e.Param, e.Value, e.Remedy)
}

// about returns an answer, or an error that says which question failed.
func about[A any](answer A, err error, question string, args ...any) (A, error) {
	if err != nil {
		var none A
		return none, fmt.Errorf("%s: %w", fmt.Sprintf(question, args...), err)
	}
	return answer, nil
}

// checkID refuses what cannot be an id: the empty one, and bytes that no store takes.
func checkID(param, id string) error {
	switch {
	case id == "":
		return &ParamError{Param: param, Remedy: "missing: name one"}
	case !utf8.ValidString(id):
		return &ParamError{Param: param, Value: id, Remedy: "not valid UTF-8, as every id is"}
	}
	return nil
}
