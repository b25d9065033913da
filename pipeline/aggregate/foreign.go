package aggregate

import (
	"strings"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
)

// An event whose url is of none of its site's domains is foreign: the site's id is used elsewhere, by mistake or on a copy of
// the page. It is counted as all others are. Its raw event says so, and hours and days have a sum of them; a bot's
// foreign event is in no sum but those of bots.

// foreign reports whether an event is, by the rules of its site.
func foreign(e *event.Event, own *sites.Rules) bool {
	return own != nil && e.URL != nil && classify.Elsewhere(e.URL, own.Domains)
}

// owns reports whether a referrer is a page of the site itself: its host is one of the site's domains, or the siteId if that is a
// host name, or below one. The url's own host is left to the classifier. An access log, whose urls are paths, has no other sign.
func (s *Site) owns(referrer []byte) bool { return s.ownsBy(s.Ruled.Rules, referrer) }

// ownsBy is owns by the rules of a lane.
func (s *Site) ownsBy(ruled *sites.Rules, referrer []byte) bool {
	if len(referrer) == 0 {
		return false
	}
	if own := strings.TrimPrefix(s.ID, "www."); strings.Contains(own, ".") && classify.Within(referrer, own) {
		return true
	}
	return ruled != nil && classify.Within(referrer, ruled.Domains...)
}
