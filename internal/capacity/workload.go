package capacity

import (
	"errors"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Workload is the traffic that a table is planned for, and the settings that decide what is written of it.
type Workload struct {
	EventsPerDay float64 `json:"eventsPerDay"` // of all sites
	Sites        int     `json:"sites"`
	Partitions   int     `json:"partitions"` // of the topic
	// partitions that a site's events lie in: 1 with the Kafka key siteId, B with siteId#b; 0: as few as use all
	Spread  int     `json:"spread"`
	Largest float64 `json:"largest"` // share of all events that the busiest site has; 0: all sites have the same
	// partitions that the busiest site's events lie in; 0: as those of the others
	SpreadLargest int     `json:"spreadLargest"`
	Peak          float64 `json:"peak"` // events of the busiest four hours of a day over the mean, 1 to below 6

	Visits
	Sizes

	// values of a dimension with their own figures, as footfall site update --rows sets them; nil: as configured
	Rows map[string]int `json:"rows,omitempty"`

	// properties that each site has chosen as dimensions, each of 20 values
	Properties int `json:"properties,omitempty"`

	Stats    time.Duration `json:"statsIntervalNs"` // between two steps of the lane
	Realtime time.Duration `json:"realtimeIntervalNs"`
	// of a calm realtime lane; below Realtime: that
	RealtimeMax time.Duration       `json:"realtimeMaxIntervalNs,omitempty"`
	Settings    checkpoint.Settings `json:"settings"`

	// limits of a flush, which ends early when it reaches one
	FlushBytes int `json:"flushBytes"`
	FlushItems int `json:"flushItems"`

	Processes   Processes `json:"processes"`
	ViewsPerDay float64   `json:"viewsPerDay"` // views of a dashboard, all sites
}

// Visits are how sessions and visitors behave.
type Visits struct {
	// page views of a session, on average: each has one of the two whole numbers beside it
	EventsPerSession   float64       `json:"eventsPerSession"`
	Think              time.Duration `json:"thinkNs"`            // between two events of a session: from half of it to one and a half times
	SessionsPerVisitor float64       `json:"sessionsPerVisitor"` // of an hour's sessions and the visitors they are drawn from
	Users              float64       `json:"users"`              // share of the sessions with a userId
	Sessionless        float64       `json:"sessionless"`        // share of the sessions whose events have no sessionId
	NewVisitors        bool          `json:"newVisitors"`        // sites have new visitors counted
	Even               bool          `json:"even"`               // a site's sessions begin at equal distances; else at random, as people's do
}

// Sizes are of texts, and how many different ones there are.
type Sizes struct {
	Pages      int `json:"pages"`      // different ones of a site, by Zipf's law
	Cities     int `json:"cities"`     // as pages
	EventBytes int `json:"eventBytes"` // of a raw event's item
	IDBytes    int `json:"idBytes"`    // of a visitorId
	SessionID  int `json:"sessionIdBytes"`
	Shards     int `json:"shards"` // of a site's raw events
}

// DefaultWorkload is a million events a day of one site, of people who read three pages. Ids are UUIDs, and a raw event has
// the 600 bytes that browsers' trackers make of it.
func DefaultWorkload() Workload {
	return Workload{
		EventsPerDay: 1_000_000, Sites: 1, Partitions: 1, Peak: 2,
		Visits: Visits{EventsPerSession: 3, Think: 40 * time.Second, SessionsPerVisitor: 1.25, Users: 0.2},
		Sizes:  Sizes{Pages: 1000, Cities: 400, EventBytes: 600, IDBytes: 36, SessionID: 36, Shards: sinks.DefaultShards},
		Stats:  time.Minute, Realtime: 5 * time.Second, Settings: checkpoint.DefaultSettings(),
		FlushBytes: pipeline.DefaultLimits.StepBytes, FlushItems: pipeline.DefaultLimits.StepItems, Processes: DefaultProcesses(),
	}
}

// maxPeak: the day has six spans of four hours, and one cannot have more than all of it.
const maxPeak = 5.9

// Validate names every field that cannot be planned for, by the flag that sets it.
func (w *Workload) Validate() error {
	var faults []error
	within := func(flag string, value, least, most float64) {
		if !(value >= least && value <= most) { // NaN is in no range.
			faults = append(faults, fmt.Errorf("--%s %g: choose %g to %g", flag, value, least, most))
		}
	}
	span := func(flag string, value, least, most time.Duration) {
		if value < least || value > most {
			faults = append(faults, fmt.Errorf("--%s %v: choose %v to %v", flag, value, least, most))
		}
	}
	within("events-per-day", w.EventsPerDay, 1, 1e12)
	within("sites", float64(w.Sites), 1, 1e8)
	within("partitions", float64(w.Partitions), 1, 100_000)
	within("spread", float64(w.Spread), 0, float64(min(max(w.Partitions, 0), 1000)))
	within("largest", w.Largest, 0, 1)
	within("peak", w.Peak, 1, maxPeak)
	within("events-per-session", w.EventsPerSession, 1, 1000)
	span("think", w.Think, time.Millisecond, 30*time.Minute)
	within("sessions-per-visitor", w.SessionsPerVisitor, 1, 1000)
	within("users", w.Users, 0, 1)
	within("sessionless", w.Sessionless, 0, 1)
	within("pages", float64(w.Pages), 2, 1e6)
	within("cities", float64(w.Cities), 2, 1e6)
	within("event-bytes", float64(w.EventBytes), 100, 26_000)
	within("id-bytes", float64(w.IDBytes), 1, 256)
	within("session-id-bytes", float64(w.SessionID), 1, 256)
	within("shards", float64(w.Shards), 1, sinks.MaxShards)
	span("intervals-stats", w.Stats, time.Millisecond, time.Hour)
	span("intervals-realtime", w.Realtime, time.Millisecond, time.Hour)
	if w.RealtimeMax != 0 {
		span("intervals-realtime-max", w.RealtimeMax, w.Realtime, time.Hour)
	}
	within("limits-flush-bytes", float64(w.FlushBytes), 1, 1<<40)
	within("limits-flush-items", float64(w.FlushItems), 1, 1e9)
	within("spread-largest", float64(w.SpreadLargest), 0, float64(min(max(w.Partitions, 0), 1000)))
	if w.SpreadLargest > 0 && w.Largest == 0 {
		faults = append(faults, fmt.Errorf("--spread-largest %d: there is no busiest site: add --largest, or give --spread", w.SpreadLargest))
	}
	within("views-per-day", w.ViewsPerDay, 0, 1e12)
	within("member-vcpu", w.Processes.VCPU, 0.1, 1024)
	span("cpu-per-record", w.Processes.RecordCPU, time.Nanosecond, time.Second)
	span("cpu-per-write", w.Processes.WriteCPU, time.Nanosecond, time.Second)
	span("cpu-per-raw-event", w.Processes.RawEventCPU, time.Nanosecond, time.Second)
	within("properties", float64(w.Properties), 0, sites.MaxProperties)
	if err := sites.CheckRows(w.Rows); err != nil {
		faults = append(faults, fmt.Errorf("--rows: %w", err))
	}
	if w.Sites == 1 && w.Largest > 0 && w.Largest < 1 {
		faults = append(faults, fmt.Errorf("--largest %g: the only site has all events: leave it out, or name more --sites", w.Largest))
	}
	if s := float64(w.Sites); w.Sites > 1 && w.Largest > 0 && w.Largest*s < 1 {
		faults = append(faults, fmt.Errorf("--largest %g: the busiest of %d sites has %g of the events at least: choose more, or leave it out",
			w.Largest, w.Sites, 1/s))
	}
	return errors.Join(faults...)
}

// longest are the longest intervals of the lanes.
func (w *Workload) longest() [aggregate.Lanes]time.Duration {
	return [...]time.Duration{w.Stats, max(w.Realtime, w.RealtimeMax)}
}

// spread is how many partitions a site's events lie in.
func (w *Workload) spread() int {
	if w.Spread > 0 {
		return w.Spread
	}
	return (w.Partitions + w.Sites - 1) / w.Sites
}

// busiest is the workload as the busiest site has it, if it is spread over partitions of its own number.
func (w *Workload) busiest() *Workload {
	if w.Largest == 0 || w.SpreadLargest == 0 {
		return w
	}
	of := *w
	of.Spread = w.SpreadLargest
	return &of
}

// perStep returns how many steps of an interval a session touches on average: one, and another for each event that comes
// when the step of the one before has ended, which it has with the probability min(pause, interval) / interval. A pause
// lies between half of Think and one and a half times it.
func (w *Workload) perStep(interval time.Duration) float64 {
	least, most, t := w.Think.Seconds()/2, 1.5*w.Think.Seconds(), interval.Seconds()
	shorter := t // mean of min(pause, t)
	switch {
	case t >= most:
		shorter = (least + most) / 2
	case t > least:
		shorter = ((t*t-least*least)/2 + t*(most-t)) / (most - least)
	}
	return 1 + (w.EventsPerSession-1)*shorter/t
}
