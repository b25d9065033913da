package access

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Kind is where a grant comes from.
type Kind string

// The kinds of grants.
const (
	Local Kind = "local" // a server that asks for no token, and listens on loopback addresses only
	Token Kind = "token" // an access token
	Share Kind = "share" // a share link
	Embed Kind = "embed" // a JSON Web Token
)

// name is what people call a credential of the kind.
func (k Kind) name() string {
	switch k {
	case Share:
		return "share link"
	case Embed:
		return "JSON Web Token"
	}
	return string(k)
}

// Grant is what a credential allows. The zero value allows nothing.
type Grant struct {
	Kind Kind
	// Name is the id of a token or share link, or of the key of a JSON Web Token. It is no secret.
	Name string
	// Holder is the credential whose requests are counted against the limit of the rate: Name, or of a JSON Web Token who holds it.
	Holder string

	Sites    []string
	AllSites bool
	Rights   []Right
	Limits   Limits
	Expires  time.Time // zero: never

	Theme    string // light, dark or "", which leaves it to the browser
	Language string // of the page, as in de; "": English
	Note     string // what it is for, for people
}

// Everything is the grant of a server that asks for no token.
func Everything() Grant {
	return Grant{Kind: Local, Name: string(Local), Holder: string(Local), AllSites: true, Rights: Rights}
}

// Has reports whether the grant includes a site.
func (g Grant) Has(site string) bool { return g.AllSites || slices.Contains(g.Sites, site) }

// Limited reports whether the grant is for less than all that its rights include of a site.
func (g Grant) Limited() bool { return g.Kind == Share || g.Limits.Narrow() }

// Need is what a request needs.
type Need struct {
	Right Right
	Site  string // that is asked about
	// Listed: the request is about the sites of the grant, and the answer has no other. Site is empty.
	Listed bool
	// Bounded: the answer has nothing but figures of a range, and no ids of visitors or users. Its range is held to the grant's. Share
	// links, and other grants with limits, allow nothing else.
	Bounded bool
	// Filtered: the answer is under the filters of the grant.
	Filtered bool
}

// DeniedError says why a request is not allowed. It does not reveal whether the site exists.
type DeniedError struct{ Reason string }

func (e *DeniedError) Error() string { return e.Reason }

// Check decides whether a request is allowed: nil, or a *DeniedError. Every request for something of a site comes here.
func (g Grant) Check(n Need) error {
	switch {
	case g.Limited() && !n.Bounded:
		return &DeniedError{fmt.Sprintf("the %s is limited to figures: it has no lists of sites, settings, sessions or ids", g.Kind.name())}
	case g.Kind == Token && !slices.Contains(g.Rights, n.Right):
		return &DeniedError{fmt.Sprintf("the token does not have the right %q: create one with --right %s", n.Right, n.Right)}
	case !slices.Contains(g.Rights, n.Right):
		return &DeniedError{fmt.Sprintf("the %s does not have the right %q: add it to rights, also of the key", g.Kind.name(), n.Right)}
	case n.Listed == (n.Site != ""): // A need that names neither, or both.
		return &DeniedError{"the request is about no site"}
	case !n.Listed && !g.Has(n.Site):
		return &DeniedError{fmt.Sprintf("the %s does not include site %q", g.Kind.name(), n.Site)}
	case g.Limits.Filtered() && !n.Filtered:
		return &DeniedError{fmt.Sprintf("the %s has filters, and this answer cannot be put under them: stats, uniques, top values, "+
			"goals, paths, reports of funnels and their pages can", g.Kind.name())}
	}
	return nil
}

type grantKey struct{}

// With returns a context that carries a grant.
func With(ctx context.Context, g Grant) context.Context { return context.WithValue(ctx, grantKey{}, g) }

// Of returns the grant of a context; the zero Grant, which allows nothing, if it carries none.
func Of(ctx context.Context) Grant {
	g, _ := ctx.Value(grantKey{}).(Grant)
	return g
}
