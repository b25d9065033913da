package recount

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
)

// applyErasure erases the session of a record if an id of the session, or the record, has a tombstone.
func (s *Stats) applyErasure(site *count.Site, id string, r *count.Record) {
	if c := site.Sessions[id]; c == nil || c.End == nil || c.End.Erased {
		return
	}
	x := site.Sessions[id].End
	_, visitor := s.v.Entombed(r.Erased, sites.Visitor, x.Site, x.Visitor, x.OpenedAt)
	_, user := s.v.Entombed(r.Erased, sites.User, x.Site, x.User, x.OpenedAt)
	if visitor || user || r.Gone {
		x = count.Change(&s.Step, site.Sessions, id).End
		x.Erase()
		x.Midway = !visitor && !user
	}
}

// belong notes whom a session belongs to, by the first ids that may name it.
func (s *Stats) belong(x *count.Session, r *count.Record) {
	e := r.Event
	if x.Erased {
		return
	}
	if x.Visitor == "" {
		if _, dead := s.v.Entombed(r.Erased, sites.Visitor, x.Site, string(e.VisitorID), x.OpenedAt); !dead {
			x.Visitor = string(e.VisitorID)
		}
	}
	if x.User == "" {
		if _, dead := s.v.Entombed(r.Erased, sites.User, x.Site, string(e.UserID), x.OpenedAt); !dead {
			x.User = string(e.UserID)
		}
	}
}
