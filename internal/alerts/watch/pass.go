package watch

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/sinks"
)

// A pass judges what is complete by now.
type pass struct {
	*Watcher
	sites     [][]alerts.Alert       // the alerts of each site
	marks     map[string]alerts.Mark // by site; "": of all sites
	last      int64                  // the last hour that is over
	uncounted map[int64][]sinks.TP   // by hour; see uncountedIn
}

// oldest is the first hour that is judged still.
func (p *pass) oldest() int64 { return p.last - MaxCatchUp + 1 }

// judgeAll judges one hour after the other of all sites that do not wait. What is usually counted within seconds is waited for; sites that
// a partition holds up for longer are left to judgeWaiting.
func (p *pass) judgeAll(ctx context.Context) error {
	mark := p.marks[""]
	for hour := p.first(&mark); hour <= p.last; hour++ {
		late, err := p.uncountedIn(ctx, hour)
		if err != nil || len(late) > 0 && p.Now().Before(complete(hour).Add(patienceForAll)) {
			return err
		}
		all := true
		for _, of := range p.sites {
			ok, err := p.judgeUnheld(ctx, of, hour, late)
			if err != nil {
				return err
			}
			all = all && ok
		}
		if !all {
			return nil
		}
		clear(p.done)
		mark.Hour = hour
		if err := p.store.PutMark(ctx, "", mark); err != nil {
			return err
		}
		p.marks[""] = mark
	}
	p.judged = p.last
	return nil
}

// complete is from when on an hour can be judged.
func complete(hour int64) time.Time { return alerts.HourStart(hour + 1).Add(Grace) }

// uncountedIn returns the partitions whose records of an hour are not counted.
func (p *pass) uncountedIn(ctx context.Context, hour int64) ([]sinks.TP, error) {
	late, ok := p.uncounted[hour]
	if ok {
		return late, nil
	}
	late, err := p.Topic.Uncounted(ctx, complete(hour))
	if err == nil {
		p.uncounted[hour] = late
	}
	return late, err
}

// first is the first hour that is to be judged: the one after the mark. Hours that are too long ago are left out, and a mark of an hour to
// come, by a clock that was wrong, is not believed.
func (p *pass) first(mark *alerts.Mark) int64 {
	switch {
	case mark.Hour == 0 || mark.Hour > p.last+MaxCatchUp:
		return p.last
	case mark.Hour+1 < p.oldest():
		p.skip(mark, "")
		return p.oldest()
	}
	return mark.Hour + 1
}

// skip leaves out the hours after a mark that are too long ago.
func (p *pass) skip(mark *alerts.Mark, site string) {
	from, to := mark.Hour+1, p.oldest()
	if from >= to {
		return
	}
	mark.Skip(from, to, alerts.TooLate)
	mark.Hour = to - 1
	// Cause: No process owned partition 0 for a day or longer, or the partitions of the site were not counted for as long. Remedy: `footfall
	// alert try` says what would have been found in these hours.
	p.Log.Warn("hours were not judged for alerts: they are too long ago", "site", site, "from", alerts.HourStart(from),
		"to", alerts.HourStart(to))
}

// judgeUnheld judges an hour of a site, unless partitions hold it up: then the site waits from this hour on. It returns false if that is to
// be repeated.
func (p *pass) judgeUnheld(ctx context.Context, of []alerts.Alert, hour int64, late []sinks.TP) (ok bool, err error) {
	site := of[0].Site
	mark := p.marks[site]
	if p.done[site] == hour || len(mark.Waiting) > 0 {
		return true, nil
	}
	held, failed := p.heldBy(ctx, site, hour, late)
	mark.Waiting = held
	if len(held) > 0 {
		mark.Hour = hour - 1
		p.marks[site] = mark
		// Cause: Partitions that have counted events of the site are parked, or far behind. Other sites are judged. Remedy: `footfall status`
		// says what keeps the partitions. The site is judged once they are counted; hours that are more than a day old by then are left out.
		p.Log.Warn("the alerts of a site wait: partitions are not counted", "site", site, "since", mark.Since(), "partitions", mark.Waiting)
		return true, p.store.PutMark(ctx, site, mark)
	}
	ok, left := p.tryJudge(ctx, of, hour, &mark, failed)
	if left {
		p.marks[site] = mark
		err = p.store.PutMark(ctx, site, mark)
	}
	if ok && err == nil {
		p.done[site] = hour
	}
	return ok, err
}

// tryJudge judges an hour of a site, unless what it needs for that has failed already. It returns false if that is to be repeated, because
// figures cannot be read. After some minutes the mark has the hour as left out.
func (p *pass) tryJudge(ctx context.Context, of []alerts.Alert, hour int64, mark *alerts.Mark, err error) (ok, left bool) {
	site := of[0].Site
	if err == nil {
		err = p.judgeSite(ctx, site, of, hour)
	}
	if err != nil {
		// Cause: The figures of the site cannot be read, or what was found not be written. Remedy: It is tried again for some minutes; the hour
		// of the site is left out then. Mend what `error` names.
		p.Log.Warn("the alerts of a site are not judged", "site", site, "hour", alerts.HourStart(hour), "error", err)
		if p.tries[site]++; p.tries[site] < patience || ctx.Err() != nil {
			return false, false
		}
		mark.Skip(hour, hour+1, alerts.Unreadable)
	}
	delete(p.tries, site)
	return true, err != nil
}
