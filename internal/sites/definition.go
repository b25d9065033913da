package sites

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/sinks"
)

// Never is the retention of items that do not expire.
const Never = -1

// ParseDays reads the retention that name names, as in Definition.Days: a number of days, or never.
func ParseDays(name, text string) (int64, error) {
	if text == "never" {
		return Never, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "d"), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number of days: write it as in 30 or 30d, or never", text)
	}
	return n, checkDays(name, n)
}

// checkDays reports whether items may be kept so long.
func checkDays(name string, days int64) error {
	switch {
	case days == Never:
		return nil
	case days < 1 || days > maxDays:
		return fmt.Errorf("%d: choose 1 to %d days, or never", days, maxDays)
	case name == sinks.AttrSessionDays && days < minSessionDays:
		return fmt.Errorf("%d: choose %d days or more, or never: an event that is up to 48 hours late must find the session that it is of",
			days, minSessionDays)
	}
	return nil
}

// Limits of a Definition, in bytes and numbers.
const (
	maxID      = 128 // as in an event's siteId
	maxText    = 256
	maxDomains = 100
	maxList    = 100 // entries of a list of the site's own
	minAgent   = 3   // a shorter part would be in every user agent
	maxDays    = 36_500

	// minSessionDays is what the pipeline needs at its defaults: an event may be 48 hours late, its visit may have ended
	// half an hour before it, and its record may wait in the topic for 12 hours. A pipeline that allows more lateness needs
	// more, and which does is not known here.
	minSessionDays = 3
)

// Definition is what an operator wants a site to be.
type Definition struct {
	ID      string   // as the events' siteId, 1 to 128 bytes
	Name    string   // for people; "": none
	Domains []string // that the site answers to
	Owner   string   // by whom sites can be listed; "": none

	// Shards is over how many partition keys the site's raw events are spread, 1 to sinks.MaxShards: one for each
	// 1,000 events a second that the site may get, as a partition key takes 1,000 write units a second.
	// 0: the site keeps its number; a new site gets sinks.DefaultShards.
	Shards int

	// Days says for how long items are kept, by the names of attributes (sinks.AttrRawDays, AttrSessionDays,
	// AttrHourDays, AttrDayDays), and after how many days without an event a visitor is new again (AttrVisitorDays). What is not
	// named stays as it is, or as the pipeline's settings say. Never: for ever.
	Days map[string]int64

	// Zone is the zone of the IANA database by whose clocks the site's hours and days are cut; "": UTC.
	Zone string

	// QueryParameters are those that raw and failed events keep of urls and referrers: all, none, or names. Each name
	// may end in *. None: as the pipeline's settings say.
	QueryParameters []string

	// EventsPerSecond is how many events a second of the site each partition folds into sessions and breakdowns: see
	// [Rules]. 0: unlimited.
	EventsPerSecond int64

	// ExcludedPaths are pages whose events are not counted but in a total of their own, where * stands for any text: see
	// [Rules.ExcludesPage].
	ExcludedPaths []string
	ExcludedTypes []string // types of events that are excluded as well

	// Rows are how many values of a dimension have rows of their own in an hour, by the dimension's name, 1 to MaxRows, where that
	// is another number than the pipeline's settings say.
	Rows map[string]int

	// Properties are up to MaxProperties keys of the events' properties whose values have figures of their own.
	Properties []string

	UserAgents []string // parts of user agents that are bots at this site, beside the list that ships
	Referrers  []string // hosts of referrers that are spam at this site, beside the list that ships
}

var dayNames = []string{sinks.AttrRawDays, sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrDayDays, sinks.AttrVisitorDays}

// Validate names every fault of d.
func (d Definition) Validate() error {
	var f faults
	d.checkNames(&f)
	d.checkDomains(&f)
	d.checkSettings(&f)
	d.checkBotLists(&f)
	d.checkExcluded(&f)
	checkRows(&f, d.Rows)
	d.checkProperties(&f)
	return errors.Join(f...)
}

// faults are what is wrong with a definition.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

// text adds what is wrong with a text of at most limit bytes.
func (f *faults) text(name, value string, limit int) {
	if !utf8.ValidString(value) {
		f.add("%s %q is not valid UTF-8: write it in UTF-8", name, value)
	}
	if len(value) > limit {
		f.add("%s %.32q... has %d bytes: shorten it to %d", name, value, len(value), limit)
	}
}

func (d Definition) checkNames(f *faults) {
	if d.ID == "" {
		f.add("the site's id is empty: name the siteId of its events")
	}
	f.text("site", d.ID, maxID)
	f.text("name", d.Name, maxText)
	f.text("owner", d.Owner, maxText)
}

func (d Definition) checkDomains(f *faults) {
	for _, domain := range d.Domains {
		f.text("domain", domain, maxText)
		if domain == "" || strings.ContainsAny(domain, "/ ") || strings.Contains(domain, ":") && domain[0] != '[' {
			f.add("domain %q is not a host name: write it as in www.example.com", domain)
		} else if strings.Contains(domain, "*") {
			f.add("domain %q: no host is called that: write the name alone, without a prefix: all hosts below it belong to the site, too", domain)
		}
	}
	if len(d.Domains) > maxDomains {
		f.add("%d domains: name %d at most", len(d.Domains), maxDomains)
	}
}

// checkSettings checks what decides how the site is counted, and how long it is kept.
func (d Definition) checkSettings(f *faults) {
	if d.Shards < 0 || d.Shards > sinks.MaxShards {
		f.add("shards %d: choose 1 to %d", d.Shards, sinks.MaxShards)
	}
	for name, days := range d.Days {
		if !slices.Contains(dayNames, name) {
			f.add("retention %q: name one of %s", name, strings.Join(dayNames, ", "))
		} else if err := checkDays(name, days); err != nil {
			f.add("%s %w", name, err)
		}
	}
	if d.Zone != "" {
		if _, err := LoadZone(d.Zone); err != nil {
			f.add("zone %w", err)
		}
	}
	if d.QueryParameters != nil {
		if _, err := urlquery.Parse(urlquery.Canonical(d.QueryParameters)); err != nil {
			f.add("%w", err)
		}
	}
	if d.EventsPerSecond < 0 || d.EventsPerSecond > MaxEventsPerSecond {
		f.add("%d events a second: choose 1 to %d, or 0 for any number", d.EventsPerSecond, MaxEventsPerSecond)
	}
}

// checkBotLists checks the site's own lists of bots and of spam.
func (d Definition) checkBotLists(f *faults) {
	if n := len(d.UserAgents); n > maxList {
		f.add("%d user agents: name %d at most", n, maxList)
	}
	for _, agent := range d.UserAgents {
		f.text("user agent", agent, maxText)
		if len(agent) < minAgent || agent != strings.ToLower(agent) {
			f.add("user agent %q: write a part of it that has %d bytes or more, in lower case", agent, minAgent)
		} else if !telling(agent) {
			f.add("user agent %q has no letter or digit: write a part that only bots have", agent)
		}
	}
	if n := len(d.Referrers); n > maxList {
		f.add("%d referrers: name %d at most", n, maxList)
	}
	for _, host := range d.Referrers {
		f.text("referrer", host, maxText)
		if !telling(host) || strings.ContainsAny(host, "/ :") || host != strings.ToLower(host) {
			f.add("referrer %q is not a host name in lower case: write it as in spam.example.com", host)
		}
	}
}

// telling reports whether a text has a letter or a digit: blanks and dots are in what anybody sends.
func telling(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
