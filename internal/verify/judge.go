package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// judgement is what comes of comparing a subject with the recount.
type judgement struct {
	nothing     bool   // neither the table nor the log knows it
	leftOut     string // why it cannot be compared
	partly      string // why a part of it is not; "": all is
	ahead       bool   // it carries the mark of a step that its chain, as the recount knows it, has not begun
	view        bool   // it follows from the rules of sites, and not from chains
	differences []Difference
	chains      []*chain   // that it depends on
	event       sinks.Item // a raw event that its records decide about, which are to be read again
}

var nothing = judgement{nothing: true}

// judges compare items with the recount.
type judges struct {
	*model
	late *journals
}

// newJudges returns judges that go by a recount.
func newJudges(m *model) *judges {
	return &judges{model: m, late: &journals{scope: m.scope, tally: m.tally, of: make(map[lateDate]*journal.Journal)}}
}

// presence answers for an item that is there without a reason, or not there with one; done is false when both or
// neither hold.
func (c *comparison) presence(expected bool) (done bool) {
	switch {
	case c.item == nil && expected:
		c.differ(whole, absent, "present")
	case c.item != nil && !expected:
		c.differ(whole, summary(c.item), absent)
	default:
		return false
	}
	return true
}

// judgeStats compares hour or day stats: the sum over all partitions, each as of its own mark.
func (v *judges) judgeStats(s subject, it sinks.Item) (j judgement) {
	cmp := v.compare(s, it)
	j.leftOut, j.ahead = v.strangeMarks(cmp)
	var want sums
	expected, lost := false, false
	for _, c := range v.stats {
		mark := sinks.AttrMark(checkpoint.LaneStats, c.tp)
		cmp.ignore(mark)
		known := c.knowsBucket(s)
		if !known && it[mark].Kind() == sinks.None && it[sinks.AttrUniques(c.tp)].Kind() == sinks.None {
			continue
		}
		j.chains = append(j.chains, c)
		lost = lost || c.notRecounted != ""
		when, ahead := c.cutOf(it[mark].Int())
		if ahead {
			j.ahead = true
			cmp.differ(mark, show(it[mark]), fmt.Sprintf("the chain is at step %d", c.head.Step))
		}
		h, own := c.bucket(s, when)
		if own != nil {
			expected = true
			want.add(*own)
		}
		if it != nil && s.kind == kindHour {
			cmp.smallPart(sinks.AttrUniques(c.tp), h)
			cmp.valuesOf(c.tp, h)
		}
	}
	if j.chains == nil {
		j.chains = v.stats // Any of them might come to explain it.
	}
	attr, entry, length := sinks.AttrHourDays, sinks.EntityStats, int64(hourMs)
	if s.kind == kindDay {
		attr, length = sinks.AttrDayDays, dayMs
	}
	gone, ttls := v.expiry(s.site, attr, s.at+length)
	switch {
	case it == nil && !expected:
		return nothing
	case j.leftOut != "" && cmp.differences == nil:
		return j
	case gone:
		j.leftOut = becauseRetention
		return j
	case lost:
		j.leftOut = becauseLog
		return j
	}
	if !cmp.presence(expected) {
		cmp.sums(want)
		cmp.oneOf(sinks.AttrTTL, ttls)
		if s.kind == kindDay {
			cmp.purged(v.rulebook, s.site)
		}
		cmp.common(entry, s.site)
	}
	j.differences = cmp.differences
	return j
}

func (c *comparison) sums(want sums) {
	for sum := range figures.AllSums {
		c.wide(sum.Attr(), want.Total(sum))
	}
	c.goals(want.goals)
}

// strangeMarks looks for the marks of chains that the recount does not have: another topic's, or none's.
func (v *judges) strangeMarks(c *comparison) (leftOut string, ahead bool) {
	const prefix = "ws" // sinks.AttrMark of the stats lane
	for name := range c.item {
		tp, err := sinks.ParseTP(strings.TrimPrefix(name, prefix))
		switch {
		case !strings.HasPrefix(name, prefix) || err != nil:
		case !v.ofTopic(tp.Topic):
			c.ignore(name)
			c.differ(name, show(c.item[name]), noTopic)
		case tp.Topic != v.number:
			leftOut = becauseShared
		case v.statsChain(tp) == nil:
			ahead = true
			c.ignore(name)
			c.differ(name, show(c.item[name]), "the topic has no such chain")
		}
	}
	return leftOut, ahead
}

// smallPart compares the uniques that ride in the hour's stats item. Once they are too many the attribute stays as
// it was after some step before: the first few visitors, in offset order.
func (c *comparison) smallPart(attr string, h *hour) {
	if h == nil {
		if c.item[attr].Kind() != sinks.None {
			c.ignore(attr)
			c.differ(attr, show(c.item[attr]), absent)
		}
		return
	}
	if h.small() {
		c.uniques(attr, h.visitors, sketch.NewHour)
		return
	}
	have, err := readUniques(c.item[attr], sketch.NewHour)
	if err != nil {
		c.uniques(attr, h.visitors, sketch.NewHour)
		return
	}
	want := sketch.NewHour()
	for _, hash := range h.early[:min(max(have.Entries(), 0), len(h.early))] {
		want.Add(hash)
	}
	c.uniques(attr, want, sketch.NewHour)
}

// knowsBucket reports whether the recount has anything of an hour or a day.
func (c *chain) knowsBucket(s subject) bool {
	site := c.stats.site(s.site)
	return s.kind == kindHour && site.hours[s.at] != nil || s.kind == kindDay && site.days[s.at] != nil
}

// bucket returns the sums of an hour or a day, nil for nothing, and the hour.
func (c *chain) bucket(s subject, when cut) (*hour, *sums) {
	site := c.stats.site(s.site)
	if s.kind == kindDay {
		if d := site.days[s.at].at(when); d != nil {
			return nil, &d.sums
		}
	} else if h := site.hours[s.at].at(when); h != nil {
		return h, &h.sums
	}
	return nil, nil
}

func (v *model) statsChain(tp sinks.TP) *chain {
	if tp.Topic != v.number {
		return nil
	}
	return v.chains[checkpoint.ChainID{Partition: tp.Partition, Lane: checkpoint.LaneStats}]
}

// part finds the chain of an item that one partition writes, and the cut that the item is compared at. ok is false when the
// judgement is complete.
func (v *judges) part(lane string, cmp *comparison, tp sinks.TP) (c *chain, when cut, j judgement, ok bool) {
	mark := sinks.AttrMark(lane, tp)
	cmp.ignore(mark)
	if tp.Topic != v.number {
		if cmp.item != nil && !v.ofTopic(tp.Topic) {
			cmp.differ(whole, summary(cmp.item), noTopic)
			return nil, 0, judgement{ahead: true, differences: cmp.differences}, false
		}
		return nil, 0, nothing, false
	}
	c = v.chains[checkpoint.ChainID{Partition: tp.Partition, Lane: lane}]
	if c == nil {
		if cmp.item == nil {
			return nil, 0, nothing, false
		}
		cmp.differ(whole, summary(cmp.item), "the topic has no such chain")
		return nil, 0, judgement{ahead: true, differences: cmp.differences}, false
	}
	j.chains = []*chain{c}
	when, j.ahead = c.cutOf(cmp.item[mark].Int())
	if j.ahead {
		cmp.differ(mark, show(cmp.item[mark]), fmt.Sprintf("the chain is at step %d", c.head.Step))
	}
	return c, when, j, true
}

// judgeSite compares a site's entry in the list of sites.
func (v *judges) judgeSite(s subject, it sinks.Item) (j judgement) {
	expected := false
	for _, c := range v.stats {
		if site := c.stats.sites[s.site]; site != nil {
			j.chains = append(j.chains, c)
			known := c.admitted.sites[s.site]
			expected = expected || site.first < c.settled() && (known == nil || known.end == nil || !known.end.unsure)
		}
	}
	cmp := v.compare(s, it)
	if v.admittedMarks(cmp, &j, s.site) {
		expected = true
	}
	if it == nil && !expected {
		if len(v.rules.History(s.site)) == 0 {
			return nothing
		}
		j.view = true
	}
	if it == nil {
		cmp.differ(whole, absent, "present")
	} else {
		cmp.text(sinks.AttrSiteID, s.site)
		v.claim(cmp, s.site, expected)
		cmp.fixedZone()
		v.rawMarks(cmp, s.site)
		cmp.common(sinks.EntitySiteEntry, s.site)
	}
	j.differences = cmp.differences
	return j
}

// fixedZone compares the zone that an entry of the list of sites fixes. Which one it is the setting of the worker decided that listed the
// site; the hours and days that follow from it are compared elsewhere.
func (c *comparison) fixedZone() {
	const attr = sinks.AttrZone
	c.ignore(attr)
	zone := c.item[attr]
	loc, err := sites.LoadZone(zone.Str())
	switch {
	case zone.Kind() == sinks.None:
	case err != nil:
		c.differ(attr, show(zone), "a zone of the IANA database")
	case loc == time.UTC:
		c.differ(attr, show(zone), absent)
	case sinks.Claimed(c.item):
		c.differ(attr, show(zone), "`site create` listed the site, so its rules have the zone")
	}
}

// claim compares what an entry of the list of sites says about who was first there, a worker or `site create`, with the log
// of rules: a site that was created is not counted before its rules are in the log, and only there do first rules hold always.
func (v *judges) claim(cmp *comparison, site string, counted bool) {
	const attr = sinks.AttrCreatedAt
	cmp.ignore(attr)
	history := v.rules.History(site)
	switch claimed := sinks.Claimed(cmp.item); {
	case claimed && counted && len(history) == 0:
		cmp.differ(attr, show(cmp.item[attr]), "the site has no rules")
	case !claimed && sites.FirstRules(history) != nil:
		cmp.differ(attr, absent, "the site's first rules hold always")
	}
}
