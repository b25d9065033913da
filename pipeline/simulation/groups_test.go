package simulation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Groups in a simulation: beside that of most processes there are strangers, each in a group of its own or in that of the
// stranger before. Whoever takes a chain over is judged where the table itself is written, under all faults, so that
// it is known in which order and when things really happened.

// strange returns the group of a process that is a stranger.
func (s *simulation) strange() string {
	if s.groups == 0 || s.dice.IntN(3) > 0 {
		s.groups++
	}
	return fmt.Sprint("strangers-", s.groups)
}

// command takes a chain over as an operator's command does, for no group, and ends.
func (s *simulation) command() {
	of := s.live()
	key := of.keys.Checkpoint(sinks.TP{Topic: of.topic, Partition: s.dice.Int32N(s.partitions)},
		checkpoint.Lanes[s.dice.IntN(len(checkpoint.Lanes))])
	_, err := s.Table.Update(s.T.Context(), sinks.Update{Key: key, Return: true, Add: []sinks.Attr{{Name: "ep", Value: sinks.Int(1)}},
		Set: []sinks.Attr{{Name: "own", Value: sinks.Str("a command")}}, If: []sinks.Cond{{Attr: "ep", Op: sinks.Present}}})
	if err != nil {
		s.problem("a command takes a chain over: %v", err)
	}
}

// witness is the simulation's table. Safe for concurrent use.
type witness struct {
	sinks.Table
	s *simulation

	mu    sync.Mutex // covers what follows, and is held over each write of a checkpoint
	moved map[sinks.Key]time.Time
	packs map[sinks.Key][]byte // as they were put last by a flush
	lives []lived              // the generations that became live
	shut  int                  // the former generation, whose chains are all fenced; 0: none
}

func (w *witness) Unwrap() sinks.Table { return w.Table }

func (w *witness) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if u.Key == (sinks.Keys{}).TableSettings() {
		return w.decide(ctx, u)
	}
	if kindOf(u) == "item" {
		return w.Table.Update(ctx, u)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.Table.BatchGet(ctx, sinks.BatchGet{Keys: []sinks.Key{u.Key}, Consistent: true})
	if err != nil {
		return sinks.Result{}, err
	}
	before, err := checkpoint.ReadHead(found.Items[u.Key])
	if err != nil {
		return sinks.Result{}, err
	}
	r, err := w.Table.Update(ctx, u)
	if err != nil || r.Refused {
		return r, err
	}
	switch kindOf(u) {
	case "acquire":
		w.judge(u.Key, before, attr(u.Set, "grp").Str())
		w.moved[u.Key] = time.Now()
	case "intend":
		w.moved[u.Key] = time.Now()
	}
	w.watch(u)
	return r, err
}

// judge says what is wrong with a takeover: a later group was at work within a minute.
func (w *witness) judge(key sinks.Key, before checkpoint.Head, group string) {
	ago := time.Since(w.moved[key])
	later := slices.Index(before.Groups, before.Group) > slices.Index(before.Groups, group) && slices.Contains(before.Groups, group)
	switch {
	case group == "" || before.Group == "" || before.Group == group || !strings.HasSuffix(key.SK, checkpoint.LaneStats):
	case !later:
		w.s.cover.Hit(onLaterGroup)
	case ago >= time.Minute:
		w.s.cover.Hit(onRolledBack)
	default:
		w.s.problem("%v: group %q took over from the later group %q %v after it had last moved the chain", key, group, before.Group, ago)
	}
}
