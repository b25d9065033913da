package verify

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

// subjectsOfNew returns what an item of new sessions is compared with; none: no template spells its key.
func (v *scanner) subjectsOfNew(site string, it sinks.Item) []judge.Subject {
	m, ok := sinks.FindEntry(judge.Kinds[finding.KindNew].Type, sinks.Base, it.Key(), it, v.Table.SessionShards)
	if !ok {
		return nil
	}
	hour := count.Floor(m.Fields.At, count.HourMs)
	all := []judge.Subject{{Kind: finding.KindListed, Site: site, At: hour, TP: m.Fields.TP}}
	entries, _ := judge.DecodeListed(it[sinks.AttrListed].Bytes(), hour, m.Fields.TP) // The comparison of the hour says what cannot be read.
	seen := make(map[int64]bool)
	for _, e := range entries {
		if minute := count.Floor(e.OpenedAt, count.MinuteMs); !seen[minute] {
			seen[minute] = true
			all = append(all, judge.Subject{Kind: finding.KindRecent, Site: site, At: minute, TP: m.Fields.TP})
		}
	}
	return all
}

// placeNew keeps an item of new sessions until others are read.
func (x *siteScan) placeNew(it sinks.Item) {
	all := x.subjectsOfNew(x.site, it)
	if len(all) == 0 {
		x.unexplained(finding.KindNew, x.site, it)
		return
	}
	for _, s := range all {
		if x.Chosen(s, it) {
			x.listed[s] = append(x.listed[s], it)
		}
	}
}
