package pipeline

import (
	"hash/maphash"
	"slices"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/event"
)

// hold publishes how many bytes the worker holds.
func (w *worker) hold() {
	n := int64(len(w.sites)*aggregate.SiteRoom) + w.raw.bytes.Load() + w.failed.outstanding.Load()
	for _, l := range w.lanes {
		n += int64(l.accumulated())
		if l.open != nil {
			n += int64(l.open.bytes)
		}
	}
	more := n - w.held
	w.held = n
	w.memory.change(more)
}

// pressed reports whether the worker must give up memory: the process holds more than its ceiling, and the worker more than
// its share.
func (w *worker) pressed() bool {
	return w.memory.held.Load() > w.memory.ceiling && w.held > w.memory.share()
}

// heavy reports whether bytes is a good part of what the worker may hold.
func (w *worker) heavy(bytes int64) bool { return bytes > w.memory.share()/4 }

// relieve lets go of states that no open step has touched, as many as the worker must.
func (w *worker) relieve() {
	w.hold()
	if !w.pressed() {
		return
	}
	for _, l := range w.lanes {
		need := min(w.memory.held.Load()-w.memory.ceiling, w.held-w.memory.share())
		if need <= 0 {
			return
		}
		settled := l.settled()
		w.metrics.Memory.Released.Add(float64(l.fold.Release(settled, int(need))))
		w.hold()
	}
}

// crowded reports whether the lane's accumulating step is so large that it must be cut, or, while the step before is being
// applied, must not grow.
func (w *worker) crowded(l *lane) bool { return w.pressed() && w.heavy(int64(l.accumulated())) }

// A chunk that touches many hours which are not in memory is folded in portions, since each of them may bring a breakdown of
// two megabytes. Between two portions a step can be cut.

// portion returns how many of the decoded records are folded together.
//
// A session that is read may bring the hour in which it began, too, which is known only once it is there. Where the portion
// before brought many such hours, sessions that are not in memory count as hours.
func (in *intake) portion(records []record) int {
	if in.stats.settings.Breakdowns == 0 {
		return len(records)
	}
	room := in.hoursAtOnce()
	if in.stats.fold.Brought() > room {
		in.wary = portionsWary
	}
	wary := in.wary > 0
	if wary {
		in.wary--
	}
	in.brings = in.brings[:0]
	for i := range records {
		r := &records[i]
		if r.reason != event.Accepted || in.stats.position(r) < in.stats.pos {
			continue
		}
		r.Site = in.sites[string(r.Event.SiteID)]
		if !wary && r.Site != nil && r.Site.Has(r.Event.Timestamp) || wary && r.Site.HasAll(&r.Event) {
			continue
		}
		at := siteHour{maphash.Bytes(siteSeed, r.Event.SiteID), r.Event.Timestamp / event.HourMs}
		if wary {
			at.hour = int64(i) // Each for itself.
		}
		if slices.Contains(in.brings, at) {
			continue
		}
		if len(in.brings) == room {
			r.Site = nil // It may be forgotten before the record is folded.
			return i
		}
		in.brings = append(in.brings, at)
	}
	return len(records)
}

// portionsWary is for how many portions sessions count as hours.
const portionsWary = 64

// siteHour is an hour of a site, by UTC. Sites are compared by a hash: two that have one share the room of one.
type siteHour struct {
	site uint64
	hour int64
}

var siteSeed = maphash.MakeSeed()

// mostBreakdown is about what the largest breakdown takes in memory.
const mostBreakdown = 5 << 19

// hoursAtOnce is how many hours a portion may bring: what they take at most is to fit beside what the process holds, or in a good
// part of the worker's share.
func (in *intake) hoursAtOnce() int {
	free := (in.memory.ceiling - in.memory.held.Load()) / (2 * max(1, in.memory.partitions.Load()))
	return int(max(1, min(max(free, in.memory.share()/4)/mostBreakdown, mostHoursAtOnce)))
}

// mostHoursAtOnce is beyond what reads of one portion gain by being sent together.
const mostHoursAtOnce = 64
