package produce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/plural"
)

// A Judge says what a pipeline does with a record: why it would reject it, and what it found. An empty reason: it counts it.
type Judge func(value []byte, recordTime time.Time) (reason, detail string)

// Forecast is what would become of the lines of a file, by the rules of one configuration. What depends on the table is not in it: sites
// that are not accepted, bots by their rate, events that are in the topic already. Nor is what Kafka refuses.
type Forecast struct {
	Counted    int64 `json:"counted"`
	Duplicates int64 `json:"duplicates"` // of a line before, within duplicates.window
	// DuplicatesWithin is how far back duplicates were certainly found, in lines that have an id; 0: to the beginning of the file.
	DuplicatesWithin int              `json:"duplicatesWithin"`
	Rejected         map[string]int64 `json:"rejected"`   // records, by the reason of the failed-events topic
	Refused          int64            `json:"refused"`    // lines that would not become records
	LeftOut          LeftOut          `json:"leftOut"`    // lines of access logs that would be left out
	Findings         []Finding        `json:"findings"`   // the first lines that would not be counted
	FirstEvent       time.Time        `json:"firstEvent"` // least event time of what would be counted
	LastEvent        time.Time        `json:"lastEvent"`  // greatest
}

// Finding is a line that would not be counted.
type Finding struct {
	Place
	Fate   string `json:"fate"`             // duplicate, rejected or refused
	Reason string `json:"reason,omitempty"` // of a rejected record; empty otherwise
	Detail string `json:"detail"`           // what was found, for people
}

// MaxFindings is how many lines a forecast names.
const MaxFindings = 1000

// Window is within which span of record time a pipeline takes a record with the siteId and id of one before as a duplicate; 0: never.
type Window time.Duration

// Foresee reads the file of the job to its end, and sends nothing. Its error is the end of ctx, or a file that cannot be read.
func (j *Job) Foresee(ctx context.Context, judge Judge, window Window) (f Forecast, err error) {
	f = Forecast{Rejected: map[string]int64{}, Findings: []Finding{}}
	sent := &sightings{most: rememberedIDs}
	defer func() { f.DuplicatesWithin, f.LeftOut = sent.within(), j.File.LeftOut() }()
	for taken := int64(0); j.Events == 0 || taken < j.Events; taken++ {
		if ctx.Err() != nil {
			return f, context.Cause(ctx)
		}
		rec, err := j.File.Next()
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			f.Refused++
			f.find(Finding{Place: refusal.Place, Fate: "refused", Detail: refusal.Reason})
			continue
		}
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if isReadError(err) {
			return f, err
		}
		if err != nil {
			return f, fmt.Errorf("%v: %w", j.File.made, err)
		}
		stamp := j.RecordTime.of(rec.Time, time.Now())
		if reason, detail := judge(rec.Value, stamp); reason != "" {
			f.Rejected[reason]++
			f.find(Finding{Place: j.File.made, Fate: "rejected", Reason: reason, Detail: detail})
			continue
		}
		if before, ok := sent.repeats(rec, sighting{j.File.made, stamp}, window); ok {
			f.Duplicates++
			f.find(Finding{Place: j.File.made, Fate: "duplicate", Detail: fmt.Sprintf("the siteId and id of %v", before)})
			continue
		}
		f.Counted++
		if f.FirstEvent.IsZero() || rec.Time.Before(f.FirstEvent) {
			f.FirstEvent = rec.Time
		}
		if rec.Time.After(f.LastEvent) {
			f.LastEvent = rec.Time
		}
	}
	return f, nil
}

// sighting is where an id was seen last.
type sighting struct {
	line Place
	at   time.Time // its record's
}

// rememberedIDs is how many ids a forecast remembers at least, and half of how many at most: some 60 MB of memory, however long the
// file is.
const rememberedIDs = 500_000

// sightings are where the newest ids were seen. Two generations make them: when the new one is full, the old one is forgotten.
type sightings struct {
	most     int // of a generation
	new, old map[uint64]sighting
	forgot   bool
}

// repeats notes a record, and reports which line before has its siteId and id. Records of one key are in one partition, where pipelines
// look for duplicates.
func (s *sightings) repeats(rec Record, now sighting, window Window) (line Place, ok bool) {
	if rec.ID == "" || window == 0 {
		return Place{}, false
	}
	if len(s.new) >= s.most {
		s.forgot = s.forgot || len(s.old) > 0
		s.new, s.old = nil, s.new
	}
	if s.new == nil {
		s.new = make(map[uint64]sighting)
	}
	hash := xxhash.Sum64String(string(rec.Key) + "\x00" + rec.SiteID + "\x00" + rec.ID)
	before, seen := s.new[hash]
	if !seen {
		before, seen = s.old[hash]
	}
	s.new[hash] = now
	return before.line, seen && now.at.Sub(before.at).Abs() <= time.Duration(window)
}

// within is how far back duplicates were certainly found; 0: to the beginning.
func (s *sightings) within() int {
	if s.forgot {
		return s.most
	}
	return 0
}

func (f *Forecast) find(x Finding) {
	if len(f.Findings) < MaxFindings {
		f.Findings = append(f.Findings, x)
	}
}

// lost is the number of lines that would not be counted.
func (f Forecast) lost() (n int64) {
	for _, rejected := range f.Rejected {
		n += rejected
	}
	return n + f.Refused + f.Duplicates
}

// WriteText writes the forecast for people.
func (f Forecast) WriteText(w io.Writer) error {
	p := printer{w: w}
	for _, x := range f.Findings {
		fate := x.Fate
		if x.Reason != "" {
			fate += " as " + x.Reason
		}
		p.f("%v: %s: %s\n", x.Place, fate, x.Detail)
	}
	if more := f.lost() - int64(len(f.Findings)); more > 0 {
		p.f("and %d more\n", more)
	}
	p.f("Nothing was sent. Of the lines, %d would be counted, %s within the file, %d would be refused", f.Counted,
		plural.Count(f.Duplicates, "is a duplicate", "are duplicates"), f.Refused)
	for _, reason := range slices.Sorted(maps.Keys(f.Rejected)) {
		p.f(", %d rejected as %s", f.Rejected[reason], reason)
	}
	p.f(".\n")
	if f.LeftOut.All() > 0 {
		p.f("Left out would be: %v. --count-assets sends them.\n", &f.LeftOut)
	}
	if f.DuplicatesWithin > 0 {
		p.f("The file has more ids than are remembered: a duplicate of a line more than %d ids before may be missing.\n", f.DuplicatesWithin)
	}
	if f.Counted > 0 {
		p.f("Event times: %s to %s.\n", f.FirstEvent.Format(eventjson.TimeFormat), f.LastEvent.Format(eventjson.TimeFormat))
	}
	return p.err
}
