package aggregate

import (
	"cmp"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// The event's own values stand beside those of its session: where a visit came from is a matter of its earliest event.
func ofSession(d sketch.Dimension) bool { return sketch.Referrer <= d && d <= sketch.Term }

// dimensioner finds the values of events. It remembers texts, so that values which many events have are made, and kept,
// once.
type dimensioner struct {
	*Place
	texts Pages
}

// own returns the own values of a record's event, all but where its visit came from. like are values that the event's probably equal, which
// saves looking for them.
//
// Most events of a site have its host, which it remembers: with many sites, the classifier does not.
func (d *dimensioner) own(r *Input, site *Site, like *values) (v values) {
	e, page := &r.Event, r.Page
	if page == "" {
		page = d.text(TruncatePage(e.Page()), like[sketch.Page])
	}
	host := like[sketch.Hostname]
	if !d.classes.HasHost(e.URL, host) {
		if host = site.host; host == "" || !d.classes.HasHost(e.URL, host) {
			host = d.classes.Hostname(e.URL)
			site.host = host
		}
	}
	v[sketch.Hostname], v[sketch.Page] = host, page
	for i, dimension := range figures.Given {
		v[dimension] = d.text(e.Given[i], like[dimension])
	}
	if (e.UserAgent != nil || e.Properties != nil) &&
		(e.Given[figures.GivenDevice] == nil || e.Given[figures.GivenBrowser] == nil || e.Given[figures.GivenOS] == nil) {
		agent := d.classes.Agent(e.UserAgent, e.Properties)
		v[sketch.Device] = cmp.Or(v[sketch.Device], agent.Device)
		v[sketch.Browser], v[sketch.OS] = cmp.Or(v[sketch.Browser], agent.Browser), cmp.Or(v[sketch.OS], agent.OS)
	}
	switch {
	case e.Name != nil:
		v[sketch.EventName] = d.text(e.Name, like[sketch.EventName])
	case !e.IsPageView():
		v[sketch.EventName] = d.text(e.Type, like[sketch.EventName])
	}
	return v
}

// origin fills in where the event's visit came from, as the event itself says. A page of its own site is no origin.
func (d *dimensioner) origin(e *event.Event, site *Site, v *values) {
	referrer := e.Referrer
	if site.Ruled.Owns(d.classes, site.ID, referrer) {
		referrer = nil
	}
	s := d.classes.Source(e.URL, referrer)
	v[sketch.Referrer], v[sketch.Channel] = s.Referrer, s.Channel
	v[sketch.Source], v[sketch.Medium], v[sketch.Campaign] = s.UTMSource, s.UTMMedium, s.UTMCampaign
	v[sketch.Content], v[sketch.Term] = s.UTMContent, s.UTMTerm
}

func (d *dimensioner) text(b []byte, like string) string {
	switch string(b) {
	case "":
		return ""
	case like:
		return like
	}
	return d.texts.Text(b)
}

// share has values that were just read be the texts that it remembers. v may be nil.
func (d *dimensioner) share(v *values) {
	if v == nil {
		return
	}
	for i := range v {
		v[i] = d.text([]byte(v[i]), "")
	}
}
