package pipeline_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// TestHeldOfARecord: settings and rules are those of the step that has the record, whatever was recorded later.
func TestHeldOfARecord(t *testing.T) {
	ids := [][16]byte{{1}, {2}, {3}} // of the topic: the first two were deleted
	ver := func(lateMs int64) string {
		s := checkpoint.DefaultSettings()
		s.LateMs = lateMs
		return s.String()
	}
	of := func(topic int, step, from, base int64, ver string) checkpoint.History {
		settings, _ := checkpoint.ParseSettings(ver)
		return checkpoint.History{Step: step, From: from, Base: base, Ver: ver, Rev: 10 * settings.LateMs,
			TopicID: hex.EncodeToString(ids[topic][:])}
	}
	passed := of(2, 9, 300, 100, ver(4))
	passed.Gap = &checkpoint.Gap{Cause: checkpoint.GapExpired, UnreadFrom: 300, UnreadTo: 320, Accepted: "2026-05-12T14:00:00Z"}
	state := checkpoint.ChainState{
		History: []checkpoint.History{
			of(1, 1, 0, 0, ver(1)), of(1, 4, 50, 0, ver(2)), // offsets [0,50) and [50,100) of the second topic
			of(2, 6, 103, 100, ver(3)), // the third begins at position 100, with something that is no record
			of(2, 8, 200, 100, `{"fold":-1}`), passed, of(2, 99, 900, 100, ver(99)),
		},
		Head: checkpoint.Head{Step: 12, From: 400, To: 420, Base: 100, TopicID: hex.EncodeToString(ids[2][:]), Ver: ver(5), Rev: 50},
	}
	cut := state // The log was cut to 10 records, and the chain goes on at position 420 with offset 10.
	cut.History = append([]checkpoint.History(nil), state.History...)
	cut.History = append(cut.History, of(2, 12, 400, 100, ver(5)))
	cut.Head.Step, cut.Head.From, cut.Head.To, cut.Head.Base, cut.Head.Done = 13, 420, 420, 410, true
	cut.Head.Gap = &checkpoint.Gap{Cause: checkpoint.GapTruncated, UnreadFrom: 420, UnreadTo: 420, Accepted: "2026-05-12T14:00:00Z"}
	regrown := cut
	regrown.Head.Step, regrown.Head.To, regrown.Head.Gap = 14, 800, nil
	moved := of(2, 5, 100, 80, ver(2)) // Offset 20 of the mirror is that of offset 100.
	moved.Gap = &checkpoint.Gap{Cause: checkpoint.GapMirrored, UnreadFrom: 100, UnreadTo: 100, Accepted: "2026-05-12T14:00:00Z"}
	mirrored := checkpoint.ChainState{History: []checkpoint.History{of(1, 1, 0, 0, ver(1)), moved},
		Head: checkpoint.Head{Step: 7, From: 150, To: 200, Base: 80, TopicID: hex.EncodeToString(ids[2][:]), Ver: ver(2), Rev: 20, Done: true}}
	for _, c := range []struct {
		name   string
		state  checkpoint.ChainState
		topic  int
		offset int64
		late   int64 // of the settings
		err    error
	}{
		{"the first step", state, 1, 0, 1, nil},
		{"the last before a change", state, 1, 49, 1, nil},
		{"the first behind a change", state, 1, 50, 2, nil},
		{"the last of the earlier topic", state, 1, 99, 2, nil},
		{"an earlier topic's record that no step had", state, 1, 101, 0, checkpoint.ErrUntold},
		{"the first of the topic", state, 2, 3, 3, nil},
		{"a topic before the chain", state, 0, 3, 0, checkpoint.ErrUntold},
		{"a fold version that is not known", state, 2, 150, 0, checkpoint.ErrUntold},
		{"in a gap", state, 2, 219, 0, checkpoint.ErrUntold},
		{"behind the gap", state, 2, 220, 4, nil},
		{"the open step", state, 2, 300, 5, nil},
		{"the open step's last", state, 2, 319, 5, nil},
		{"behind the open step", state, 2, 320, 0, checkpoint.ErrNotFolded},
		{"a chain that has not begun", checkpoint.ChainState{}, 2, 0, 0, checkpoint.ErrNotFolded},
		{"a chain that has not begun with the topic", checkpoint.ChainState{History: state.History[:2],
			Head: checkpoint.Head{Step: 5, From: 90, To: 100, TopicID: hex.EncodeToString(ids[1][:]), Ver: ver(2)}}, 2, 0, 0,
			checkpoint.ErrNotFolded},
		{"the topic before its mirror", mirrored, 1, 99, 1, nil},
		{"a mirror's record that was counted before", mirrored, 2, 19, 0, checkpoint.ErrUntold},
		{"a mirror's first record", mirrored, 2, 20, 2, nil},
		{"an offset that a log gives again", cut, 2, 30, 0, checkpoint.ErrUntold},
		{"an offset that a log gave again", regrown, 2, 30, 0, checkpoint.ErrUntold},
		{"an offset that a log gave once", regrown, 2, 350, 5, nil},
	} {
		held, err := c.state.HeldOf(event.Source{TopicID: ids[c.topic], Offset: c.offset}, ids[2])
		if !errors.Is(err, c.err) || err == nil && (held.Settings.LateMs != c.late || held.Rev != 10*c.late) {
			t.Errorf("%s: lateMs %d, revision %d, %v; want %d, %d, %v", c.name, held.Settings.LateMs, held.Rev, err, c.late, 10*c.late, c.err)
		}
		if open := c.topic == 2 && c.offset >= 300 && !c.state.Head.Done; err == nil && held.Open != open {
			t.Errorf("%s: open %v, want %v", c.name, held.Open, open)
		}
	}
}
