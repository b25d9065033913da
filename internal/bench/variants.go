package main

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// variant is a pipeline with some of what it can do.
type variant struct {
	name     string
	settings checkpoint.Settings
}

// variants have one more of the features each, to the last, which has all but raw events.
func variants() []variant {
	s := checkpoint.DefaultSettings()
	s.RawEvents, s.Duplicates, s.Bots, s.VisitGapMs, s.Breakdowns = false, checkpoint.Duplicates{}, checkpoint.Bots{}, 0, 0
	s.NewSites = 10_000 // All that there are come in their first hour.
	all := []variant{{"windows, sketches, sessions", s}}
	add := func(name string, change func(s *checkpoint.Settings)) {
		change(&s)
		all = append(all, variant{name, s})
	}
	normal := checkpoint.DefaultSettings()
	add("and duplicates", func(s *checkpoint.Settings) { s.Duplicates = normal.Duplicates })
	add("and bots", func(s *checkpoint.Settings) { s.Bots = normal.Bots })
	add("and visits", func(s *checkpoint.Settings) { s.VisitGapMs = normal.VisitGapMs })
	add("and breakdowns", func(s *checkpoint.Settings) { s.Breakdowns = normal.Breakdowns })
	return all
}
