package watch

import (
	"context"
	"slices"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/sinks"
)

// A marking is which partitions have counted events of a site in the weeks that an hour is judged by.
type marking struct {
	hour       int64
	partitions map[sinks.TP]bool
}

// heldBy returns the partitions that keep an hour of a site from being judged, at most alerts.MaxWaiting of them. They are the late ones
// that have counted events of the site, or all late ones if none has.
func (w *Watcher) heldBy(ctx context.Context, site string, hour int64, late []sinks.TP) (held []int32, err error) {
	if len(late) == 0 {
		delete(w.marked, site)
		return nil, nil
	}
	m := w.marked[site]
	if m.partitions == nil || m.hour != hour {
		zone, err := w.counts.zone(ctx, site, hour)
		if err != nil {
			return nil, err
		}
		spans := alerts.Rule{}.Spans(hour, zone)
		m.hour = hour
		if m.partitions, err = w.Topic.Marked(ctx, site, spans[:]); err != nil {
			return nil, err
		}
		w.marked[site] = m
	}
	for _, tp := range late {
		if m.partitions[tp] || len(m.partitions) == 0 {
			held = append(held, tp.Partition)
		}
	}
	return held[:min(len(held), alerts.MaxWaiting)], nil
}

// judgeWaiting judges the sites that wait, one hour after the other, up to the hour of those that do not.
func (p *pass) judgeWaiting(ctx context.Context) error {
	p.waits = 0
	for _, of := range p.sites {
		mark := p.marks[of[0].Site]
		if len(mark.Waiting) == 0 {
			continue
		}
		if err := p.resume(ctx, of, mark); err != nil {
			p.waits++
			return err
		}
		if len(p.marks[of[0].Site].Waiting) > 0 {
			p.waits++
		}
	}
	return nil
}

// resume judges the hours of a site that waits, as far as it need not wait any more.
func (p *pass) resume(ctx context.Context, of []alerts.Alert, mark alerts.Mark) error {
	site, was := of[0].Site, mark
	for {
		hour := max(mark.Hour+1, p.oldest())
		if hour > p.marks[""].Hour {
			mark.Waiting = nil
			break
		}
		late, err := p.uncountedIn(ctx, hour)
		if err != nil {
			return err
		}
		held, failed := p.heldBy(ctx, site, hour, late)
		if len(held) > 0 {
			mark.Waiting = held
			break
		}
		p.skip(&mark, site)
		if ok, _ := p.tryJudge(ctx, of, hour, &mark, failed); !ok {
			break
		}
		mark.Hour = hour
	}
	if mark.Hour == was.Hour && slices.Equal(mark.Waiting, was.Waiting) {
		return nil
	}
	p.marks[site] = mark
	return p.store.PutMark(ctx, site, mark)
}
