package page

import (
	"strings"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Newcomers are the new and the returning visitors of a range.
type Newcomers struct {
	Look                links.Look
	New, Returning      string
	NewShare, BackShare string
	Part                float64 // of new ones, in percent of both
	Error               string  // of the returning ones; "": they are exact
	Note                string  // why there are none; "": there are
	Command             string  // that has the site count them; "": it does
	Retention           Retention
}

// newcomers are those of an answer. Without a site's settings it is not known whether the site counts them.
func newcomers(a query.StatsAnswer, site *query.Site, look links.Look) Newcomers {
	f := a.Totals
	switch {
	case f == nil || f.NewVisitors == nil && site != nil && !site.NewVisitors:
		n := Newcomers{Note: locale.Say("The site does not count new visitors.")}
		if look.Base == "" { // A viewer of a link has no commands.
			n.Command = "footfall site update " + shellWord(a.Site) + " --new-visitors on"
		}
		return n
	case f.NewVisitors == nil:
		return Newcomers{Note: locale.Say("Not known: the site did not count new visitors in all of this range.")}
	}
	n := Newcomers{Look: look, New: locale.Count(*f.NewVisitors), Returning: locale.Unknown}
	if f.ReturningVisitors == nil {
		n.Note = locale.Say("Returning visitors are not known: new ones were not counted in all of this range, or its visitors have expired.")
		return n
	}
	n.Returning = locale.Estimate(*f.ReturningVisitors, f.ReturningError)
	if f.ReturningError > 0 {
		n.Error = "± " + locale.Percent(f.ReturningError)
	}
	if both := float64(*f.NewVisitors) + float64(*f.ReturningVisitors); both > 0 {
		part := float64(*f.NewVisitors) / both
		n.Part, n.NewShare, n.BackShare = 100*part, locale.Percent(part), locale.Percent(1-part)
	}
	return n
}

// shellWord is an id as a command of a POSIX shell has it: quoted, if any of its characters may mean something there.
func shellWord(id string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@%+,-"
	shown := locale.Text(id)
	if shown != "" && strings.Trim(shown, plain) == "" {
		return shown
	}
	return "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
}
