package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// What must hold of a table that has been rebuilt, beside what holds of any: each record was sent on by a generation, raw events that any
// generation has written are read once, and the chains of a former generation stand still.

// lived is when a generation became live.
type lived struct {
	from time.Time
	n    int
}

// decide applies a change of the table's settings, and notes which generation is live.
func (w *witness) decide(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, err := w.Table.Update(ctx, u)
	if err != nil || r.Refused {
		return r, err
	}
	_, has, err := sinks.CheckFormat(ctx, w.Table)
	if err != nil {
		return r, err
	}
	if n := len(w.lives); n == 0 || w.lives[n-1].n != has.Live {
		w.lives = append(w.lives, lived{time.Now(), has.Live})
	}
	if w.shut = 0; !has.Flipped {
		w.shut = has.Former
	}
	return r, nil
}

// watch finds a chain of the former generation that moves after all of them were fenced. A command may note that no later step may have an
// older revision of the rules: see checkpoint.RecordRevision.
func (w *witness) watch(u sinks.Update) {
	noted := len(u.Set) == 1 && u.Set[0].Name == checkpoint.AttrSeen && len(u.Add)+len(u.Remove) == 0
	if n := max(1, sinks.KeysOf(u.Key.PK).Generation); n == w.shut && kindOf(u) != "acquire" && !noted {
		w.s.problem("%v: generation %d is a former one, and %s / %s moves: %s", time.Since(bubbleStart), n, u.Key.PK, u.Key.SK, kindOf(u))
	}
}

// lived reports whether a generation was live at some time of a span.
func (w *witness) lived(n int, from, to time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, l := range w.lives {
		if l.n == n && !l.from.After(to) && (i+1 == len(w.lives) || w.lives[i+1].from.After(from)) {
			return true
		}
	}
	return n == 1 && (len(w.lives) == 0 || w.lives[0].from.After(from))
}

// all are the chains of all generations that were live, and are there.
func (s *simulation) all() []counted {
	has := s.generations()
	all := []counted{s.in(has.Keys())}
	if has.Former > 0 {
		all = append(all, s.in(has.FormerKeys()))
	}
	return all
}

// rejectedByAll are the records that steps of any generation rejected, and those that any of the seed's processes would reject.
// The generation is named.
func (s *simulation) rejectedByAll(log []*kgo.Record) (steps map[place]int, ever map[place]bool) {
	steps, ever = make(map[place]int), make(map[place]bool)
	defer func(of counted) { s.of = of }(s.of)
	for _, s.of = range s.all() {
		some, more := s.rejected(s.reached(log))
		for at, yes := range some {
			if yes {
				steps[at] = max(1, s.of.keys.Generation)
			}
		}
		for at, yes := range more {
			ever[at] = ever[at] || yes
		}
	}
	return steps, ever
}

// reached are the records of the log that the stats lanes have begun to count.
func (s *simulation) reached(log []*kgo.Record) (records []*kgo.Record) {
	ends := make(map[int32]int64)
	for n := range s.partitions {
		ends[n] = s.of.head(s.world, n, checkpoint.LaneStats).To
	}
	for _, r := range log {
		if r.Offset < ends[r.Partition] {
			records = append(records, r)
		}
	}
	return records
}

// judgeRebuilt finds records that no generation has sent on, and raw events that are not there, or are read twice.
func (s *simulation) judgeRebuilt(log []*kgo.Record) {
	if !s.rebuild.begun {
		return
	}
	defer func(of counted) { s.of = of }(s.of)
	sent := make(map[place]bool)
	for i, of := range s.all() {
		s.of = of
		eras := make(map[int32][]checkpoint.History)
		for n := range s.partitions {
			eras[n] = s.histories(n)
		}
		for _, r := range s.reached(log) {
			at, rebuilt := place{r.Partition, r.Offset}, false
			for _, h := range eras[r.Partition] {
				if h.From <= r.Offset {
					settings, _ := checkpoint.ParseSettings(h.Ver) // verify has parsed them.
					rebuilt = settings.Rebuilt
				}
			}
			sent[at] = sent[at] || !rebuilt
		}
		if i > 0 {
			s.judgeRawOfFormer()
		}
	}
	for _, r := range log {
		if !sent[place{r.Partition, r.Offset}] {
			s.problem("partition %d, offset %d: no generation has sent its raw event, or failed event", r.Partition, r.Offset)
		}
	}
	s.judgeReadOnce()
}

// judgeRawOfFormer finds raw events that the former generation has counted, and that are not there.
func (s *simulation) judgeRawOfFormer() {
	report, err := s.recount()
	if err != nil {
		s.problem("verify the former generation: %v", err)
		return
	}
	for _, d := range report.Differences {
		if (d.Kind == finding.KindEvent || d.Kind == finding.KindPack) && d.Attribute == finding.Whole {
			s.problem("former generation: %s %s / %s: %s: table %s, recount %s", d.Kind, d.PK, d.SK, d.Attribute, d.Table, d.Recount)
		}
	}
}

// judgeReadOnce has a reader list all raw events: none may come twice.
func (s *simulation) judgeReadOnce() {
	r := query.New(s.Table, time.Now)
	for site := range 3 {
		p := query.EventsParams{Site: fmt.Sprint("site-", site), From: time.UnixMilli(1), To: bubbleStart.AddDate(1, 0, 0), Consistent: true}
		p.Limit = query.MaxLimit
		type event struct{ ulid, visitor, session string } // As readers tell events apart.
		seen := make(map[event]bool)
		for {
			a, err := r.Events(context.Background(), p)
			if err != nil {
				s.problem("events of %s: %v", p.Site, err)
				return
			}
			for _, e := range a.Events {
				this := event{e.ULID, e.VisitorID, e.SessionID}
				if seen[this] {
					s.problem("%s: raw event %v of %s is read twice", p.Site, this, e.Source)
				}
				seen[this] = true
			}
			if p.Cursor = a.Cursor; p.Cursor == "" {
				break
			}
		}
	}
}

// dropFormer gives the former generation up, once all is judged. The live one is what it was.
func (s *simulation) dropFormer() {
	if !s.rebuild.begun || s.generations().Former == 0 || s.rebuild.dice.IntN(2) == 0 {
		return
	}
	table := sinks.Table(&cutUpdates{cutShort{Table: s.Table, at: 1 + s.rebuild.dice.IntN(8), applied: s.rebuild.dice.IntN(2) == 0}})
	for {
		_, err := rebuild.Drop(context.Background(), table)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) && !strings.Contains(err.Error(), "nothing to drop") {
			s.problem("drop: %v", err)
			return
		}
		if table == s.Table {
			break
		}
		table = s.Table
	}
	s.cover.Hit(onRebuildDropped)
	if has := s.generations(); has.Former > 0 || has.Dropping > 0 {
		s.problem("drop: generations %+v", has)
	}
	s.of = s.live()
	report, err := s.recount()
	if err != nil {
		s.problem("verify after the drop: %v", err)
		return
	}
	for _, d := range report.Differences {
		if (d.Attribute == sinks.AttrBot || d.Attribute == "url" || d.Attribute == "referrer") && s.mixed() {
			continue
		}
		s.problem("after the drop: %s %s / %s: %s: table %s, recount %s", d.Kind, d.PK, d.SK, d.Attribute, d.Table, d.Recount)
	}
}
