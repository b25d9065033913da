package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// SessionsParams ask for sessions of a site: those of a user, those of a visitor, or with neither the recent ones,
// which are listed for two days.
type SessionsParams struct {
	Site          string
	User, Visitor string    // at most one of them
	From, To      time.Time // of openedAt; zero: open. Recent sessions: widened to whole minutes
	Consistent    bool      // read strongly what the base table serves: not the lists of users and visitors
	Paging
}

// SessionsAnswer lists sessions in the order in which they were opened, which is the event time of a session's
// first record. Recent sessions come minute by minute: within a minute the order holds on each page, not over
// several.
type SessionsAnswer struct {
	Site string `json:"siteId"`
	Known
	From           *time.Time `json:"from"` // null: open
	To             *time.Time `json:"to"`   // null: open
	Sessions       []Session  `json:"sessions"`
	ExpiredOmitted int        `json:"expiredCount"`
	Cursor         string     `json:"cursor"`
	// SwitchedOff says that the site keeps no such list: sessions are not in it that were opened since.
	SwitchedOff bool `json:"switchedOff"`

	Recent bool `json:"-"` // these are of the list of recent sessions, which is kept for two days
}

// Session is a session as one partition of the topic saw it. Producers that key their records by site or visitor
// keep a session in one partition; one that two partitions saw counts as two, and is listed as two.
type Session struct {
	SessionID  string    `json:"sessionId"`
	VisitorID  string    `json:"visitorId"` // "": not known
	UserID     string    `json:"userId"`    // "": not known
	OpenedAt   time.Time `json:"openedAt"`  // event time of its first record; never moves
	StartedAt  time.Time `json:"startedAt"` // least event time
	EndedAt    time.Time `json:"endedAt"`   // greatest event time
	DurationMs int64     `json:"durationMs"`
	PageViews  int64     `json:"pageViews"`
	Events     int64     `json:"events"`
	Bounce     bool      `json:"bounce"`
	Engaged    bool      `json:"engaged"`
	EntryPage  string    `json:"entryPage"`
	ExitPage   string    `json:"exitPage"`
	Partition  string    `json:"partition"` // topic number and partition, 1_17
}

func readSession(it sinks.Item) Session {
	sk := it[sinks.AttrSK].Str()
	return Session{
		SessionID: it[sinks.AttrSessionID].Str(), VisitorID: it[sinks.AttrVisitorID].Str(), UserID: it[sinks.AttrUserID].Str(),
		OpenedAt: instant(it[sinks.AttrOpenedAt].Int()), StartedAt: instant(it[sinks.AttrStartedAt].Int()),
		EndedAt: instant(it[sinks.AttrEndedAt].Int()), DurationMs: it[sinks.AttrDurationMs].Int(),
		PageViews: it[sinks.AttrPageViews].Int(), Events: it[sinks.AttrEvents].Int(),
		Bounce: it[sinks.AttrBounce].Int() == 1, Engaged: it[sinks.AttrEngaged].Int() == 1,
		EntryPage: it[sinks.AttrEntryPage].Str(), ExitPage: it[sinks.AttrExitPage].Str(),
		Partition: sk[strings.LastIndexByte(sk, '#')+1:],
	}
}

// Sessions lists sessions of a site.
func (r *Reader) Sessions(ctx context.Context, p SessionsParams) (SessionsAnswer, error) {
	a, err := r.sessions(ctx, p)
	return about(a, err, "sessions of site %q", p.Site)
}

func (r *Reader) sessions(ctx context.Context, p SessionsParams) (SessionsAnswer, error) {
	if err := checkID("site", p.Site); err != nil {
		return SessionsAnswer{}, err
	}
	if p.User != "" && p.Visitor != "" {
		return SessionsAnswer{}, &ParamError{Param: "user and visitor", Remedy: "ask for the sessions of one of them"}
	}
	list, err := p.listing("sessions", p.Site, p.User, p.Visitor)
	if err != nil {
		return SessionsAnswer{}, err
	}
	s, err := list.span(p.From, p.To)
	if err != nil {
		return SessionsAnswer{}, err
	}
	var refs *itemRefs
	switch {
	case p.User != "":
		err = checkID("user", p.User)
		refs = r.indexed(sinks.GSI1, s, list, r.keys.User(p.Site, p.User))
	case p.Visitor != "":
		err = checkID("visitor", p.Visitor)
		refs = r.indexed(sinks.GSI2, s, list, r.keys.Visitor(p.Site, p.Visitor))
	default:
		s = s.widen(time.Minute)
		refs, err = r.recent(ctx, p, s, list.cursor.position())
	}
	if err != nil {
		return SessionsAnswer{}, err
	}
	a := SessionsAnswer{Site: p.Site, Recent: p.User == "" && p.Visitor == ""}
	a.From, a.To = s.ends()
	found, err := refs.collect(ctx, list.limit, p.Consistent)
	if err != nil {
		return SessionsAnswer{}, err
	}
	a.Sessions, a.ExpiredOmitted = []Session{}, found.expired
	for _, it := range found.items {
		a.Sessions = append(a.Sessions, readSession(it))
	}
	if found.more {
		a.Cursor = list.next(refs.last, s)
	}
	slices.SortStableFunc(a.Sessions, func(x, y Session) int {
		if p.Desc {
			x, y = y, x
		}
		return cmp.Or(x.OpenedAt.Compare(y.OpenedAt), cmp.Compare(x.SessionID, y.SessionID), cmp.Compare(x.Partition, y.Partition))
	})
	if a.SiteKnown, err = r.known(ctx, p.Site, len(a.Sessions)+a.ExpiredOmitted > 0); err != nil || p.User != "" || !a.SiteKnown {
		return a, err
	}
	own, err := r.rulesOf(ctx, p.Site)
	a.SwitchedOff = p.Visitor == "" && !own.Recent() || p.Visitor != "" && !own.VisitorIndex()
	return a, err
}

// itemRefs walks a list that names items: an index, an item of which names one, or the recent sessions, an item of which
// names up to 500.
type itemRefs struct {
	m       *merge
	read    func(it sinks.Item, pos position) ([]itemRef, error) // what an item of the list names
	inHand  []itemRef
	expired int      // items of the list that were left out
	last    position // of the last ref that was taken, or of an item that was left out behind it
}

// wholeItem is the number of a position behind everything that an item names.
const wholeItem = 1 << 30

// An itemRef names an item and its place in the list.
type itemRef struct {
	key sinks.Key
	pos position
}

// indexed lists the items of some partition keys of an index, by time: their sort keys begin with an instant.
func (t *store) indexed(index sinks.Index, s span, list listing, pks ...string) *itemRefs {
	q := sinks.Query{Index: index, From: sinks.InstantBound(s.from), To: sinks.InstantBound(s.to-1) + "~", Desc: list.desc}
	return &itemRefs{
		m: t.walk(q, list.limit, list.cursor.position(), pks...),
		read: func(it sinks.Item, pos position) ([]itemRef, error) {
			return []itemRef{{it.Key(), pos}}, nil
		},
	}
}

// recent lists the site's recent sessions.
func (r *Reader) recent(ctx context.Context, p SessionsParams, s span, after position) (*itemRefs, error) {
	shards, err := r.sessionShards(ctx)
	if err != nil {
		return nil, err
	}
	from, to := s.minuteBounds("")
	// An item names up to 500 sessions, so few are wanted at once; the one that a page ended in is read again.
	const want = 20
	again := position{after.Key, -1}
	if after.N == wholeItem {
		again = after
	}
	return &itemRefs{
		m: r.walk(sinks.Query{From: from, To: to, Desc: p.Desc, Consistent: p.Consistent}, want, again, r.keys.RecentList(p.Site)),
		read: func(it sinks.Item, pos position) ([]itemRef, error) {
			tp, err := recentTP(pos.Key)
			if err != nil {
				return nil, err
			}
			var refs []itemRef
			for i, id := range it[sinks.AttrSessionIDs].Strings() {
				if pos.Key == after.Key && i <= after.N {
					continue
				}
				refs = append(refs, itemRef{r.keys.Session(p.Site, id, tp, shards), position{pos.Key, i}})
			}
			return refs, nil
		},
	}, nil
}

// recentTP reads the partition in the sort key of an item of recent sessions, minute#tp#step#number.
func recentTP(sk string) (sinks.TP, error) {
	parts := strings.Split(sk, "#")
	if len(parts) != 4 {
		return sinks.TP{}, fmt.Errorf("sort key %q of recent sessions does not have four parts", sk)
	}
	tp, err := sinks.ParseTP(parts[1])
	if err != nil {
		return sinks.TP{}, fmt.Errorf("sort key %q of recent sessions: %w", sk, err)
	}
	return tp, nil
}

// fill makes sure that the next ref is in hand, unless the list has ended.
func (l *itemRefs) fill(ctx context.Context) error {
	for len(l.inHand) == 0 {
		it, pos, err := l.m.next(ctx)
		if it == nil || err != nil {
			return err
		}
		if l.m.t.expired(it) {
			l.expired++
			l.last = position{pos.Key, wholeItem}
			continue
		}
		if l.inHand, err = l.read(it, pos); err != nil {
			return err
		}
	}
	return nil
}

// itemPage is what collect took from a list.
type itemPage struct {
	items   []sinks.Item
	expired int
	more    bool // the list goes on
}

// collect reads the items that the list names next, until it has limit of them or the list ends. An index holds
// keys alone, so whether an item has expired, or is gone, is seen only when it is read.
func (l *itemRefs) collect(ctx context.Context, limit int, consistent bool) (itemPage, error) {
	var p itemPage
	for scanned := 0; ; {
		if err := l.fill(ctx); err != nil {
			return itemPage{}, err
		}
		p.more = len(l.inHand) > 0
		if !p.more || len(p.items) == limit || scanned >= maxScanned {
			p.expired += l.expired
			return p, nil
		}
		var keys []sinks.Key
		seen := make(map[sinks.Key]bool)
		for len(keys) < limit-len(p.items) && len(l.inHand) > 0 {
			ref := l.inHand[0]
			if !seen[ref.key] {
				seen[ref.key] = true
				keys = append(keys, ref.key)
			}
			l.inHand, l.last = l.inHand[1:], ref.pos
			scanned++
			if len(l.inHand) == 0 {
				if err := l.fill(ctx); err != nil {
					return itemPage{}, err
				}
			}
		}
		items, err := l.m.t.batchGet(ctx, keys, consistent)
		if err != nil {
			return itemPage{}, err
		}
		for _, key := range keys {
			switch it := items[key]; {
			case it == nil: // Deleted, or on its way: a step writes the list and the item in no order.
			case l.m.t.expired(it):
				p.expired++
			case it[sinks.AttrErased].Kind() != sinks.None: // A person's whose data are erased: it has numbers alone, which the stats have.
			default:
				p.items = append(p.items, it)
			}
		}
	}
}
