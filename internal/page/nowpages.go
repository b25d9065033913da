package page

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// NowParams are the query parameters of the list of pages that are viewed now. Those of the range lead back.
// Its filters do, too: the list is of all traffic.
var NowParams = slices.Concat([]string{"from", "to", "period", "tz", "compare"}, links.FilterParams)

// MostNowPages is how many pages realtime answers have at most: minutes count as many one by one.
const MostNowPages = 50

// NowView is what the list of pages that are viewed now shows.
type NowView struct {
	At       links.Address        // its values are those of NowParams
	Realtime query.RealtimeAnswer // with up to MostNowPages pages
	Zone     *time.Location       // in which times are named
	Streamed bool                 // who asks may have realtime figures as they change
}

// nowPagesData is a NowView as its template has it.
type nowPagesData struct {
	Look                              links.Look
	Site, Back, Visitors, Views, Zone string
	From, To                          string // times of day: the script has those of later answers
	Rows                              []lists.ListRow
	Others, OthersShare               string
	Most                              int // rows that the list may have
	SwitchedOff                       bool
	Address, Stream                   string // as those of lists.Now
	Notes                             []string
	Unfiltered                        string // that the filters of the address do not apply; "": it has none
}

// NowPages writes the list of pages that are viewed now.
func NowPages(w io.Writer, v NowView) error {
	a := v.Realtime
	d := nowPagesData{Look: v.At.Look, Site: locale.Text(v.At.Site), Back: v.At.Back(), Visitors: locale.Count(int64(a.CurrentVisitors)),
		Views: locale.Count(a.PageViews),
		Rows:  lists.ActivePages(a.ActivePages, a.PageViews, v.At), Others: lists.OthersNow(a.ActivePages, a.PageViews), Zone: v.Zone.String(),
		From: locale.Spell(a.From.In(v.Zone), "15:04"), To: locale.Spell(a.To.In(v.Zone), "15:04"), SwitchedOff: a.SwitchedOff,
		Most: MostNowPages, Address: fmt.Sprintf("%s?pages=%d", v.At.Realtime(), MostNowPages),
		Notes: []string{locale.Say("Each minute counts its %s busiest pages one by one, and this list has the %s busiest of all. Views "+
			"of other pages are in (others).", MostNowPages, MostNowPages)}}
	if len(v.At.Where) > 0 {
		d.Unfiltered = locale.Say("Now cannot be filtered: this is all traffic.")
	}
	if v.Streamed {
		d.Stream = fmt.Sprintf("%s?pages=%d", links.Stream(v.At), MostNowPages)
	}
	if d.Others != "" {
		listed := uint64(0)
		for _, p := range a.ActivePages {
			listed += p.PageViews
		}
		d.OthersShare = locale.Percent(1 - float64(listed)/float64(a.PageViews))
	}
	return render(w, v.At.Look, "nowpages.html", d)
}
