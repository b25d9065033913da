package page

import (
	"io"
	"time"

	"github.com/footfall/footfall/query"
)

// NowParams are the query parameters of the list of pages that are viewed now. Those of the range lead back.
var NowParams = []string{"from", "to", "period", "tz", "compare"}

// MostNowPages is how many pages realtime answers have at most: minutes count as many one by one.
const MostNowPages = 50

// NowPath is the path of the list of pages that are viewed now.
func NowPath(site string) string { return SitePath(site) + "/now" }

// Now is the address of the list of pages that are viewed now.
func (a Address) Now() string { return address(a.Base+NowPath(a.Site), a.compared()) }

// NowView is what the list of pages that are viewed now shows.
type NowView struct {
	At       Address              // its values are those of NowParams
	Realtime query.RealtimeAnswer // with up to MostNowPages pages
	Zone     *time.Location       // in which times are named
}

// NowPages writes the list of pages that are viewed now.
func NowPages(w io.Writer, v NowView) error {
	a := v.Realtime
	d := struct {
		Look                               Look
		Site, Back, Range, Visitors, Views string
		Rows                               []ListRow
		Others, OthersShare, Zone          string
		SwitchedOff                        bool
		Notes                              []string
	}{Look: v.At.Look, Site: text(v.At.Site), Back: v.At.Back(), Visitors: count(int64(a.CurrentVisitors)), Views: count(a.PageViews),
		Rows: activePages(a.ActivePages, a.PageViews, v.At), Others: othersNow(a.ActivePages, a.PageViews), Zone: v.Zone.String(),
		Range: spell(a.From.In(v.Zone), "2 Jan 2006, 15:04") + " – " + spell(a.To.In(v.Zone), "15:04"), SwitchedOff: a.SwitchedOff}
	if d.Others != "" {
		listed := uint64(0)
		for _, p := range a.ActivePages {
			listed += p.PageViews
		}
		d.OthersShare = percent(1 - float64(listed)/float64(a.PageViews))
		d.Notes = []string{say("Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views "+
			"of other pages are in (others).", MostNowPages, MostNowPages)}
	}
	return render(w, v.At.Look, "nowpages.html", d)
}
