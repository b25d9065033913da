package passing

import (
	"fmt"

	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/rawevents"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Events takes events of a range that pass filters.
type Events interface {
	// Next takes the next event, in their order. If filters are by what whole sessions have, and the event's is not decided about, passes is
	// false and the event passes all other filters: Decide is called with the number that Next returns, in any order.
	Next(it sinks.Item, passes bool) (n int64)
	// Decide says whether an event passes that Next took undecided.
	Decide(n int64, passes bool)
	Waits() int // how many events are kept
}

// A Question is what of a range is to pass which filters.
type Question struct {
	Table  sitetable.Table
	Span   calendar.Span
	Params filters.Params
	Scope  filters.Scope
	Rows   []Dimension // whose values are the rows of the answer
	// Whole returns where something counts that has a value in a row by the entry or exit page, by its index; nil: nowhere. Other rows are
	// those of Into. It is set if there are such rows.
	Whole func(row int, value string) *Sums
	// Missed is called with each session of the range that passes all filters but those of the form goal=ID, which it does not: with its
	// values in the dimensions of rows. nil: it is not called.
	Missed func(values []string)
	Bound  func() error // called now and then; its error ends the question; nil: there is no bound
	// Refused is called for rows that raw events do not say, with why, instead of refusing the question. nil: the question is refused.
	Refused func(row int, why error)
	Passing Events    // gets the events of the range that pass; nil: nothing does
	Bots    *int64    // counts the events of bots in the range; nil: nothing does
	Goals   *GoalScan // finds conversions; nil: they are not asked for
	Paths   *Paths    // nil: they are not asked for
}

// NewQuestion asks what of a span passes filters, which were checked.
func NewQuestion(t sitetable.Table, s calendar.Span, p filters.Params) Question {
	return Question{Table: t, Span: s, Params: p, Scope: filters.ScopeOf(p.Where)}
}

// Report begins the report of how the filters are answered.
func (q *Question) Report(source filters.Source) filters.Report {
	return filters.Report{Where: append([]string{}, filters.Texts(q.Params.Where)...), Scope: q.Scope, Source: source}
}

// checkSource refuses filters by campaigns and channels if raw events keep no query parameters that say them.
func (q *Question) checkSource(c rawevents.Counting) error {
	kept, err := urlquery.Parse(q.Table.Clock.Rules.QueryParametersOr(c.QueryParameters))
	if err != nil {
		return nil // Settings of a test or of another release: it is not known what is kept.
	}
	for _, condition := range q.Params.Where {
		if err := q.checkKept(kept, DimensionOf(condition.Dimension)); err != nil {
			return err
		}
	}
	for i, d := range q.Rows {
		err := q.checkKept(kept, d)
		if err != nil && q.Refused == nil {
			return err
		}
		if err != nil {
			q.Refused(i, err)
		}
	}
	return nil
}

// checkKept refuses a dimension if the query parameters that say it are not kept.
func (q *Question) checkKept(kept urlquery.Kept, d Dimension) error {
	if !d.ofSource() || d.d == sketch.Referrer {
		return nil
	}
	name := "utm_source"
	if d.d != sketch.Channel {
		name = d.d.String()
	}
	url := []byte("/?" + name + "=x")
	if string(kept.Cut(url)) == string(url) {
		return nil
	}
	return &ranges.RawEventsError{Site: q.Table.Site, Why: fmt.Sprintf("they keep no query parameter %s (privacy.queryParameters), and %v is "+
		"known by it", name, d.d)}
}

// Into returns where an event counts that passes the filters, and a session that begins with it: by its time, and by its values in
// the dimensions of rows, which are valid during the call. The caller may keep what is returned.
type Into func(at int64, values []string) []*Sums
