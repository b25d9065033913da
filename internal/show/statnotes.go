package show

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/footfall/footfall/query"
)

func (a statsView) notes() []string {
	var notes []string
	incomplete := a.Incomplete || a.Previous != nil && a.Previous.Incomplete
	for _, b := range a.Buckets {
		incomplete = incomplete || b.Incomplete || b.Previous != nil && b.Previous.Incomplete
	}
	if incomplete && len(a.Buckets) > 0 {
		notes = append(notes, "Figures marked \"data expired\" are or may be too low: some of their hours or days have expired.")
	}
	if a.Previous != nil && a.Previous.Incomplete {
		notes = append(notes, "Data of the previous range has expired.")
	}
	if a.Previous != nil && a.Previous.DataFrom != nil {
		notes = append(notes, dataFromNote(*a.Previous.DataFrom))
	}
	if a.marksInProgress() {
		notes = append(notes, soFarNote+a.comparedSoFar())
	}
	if slices.ContainsFunc(a.Buckets, func(b query.Bucket) bool { return b.Hours > 0 }) {
		notes = append(notes, "A change of the site's zone made the rows that show their hours shorter or longer.")
	}
	if a.Previous != nil && !a.Previous.ByBucket {
		notes = append(notes, unpairedNote)
	}
	notes = append(notes, a.aboutNew()...)
	notes = append(notes, covered(a.Coverage)...)
	notes = append(append(notes, includedNote(a.Included)...), newOfSites(a.Included)...)
	notes = append(notes, aboutBots(a.IncludesBots)...)
	notes = append(append(notes, strangerNote(a.Included, a.SiteKnown)...), whereStored(a.Stored)...)
	return append(notes, remarks(a.Site, a.SiteKnown || a.Included != nil, a.ExpiredOmitted, a.Cursor)...)
}

// marksInProgress reports whether a figure is marked as of a time that is not over.
func (a statsView) marksInProgress() bool {
	return a.InProgress && a.Totals != nil && len(a.Buckets) > 0 ||
		slices.ContainsFunc(a.Buckets, func(b query.Bucket) bool { return b.InProgress })
}

// What several answers say about a comparison.
const (
	soFarNote    = "Figures marked \"so far\" are of a time that is not over."
	unpairedNote = "Rows are not compared: the previous range has another number of rows."
)

// dataFromNote says why changes have no percentages.
func dataFromNote(from time.Time) string {
	return "The site has data only from " + from.Format(toDay) + " on, and may have only a part of that day: changes since that day or " +
		"earlier ones have no percentages."
}

// previousEnds says where the previous range of one that is not over ends.
func previousEnds(toDate bool) string {
	if toDate {
		return " The previous range is cut there, too, at a full hour or day."
	}
	return " The previous range is whole."
}

// comparedSoFar says where the previous range ends.
func (a statsView) comparedSoFar() string {
	if a.Previous == nil || !a.InProgress {
		return ""
	}
	return previousEnds(a.Previous.ToDate)
}

// aboutNew says since when new visitors are counted, if that is not the whole range.
func (a statsView) aboutNew() []string {
	of := a.allFigures()
	if i := slices.IndexFunc(of, func(f query.Figures) bool { return f.NewSince != nil }); i >= 0 {
		return []string{"New visitors marked with a * are those since " + of[i].NewSince.Format(toMinute+" MST") + ", when the site began to " +
			"count them, and the visitors are all."}
	}
	if a.Included == nil && slices.ContainsFunc(of, func(f query.Figures) bool {
		return f.NewVisitors != nil && f.UniqueVisitors != nil && f.ReturningVisitors == nil
	}) {
		return []string{"New visitors were not counted in all of the range: those shown without returning ones are of a part of their time."}
	}
	return nil
}

// allFigures are the totals and those of the rows, and of what they are compared with.
func (a statsView) allFigures() (all []query.Figures) {
	if a.Totals != nil {
		all = append(all, *a.Totals)
	}
	for _, b := range a.Buckets {
		all = append(all, b.Figures)
	}
	if a.Previous != nil && a.Previous.Totals != nil {
		all = append(all, *a.Previous.Totals)
	}
	return all
}

// includedNote says how many sites figures are of.
func includedNote(of *query.SitesIncluded) []string {
	if of == nil {
		return nil
	}
	return []string{fmt.Sprintf("Sites: %d, with events in the range: %d.", of.Sites, of.WithEvents)}
}

// strangerNote says that an owner has no sites.
func strangerNote(of *query.SitesIncluded, known bool) []string {
	if of == nil || known {
		return nil
	}
	return []string{"Owner " + clean(strconv.Quote(of.Owner)) + " is not known: no site has that owner."}
}

// newOfSites says what the new visitors of several sites are, or why they are unknown.
func newOfSites(of *query.SitesIncluded) []string {
	switch {
	case of == nil || of.CountingNew == 0 || of.WithEvents < 2:
		return nil
	case of.CountingNew < of.WithEvents:
		return []string{fmt.Sprintf("New and returning visitors are unknown unless all sites with events have counted them since the range or "+
			"row began; sites that have, in the whole range: %d.", of.CountingNew)}
	}
	return []string{"A visitor of several sites is new at each of them, so there may be more new visitors than visitors."}
}
