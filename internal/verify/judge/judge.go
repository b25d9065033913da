package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Judgement is what comes of comparing a subject with the recount.
type Judgement struct {
	Nothing     bool   // neither the table nor the log knows it
	LeftOut     string // why it cannot be compared
	Partly      string // why a part of it is not; "": all is
	Ahead       bool   // it carries the mark of a step that its chain, as the recount knows it, has not begun
	View        bool   // it follows from the rules of sites, and not from chains
	Differences []finding.Difference
	Chains      []*recount.Chain // that it depends on
	Event       sinks.Item       // a raw event that its records decide about, which are to be read again
}

var nothing = Judgement{Nothing: true}

// Judges compare items with the recount.
type Judges struct {
	*recount.Model
	Late *journals
}

// New returns judges that go by a recount.
func New(m *recount.Model) *Judges {
	return &Judges{Model: m, Late: &journals{Scope: m.Scope, Tally: m.Tally, of: make(map[LateDate]*journal.Journal)}}
}

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
			comparePurged(cmp, v.Rulebook, s.Site)
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

// part finds the chain of an item that one partition writes, and the cut that the item is compared at. ok is false when the
// judgement is complete.
func (v *Judges) part(lane string, cmp *finding.Comparison, tp sinks.TP) (c *recount.Chain, when count.Cut, j Judgement, ok bool) {
	mark := sinks.AttrMark(lane, tp)
	cmp.Ignore(mark)
	if tp.Topic != v.Number {
		if cmp.Item != nil && !v.OfTopic(tp.Topic) {
			cmp.Differ(finding.Whole, finding.Summary(cmp.Item), finding.NoTopic)
			return nil, 0, Judgement{Ahead: true, Differences: cmp.Differences}, false
		}
		return nil, 0, nothing, false
	}
	c = v.Chains[checkpoint.ChainID{Partition: tp.Partition, Lane: lane}]
	if c == nil {
		if cmp.Item == nil {
			return nil, 0, nothing, false
		}
		cmp.Differ(finding.Whole, finding.Summary(cmp.Item), "the topic has no such chain")
		return nil, 0, Judgement{Ahead: true, Differences: cmp.Differences}, false
	}
	j.Chains = []*recount.Chain{c}
	when, j.Ahead = c.CutOf(cmp.Item[mark].Int())
	if j.Ahead {
		cmp.Differ(mark, finding.Show(cmp.Item[mark]), fmt.Sprintf("the chain is at step %d", c.Head.Step))
	}
	return c, when, j, true
}

// judgeSite compares a site's entry in the list of sites.
func (v *Judges) judgeSite(s Subject, it sinks.Item) (j Judgement) {
	expected := false
	for _, c := range v.Stats {
		if site := c.Stats.Sites[s.Site]; site != nil {
			j.Chains = append(j.Chains, c)
			known := c.Admitted.Sites[s.Site]
			expected = expected || site.First < c.Settled() && (known == nil || known.End == nil || !known.End.Unsure)
		}
	}
	cmp := v.Compare(s, it)
	if v.admittedMarks(cmp, &j, s.Site) {
		expected = true
	}
	if it == nil && !expected {
		if len(v.Rules.History(s.Site)) == 0 {
			return nothing
		}
		j.View = true
	}
	if it == nil {
		cmp.Differ(finding.Whole, finding.Absent, "present")
	} else {
		cmp.Text(sinks.AttrSiteID, s.Site)
		v.claim(cmp, s.Site, expected)
		compareFixedZone(cmp)
		v.rawMarks(cmp, s.Site)
		cmp.Common(sinks.EntitySiteEntry, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

// compareFixedZone compares the zone that an entry of the list of sites fixes. Which one it is the setting of the worker decided that listed the
// site; the hours and days that follow from it are compared elsewhere.
func compareFixedZone(c *finding.Comparison) {
	const attr = sinks.AttrZone
	c.Ignore(attr)
	zone := c.Item[attr]
	loc, err := sites.LoadZone(zone.Str())
	switch {
	case zone.Kind() == sinks.None:
	case err != nil:
		c.Differ(attr, finding.Show(zone), "a zone of the IANA database")
	case loc == time.UTC:
		c.Differ(attr, finding.Show(zone), finding.Absent)
	case sinks.Claimed(c.Item):
		c.Differ(attr, finding.Show(zone), "`site create` listed the site, so its rules have the zone")
	}
}

// claim compares what an entry of the list of sites says about who was first there, a worker or `site create`, with the log
// of rules: a site that was created is not counted before its rules are in the log, and only there do first rules hold always.
func (v *Judges) claim(cmp *finding.Comparison, site string, counted bool) {
	const attr = sinks.AttrCreatedAt
	cmp.Ignore(attr)
	history := v.Rules.History(site)
	switch claimed := sinks.Claimed(cmp.Item); {
	case claimed && counted && len(history) == 0:
		cmp.Differ(attr, finding.Show(cmp.Item[attr]), "the site has no rules")
	case !claimed && sites.FirstRules(history) != nil:
		cmp.Differ(attr, finding.Absent, "the site's first rules hold always")
	}
}

// Compare begins the comparison of a subject.
func (v *Judges) Compare(s Subject, it sinks.Item) *finding.Comparison {
	return &finding.Comparison{Kind: s.Kind, Key: v.Key(s), Item: it, Known: map[string]bool{sinks.AttrPK: true, sinks.AttrSK: true}}
}
