package serve

import (
	"context"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/query"
)

// SearchParams choose sites.
type SearchParams struct {
	Owner  string `query:"owner" doc:"Only sites of this owner"`
	Search string `query:"search" doc:"Only sites with this text in their id, in upper or lower case"`
	Prefix string `query:"prefix" doc:"Only sites whose id begins with this. Reads no other entries of the list, so it costs less than search"`
}

// SitesInput asks for sites.
type SitesInput struct {
	SearchParams
	Deleted bool `query:"deleted" doc:"Include deleted sites, as footfall site list does"`
	PageParams
	ConsistentParams
	FormatParams
}

func addSites(a api) {
	get(a, operation{"list-sites", "/sites", "List the sites", "Sites by id, with their settings. As `footfall site list`, without " +
		"deleted sites unless they are asked for."},
		func(ctx context.Context, r *query.Reader, in *SitesInput) (query.SitesAnswer, error) {
			return r.Sites(ctx, query.SitesParams{Only: ownSites(ctx), Owner: in.Owner, Search: in.Search, Prefix: in.Prefix, Deleted: in.Deleted,
				Consistent: in.Consistent, Paging: in.paging()})
		})
}

// ownSites returns the sites of the grant of a request; nil: all.
func ownSites(ctx context.Context) []string {
	g := access.Of(ctx)
	if g.AllSites {
		return nil
	}
	return append([]string{}, g.Sites...)
}

// SiteInput asks for a site.
type SiteInput struct {
	SiteParams
	ConsistentParams
}

func addSite(a api) {
	get(a, operation{"get-site", "/sites/{site}", "Get a site", "A site with its settings. As `footfall query site`."},
		func(ctx context.Context, r *query.Reader, in *SiteInput) (query.SiteAnswer, error) {
			return r.Site(ctx, query.SiteParams{Site: in.Site, Consistent: in.Consistent})
		})
}
