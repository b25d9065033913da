package count

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// Breakdown is what one partition knows of an hour of a site, by the values of each dimension.
type Breakdown struct {
	*sketch.Breakdown
	Short bool // a booking took back more than there was: the rules of breakdowns do not hold

	rules *sites.Rules // whose numbers of rows it has

	purged int64 // the revision of the rules at which rows were dropped last
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (b *Breakdown) Clone() *Breakdown {
	if b == nil {
		return nil
	}
	return &Breakdown{b.Breakdown.Clone(), b.Short, b.rules, b.purged}
}

// Give gives each dimension as many rows as the rules under which a record is counted say; those that they leave out have as many as
// the hour began with.
func (b *Breakdown) Give(rules *sites.Rules) {
	if b.rules == rules {
		return
	}
	b.rules = rules
	var rows []sketch.DimensionRows
	for _, d := range sketch.Dimensions() {
		if rules == nil {
			break
		}
		if n := rules.Rows[d.String()]; n > 0 {
			rows = append(rows, sketch.DimensionRows{Dimension: d, Rows: n})
		}
	}
	b.SetRows(rows)
}

// BookIn books the session (sign 1), or takes it out (sign -1): the session itself under what its earliest event says and
// under its entry page, by the record of that event; its pages by their page views, unless the start
// has moved since.
func (s *Session) BookIn(b *Breakdown, sign int64) {
	whole := sketch.Booking{Sessions: sign, DurationMs: sign * min(s.DurationMs(), maxBookedMs), Bounces: sign * OneIf(s.Bounce())}
	var won sketch.Conversions
	if n := int64(len(s.Reached)); n > 0 {
		won = sketch.Conversions{Sessions: sign, Further: sign * (n - 1), Worth: int128.From(sign * s.Worth)}
	}
	for d, value := range s.First {
		if value == "" {
			continue
		}
		b.book(sketch.Dimension(d), value, s.Booked, whole)
		switch d := sketch.Dimension(d); d {
		case sketch.Referrer, sketch.Channel, sketch.Source, sketch.Medium, sketch.Campaign, sketch.Content, sketch.Term:
			b.convert(d, value, s.Booked, won)
		}
	}
	if s.Entry.Page != "" {
		entry := whole
		entry.Entries = sign
		b.book(sketch.Page, s.Entry.Page, max(s.Booked, s.Entry.Position), entry)
		b.convert(sketch.Page, s.Entry.Page, max(s.Booked, s.Entry.Position), won)
	}
	if s.Exit.Page != "" {
		b.book(sketch.Page, s.Exit.Page, max(s.Booked, s.Exit.Position), sketch.Booking{Exits: sign})
	}
}

// maxBookedMs is up to where a session's duration counts in breakdowns: 99.42 days.
const maxBookedMs = 1 << 33

func (b *Breakdown) book(d sketch.Dimension, value string, at int64, k sketch.Booking) {
	b.Short = !b.Book(d, value, at, k) || b.Short
}

func (b *Breakdown) convert(d sketch.Dimension, value string, at int64, k sketch.Conversions) {
	b.Short = !b.Convert(d, value, at, k) || b.Short
}

// Drop drops rows from a breakdown of an hour, once for each revision.
func (b *Breakdown) Drop(drops sites.DropIndex, rev, hour int64) {
	if len(drops) == 0 || b.purged == rev {
		return
	}
	b.purged = rev
	if gone := drops.In(hour); gone != nil {
		b.Purge(gone)
	}
}

// maxPropertyValue is up to how many bytes of a property's value count.
const maxPropertyValue = 256

// PropertyText returns the value that a member is counted under; "": none. Texts count without quotes, numbers and booleans as they
// are spelled, all else does not.
func PropertyText(raw json.RawMessage) string {
	text := string(raw)
	switch {
	case text == "" || text == "null" || text[0] == '{' || text[0] == '[':
		return ""
	case text[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			return ""
		}
	}
	if len(text) <= maxPropertyValue {
		return text
	}
	n := maxPropertyValue
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
