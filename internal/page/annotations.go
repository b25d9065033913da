package page

import (
	"sort"
	"time"

	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Note is an annotation, or an hour in which an alert fired, as the page shows it.
type Note struct {
	Number  int     // in the list and on the graph
	X       float64 // on the graph, in percent
	At      string
	Instant string // as machines read it
	Text    string
}

// Annotated are the annotations of the range, the newest first.
func (d siteData) Annotated() []Note {
	return notesOf(d.Annotations.Annotations, d.Stats.Buckets, d.Stats.From.Location())
}

// MoreAnnotated says that the range has annotations beyond those.
func (d siteData) MoreAnnotated() bool { return d.Annotations.Cursor != "" }

// Alerted are the hours of the range in which alerts fired, the newest first.
func (d siteData) Alerted() (notes []Note) {
	for i, f := range d.Fired.Findings {
		at := f.Start.In(d.Stats.From.Location())
		notes = append(notes, Note{i + 1, placeOf(f.Start, d.Stats.Buckets), locale.Spell(at, "2 Jan 2006, 15:04"), at.Format(time.RFC3339),
			locale.Text(f.AlertID + ": " + f.Text + " (" + f.When + ")")})
	}
	return notes
}

// AlertMarks are those of Alerted that the graph marks: all if its buckets are hours or days, none if they are longer.
func (d siteData) AlertMarks() []Note {
	if d.Stats.By != query.Hour && d.Stats.By != query.Day {
		return nil
	}
	return d.Alerted()
}

// MoreAlerted says that alerts fired in the range more often.
func (d siteData) MoreAlerted() bool { return d.Fired.Cursor != "" }

func notesOf(all []query.Annotation, buckets []query.Bucket, zone *time.Location) (notes []Note) {
	for i, a := range all {
		at := a.At.In(zone)
		notes = append(notes, Note{i + 1, placeOf(a.At, buckets), locale.Spell(at, "2 Jan 2006, 15:04"), at.Format(time.RFC3339),
			locale.Text(a.Text)})
	}
	return notes
}

// placeOf is where an instant lies on a graph of buckets, which all have the same width, in percent.
func placeOf(at time.Time, buckets []query.Bucket) float64 {
	i := sort.Search(len(buckets), func(i int) bool { return buckets[i].End.After(at) })
	if i == len(buckets) || at.Before(buckets[i].Start) { // Buckets without events may be missing.
		return 100 * float64(i) / float64(max(1, len(buckets)))
	}
	within := float64(at.Sub(buckets[i].Start)) / float64(buckets[i].End.Sub(buckets[i].Start))
	return 100 * (float64(i) + within) / float64(len(buckets))
}
