package produce

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/plural"
)

// Summary says what became of every record and line.
type Summary struct {
	Topic        string    `json:"topic"`
	Sent         int64     `json:"sent"`    // acknowledged by Kafka
	Failed       int64     `json:"failed"`  // taken, but not acknowledged
	Refused      int64     `json:"refused"` // lines that could not become a record
	FirstRefused []Refusal `json:"refusedLines"`
	Comments     int64     `json:"comments"` // lines that begin with #, which were skipped
	LeftOut      LeftOut   `json:"leftOut"`  // lines of access logs that are no page view and no download
	FirstFailed  []Failure `json:"failures"`
	Interrupted  bool      `json:"interrupted"` // ended before the last record
	Seconds      float64   `json:"seconds"`
	Bytes        int64     `json:"bytes"`              // of keys and values sent, before compression
	FirstEvent   time.Time `json:"firstEvent"`         // least event time of what was taken
	LastEvent    time.Time `json:"lastEvent"`          // greatest
	StepBack     *StepBack `json:"stepBack,omitempty"` // of a file: the largest, where it is an hour or more
	Warnings     []string  `json:"warnings"`
}

// Reject has records that Into has taken counted as refused. first are the first of them.
func (s *Summary) Reject(n int64, first []Refusal) {
	s.Sent, s.Refused = s.Sent-n, s.Refused+n
	all := slices.Concat(s.FirstRefused, first)
	slices.SortStableFunc(all, func(a, b Refusal) int { return cmp.Compare(a.After, b.After) })
	s.FirstRefused = all[:min(len(all), maxListed)]
}

// StepBack is a line that was sent after lines of later events.
type StepBack struct {
	Place
	Seconds float64 `json:"seconds"` // from its event to the latest that was sent before
}

func (s StepBack) span() time.Duration {
	return time.Duration(s.Seconds * float64(time.Second)).Round(time.Second)
}

// Failure is a record that Kafka did not acknowledge.
type Failure struct {
	Place        // none: synthetic
	Error string `json:"error"`
}

// maxListed is how many refused lines, and how many failures, a summary lists.
const maxListed = 20

// WriteText writes the summary for people.
func (s Summary) WriteText(w io.Writer) error {
	p := printer{w: w}
	verb := "Sent"
	if s.Interrupted {
		verb = "Interrupted; sent"
	}
	p.f("%s %s (%d bytes) to topic %q in %.1f s", verb, plural.Count(s.Sent, "record", "records"), s.Bytes, s.Topic, s.Seconds)
	if s.Seconds > 0 {
		p.f(", %.0f a second", float64(s.Sent)/s.Seconds)
	}
	p.f(".\n")
	if !s.FirstEvent.IsZero() {
		p.f("Event times: %s to %s.\n", s.FirstEvent.Format(eventjson.TimeFormat), s.LastEvent.Format(eventjson.TimeFormat))
	}
	if s.StepBack != nil {
		p.f("Event times step back by up to %v (%v).\n", s.StepBack.span(), s.StepBack.Place)
	}
	if s.Comments > 0 {
		p.f("Skipped %s.\n", plural.Count(s.Comments, "comment line", "comment lines"))
	}
	if s.LeftOut.All() > 0 {
		p.f("Left out: %v. --count-assets sends them.\n", &s.LeftOut)
	}
	s.writeRefused(&p)
	if s.Failed > 0 {
		p.f("Could not send %s:\n", plural.Count(s.Failed, "record", "records"))
		for _, f := range s.FirstFailed {
			if f.Line > 0 {
				p.f("  %v: %s\n", f.Place, f.Error)
			} else {
				p.f("  %s\n", f.Error)
			}
		}
		if more := s.Failed - int64(len(s.FirstFailed)); more > 0 {
			p.f("  and %d more\n", more)
		}
	}
	return p.err
}

// WriteRefused writes how many lines were refused, and the first of them, for people.
func (s Summary) WriteRefused(w io.Writer) error {
	p := printer{w: w}
	s.writeRefused(&p)
	return p.err
}

func (s Summary) writeRefused(p *printer) {
	if s.Refused == 0 {
		return
	}
	p.f("Refused %s:\n", plural.Count(s.Refused, "line", "lines"))
	for _, r := range s.FirstRefused {
		p.f("  %v: %s\n", r.Place, r.Reason)
	}
	if more := s.Refused - int64(len(s.FirstRefused)); more > 0 {
		p.f("  and %d more\n", more)
	}
}

// NoRecord says why no line became a record.
func (s Summary) NoRecord() error {
	switch left := s.LeftOut.All(); {
	case s.Refused == 0 && left > 0:
		return fmt.Errorf("all lines were left out (%v): --count-assets counts them", &s.LeftOut)
	case s.Refused == 0:
		return errors.New("there are no lines")
	case left > 0:
		return fmt.Errorf("lines were left out (%v) or refused: check --format or --log-format; --count-assets counts those that were left out",
			&s.LeftOut)
	}
	all := "the only line was refused"
	if s.Refused > 1 {
		all = fmt.Sprintf("all %d lines were refused", s.Refused)
	}
	return fmt.Errorf("%s: check --format or --log-format, and what is mapped", all)
}

// printer remembers the first error of many prints.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
