package sites

import (
	"strings"

	"github.com/footfall/footfall/internal/classify"
)

// Owns reports whether a referrer is a page of the site itself: its host is one of the domains, or the siteId if that is a host name, or
// below one. r may be nil. The url's own host is left to the classifier. An access log, whose urls are paths, has no other sign.
func (r *Rules) Owns(c *classify.Classifier, site string, referrer []byte) bool {
	if len(referrer) == 0 {
		return false
	}
	if own := strings.TrimPrefix(site, "www."); strings.Contains(own, ".") && c.Within(referrer, own) {
		return true
	}
	return r != nil && c.Within(referrer, r.Domains...)
}
