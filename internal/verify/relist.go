package verify

import (
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/sinks"
)

// listing returns the subjects that an item among a site's lists by visitor is compared with; none: no template spells its key.
func (v *scanner) listing(site string, it sinks.Item) []judge.Subject {
	if strings.HasPrefix(it.Key().SK, judge.Kinds[finding.KindNew].Prefix) {
		return v.subjectsOfNew(site, it)
	}
	if s, ok := v.SubjectOf(finding.KindListed, site, it, nil); ok {
		return []judge.Subject{s}
	}
	return nil
}
