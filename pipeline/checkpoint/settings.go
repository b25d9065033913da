package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// FoldVersion names the rules that make numbers of records: any change of what a fold yields raises it, with the format of the table, where
// [sinks.FirstFormat] says what each brought. A release folds under the versions from sinks.FirstFold on, as each step names its own.
const FoldVersion = sinks.LastFold

// Settings are the values that change numbers, or what is written. Each step names those it was folded under,
// so that a redo and verify fold the same way whatever the process's own settings are.
type Settings struct {
	BatchBytes     int64    `json:"batchBytes"`          // up to which a batch is decompressed as a whole; a larger one is streamed
	Fold           int      `json:"fold"`                // sinks.FirstFold to FoldVersion
	LateMs         int64    `json:"lateMs"`              // an event more than this before its record's timestamp is too late; -1: never
	EarlyMs        int64    `json:"earlyMs"`             // an event more than this after it is too early
	NonInteractive []string `json:"nonInteractive"`      // types beside page_view that do not end a bounce, sorted
	RawEvents      bool     `json:"rawEvents"`           // every event is kept, as an item of its own or in a pack
	RawPacked      bool     `json:"rawPacked,omitempty"` // in a pack: see package pack
	// Rebuilt: the step repeats what another generation of the table has counted before, whose raw events and failed events are there.
	Rebuilt bool `json:"rebuilt,omitempty"`
	// FromRaw: the step's records were made of raw events, because the topic had lost them: see package rawlog.
	FromRaw bool `json:"fromRaw,omitempty"`
	// Rules is the revision of the sites' rules that a rebuilt step repeats, or sites.NoRules; 0: that of the step. Erasures hold as of that
	// of the step in any case.
	Rules int64 `json:"rules,omitempty"`
	// Counted is the revision under which the generation before has counted the records of a step that a rebuild folds under the settings
	// of today, or sites.NoRules: records of sites that were purged since are rejected. 0: that revision is Rules or the step's own.
	Counted        int64      `json:"counted,omitempty"`
	Breakdowns     int        `json:"breakdowns"`     // rows of a dimension of a breakdown that is begun; 0: none are kept
	BreakdownBytes int        `json:"breakdownBytes"` // of all dimensions of an hour, before compression
	Duplicates     Duplicates `json:"duplicates"`     // the window within which the same siteId and id count once
	Bots           Bots       `json:"bots"`
	Classify       string     `json:"classify"`       // of the rules, where breakdowns are kept or the lists of bots are asked
	VisitGapMs     int64      `json:"visitGapMs"`     // events without a sessionId at most so far apart are of one visit; 0: of none
	VisitLongestMs int64      `json:"visitLongestMs"` // that a visit is, from the least to the greatest event time
	Retention      Retention  `json:"retention"`
	Tzdata         string     `json:"tzdata"`   // sites.ZoneVersion: which days and hours the zones of sites have
	Sites          string     `json:"sites"`    // SitesAny or SitesRegistered
	NewSites       int64      `json:"newSites"` // max. sites without rules that a lane admits in an hour of record time; 0: unlimited
	// the last record timestamp that is believed, milliseconds since the epoch; 0: any. Each step has its own
	NotAfter int64 `json:"notAfter"`

	// QueryParameters are those that raw and failed events keep of urls and referrers, as package urlquery spells them:
	// all, none, or names in order. The rules of a site may say otherwise.
	QueryParameters string `json:"queryParameters"`
	// Maps are the mappings by which records of the topic are made events; nil: they are events. Of a process's own settings the last one
	// is what its configuration asks for. See maps.go.
	Maps Maps `json:"maps,omitempty"`
}

// Retention says how many days each kind of item is kept, counted from the end of its bucket (an event: its
// time; a session: its end). Never keeps it for ever.
type Retention struct {
	RawDays     int64 `json:"rawDays"`
	SessionDays int64 `json:"sessionDays"`
	HourDays    int64 `json:"hourDays"`
	DayDays     int64 `json:"dayDays"`
}

// Bots are the settings of the detection of bots.
type Bots struct {
	Lists bool  `json:"lists"` // by the lists of user agents and referrers that ship with package classify
	Rate  int64 `json:"rate"`  // by more events than this in a minute of event time of a session; 0: not so
}

// DefaultBots are those of a fresh configuration. No visitor makes five events a second for a whole minute: a page
// a second, each with a click, a scroll and an engagement ping, makes 240 a minute.
var DefaultBots = Bots{Lists: true, Rate: 300}

// What Settings.Sites may be.
const (
	SitesAny        = "any"        // every siteId is counted
	SitesRegistered = "registered" // those that were created
)

// DefaultNewSites is how many new sites a lane admits in an hour of a fresh configuration: a table of 10,000 sites in 16
// partitions has 625 in each, and is taken on in its first hour.
const DefaultNewSites = 1000

// Never is the retention of items that do not expire.
const Never = -1

// Times to live that are not settings.
const (
	RealtimeTTL = 10 * time.Minute // of a realtime minute, from its end
	RecentTTL   = sinks.RecentTTL  // of an item of recent sessions, from the end of its minute
	// RealtimeWindow is how far before its record's timestamp an event may lie to be counted in realtime minutes.
	RealtimeWindow = 10 * time.Minute
)

// DefaultSettings are those of a fresh configuration, but for raw events: here each is an item, which a caller can read as its record
// arrives.
func DefaultSettings() Settings {
	return Settings{
		BatchBytes:     batch.DefaultBound,
		Fold:           FoldVersion,
		LateMs:         (48 * time.Hour).Milliseconds(),
		EarlyMs:        (10 * time.Minute).Milliseconds(),
		NonInteractive: []string{"engagement", "ping", "asset"},
		RawEvents:      true,
		Duplicates:     DefaultDuplicates,
		Breakdowns:     sketch.DefaultRows,
		BreakdownBytes: sketch.MaxBreakdownBytes,
		Bots:           DefaultBots,
		VisitGapMs:     (30 * time.Minute).Milliseconds(),
		VisitLongestMs: (24 * time.Hour).Milliseconds(),
		Retention:      Retention{RawDays: 30, SessionDays: 90, HourDays: 90, DayDays: 730},
		Sites:          SitesAny,
		NewSites:       DefaultNewSites,

		QueryParameters: urlquery.Default,
	}
}

// String spells the settings as a checkpoint's ver: JSON with its fields in a fixed order.
func (s Settings) String() string {
	s.Classify, s.Tzdata = "", sites.ZoneVersion
	if s.classifies() {
		s.Classify = s.classes().Version()
	}
	s.NonInteractive = slices.Sorted(slices.Values(s.NonInteractive))
	if s.NonInteractive == nil {
		s.NonInteractive = []string{}
	}
	return s.text()
}

// text spells settings whose texts are in order.
func (s Settings) text() string {
	if len(s.Maps) > 0 {
		s.Fold += mapsFold
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // Numbers and strings marshal.
	}
	return string(b)
}

// Has reports whether the step is folded with what a format of the table brought, as [sinks.FormatOfClasses].
func (s *Settings) Has(format int) bool { return s.Fold >= sinks.FoldOf(format) }

// classes are the rules by which the step's events are classified.
func (s *Settings) classes() classify.Rules { return classify.RulesOf(s.Has(sinks.FormatOfClasses)) }

// classifies reports whether numbers depend on package classify.
func (s *Settings) classifies() bool { return s.Breakdowns > 0 || s.Bots.Lists }

// ParseSettings reads what String spelled. An unknown fold version is an error that says so.
func ParseSettings(ver string) (Settings, error) {
	s, err := ParseValues(ver)
	if err != nil {
		return Settings{}, err
	}
	if s.classifies() && s.Classify != s.classes().Version() {
		return Settings{}, &ReleaseError{fmt.Sprintf("with the tables of browsers, bots and referrers of version %q, and this footfall has "+
			"version %q", s.Classify, s.classes().Version())}
	}
	if s.Tzdata != sites.ZoneVersion {
		return Settings{}, &ReleaseError{fmt.Sprintf("with the time zones of version %q, and this footfall has version %q", s.Tzdata,
			sites.ZoneVersion)}
	}
	return s, s.Maps.Check()
}

// ReleaseError reports settings of a step that only another release can fold under.
type ReleaseError struct{ has string }

func (e *ReleaseError) Error() string {
	return fmt.Sprintf("a step was begun %s: run the release that began it until its chains are drained", e.has)
}

// ParseValues reads settings for those who fold nothing under them: the tables that ship with a release, of browsers and
// of time zones, may be others than the settings name.
func ParseValues(ver string) (s Settings, err error) {
	var of struct{ Fold int } // Settings of another version may have fields of other types.
	err = json.Unmarshal([]byte(ver), &of)
	fold := of.Fold
	if fold > mapsFold {
		fold -= mapsFold
	}
	if err == nil && (fold < sinks.FirstFold || fold > FoldVersion) {
		return Settings{}, &ReleaseError{fmt.Sprintf("under fold version %d, and this footfall has versions %d to %d", of.Fold, sinks.FirstFold,
			FoldVersion)}
	}
	if err = json.Unmarshal([]byte(ver), &s); err != nil {
		return Settings{}, fmt.Errorf("settings %q of a chain: %w", event.TruncateDetail(ver), err)
	}
	if len(s.Maps) > 0 != (s.Fold > mapsFold) {
		return Settings{}, fmt.Errorf("settings %q of a chain: fold version %d does not fit %d maps", event.TruncateDetail(ver), s.Fold,
			len(s.Maps))
	}
	s.Fold = fold
	return s, nil
}

// Interactive reports whether an event of this type ends a bounce.
func (s *Settings) Interactive(eventType []byte) bool {
	if string(eventType) == "page_view" {
		return false
	}
	for _, t := range s.NonInteractive {
		if t == string(eventType) {
			return false
		}
	}
	return true
}

// recordsAhead is how far after the last midnight of UTC a record may be dated: at least a day ahead of the owner's clock.
const recordsAhead = 48 * time.Hour

// NotAfter is the last record timestamp that a step begun at this time believes. It changes once a day, and the chain's
// history gains an item with it.
func NotAfter(now time.Time) int64 {
	return now.UTC().Truncate(24 * time.Hour).Add(recordsAhead).UnixMilli()
}

// RecordedNotAfter reads the bound of a chain's head, whatever release has written it. Without one it is 0.
func RecordedNotAfter(ver string) int64 {
	var s struct {
		NotAfter int64 `json:"notAfter"`
	}
	if json.Unmarshal([]byte(ver), &s) != nil {
		return 0 // ParseSettings reports what is wrong.
	}
	return s.NotAfter
}

// RecordedDuplicates reads the window of duplicates that a step was folded under; none if another release has folded it.
func RecordedDuplicates(ver string) Duplicates {
	s, err := ParseValues(ver)
	if err != nil {
		return Duplicates{}
	}
	return s.Duplicates
}

// DamagedSettings returns the error of a checkpoint whose settings cannot be parsed. Settings of another release are not damaged.
func DamagedSettings(key sinks.Key, err error) error {
	if _, other := errors.AsType[*ReleaseError](err); other || err == nil {
		return err
	}
	return sinks.Damaged(key, AttrVer, err)
}
