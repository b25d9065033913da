package judge

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// judgeStats compares hour or day stats: the sum over all partitions, each as of its own mark.
func (v *Judges) judgeStats(s Subject, it sinks.Item) (j Judgement) {
	cmp := v.Compare(s, it)
	j.LeftOut, j.Ahead = v.strangeMarks(cmp)
	var want count.Sums
	expected, lost := false, false
	for _, c := range v.Stats {
		mark := sinks.AttrMark(checkpoint.LaneStats, c.TP)
		cmp.Ignore(mark)
		known := knowsBucket(c, s)
		if !known && it[mark].Kind() == sinks.None && it[sinks.AttrUniques(c.TP)].Kind() == sinks.None {
			continue
		}
		j.Chains = append(j.Chains, c)
		lost = lost || c.NotRecounted != ""
		when, ahead := c.CutOf(it[mark].Int())
		if ahead {
			j.Ahead = true
			cmp.Differ(mark, finding.Show(it[mark]), fmt.Sprintf("the chain is at step %d", c.Head.Step))
		}
		h, own := bucketOf(c, s, when)
		if own != nil {
			expected = true
			want.Add(*own)
		}
		if it != nil && s.Kind == finding.KindHour {
			compareSmallPart(cmp, sinks.AttrUniques(c.TP), h)
			compareValues(cmp, c.TP, h)
		}
	}
	if j.Chains == nil {
		j.Chains = v.Stats // Any of them might come to explain it.
	}
	attr, entry, length := sinks.AttrHourDays, sinks.EntityStats, int64(count.HourMs)
	if s.Kind == finding.KindDay {
		attr, length = sinks.AttrDayDays, count.DayMs
	}
	gone, ttls := v.Expiry(s.Site, attr, s.At+length)
	switch {
	case it == nil && !expected:
		return nothing
	case j.LeftOut != "" && cmp.Differences == nil:
		return j
	case gone:
		j.LeftOut = finding.BecauseRetention
		return j
	case lost:
		j.LeftOut = finding.BecauseLog
		return j
	}
	if !cmp.Presence(expected) {
		compareSums(cmp, want)
		cmp.OneOf(sinks.AttrTTL, ttls)
		if s.Kind == finding.KindDay {
			comparePurged(compareReturns(cmp, want.Returns), v.Rulebook, s.Site)
		}
		cmp.Common(entry, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

func compareSums(c *finding.Comparison, want count.Sums) {
	for sum := range figures.AllSums {
		c.Wide(sum.Attr(), want.Total(sum))
	}
	compareGoals(c, want.Goals)
}

// compareReturns compares what days alone count, and returns the comparison.
func compareReturns(c *finding.Comparison, want count.ReturnSums) *finding.Comparison {
	for weeks, n := range want {
		c.Number(sinks.AttrReturns(weeks), n)
	}
	return c
}

// strangeMarks looks for the marks of chains that the recount does not have: another topic's, or none's.
func (v *Judges) strangeMarks(c *finding.Comparison) (leftOut string, ahead bool) {
	const prefix = "ws" // sinks.AttrMark of the stats lane
	for name := range c.Item {
		tp, err := sinks.ParseTP(strings.TrimPrefix(name, prefix))
		switch {
		case !strings.HasPrefix(name, prefix) || err != nil:
		case !v.OfTopic(tp.Topic):
			c.Ignore(name)
			c.Differ(name, finding.Show(c.Item[name]), finding.NoTopic)
		case tp.Topic != v.Number:
			leftOut = finding.BecauseShared
		case v.StatsChain(tp) == nil:
			ahead = true
			c.Ignore(name)
			c.Differ(name, finding.Show(c.Item[name]), "the topic has no such chain")
		}
	}
	return leftOut, ahead
}

// compareSmallPart compares the uniques that ride in the hour's stats item. Once they are too many the attribute stays as
// it was after some step before: the first few visitors, in offset order.
func compareSmallPart(c *finding.Comparison, attr string, h *count.Hour) {
	if h == nil {
		if c.Item[attr].Kind() != sinks.None {
			c.Ignore(attr)
			c.Differ(attr, finding.Show(c.Item[attr]), finding.Absent)
		}
		return
	}
	if h.Small() {
		c.Uniques(attr, h.Visitors, sketch.NewHour)
		return
	}
	have, err := finding.ReadUniques(c.Item[attr], sketch.NewHour)
	if err != nil {
		c.Uniques(attr, h.Visitors, sketch.NewHour)
		return
	}
	want := sketch.NewHour()
	for _, hash := range h.Early[:min(max(have.Entries(), 0), len(h.Early))] {
		want.Add(hash)
	}
	c.Uniques(attr, want, sketch.NewHour)
}

// knowsBucket reports whether the recount has anything of an hour or a day.
func knowsBucket(c *recount.Chain, s Subject) bool {
	site := c.Stats.Site(s.Site)
	return s.Kind == finding.KindHour && site.Hours[s.At] != nil || s.Kind == finding.KindDay && site.Days[s.At] != nil
}

// bucketOf returns the sums of an hour or a day, nil for nothing, and the hour.
func bucketOf(c *recount.Chain, s Subject, when count.Cut) (*count.Hour, *count.Sums) {
	site := c.Stats.Site(s.Site)
	if s.Kind == finding.KindDay {
		if d := site.Days[s.At].At(when); d != nil {
			return nil, &d.Sums
		}
	} else if h := site.Hours[s.At].At(when); h != nil {
		return h, &h.Sums
	}
	return nil, nil
}
