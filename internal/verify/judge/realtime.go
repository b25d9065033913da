package judge

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// comparePages compares a top-k state.
func comparePages(c *finding.Comparison, attr string, want *sketch.Top) {
	c.Ignore(attr)
	have := sketch.NewTop(count.PageRows)
	if v := c.Item[attr]; v.Kind() != sinks.None {
		if err := have.UnmarshalBinary(v.Bytes()); err != nil {
			c.Differ(attr, "unreadable: "+err.Error(), showTop(want))
			return
		}
	}
	if !have.Equal(want) {
		table, recount := showTop(have), showTop(want)
		if table == recount {
			table += ", and what is not shown differs"
		}
		c.Differ(attr, table, recount)
	}
}

func showTop(t *sketch.Top) string {
	rows := t.Rows()
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows", len(rows))
	for i, r := range rows {
		if i == 3 {
			b.WriteString(", ...")
			break
		}
		fmt.Fprintf(&b, ", %q %d", r.Value, r.Count)
	}
	if t.Other() > 0 || t.Floor() > 0 {
		fmt.Fprintf(&b, ", others %d, floor %d", t.Other(), t.Floor())
	}
	return b.String()
}

// judgeRealtime compares one partition's minute.
func (v *Judges) judgeRealtime(s Subject, it sinks.Item) Judgement {
	ttl := count.RealtimeTTL(s.At)
	gone := ttl <= v.Now()
	return marked[*count.Minute]{
		lane: checkpoint.LaneRealtime, entity: sinks.EntityRealtime,
		cell:   func(c *recount.Chain) *count.Cell[*count.Minute] { return c.Realtime.Minute(s.Site, s.At) },
		there:  func(m *count.Minute) bool { return m != nil || gone }, // The recount has let go of those.
		expiry: func(*count.Minute) (bool, []sinks.Value) { return gone, []sinks.Value{sinks.Int(ttl)} },
		compare: func(cmp *finding.Comparison, _ *Judgement, x partOfChain[*count.Minute]) {
			cmp.Number(sinks.AttrPageViews, x.want.PageViews)
			cmp.Number(sinks.AttrEvents, x.want.Events)
			cmp.Number(sinks.AttrBotPageViews, x.want.BotPageViews)
			cmp.Number(sinks.AttrBotEvents, x.want.BotEvents)
			cmp.Uniques(sinks.AttrVisitors, x.want.Visitors, sketch.NewMinute)
			comparePages(cmp, sinks.AttrPages, x.want.Pages)
		},
	}.judge(v, s, it)
}
