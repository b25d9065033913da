package aggregate

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// addToSession folds one event into its session. page is the truncated page of a page view with a url, "" for other events.
func addToSession(s *state.Session, e *event.Event, pos int64, page string, interactive bool) {
	t := e.Timestamp
	if s.Events == 0 {
		s.OpenedAt, s.StartedAt, s.EndedAt = t, t, t
		if !s.Erased {
			s.Booked = pos
		}
	}
	if t < s.StartedAt && s.Booked != state.NotBooked {
		s.Booked = pos
	}
	s.Events++
	s.StartedAt, s.EndedAt = min(s.StartedAt, t), max(s.EndedAt, t)
	if interactive {
		s.Interactive = true
	}
	if !e.IsPageView() {
		return
	}
	s.PageViews++
	if page == "" || s.Erased {
		return
	}
	if s.Entry.Page == "" || t < s.Entry.At || t == s.Entry.At && pos < s.Entry.Pos {
		s.Entry = state.PageVisit{Page: page, At: t, Pos: pos}
	}
	if s.Exit.Page == "" || t > s.Exit.At || t == s.Exit.At && pos > s.Exit.Pos {
		s.Exit = state.PageVisit{Page: page, At: t, Pos: pos}
	}
}

func CutPage(page []byte) []byte { return event.Truncate(page, state.MaxPageBytes) }

// Pages holds pages as strings, so that a page which many sessions view is made a string, and kept, once. It forgets
// all of them when they are maxPages, some 400 KB.
type Pages map[string]string

const maxPages = 4096

func (p Pages) Text(page []byte) string {
	s, ok := p[string(page)]
	if !ok {
		if len(p) >= maxPages {
			clear(p)
		}
		s = string(page)
		p[s] = s
	}
	return s
}
