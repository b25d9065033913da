package ranges

// Known is part of every answer about a site.
type Known struct {
	SiteKnown bool `json:"-"` // the site has events, or was created; of an owner: has a site
}

// UnknownSite reports whether the answer is about a site that has no events and was never created, or about an owner without sites.
func (k Known) UnknownSite() bool { return !k.SiteKnown }
