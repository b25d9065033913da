package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// Prediction is what would become of published records under the settings and the site settings of now. What it leaves open is how many
// new sites a partition accepts in an hour, which depends on the records between.
type Prediction struct {
	Counted  int64                  `json:"counted"`
	Rejected map[event.Reason]int64 `json:"rejected"`      // by the reason that they would have then
	Still    map[event.Reason]int64 `json:"stillRejected"` // the same records, by the reason of their entries
}

// predict adds what would become of the records of entries.
func (r *run) predict(ctx context.Context, entries []*entry) {
	if r.o.Settings == nil {
		return
	}
	if r.sum.Predicted == nil {
		r.sum.Predicted = &Prediction{Rejected: make(map[event.Reason]int64), Still: make(map[event.Reason]int64)}
	}
	for _, e := range entries {
		if reason := r.foresee(ctx, e); reason == event.Accepted {
			r.sum.Predicted.Counted++
		} else {
			r.sum.Predicted.Rejected[reason]++
			r.sum.Predicted.Still[e.class.Reason]++
		}
	}
}

// foresee returns why the record of an entry would be rejected now.
func (r *run) foresee(ctx context.Context, e *entry) event.Reason {
	var decoded event.Event
	decode, err := r.decoder(r.o.Settings.Maps, 0) // The configured one.
	if err != nil {
		return event.NotMapped
	}
	r.schemas.asNow(ctx, e.value)
	if reason, _ := r.o.Settings.Verdict(decode, e.rejected(), &decoded); reason != event.Accepted {
		return reason
	}
	switch r.rules.At(r.rules.Rev()).Standing(string(decoded.SiteID)) {
	case sites.Deleted:
		return event.UnknownSite
	case sites.Unregistered:
		if r.o.Settings.Sites == checkpoint.SitesRegistered {
			return event.UnknownSite
		}
	}
	return event.Accepted
}

// RejectedAgain returns how many of the records would be rejected again.
func (p *Prediction) RejectedAgain() (n int64) {
	if p == nil {
		return 0
	}
	for _, m := range p.Rejected {
		n += m
	}
	return n
}

// Reasons spells why: 500 as bad_json, 93 as too_late.
func (p *Prediction) Reasons() string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(p.Rejected)) {
		texts = append(texts, fmt.Sprintf("%d as %s", p.Rejected[reason], reason))
	}
	return strings.Join(texts, ", ")
}
