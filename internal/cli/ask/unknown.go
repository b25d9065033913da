package ask

import (
	"context"
	"errors"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// UnknownSite returns the exit code of an answer about an unknown site. Tables and CSV have said it in a note.
func UnknownSite(answer any, f show.Format) error {
	u, ok := answer.(interface{ UnknownSite() bool })
	switch {
	case !ok || !u.UnknownSite():
		return nil
	case f == show.JSON:
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("unknown site or owner: no event was counted, and it was not created: footfall query sites lists all sites " +
				"with their owners")}
	}
	return &command.ExitError{Code: command.CodeUnknown, Err: nil}
}

// SiteNames returns the ids of sites, in their order, as many as one page of the list has.
func SiteNames(ctx context.Context, r *query.Reader) ([]string, error) {
	list, err := r.Sites(ctx, query.SitesParams{Paging: query.Paging{Limit: query.MaxLimit}})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list.Sites))
	for i, s := range list.Sites {
		names[i] = s.SiteID
	}
	return names, nil
}
