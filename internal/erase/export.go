package erase

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// The kinds of lines of an export.
const (
	LineEvent      = "event"
	LineConversion = "conversion"
	LineSession    = "session" // and visits
	LineVisits     = "visits"  // the visits that a next event may continue
	LineArrival    = "arrival" // where the visitor is counted as new
	LineAnnotation = "annotation"
)

// Exported is how many lines of each kind an export has.
type Exported map[string]int64

// Export writes to out all that the table holds about a person, an object of JSON a line: its kind as "kind", and the attributes of the
// item under their names in docs/schema.md, but for keys, marks and what is of the table alone; of the fold's own states what they say of
// the person. Ids and texts are as they came. Of the generations of items it has the live one, and those that keep earlier dates for it: a
// session that both have comes twice. Items that have expired are left out: readers do not see them. The order is not defined. What is
// written while it runs may be missed.
func Export(ctx context.Context, o Options, out io.Writer) (Exported, error) {
	r, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &lines{out: out, now: r.Now(), count: make(Exported)}
	f := r.finder(0, math.MaxInt64)
	f.keys = r.watch.has.ReadKeys()
	err = f.eachSession(ctx, func(_ context.Context, it sinks.Item) error { return w.session(it) })
	if err == nil && r.Person == sites.Visitor {
		err = errors.Join(f.eachVisitor(ctx, func(_ context.Context, it sinks.Item) error { return w.visits(it) }),
			f.eachArrival(ctx, func(_ context.Context, it sinks.Item) error { return w.write(LineArrival, it, nil) }))
	}
	if err == nil {
		err = f.eachRecord(ctx, func(_ context.Context, kind string, it sinks.Item) error {
			return w.write(map[string]string{Events: LineEvent, Conversions: LineConversion}[kind], it, nil)
		})
	}
	if err == nil {
		err = f.eachEvent(ctx, func(it sinks.Item) error { return w.write(LineEvent, it, nil) })
	}
	if err == nil {
		err = r.exportAnnotations(ctx, w)
	}
	return w.count, err
}

// exportAnnotations writes the annotations that an erasure of the person would delete, without who wrote them: that is another person.
func (r *run) exportAnnotations(ctx context.Context, w *lines) error {
	for it, err := range annotations.Naming(ctx, r.table, r.Site, r.ID) {
		if err != nil {
			return err
		}
		said := maps.Clone(it)
		delete(said, sinks.AttrCreatedBy)
		if err := w.write(LineAnnotation, said, nil); err != nil {
			return err
		}
	}
	return nil
}

// lines writes an export. Safe for concurrent use.
type lines struct {
	now time.Time

	mu    sync.Mutex // covers all below; held while a line is written
	out   io.Writer
	count Exported
}

// unsaid are attributes that say nothing about a person, or repeat what others say.
var unsaid = []string{sinks.AttrPK, sinks.AttrSK, sinks.AttrGSI1PK, sinks.AttrGSI1SK, sinks.AttrEntity,
	sinks.AttrSchema, sinks.AttrCur, sinks.AttrPrev}

// write writes a line of an item, with more members.
func (l *lines) write(kind string, it sinks.Item, more map[string]any) error {
	if it.Expired(l.now.Unix()) {
		return nil
	}
	line := map[string]any{"kind": kind}
	for name, v := range it {
		if slices.Contains(unsaid, name) || strings.HasPrefix(name, "w") && strings.Contains(name, "_") {
			continue
		}
		switch v.Kind() {
		case sinks.Number:
			line[name] = json.Number(v.Num().String())
		case sinks.List:
			line[name] = v.Strings()
		case sinks.Binary:
			line[name] = v.Bytes()
		case sinks.Other:
			line[name] = v.String()
		default:
			line[name] = v.Str()
		}
	}
	if text := it["properties"].Str(); text != "" {
		line["properties"] = json.RawMessage(text)
	}
	maps.Copy(line, more)
	l.mu.Lock()
	defer l.mu.Unlock()
	e := json.NewEncoder(l.out)
	e.SetEscapeHTML(false)
	l.count[kind]++
	return e.Encode(line)
}

// A viewed page, as the state of a session has it.
type viewed struct {
	Page string `json:"page"`
	At   int64  `json:"at"` // ms since the epoch
}

// session writes a session with when its first and last pages were viewed, as of its last two states.
func (l *lines) session(it sinks.Item) error {
	cur, before, err := states(it)
	if err != nil {
		return err
	}
	more := shown(&cur)
	site, _ := sinks.SiteOf(it.Key())
	whose := state.IdentityOf(it)
	for name, id := range map[string]string{sinks.AttrSiteID: site, sinks.AttrSessionID: whose.Session,
		sinks.AttrVisitorID: whose.Visitor, sinks.AttrUserID: whose.User} {
		if id != "" {
			more[name] = id
		}
	}
	for name, s := range map[string]*state.Session{"now": &cur, "before": &before} {
		if s.Entry.Page != "" {
			more[name] = map[string]viewed{"entry": {s.Entry.Page, s.Entry.At}, "exit": {s.Exit.Page, s.Exit.At}}
		}
	}
	return l.write(LineSession, it, more)
}

// shown is what the state of a session says of it, besides its first and last pages.
func shown(s *state.Session) map[string]any {
	more := make(map[string]any)
	if s.Events == 0 {
		return more
	}
	more["openedAt"], more["startedAt"], more["endedAt"], more["durationMs"] = s.OpenedAt, s.StartedAt, s.EndedAt, s.DurationMs()
	more["pageViews"], more["events"], more["bounce"], more["engaged"] = s.PageViews, s.Events, s.Bounce(), s.Engaged()
	for d, name := range sinks.DimensionNames {
		if s.First != nil && s.First[d] != "" {
			more[name] = s.First[d]
		}
	}
	return more
}

// visits writes what a partition knows of the visitor's visits.
func (l *lines) visits(it sinks.Item) error {
	more := make(map[string]any)
	for name, attr := range map[string]string{"visits": sinks.AttrCur, "before": sinks.AttrPrev} {
		s, err := state.DecodeVisitor(it[attr].Bytes())
		if err != nil {
			return sinks.Damaged(it.Key(), attr, err)
		}
		spans := []map[string]int64{}
		for _, v := range s.Visits() {
			spans = append(spans, map[string]int64{"start": v.Start, "last": v.Last})
		}
		more[name] = spans
	}
	return l.write(LineVisits, it, more)
}
