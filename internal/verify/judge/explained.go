package judge

import (
	"iter"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
)

// Explained yields every subject of a site, raw events aside, that the log or the rules know something of.
func (v *Judges) Explained(site string) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		more := true
		one := func(s Subject) {
			s.Site = site
			more = more && yield(s)
		}
		if len(v.Rules.History(site)) > 0 {
			one(Subject{Kind: finding.KindMetadata})
		}
		for id := range v.GoalsOf(site) {
			one(Subject{Kind: finding.KindGoal, ID: id})
		}
		for _, c := range v.Chains {
			if c.Stats != nil {
				explainedBy(c.Stats, site, one)
			} else if known := c.Realtime.Sites[site]; known != nil {
				for at := range known.Live {
					one(Subject{Kind: finding.KindRealtime, At: at, TP: c.TP})
				}
				for at := range known.Expired {
					one(Subject{Kind: finding.KindRealtime, At: at, TP: c.TP})
				}
			}
		}
	}
}

func explainedBy(s *recount.Stats, name string, one func(Subject)) {
	site, tp := s.Site(name), s.Chain.TP
	for at := range site.Hours {
		one(Subject{Kind: finding.KindHour, At: at})
		one(Subject{Kind: finding.KindUniques, At: at, TP: tp})
	}
	for at := range site.Breakdowns {
		one(Subject{Kind: finding.KindBreakdown, At: at, TP: tp})
	}
	for at := range site.Days {
		one(Subject{Kind: finding.KindDay, At: at})
	}
	for id := range site.Sessions {
		one(Subject{Kind: finding.KindSession, ID: id, TP: tp})
	}
	for id := range site.Visitors {
		one(Subject{Kind: finding.KindVisitor, ID: id, TP: tp})
	}
	for hash := range site.Arrivals {
		one(Subject{Kind: finding.KindArrival, ID: hash, TP: tp})
	}
	for of := range site.Conversions {
		one(Subject{Kind: finding.KindConversion, ID: of.Session, goal: of.Goal, TP: tp})
	}
	if len(site.Budget) > 0 {
		one(Subject{Kind: finding.KindBudget, TP: tp})
	}
	for at := range site.Opened {
		one(Subject{Kind: finding.KindRecent, At: at, TP: tp})
	}
	for at := range site.Listings {
		one(Subject{Kind: finding.KindListed, At: at, TP: tp})
	}
}

// Known returns the subjects of a site that the log or the rules know by an id, by sort key.
func (v *Judges) Known(site string) map[string]Subject {
	all := make(map[string]Subject)
	for s := range v.Explained(site) {
		if s.ID != "" {
			all[v.Key(s).SK] = s
		}
	}
	return all
}
