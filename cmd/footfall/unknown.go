package main

import (
	"context"
	"errors"
	"strings"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
)

// codeUnknown is the exit code of a question about a site that was neither counted nor created, or about a session that the table does
// not have.
const codeUnknown = 3

// unknownSite returns the exit code of an answer about an unknown site. Tables and CSV have said it in a note.
func unknownSite(answer any, f show.Format) error {
	u, ok := answer.(interface{ UnknownSite() bool })
	switch {
	case !ok || !u.UnknownSite():
		return nil
	case f == show.JSON:
		return &exitError{codeUnknown, errors.New("the site is not known, or the owner: none of its events was counted, and it was not " +
			"created: footfall query sites lists all sites with their owners")}
	}
	return &exitError{codeUnknown, nil}
}

// unknown is unknownSite, with the names of sites that may be meant. It returns the exit code also of an answer about an unknown session.
func (q *asker) unknown(ctx context.Context, r *query.Reader, answer any, f show.Format) error {
	if s, ok := answer.(interface{ UnknownSession() bool }); ok && s.UnknownSession() {
		return &exitError{codeUnknown, errors.New("the session is not known: it was not counted, or it has expired: footfall query sessions " +
			"lists recent sessions, and those of a visitor or user")}
	}
	err := unknownSite(answer, f)
	if err == nil || q.site == "" {
		return err
	}
	known, failed := siteNames(ctx, r)
	if failed != nil {
		return failed
	}
	if names := near.Of(q.site, known); names != nil {
		return &exitError{codeUnknown, errors.New("site " + q.site + ": did you mean " + strings.Join(names, " or ") + "?")}
	}
	return err
}

// siteNames returns the ids of sites, in their order, as many as one page of the list has.
func siteNames(ctx context.Context, r *query.Reader) ([]string, error) {
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
