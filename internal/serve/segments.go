package serve

import (
	"context"

	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// SegmentsInput asks for segments.
type SegmentsInput struct {
	SiteParams
	ConsistentParams
}

func addSegments(a api) {
	get(a, operation{"list-segments", "/sites/{site}/segments", "List the segments of a site",
		"Named filters: segment=NAME applies them to a question. As `footfall segment list`."},
		func(ctx context.Context, _ *query.Reader, in *SegmentsInput) (segments.SegmentsAnswer, error) {
			return segments.List(ctx, a.table, segments.ListParams{Site: in.Site, Consistent: in.Consistent})
		})
}
