package chart

import (
	"fmt"
	"math"
	"strings"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// maxDots is up to how many buckets each has a dot.
const maxDots = 48

// maxLabelled is up to how many buckets each has a text of its own.
const maxLabelled = 400

// Graph is a figure by bucket.
type Graph struct {
	Title, By     string // By: the size of its buckets
	Box           string // of the lines, as viewBox has it
	Height, Total float64
	Top           float64
	Line, Area    string // of finished buckets, as paths; gaps are where the figure is not known
	Open          string // the path to the bucket that is not over
	Before        string // of the earlier range; "": none
	Lines         []GraphLine
	Labels        []GraphLabel
	Dots          []GraphDot
	Buckets       []GraphBucket
	Compared      bool
	Labelled      bool // a bucket that is pointed at shows its figure; of more buckets, browsers show it as a title
}

// GraphLine is a horizontal line with its value.
type GraphLine struct {
	Y, Text float64
	Value   string
}

// GraphDot marks a bucket.
type GraphDot struct{ X, Y float64 }

// Draw draws a figure of an answer.
func Draw(a query.StatsAnswer, at links.Address) Graph {
	f := shownAt(at)
	g := Graph{Title: locale.Say(f.Title), By: locale.Say("%s by %s", locale.Say(f.Title), locale.Say(string(a.By))),
		Height: graphHeight, Top: graphTop,
		Total:    graphTop + graphHeight + graphLabels,
		Box:      fmt.Sprintf("0 0 %g %g", Width, graphHeight),
		Compared: a.Previous != nil && a.Previous.ByBucket, Labelled: len(a.Buckets) <= maxLabelled}
	bottom, top, step := f.scaleOf(a)
	part := func(x float64) float64 { return (x - bottom) / (top - bottom) } // of the height
	for i := math.Round(bottom / step); i*step <= top+step/2; i++ {
		y := graphTop + graphHeight*(1-part(i*step))
		g.Lines = append(g.Lines, GraphLine{y, y - 4, f.spell(i * step)})
	}
	now, before := path{base: graphHeight * (1 - part(0))}, path{}
	for i, b := range a.Buckets {
		x := (float64(i) + 0.5) / float64(len(a.Buckets))
		g.Buckets = append(g.Buckets, bucketOf(a, i, f, at))
		value, ok := f.Value(&b.Figures)
		ok = ok && !BeforeData(a, b)
		now.add(x, part(value), ok, b.InProgress)
		if ok && len(a.Buckets) <= maxDots {
			g.Dots = append(g.Dots, GraphDot{100 * x, graphTop + graphHeight*(1-part(value))})
		}
		if b.Previous == nil {
			before.add(x, 0, false, false)
			continue
		}
		value, ok = f.Value(&b.Previous.Figures)
		ok = ok && !BeforeData(a, *b.Previous)
		before.add(x, part(value), ok, false)
	}
	now.close()
	g.Line, g.Area, g.Open, g.Before = now.line.String(), now.area.String(), now.open.String(), before.line.String()
	g.Labels = labels(a)
	return g
}

// scaleOf returns the values at the bottom and the top of the graph, and the step between its lines. The bottom is 0 unless values are
// below it, as sums of refunds are.
func (f Figure) scaleOf(a query.StatsAnswer) (bottom, top, step float64) {
	least, greatest := 0.0, 0.0
	for _, b := range a.Buckets {
		for _, of := range []*query.Bucket{&b, b.Previous} {
			if of != nil {
				x, _ := f.Value(&of.Figures)
				least, greatest = min(least, x), max(greatest, x)
			}
		}
	}
	top, step = Scale(max(greatest, -least), f.spell(0.5) == f.spell(0))
	if least < 0 {
		bottom, top = -step*math.Ceil(-least/step-1e-9), step*math.Ceil(greatest/step-1e-9)
	}
	return bottom, top, step
}

// A path collects the points of a line.
type path struct {
	line, area, open strings.Builder
	x, y             float64 // of the last point
	base             float64 // y of 0
	drawn            bool    // there is one, and it is known
}

// add draws to the point of a bucket: x and y are parts of the width and the height.
func (p *path) add(x, y float64, known, unfinished bool) {
	x, y = Width*x, graphHeight*(1-y)
	switch {
	case !known:
		p.close()
		p.drawn = false
		return
	case p.drawn && unfinished:
		fmt.Fprintf(&p.open, "M%.1f %.1fL%.1f %.1f", p.x, p.y, x, y)
	case p.drawn:
		fmt.Fprintf(&p.line, "L%.1f %.1f", x, y)
		fmt.Fprintf(&p.area, "L%.1f %.1f", x, y)
	default:
		fmt.Fprintf(&p.line, "M%.1f %.1f", x, y)
		fmt.Fprintf(&p.area, "M%.1f %.1fL%.1f %.1f", x, p.base, x, y)
	}
	if unfinished { // It is the last one.
		p.close()
	}
	p.x, p.y, p.drawn = x, y, !unfinished
}

// close ends the area under the line.
func (p *path) close() {
	if p.drawn {
		fmt.Fprintf(&p.area, "L%.1f %.1fZ", p.x, p.base)
	}
}
