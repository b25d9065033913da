package sites

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Rules are all that holds for a site from one revision on. It is not changed once it is part of a Log. The methods are
// those of a nil Site, too: one without rules.
type Rules struct {
	// For people and programs; they decide nothing.
	Name      string   `json:"name,omitempty"`
	Domains   []string `json:"domains,omitempty"` // events with a url elsewhere are flagged, and counted as all others
	Owner     string   `json:"owner,omitempty"`
	CreatedAt int64    `json:"createdAt,omitempty"` // ms since the epoch

	Shards []Shards         `json:"shards,omitempty"` // of raw events, by From, the least first
	Zones  []Zone           `json:"zones,omitempty"`  // by From, the least first
	Days   map[string]int64 `json:"days,omitempty"`   // that items are kept, by attribute, as sinks.AttrRawDays; -1: for ever

	UserAgents []string `json:"userAgents,omitempty"` // parts of user agents of bots, lower case, beside the list that ships
	Referrers  []string `json:"referrers,omitempty"`  // hosts of spam referrers, lower case, beside the list that ships

	// ExcludedPaths are pages whose events are in no figure but one of their own: see ExcludesPage.
	ExcludedPaths []string `json:"excludedPaths,omitempty"`
	ExcludedTypes []string `json:"excludedTypes,omitempty"` // types of events that are excluded as well

	// Rows are how many values of dimensions of a breakdown, by their names, have rows of their own, where that is another
	// number than the settings': see [Rules.BreakdownRows].
	Rows map[string]int `json:"rows,omitempty"`

	// QueryParameters are those that raw and failed events keep of urls and referrers: all, none, or names in order,
	// separated by commas; "": as the settings say.
	QueryParameters string `json:"queryParameters,omitempty"`

	// EventsPerSecond is the budget of the site in each partition: events beyond 60 times as many in a minute of record time touch
	// no session and no breakdown; 0: unlimited.
	EventsPerSecond int64 `json:"eventsPerSecond,omitempty"`

	// Properties are keys of the events' properties that the site has chosen as dimensions of its breakdowns, by number, the least first.
	Properties   []Property `json:"properties,omitempty"`
	LastProperty uint64     `json:"lastProperty,omitempty"` // the last number that was given to a property

	Goals     []Goal `json:"goals,omitempty"`     // by number, the least first
	LastGoal  uint64 `json:"lastGoal,omitempty"`  // the last number that was given to a goal
	DeletedAt int64  `json:"deletedAt,omitempty"` // ms since the epoch; 0: it has not been deleted

	// What is not kept of the site, of records in steps that name the revision.
	NoRealtime     bool `json:"noRealtime,omitempty"`     // minutes of the realtime lane
	NoRecent       bool `json:"noRecent,omitempty"`       // lists of new sessions by the minute
	NoVisitorIndex bool `json:"noVisitorIndex,omitempty"` // lists of sessions by visitor

	// NewVisitors has new visitors counted, in steps that name the revision. NewVisitorsSince is when that was decided, ms since the
	// epoch; 0: before anything of the site was counted.
	NewVisitors      bool  `json:"newVisitors,omitempty"`
	NewVisitorsSince int64 `json:"newVisitorsSince,omitempty"`

	rows []sketch.DimensionRows // Rows, by dimension
}

// Shards is how many shards the raw events of a site have from a day on.
type Shards struct {
	From int64 `json:"from"` // the beginning of a day of UTC, ms since the epoch; 0: always
	N    int   `json:"n"`    // 1 to sinks.MaxShards
}

// Zone is a zone that holds for a site from an instant on. Hours end there, and what becomes of the day that runs says [Rules.Day].
type Zone struct {
	From int64  `json:"from"` // ms since the epoch; 0: always
	Name string `json:"zone"` // of the IANA database

	loc   *time.Location
	until int64 // of an entry's zone: it is in place of all from an instant on that is not after this one, ms; 0: it is the first one
}

// parseRules reads rules and makes them ready for use.
func parseRules(text string) (*Rules, error) {
	s := new(Rules)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, err
	}
	return s, s.ready()
}

// ParseRules reads rules as an item of the table spells them, for readers of [sinks.AttrRules].
func ParseRules(text string) (*Rules, error) {
	s, err := parseRules(text)
	if err != nil {
		return nil, fmt.Errorf("rules of a site: %w", err)
	}
	return s, nil
}

// ready finds the zones that are named, and compiles what goals mean.
func (s *Rules) ready() (err error) {
	for i := range s.Zones {
		if s.Zones[i].loc, err = LoadZone(s.Zones[i].Name); err != nil {
			return err
		}
	}
	s.rows = sketch.RowsByName(s.Rows)
	return s.readyGoals()
}

// String spells the rules as JSON, equal rules equally.
func (s *Rules) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // Texts and numbers marshal.
	}
	return string(b)
}

// Empty reports whether s says nothing: what a worker appends for a site that was claimed and not decided about.
func (s *Rules) Empty() bool { return s == nil || s.String() == "{}" }

// Clone returns a copy that shares nothing with s; of nil, rules that say nothing.
func (s *Rules) Clone() *Rules {
	if s == nil {
		return new(Rules)
	}
	c, err := parseRules(s.String())
	if err != nil {
		panic(err) // They were read once.
	}
	return c
}

// ShardsAt returns over how many shards raw events of an instant's day are spread; the day is that of UTC.
func (s *Rules) ShardsAt(ms int64) int {
	n := sinks.DefaultShards
	if s != nil {
		for _, x := range s.Shards {
			if x.From <= ms {
				n = x.N
			}
		}
	}
	return n
}

// ShardsIn returns every number of shards that holds at some time of [from, to), in ms since the epoch, the least first.
func (s *Rules) ShardsIn(from, to int64) []int {
	all := []int{s.ShardsAt(from)}
	if s != nil {
		for _, x := range s.Shards {
			if from < x.From && x.From < to {
				all = append(all, x.N)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// DaysOf returns how many days the site keeps the items that attr names, where the settings say def.
func (s *Rules) DaysOf(attr string, def int64) int64 {
	if s != nil {
		if d, ok := s.Days[attr]; ok {
			return d
		}
	}
	return def
}

// QueryParametersOr returns which query parameters the site keeps, where the settings say def.
func (s *Rules) QueryParametersOr(def string) string {
	if s != nil && s.QueryParameters != "" {
		return s.QueryParameters
	}
	return def
}

// MaxEventsPerSecond is the greatest budget of a site.
const MaxEventsPerSecond = 1_000_000

// Budget returns how many events a second of the site each partition folds into sessions and breakdowns; 0: any number.
func (s *Rules) Budget() int64 {
	if s == nil {
		return 0
	}
	return s.EventsPerSecond
}

// Held is a zone and the span of time in which it holds.
type Held struct {
	Loc      *time.Location
	From, To int64 // ms since the epoch, [From, To)
}

// always is the span of all time.
const always = int64(1) << 62

// Zone returns the zone that holds at an instant.
func (s *Rules) Zone(ms int64) Held {
	h := Held{time.UTC, -always, always}
	if s == nil {
		return h
	}
	for _, z := range s.Zones {
		if z.From > ms && z.From > 0 {
			h.To = z.From
			break
		}
		h = Held{z.loc, z.From, always}
		if z.From == 0 { // Always, and the hour that 1970 begins in may have begun before.
			h.From = -always
		}
	}
	return h
}

// Hour returns the hour bucket of an instant that the zone holds at, [from, to): see [HourOf].
func (h Held) Hour(ms int64) (from, to int64) {
	from, to = HourOf(h.Loc, ms)
	return max(from, h.From), min(to, h.To)
}

// Day returns the day bucket of an instant, [from, to). It is named by name: the beginning of the same date in UTC.
//
// It is the day of the zone that holds then (see [DayOf]), but a change of zone leaves no date twice and no instant without a day: where
// the new zone's date is greater than that of the day that runs, the day ends at the change; otherwise it continues until the new zone's
// date is greater. So one day is shorter or longer for each change, and dates may be left out.
func (s *Rules) Day(ms int64) (name, from, to int64) {
	day, from, h := s.dayOf(ms)
	to = DayBegin(h.Loc, day+1)
	for to >= h.To { // Another zone holds by then.
		at := h.To
		h = s.Zone(at)
		to = max(at, DayBegin(h.Loc, day+1))
	}
	return day * dayMs, from, to
}

// longest is more than a day that runs at a change of zone lasts after it: zones are up to 26 hours apart.
const longest = 4 * dayMs

// dayOf returns the day that holds an instant, counted from 1970-01-01, when it begins, and the zone.
func (s *Rules) dayOf(ms int64) (day, from int64, h Held) {
	h = s.Zone(ms)
	day, from, _ = DayOf(h.Loc, ms)
	if h.From > -always && ms < h.From+longest {
		if ran, began, _ := s.dayOf(h.From - 1); day <= ran {
			return ran, began, h
		}
		from = max(from, h.From)
	}
	return day, from, h
}

// ChangesZone reports whether the site has more than one zone, each from an instant on.
func (s *Rules) ChangesZone() bool {
	return s != nil && len(s.Zones) > 0 && (len(s.Zones) > 1 || s.Zones[0].From > 0)
}

// DaySpan returns the span of the day of that name, [from, to) in ms since the epoch: of hours it has those that begin in it.
func (s *Rules) DaySpan(name int64) (from, to int64) {
	if s == nil || len(s.Zones) == 0 {
		return name, name + dayMs
	}
	return s.Begin(name), s.Begin(name + dayMs)
}

// Begin returns the instant at which the day of that name begins, or, where the site's zones leave the date out, the first
// one after it.
func (s *Rules) Begin(name int64) int64 {
	// Clocks are at most 16 hours from UTC, and dates never come twice: the first instant whose day is not before it.
	at := name - 16*int64(time.Hour/time.Millisecond)
	for {
		day, from, to := s.Day(at)
		if day >= name {
			return from
		}
		at = to
	}
}
