package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
)

// An event whose url is of none of its site's domains is foreign: the site's id is used elsewhere, by mistake or on a copy of
// the page. It is counted as all others are. Its raw event says so, and hours and days have a sum of them; a bot's
// foreign event is in no sum but those of bots.

// foreign reports whether an event is, by the rules of its site.
func (p *Place) foreign(e *event.Event, own *sites.Rules) bool {
	return own != nil && e.URL != nil && p.classes.Elsewhere(e.URL, own.Domains)
}
