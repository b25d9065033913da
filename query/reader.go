// Package query answers questions about sites from the table. It is the read side of footfall.
//
// A [Reader] has a method for each question. It merges what the writers keep apart: the shards of raw events and of the list of
// sites, and the parts of a session, an hour or a minute that each partition of the topic has written. Counters are added up.
// Rates are derived from them here and never stored. Visitors are merged as sketches and never added.
//
// All answers have this in common:
//
//   - A range is half-open, [from, to), and the answer names the range that it used. Instants are in UTC; those of stats, uniques
//     and top are in the zone of the question.
//   - Expired items are left out, because the store deletes them late. ExpiredOmitted counts those that were read for this answer.
//     It can be added up over the pages of a question. Stats are the exception: their pages read a little ahead, and the first page
//     reads the whole range for its totals.
//   - A site that has no events and was never created gives an empty answer with SiteKnown false, not an error.
//   - Lists come in pages. A page may hold fewer rows than its limit. There are more pages while the cursor is not empty.
//   - Memory is bounded by the page, not by the range. A funnel report is the exception: it keeps a few numbers for each visitor.
//   - Parameters that have no answer are a [ParamError]. Other errors come from the table.
//
// Each question has a file, with its parameters and its answer. Below them are
//
//	internal/breakdowns    values of dimensions, merged over hours, partitions and sites
//	internal/compared      a range and the earlier one that it is compared with, row by row
//	internal/derived       figures of sums
//	internal/funnelcount   how far visitors get in a funnel, from raw events
//	internal/passing       what passes filters, from raw events
//	internal/rawevents     raw events as one sequence, what it costs to read them, why some are missing
//	internal/recounts      the last recount of figures, and whether it covers a range
//	internal/sessionlists  lists that name sessions and conversions
//	internal/sitelist      the list of sites, and those of an owner
//	internal/sitetable     what the table holds of a site, merged over shards, partitions and seals; pages and cursors
//	internal/calendar      spans, the buckets of a zone, the range that a range is compared with, words for instants and periods
//	figures                the figures of answers, and how they change
//	filters                the words of filters
//	ranges                 the words of a range and a page, and the error of a wrong parameter
//
// Answers are plain data. encoding/json spells them as `footfall query --output json` prints them.
package query

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Known is part of every answer about a site.
type Known struct {
	SiteKnown bool `json:"-"` // the site has events, or was created; of an owner: has a site
}

// UnknownSite reports whether the answer is about a site that has no events and was never created, or about an owner without sites.
func (k Known) UnknownSite() bool { return !k.SiteKnown }

// Reader answers questions from one table. It writes nothing. A read that is throttled or gets no answer is tried up to six times,
// unless the table retries by itself. Safe for concurrent use. Make one with [New].
type Reader struct{ store *sitetable.Store }

// New makes a Reader of a table. keys names the generation of items to read; its zero value is the first. now is the current time: it
// decides which items have expired, and is the default end of a range.
func New(table sinks.Table, keys sinks.Keys, now func() time.Time) *Reader {
	return &Reader{sitetable.New(table, keys, now)}
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
