package verify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// flood publishes events of one session that pass a rate of 3 in their minute, and one an hour later.
func (w *world) flood() {
	var records []record
	for i := range 5 {
		records = append(records, record{0, w.event(plainSite, "page_view", time.Duration(i)*time.Second, "id", fmt.Sprint("f", i),
			"visitorId", "v1", "sessionId", "flood", "url", "/a")})
	}
	w.produce(append(records, record{0, w.event(plainSite, "page_view", time.Hour, "id", "f5", "visitorId", "v1", "sessionId", "flood")})...)
}

// raw returns the raw event with an id.
func (w *world) raw(id string) sinks.Item {
	w.t.Helper()
	for _, it := range w.snapshot() {
		if it[sinks.AttrEntity].Str() == sinks.EntityEvent && it["id"].Str() == id {
			return it
		}
	}
	w.t.Fatalf("there is no raw event %s", id)
	return nil
}

// A raw event says by what it is a bot's, and every other word of it is found.
func TestSenderOfARawEventIsCompared(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		o := w.options()
		o.Settings.Bots.Rate, o.Settings.EarlyMs = 3, 2*time.Hour.Milliseconds()
		w.produce(w.crawler(0))
		w.flood()
		w.run(o)
		want(t, "floods", w.verify(nil), 0)
		for id, by := range map[string]string{"crawl 0s": "agent", "f2": "", "f3": "rate", "f5": "rate"} {
			it := w.raw(id)
			if got := it[sinks.AttrBot].Str(); got != by {
				t.Errorf("%s: bot by %q, want %q", id, got, by)
			}
			for _, other := range []string{"", "agent", "referrer", "rate", "horde"} {
				if other == by {
					continue
				}
				changed := make(sinks.Item)
				for name, v := range it {
					changed[name] = v
				}
				delete(changed, sinks.AttrBot)
				if other != "" {
					changed[sinks.AttrBot] = sinks.Str(other)
				}
				w.set(it.Key(), changed)
				onlyAt(t, fmt.Sprintf("%s by %q instead of %q", id, other, by), w.verify(nil), it.Key(), sinks.AttrBot)
				w.set(it.Key(), it)
			}
		}
	})
}

// Bots are told as the settings of each step say: a session that has flooded once does so again when the rate is asked for.
func TestBotsAreToldBySettingsOfTheStep(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		const late = 2 * time.Hour
		for _, step := range []struct {
			bots       checkpoint.Bots
			bot, other int64 // events of the day, in all
		}{
			{checkpoint.Bots{Lists: true, Rate: 3}, 4, 3},
			{checkpoint.Bots{}, 4, 10},
			{checkpoint.Bots{Rate: 100}, 10, 11},
			{checkpoint.Bots{Lists: true}, 11, 17},
		} {
			o := w.options()
			o.Settings.Bots, o.Settings.EarlyMs = step.bots, late.Milliseconds()
			w.produce(w.crawler(0))
			w.flood()
			w.run(o)
			want(t, fmt.Sprintf("%+v", step.bots), w.verify(nil), 0)
			it := w.snapshot()[sinks.Keys{}.DayStats(plainSite, w.start.UnixMilli())]
			if bot, other := it[sinks.AttrBotEvents].Int(), it[sinks.AttrEvents].Int(); bot != step.bot || other != step.other {
				t.Errorf("after %+v: %d events of bots, %d of others, want %d and %d", step.bots, bot, other, step.bot, step.other)
			}
		}
	})
}
