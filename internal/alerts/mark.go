package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

// A Mark says up to which hour sites were judged. There is one of all sites, and one of each site that differs.
type Mark struct {
	Hour    int64   // the last hour that was judged; 0: none; of a site that does not wait: that of all sites
	Skipped []Span  // hours that were left out, the last maxSkipped spans
	Waiting []int32 // of a site that waits: partitions that must be counted before the next hour is judged, the first MaxWaiting
}

// A Span is the hours [From, To) that were left out.
type Span struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Why  string `json:"why"`
}

// Why hours were left out.
const (
	TooLate    = "too late"   // they were not complete, or no process judged, for a day
	Unreadable = "unreadable" // figures could not be read
)

const (
	maxSkipped = 20 // spans that a mark keeps
	// MaxWaiting is how many partitions a mark names at most.
	MaxWaiting = 20
)

// Skip adds hours that were left out. Hours that follow the last span for the same reason extend it.
func (m *Mark) Skip(from, to int64, why string) {
	if n := len(m.Skipped); n > 0 && m.Skipped[n-1].To == from && m.Skipped[n-1].Why == why {
		m.Skipped[n-1].To = to
		return
	}
	m.Skipped = append(m.Skipped[max(0, len(m.Skipped)+1-maxSkipped):], Span{from, to, why})
}

// Judged returns the mark of a site with what the mark of all sites adds to it.
func (m Mark) Judged(all Mark) Mark {
	if len(m.Waiting) == 0 {
		m.Hour = all.Hour
	}
	m.Skipped = slices.Concat(all.Skipped, m.Skipped)
	slices.SortFunc(m.Skipped, func(a, b Span) int { return int(a.From - b.From) })
	return m
}

const judged = "judged"

// markID takes the place of an alert's name in the key of a mark. site "": all sites.
func markID(site string) string {
	if site == "" {
		return judged
	}
	return judged + " " + site
}

// markKey is where a mark lies: under no site.
func markKey(site string) sinks.Key { return sinks.AlertKey("", markID(site)) }

// PutMark keeps a mark. site "": of all sites.
func (s *Store) PutMark(ctx context.Context, site string, m Mark) error {
	it := entered.Head(markKey(site), sinks.EntityAlert, "")
	it[sinks.AttrAlertID], it[sinks.AttrAt] = sinks.Str(markID(site)), sinks.Int(m.Hour*hourMs)
	if m.Skipped != nil {
		it[sinks.AttrSkipped] = spelled(m.Skipped)
	}
	if m.Waiting != nil {
		it[sinks.AttrWaiting] = spelled(m.Waiting)
	}
	if _, err := s.Table.Put(ctx, sinks.Put{Item: it}); err != nil {
		return fmt.Errorf("keep the hour that was judged last: %w", err)
	}
	return nil
}

// deleteMark removes a mark. site "": of all sites.
func deleteMark(ctx context.Context, t sinks.Table, site string) error {
	if _, err := t.Delete(ctx, sinks.Delete{Key: markKey(site)}); err != nil {
		return fmt.Errorf("delete the hour that was judged last of site %q: %w", site, err)
	}
	return nil
}

// Mark reads up to which hour a site was judged, and the hours that were left out.
func (s *Store) Mark(ctx context.Context, site string) (Mark, error) {
	all, own := markKey(""), markKey(site)
	found, err := sinks.Get(ctx, s.Table, all, own)
	if err != nil {
		return Mark{}, fmt.Errorf("read the hour that was judged last: %w", err)
	}
	return readMark(found[own]).Judged(readMark(found[all])), nil
}

// readMark reads the item of a mark; nil: there is none. What is damaged of it is left out: the next hour writes it again.
func readMark(it sinks.Item) (m Mark) {
	m.Hour = it[sinks.AttrAt].Int() / hourMs
	_ = json.Unmarshal([]byte(it[sinks.AttrSkipped].Str()), &m.Skipped)
	_ = json.Unmarshal([]byte(it[sinks.AttrWaiting].Str()), &m.Waiting)
	return m
}

// markOf returns the site whose mark an item is, "" for all sites; ok is false if the item is an alert.
func markOf(it sinks.Item) (site string, ok bool) {
	if it[sinks.AttrSiteID].Str() != "" {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(it[sinks.AttrAlertID].Str(), judged), " "), true
}

// Since is the start of the hour after a mark.
func (m Mark) Since() time.Time { return HourStart(m.Hour + 1) }
