// Package site writes what people decide about sites: [Create] gives a site metadata, shards and retention.
// Reading is package query's.
package site

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
)

// Never is the retention of items that do not expire.
const Never = -1

// ParseDays reads a retention: a number of days, or never.
func ParseDays(s string) (int64, error) {
	if s == "never" {
		return Never, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > maxDays {
		return 0, fmt.Errorf("retention %q: write 1 to %d days, or never", s, maxDays)
	}
	return n, nil
}

// Limits of a Definition, in bytes and numbers.
const (
	maxID      = 128 // as in an event's siteId
	maxText    = 256
	maxDomains = 100
	maxDays    = 36_500
)

// Definition is a site as somebody wants it.
type Definition struct {
	ID      string   // as the events' siteId, 1 to 128 bytes
	Name    string   // for people; "": none
	Domains []string // that the site answers to
	Owner   string   // by whom sites can be listed; "": none

	// Shards is over how many partition keys the site's raw events are spread, 1 to sinks.MaxShards: one for each
	// 1,000 events a second that the site may get, as a partition key takes 1,000 write units a second.
	// 0: whatever the site has, else sinks.DefaultShards.
	Shards int

	// Days says for how long items are kept, by the names of attributes (sinks.AttrRawDays, AttrSessionDays,
	// AttrHourDays, AttrDayDays). What is not named stays as it is, or as the pipeline's settings say. Never: for ever.
	Days map[string]int64
}

var dayNames = []string{sinks.AttrRawDays, sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrDayDays}

// Validate names every fault of d.
func (d Definition) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	text := func(name, value string, limit int) {
		if !utf8.ValidString(value) {
			fault("%s %q is not valid UTF-8: write it in UTF-8", name, value)
		}
		if len(value) > limit {
			fault("%s %.32q... has %d bytes: shorten it to %d", name, value, len(value), limit)
		}
	}
	if d.ID == "" {
		fault("the site's id is empty: name the siteId of its events")
	}
	text("site", d.ID, maxID)
	text("name", d.Name, maxText)
	text("owner", d.Owner, maxText)
	for _, domain := range d.Domains {
		text("domain", domain, maxText)
		if domain == "" || strings.ContainsAny(domain, "/ ") {
			fault("domain %q is not a host name: write it as in www.example.com", domain)
		}
	}
	if len(d.Domains) > maxDomains {
		fault("%d domains: name %d at most", len(d.Domains), maxDomains)
	}
	if d.Shards < 0 || d.Shards > sinks.MaxShards {
		fault("shards %d: choose 1 to %d", d.Shards, sinks.MaxShards)
	}
	for name, days := range d.Days {
		if !slices.Contains(dayNames, name) {
			fault("retention %q: name one of %s", name, strings.Join(dayNames, ", "))
		} else if days != Never && (days < 1 || days > maxDays) {
			fault("%s %d: choose 1 to %d days, or never", name, days, maxDays)
		}
	}
	return errors.Join(faults...)
}

// ConflictError reports that a site has been decided upon already, and otherwise. What holds stays.
type ConflictError struct {
	Site        string
	Differences []string // "shards: 16 holds, not 4"
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("site %q is there already with other values, and they stay: %s; nothing was changed",
		e.Site, strings.Join(e.Differences, "; "))
}

// Create records a site. The entry in the list of sites decides on shards and retention: who puts it first, this
// or the worker that sees the site's first event, decides for good, so that all agree on where the site's events
// lie and when they expire. A site that is there with other values than d's is a *ConflictError, which names those
// that hold. It may be repeated: creating a site as it is changes nothing and is not an error.
func Create(ctx context.Context, t sinks.Table, keys sinks.Keys, d Definition, now time.Time) error {
	if err := d.Validate(); err != nil {
		return err
	}
	held, err := sinks.EnsureSiteEntry(ctx, t, keys, sinks.SiteEntry{Site: d.ID, Shards: d.Shards, Days: d.Days})
	if err != nil {
		return repeatable(err)
	}
	if diff := d.differsFrom(held); diff != nil {
		return &ConflictError{d.ID, diff}
	}
	r, err := t.Put(ctx, sinks.Put{Item: d.item(keys, held, now), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	if err != nil {
		return repeatable(fmt.Errorf("site %q: put its metadata: %w", d.ID, err))
	}
	if r.Refused {
		if diff := d.differsFromMetadata(r.Item); diff != nil {
			return &ConflictError{d.ID, diff}
		}
	}
	return nil
}

// repeatable says what to do about an error that another attempt may not meet.
func repeatable(err error) error {
	if sinks.Retryable(err) {
		return fmt.Errorf("%w: repeat the command, which does no harm", err)
	}
	return err
}

// item makes the site's metadata. It carries what holds of shards and retention, for whoever reads it alone.
func (d Definition) item(keys sinks.Keys, held sinks.SiteEntry, now time.Time) sinks.Item {
	it := held.Item(keys)
	key := keys.Metadata(d.ID)
	it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
	it[sinks.AttrEntity] = sinks.Str(sinks.EntitySite)
	it[sinks.AttrName] = sinks.Str(d.Name)
	it[sinks.AttrDomains] = sinks.Strings(d.Domains)
	it[sinks.AttrCreatedAt] = sinks.Int(now.UnixMilli())
	it[sinks.AttrRev] = sinks.Int(1)
	if d.Owner != "" {
		it[sinks.AttrOwner] = sinks.Str(d.Owner)
		it[sinks.AttrGSI1PK] = sinks.Str(keys.Owner(d.Owner))
		it[sinks.AttrGSI1SK] = sinks.Str(keys.Site(d.ID))
	}
	return it
}

// differsFrom names what d asks for and the site's entry does not have.
func (d Definition) differsFrom(held sinks.SiteEntry) []string {
	var diff []string
	if d.Shards != 0 && d.Shards != held.Shards {
		diff = append(diff, fmt.Sprintf("shards: %d holds, not %d", held.Shards, d.Shards))
	}
	for _, name := range dayNames {
		want, asked := d.Days[name]
		have, set := held.Days[name]
		switch {
		case !asked || set && have == want:
		case !set:
			diff = append(diff, fmt.Sprintf("%s: the pipeline's own holds, not %s", name, spellDays(want)))
		default:
			diff = append(diff, fmt.Sprintf("%s: %s holds, not %s", name, spellDays(have), spellDays(want)))
		}
	}
	return diff
}

// differsFromMetadata names what d says otherwise than the site's metadata.
func (d Definition) differsFromMetadata(it sinks.Item) []string {
	var diff []string
	for _, f := range []struct{ name, have, want string }{
		{"name", it[sinks.AttrName].Str(), d.Name},
		{"domains", strings.Join(it[sinks.AttrDomains].Strings(), " "), strings.Join(d.Domains, " ")},
		{"owner", it[sinks.AttrOwner].Str(), d.Owner},
	} {
		if f.have != f.want {
			diff = append(diff, fmt.Sprintf("%s: %q holds, not %q", f.name, f.have, f.want))
		}
	}
	return diff
}

func spellDays(days int64) string {
	if days == Never {
		return "never"
	}
	return strconv.FormatInt(days, 10)
}
