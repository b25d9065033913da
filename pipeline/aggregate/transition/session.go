package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// AddEvent folds one event into its session. page is the truncated page of a page view with a url, "" for other events.
func AddEvent(s *state.Session, e *event.Event, pos int64, page string, interactive bool) {
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
