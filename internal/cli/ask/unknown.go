package ask

import (
	"context"
	"errors"
	"strings"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/near"
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
			Err: errors.New("the site is not known, or the owner: none of its events was counted, and it was not " +
				"created: footfall query sites lists all sites with their owners")}
	}
	return &command.ExitError{Code: command.CodeUnknown, Err: nil}
}

// Unknown is UnknownSite, with the names of sites that may be meant. It returns the exit code also of an answer about an unknown session.
func (q *Asker) Unknown(ctx context.Context, r *query.Reader, answer any, f show.Format) error {
	if s, ok := answer.(interface{ UnknownSession() bool }); ok && s.UnknownSession() {
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("the session is not known: it was not counted, or it has expired: footfall query sessions " +
				"lists recent sessions, and those of a visitor or user")}
	}
	err := UnknownSite(answer, f)
	if err == nil || q.Site == "" {
		return err
	}
	known, failed := SiteNames(ctx, r)
	if failed != nil {
		return failed
	}
	if names := near.Of(q.Site, known); names != nil {
		return &command.ExitError{Code: command.CodeUnknown,
			Err: errors.New("site " + q.Site + ": did you mean " + strings.Join(names, " or ") + "?")}
	}
	return err
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
