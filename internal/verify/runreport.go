package verify

import (
	"cmp"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/scope"
)

func newReport(o scope.Options) finding.Report {
	zone := o.Zone
	if zone == nil {
		zone = time.UTC
	}
	end := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.In(zone)
		return &t
	}
	return finding.Report{Topic: o.Topic, StartedAt: o.Now().Truncate(time.Millisecond).UTC(), SampleSites: o.SampleSites, From: end(o.From),
		To: end(o.To), Zone: zone.String(),
		Compared: make(map[string]int64), LeftOut: make(map[string]int64), LeftOutKinds: make(map[string]map[string]int64),
		Differences: []finding.Difference{}, Unsettled: []string{}, Behind: []finding.Behind{}, Forgotten: []finding.Forgotten{},
		Gaps: []finding.Gap{}, Inexact: finding.Inexact{Lost: []finding.Lost{}, Divided: []finding.Divided{}}}
}

// takePass adds what a pass has found.
func takePass(r *finding.Report, v *verifier, first bool) {
	p := v.Report
	if first {
		r.Records, r.Note, r.UnknownSite, r.Behind, r.Forgotten, r.Gaps, r.Lost = p.Records, p.Note, p.UnknownSite, p.Behind, p.Forgotten,
			p.Gaps,
			p.Lost
	}
	r.Passes++
	r.KeptBytes = max(r.KeptBytes, v.Ledger.Most)
	for kind, n := range p.Compared {
		r.Compared[kind] += n
	}
	for reason, n := range p.LeftOut {
		r.LeftOut[reason] += n
		if r.LeftOutKinds[reason] == nil {
			r.LeftOutKinds[reason] = make(map[string]int64)
		}
		for kind, n := range p.LeftOutKinds[reason] {
			r.LeftOutKinds[reason][kind] += n
		}
	}
	r.ComparedCount += p.ComparedCount
	r.DifferenceCount += p.DifferenceCount
	r.UnsettledCount += p.UnsettledCount
	r.Differences = append(r.Differences, p.Differences[:min(len(p.Differences), v.Opts.MaxDifferences-len(r.Differences))]...)
	r.Divided = append(r.Divided, p.Divided...)
	slices.SortFunc(r.Divided, func(a, b finding.Divided) int { return cmp.Compare(a.Site, b.Site) })
	r.Divided = r.Divided[:min(len(r.Divided), v.Opts.MaxDifferences)]
	r.Unsettled = append(r.Unsettled, p.Unsettled[:min(len(p.Unsettled), v.Opts.MaxDifferences-len(r.Unsettled))]...)
}

// checkRange notes that nothing was compared of the range that was asked for.
func checkRange(r *finding.Report, o scope.Options) {
	if o.From.IsZero() && o.To.IsZero() || r.UnknownSite {
		return
	}
	for name, n := range r.Compared {
		if n > 0 && judge.Timed(name) {
			return
		}
	}
	r.EmptyRange = true
	r.Note = "nothing of the range could be compared: the table and the log have nothing of it, or all of it was left out"
}
