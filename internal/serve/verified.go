package serve

import (
	"context"

	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/query"
)

// VerifiedInput asks for the last recount of a site's figures.
type VerifiedInput struct {
	SiteParams
	ZoneParams
	ConsistentParams
}

func (in *VerifiedInput) reading(a api) reading { return a.open(in.Site) }

func addVerified(a api) {
	get(a, operation{"get-verified", "/sites/{site}/verified", "The last recorded recount of a site's figures",
		"Without from, the range is open; without to, it ends where the recounts end. A recount that " +
			"does not cover the range says in reason why. As `footfall query verified`."},
		within(a, func(ctx context.Context, r *query.Reader, in *VerifiedInput, s span) (query.VerifiedAnswer, error) {
			return r.LastVerified(ctx, query.VerifiedParams{Site: in.Site, From: s.From, To: s.To, Consistent: in.Consistent})
		}))
}

// recounted reads the last recount of the figures of a site's page.
func (ps pages) recounted(ctx context.Context, v *page.SiteView) error {
	answer, err := ps.reader.LastVerified(ctx, query.VerifiedParams{Site: v.At.Site, From: v.Stats.From, To: v.Stats.To})
	if err == nil {
		v.Verified, err = permit.Hold(ctx, answer)
	}
	return err
}
