package verify

import (
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// placeNew keeps an item of new sessions until others are read.
func (x *siteScan) placeNew(it sinks.Item) {
	all := x.subjectsOfNew(x.site, it)
	if len(all) == 0 {
		x.unexplained(finding.KindNew, it)
		return
	}
	for _, s := range all {
		if x.Chosen(s, it) {
			x.listed[s] = append(x.listed[s], it)
		}
	}
}
