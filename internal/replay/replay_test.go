package replay_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// TestReplayPublishesEachRejectedRecordOnce: to its partition, with its key, its bytes and its time; and a second run finds nothing
// to do.
func TestReplayPublishesEachRejectedRecordOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		list := many(40)
		w.entries(list...)
		s := w.replay(nil)
		w.wantOnce(list)
		if s.Published != 40 || s.ByReason[event.TooLate] != 40 || s.ByPartition[0] != 14 || s.Skipped["repeated"][event.TooLate] != 8 {
			t.Errorf("summary %+v", s)
		}
		if s := w.replay(nil); s.Published != 0 {
			t.Errorf("the second run: %+v", s)
		}
		w.wantOnce(list)
	})
}

// TestReplayIsKilledAtEveryRequest keeps the promise "once": whatever request a run dies at, before or after it is made, the
// next run ends with each record published once.
func TestReplayIsKilledAtEveryRequest(t *testing.T) {
	step := slow.Every(t, 4)
	for _, after := range []bool{false, true} {
		for at := 1; ; at += step {
			killed := false
			inWorld(t, func(t *testing.T, w *world) {
				list := many(230) // Two batches of each partition.
				w.entries(list...)
				killed = w.killedAt(at, after, nil)
				w.replay(nil)
				w.wantOnce(list)
			})
			if t.Failed() {
				t.Fatalf("killed at request %d, made %v", at, after)
			}
			if !killed {
				if at < 30 {
					t.Errorf("only %d requests were made", at)
				}
				t.Log(at, "requests")
				break
			}
		}
	}
}

// holder holds the answer of a run's n-th request to the table until another run has ended.
type holder struct {
	sinks.Table
	at       int
	requests int
	other    func()
}

func (h *holder) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := h.Table.Update(ctx, u)
	if h.requests++; h.requests == h.at {
		h.other()
	}
	return r, err
}

// TestTwoReplaysAtOnce: of two runs the later one wins, wherever the first one is held up; the first says that it is
// fenced, unless it was done; and each record is published once.
func TestTwoReplaysAtOnce(t *testing.T) {
	for at := 1; ; at++ {
		held := false
		inWorld(t, func(t *testing.T, w *world) {
			list := many(230)
			w.entries(list...)
			h := &holder{Table: w.table, at: at, other: func() {
				held = true
				w.replay(nil)
			}}
			o := w.options()
			o.Table = h
			s, err := replay.Run(t.Context(), o)
			if last := h.requests == at; held && !last && !errors.Is(err, replay.ErrFenced) {
				t.Errorf("held at request %d of %d: %v, %+v; want ErrFenced", at, h.requests, err, s)
			} else if err != nil && !errors.Is(err, replay.ErrFenced) {
				t.Errorf("held at request %d: %v", at, err)
			}
			w.wantOnce(list)
		})
		if t.Failed() {
			return
		}
		if !held {
			if at < 9 {
				t.Errorf("only %d requests were made", at)
			}
			return
		}
	}
}

// TestLateEventsCountOnceLatenessIsRaised: the operator raises lateness and replays; the numbers are then those of a fold
// in which each event counts once, and verify finds no difference.
func TestLateEventsCountOnceLatenessIsRaised(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t) // The pipeline makes its own.
		const events = 60
		counts := make(map[event.Reason]int64)
		for i := range events {
			id := ""
			if i%2 == 0 {
				id = fmt.Sprintf(`,"id":"event-%d"`, i)
			}
			when, value := start.Add(-time.Minute), ""
			switch i % 4 {
			case 1, 2:
				when = start.Add(-72 * time.Hour)
				counts[event.TooLate]++
			case 3:
				value = "{"
				counts[event.BadJSON]++
			}
			value += fmt.Sprintf(`{"siteId":"s%d","type":"page_view","timestamp":%d,"visitorId":"v%d","sessionId":"x%d","url":"/%d"%s}`,
				i%3, when.UnixMilli(), i%7, i%11, i, id)
			r := &kgo.Record{Topic: topic, Partition: int32(i % 3), Key: fmt.Append(nil, "s", i%3), Value: []byte(value), Timestamp: start}
			if err := w.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		s := checkpoint.DefaultSettings()
		s.RawEvents = true
		w.fold(s)
		if have := w.totals(); have.Counted != 15 || !maps.Equal(have.Rejected, counts) {
			t.Fatalf("totals %+v, want 15 counted and %v", have, counts)
		}
		late := func(o *replay.Options) { o.Reasons = []event.Reason{event.TooLate} }
		if sum := w.replay(late); sum.Published != 30 || sum.Skipped["notChosen"][event.BadJSON] != 15 {
			t.Errorf("summary %+v", sum)
		}
		w.replay(late)
		s.LateMs = -1
		w.fold(s)
		if have := w.totals(); have.Counted != 45 || have.Duplicate != 0 || !maps.Equal(have.Rejected, counts) {
			t.Errorf("totals %+v, want 45 counted, no duplicate, and %v", have, counts)
		}
		w.verified()

		// Once more, from the start: the window knows them, and the table stays as it is.
		w.replay(func(o *replay.Options) { late(o); o.Again = true })
		w.fold(s)
		if have := w.totals(); have.Counted != 45 || have.Duplicate != 30 {
			t.Errorf("totals %+v, want 45 counted and 30 duplicates", have)
		}
		w.verified()

		// What is still no event is rejected again, and left alone from then on.
		w.replay(nil)
		w.fold(s)
		if have := w.totals(); have.Rejected[event.BadJSON] != 30 {
			t.Errorf("totals %+v, want 30 that are no JSON", have)
		}
		if sum := w.replay(nil); sum.Published != 0 || sum.Skipped["rejectedAgain"][event.BadJSON] != 15 {
			t.Errorf("summary %+v, want 15 that were rejected again", sum)
		}
		if sum := w.replay(func(o *replay.Options) { o.Replayed = true }); sum.Published != 15 {
			t.Errorf("summary %+v, want those 15 published when they are asked for", sum)
		}
		w.fold(s)
		w.verified()
	})
}

// TestReasonsAreReplayedApart: a run that takes some reasons neither loses nor repeats the others.
func TestReasonsAreReplayedApart(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		list := many(30)
		for i := range list {
			if list[i].offset%3 == 0 {
				list[i].reason = event.BadJSON
			}
		}
		w.entries(list...)
		if s := w.replay(func(o *replay.Options) { o.Reasons = []event.Reason{event.BadJSON} }); s.Published != 10 {
			t.Errorf("summary %+v, want 10", s)
		}
		if s := w.replay(func(o *replay.Options) { o.Limit = 7 }); s.Published != 7 || s.ByReason[event.BadJSON] != 0 {
			t.Errorf("summary %+v, want 7", s)
		}
		if s := w.replay(nil); s.Published != 13 {
			t.Errorf("summary %+v, want 13", s)
		}
		w.wantOnce(list)
	})
}

// TestRepetitionsBehindThePositionAreKnown: a step that is done again publishes its entries again, to either partition.
func TestRepetitionsBehindThePositionAreKnown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		list := many(20)
		w.entries(list...)
		w.replay(nil)
		for i := range list {
			list[i].in = 1 - list[i].in
		}
		w.entries(list...)
		if s := w.replay(nil); s.Published != 0 || s.Skipped["repeated"][event.TooLate] != int64(len(list)) {
			t.Errorf("summary %+v, want %d repetitions", s, len(list))
		}
		w.wantOnce(list)
	})
}

func TestWhatIsNoWholeEntryIsPassedOver(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		good := fake{reason: event.TooLate, offset: 5}
		w.entries(good,
			fake{reason: event.TooLarge, offset: 1, truncated: true},
			fake{reason: event.TooLate, offset: 2, topic: "another"},
			fake{reason: event.TooLate, offset: 3, time: start.Add(-time.Hour)},
			fake{reason: event.TooLate, offset: 4, replayed: true},
			fake{reason: "of a later release", offset: 6},
			fake{reason: event.TooEarly, offset: 7, earlier: true})
		from := func(o *replay.Options) { o.From = start }
		dry := w.replay(func(o *replay.Options) { from(o); o.DryRun = true })
		w.wantOnce(nil)
		s := w.replay(from)
		want := map[replay.Skipped]event.Reason{replay.Truncated: event.TooLarge, replay.OtherTopic: event.TooLate,
			replay.TooOld: event.TooLate, replay.RejectedAgain: event.TooLate, replay.Unreadable: "",
			replay.NotKnown: event.TooEarly}
		for _, s := range []*replay.Summary{dry, s} {
			if s.Published != 1 || len(s.Skipped) != len(want) {
				t.Errorf("summary %+v", s)
			}
			for why, reason := range want {
				if s.Skipped[why][reason] != 1 {
					t.Errorf("%s: %v, want one %s", why, s.Skipped[why], reason)
				}
			}
		}
		w.wantOnce([]fake{good})

		whole := fake{in: 1, reason: event.TooLarge, offset: 1}
		w.entries(whole)
		w.replay(nil)
		w.wantOnce([]fake{good, whole})
	})
}

// TestInterruptedReplayEndsTheBatchInHand: a signal to end leaves no transaction open, and nothing to look for.
func TestInterruptedReplayEndsTheBatchInHand(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		list := many(230)
		w.entries(list...)
		ctx, cancel := context.WithCancelCause(t.Context())
		o := w.options()
		o.Table = &holder{Table: w.table, at: 3, other: func() { cancel(errKilled) }} // The first batch is intended.
		if s, err := replay.Run(ctx, o); !errors.Is(err, errKilled) || s.Published != 100 {
			t.Errorf("Run = %+v, %v; want 100 published", s, err)
		}
		if s := w.replay(nil); s.Published != 130 || s.Found != 0 {
			t.Errorf("the next run: %+v, want the other 130", s)
		}
		w.wantOnce(list)
	})
}

// TestReplayRefusesWhatTheTopicCannotTake says what to do, and publishes nothing of the batch.
func TestReplayRefusesWhatTheTopicCannotTake(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		none := func(*replay.Options) {}
		config := func(key, value string) {
			t.Helper()
			must(w.admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic))(t)
		}
		w.entries(fake{reason: event.TooLate, offset: 1}, fake{in: 1, reason: event.TooEarly, partition: 3, offset: 1},
			fake{reason: event.BadTime, offset: 2, time: start.Add(-8 * 24 * time.Hour)})
		of := func(r event.Reason) func(*replay.Options) {
			return func(o *replay.Options) { o.Reasons = []event.Reason{r} }
		}
		wantError(t, w.refused(of(event.TooEarly)), "partition 3", "--partitions 4")
		wantError(t, w.refused(of(event.BadTime)), "keeps records for 168h0m0s", "retention.ms=-1", "--from")
		config("message.timestamp.type", "LogAppendTime")
		wantError(t, w.refused(none), "CreateTime")
		config("message.timestamp.type", "CreateTime")
		wantError(t, w.refused(func(o *replay.Options) { o.Topic, o.Failed = "other", failed }), "no topic \"other\"", "--table")
		wantError(t, w.refused(func(o *replay.Options) { o.Failed = "other" }), "does not exist", "kafka.failedTopic")
		w.wantOnce(nil)
		config("retention.ms", "-1")
		must(w.admin.CreatePartitions(t.Context(), 1, topic))(t)
		if s := w.replay(nil); s.Published != 3 {
			t.Errorf("summary %+v, want 3 once the topic can take them", s)
		}
	})
}

func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
}

// TestNobodyGuessesAboutAnOpenBatch: where retention has taken what would tell whether a killed run's batch was published,
// the operator says it.
func TestNobodyGuessesAboutAnOpenBatch(t *testing.T) {
	for verdict, again := range map[replay.Verdict]int64{replay.Published: 0, replay.Unpublished: 5} {
		inWorld(t, func(t *testing.T, w *world) {
			for i := range 5 {
				w.entries(fake{reason: event.TooLate, offset: int64(i)})
			}
			o := w.options()
			o.Table = &lastWords{w.table, 2} // The position is taken over, and the batch intended.
			if _, err := replay.Run(t.Context(), o); !errors.Is(err, errKilled) {
				t.Fatalf("Run = %v, want the kill", err)
			}
			end := must(w.admin.ListEndOffsets(t.Context(), topic))(t)[topic][0].Offset
			offsets := kadm.Offsets{}
			offsets.Add(kadm.Offset{Topic: topic, Partition: 0, At: end})
			must(w.admin.DeleteRecords(t.Context(), offsets))(t)
			wantError(t, w.refused(func(*replay.Options) {}), "5 entries", "offsets [0,5)", "--open published", "--open unpublished")
			if s := w.replay(func(o *replay.Options) { o.Open = verdict }); s.Published != again || s.Found != 5-again {
				t.Errorf("%s: summary %+v", verdict, s)
			}
			if s := w.replay(nil); s.Published != 0 || s.Found != 0 {
				t.Errorf("%s, run again: summary %+v", verdict, s)
			}
		})
	}
}

// lastWords lets so many requests through, and none behind them.
type lastWords struct {
	sinks.Table
	left int
}

func (l *lastWords) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if l.left--; l.left < 0 {
		return sinks.Result{}, errKilled
	}
	return l.Table.Update(ctx, u)
}

// TestLateRequestOfAnEarlierReplayIsRefused: a request to begin a batch that was under way while another run took the
// positions over begins nothing: it is the later run that goes on.
func TestLateRequestOfAnEarlierReplayIsRefused(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		list := many(20)
		w.entries(list...)
		taken, ended, later := make(chan bool), make(chan bool), make(chan error)
		o := w.options()
		o.Table = &lateRequest{Table: w.table, at: 3, before: func() { // Behind the two that take the positions over.
			go func() {
				o := w.options()
				o.Table = &holder{Table: w.table, at: 2, other: func() {
					close(taken)
					<-ended
				}}
				_, err := replay.Run(t.Context(), o)
				later <- err
			}()
			<-taken
		}}
		_, err := replay.Run(t.Context(), o)
		if !errors.Is(err, replay.ErrFenced) {
			t.Fatalf("the earlier run ended with %v, want ErrFenced", err)
		}
		close(ended)
		if err := <-later; err != nil {
			t.Errorf("the later run: %v", err)
		}
		w.wantOnce(list)
	})
}

// lateRequest does something before its at-th request is made.
type lateRequest struct {
	sinks.Table
	at     int
	before func()
}

func (l *lateRequest) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if l.at--; l.at == 0 {
		l.before()
	}
	return l.Table.Update(ctx, u)
}
