package pipeline

import (
	"hash/maphash"
	"slices"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/internal/decoding"
)

// portion returns how many of the decoded records are folded together.
//
// A session that is read may bring the hour in which it began, too, which is known only once it is there. Where the portion
// before brought many such hours, sessions that are not in memory count as hours.
func (in *intake) portion(records []decoding.Record) int {
	if in.stats.Settings.Breakdowns == 0 {
		return len(records)
	}
	room := in.hoursAtOnce()
	if in.stats.Fold.Brought() > room {
		in.wary = portionsWary
	}
	wary := in.wary > 0
	if wary {
		in.wary--
	}
	in.brings = in.brings[:0]
	for i := range records {
		r := &records[i]
		if r.Reason != event.Accepted || in.stats.Position(r) < in.stats.Pos {
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
	return int(max(1, min(max(in.memory.Free(), in.memory.Share()/4)/mostBreakdown, mostHoursAtOnce)))
}

// mostHoursAtOnce is beyond what reads of one portion gain by being sent together.
const mostHoursAtOnce = 64
