package rulebook

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
)

// shelf is a table that can be away, and counts queries.
type shelf struct {
	sinks.Table
	away    atomic.Bool
	queries atomic.Int64
}

func (s *shelf) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	s.queries.Add(1)
	if s.away.Load() {
		return sinks.Page{}, sinks.ErrUnknownOutcome
	}
	return s.Table.Query(ctx, q)
}

// withBook runs f in a bubble with a book that is being followed. failed gets what ends the process.
func withBook(t *testing.T, f func(t *testing.T, b *Book, s *shelf, failed chan error)) {
	synctest.Test(t, func(t *testing.T) {
		table := testworld.Table(t)
		s := &shelf{Table: table}
		b := New(requests.NewSender(s, 4, telemetry.NewMetrics(prometheus.NewRegistry())))
		if err := b.Refresh(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended, failed := make(chan struct{}), make(chan error, 10)
		go func() {
			defer close(ended)
			b.Follow(ctx, func(err error) { failed <- err })
		}()
		f(t, b, s, failed)
		stop()
		<-ended
	})
}

func decide(t *testing.T, table sinks.Table, site string, s *sites.Rules) {
	t.Helper()
	log, err := sites.ReadLog(t.Context(), table, sinks.Keys{}, nil)
	if err == nil {
		_, err = sites.AppendLog(t.Context(), table, sinks.Keys{}, log, sites.Revision{At: time.Now().UnixMilli(), Site: site, Rules: s})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRevisionIsKnownWithin30Seconds(t *testing.T) {
	withBook(t, func(t *testing.T, b *Book, s *shelf, _ chan error) {
		for rev := int64(1); rev <= 5; rev++ {
			decide(t, s.Table, "s", &sites.Rules{Name: "x"})
			before := s.queries.Load()
			time.Sleep(30*time.Second - time.Millisecond)
			if got := b.Latest().Rev(); got != rev || testutil.ToFloat64(b.send.Metrics.RulesRevision) != float64(rev) {
				t.Errorf("revision %d is known 30 s after revision %d", got, rev)
			}
			if n := s.queries.Load() - before; n > 3 {
				t.Errorf("%d queries in 30 s, want 3 at the most", n)
			}
		}
	})
}

// A process that would not learn of what holds in 24 hours ends while there is time; one that had an answer goes on.
func TestProcessThatKnowsNothingNewFor12HoursEnds(t *testing.T) {
	withBook(t, func(t *testing.T, b *Book, s *shelf, failed chan error) {
		s.away.Store(true)
		time.Sleep(11 * time.Hour)
		s.away.Store(false)
		time.Sleep(time.Minute)
		s.away.Store(true)
		time.Sleep(12*time.Hour - 2*time.Minute)
		select {
		case err := <-failed:
			t.Fatalf("it ends %v after the last answer: %v", requests.Since(time.Now(), b.refreshed.Load()), err)
		default:
		}
		if age := testutil.ToFloat64(b.send.Metrics.RulesAge); age < 42_000 {
			t.Errorf("the rules are shown to be %v s old", age)
		}
		time.Sleep(3 * time.Minute)
		select {
		case err := <-failed:
			if !strings.Contains(err.Error(), "could not be read for 12h0m") || !strings.Contains(err.Error(), "RULES") {
				t.Errorf("it ends with %v, want the reason", err)
			}
		default:
			t.Error("it goes on after 12 hours")
		}
	})
}

// A chain that names a revision which is gone belongs to another table.
func TestRevisionThatIsNotThereIsForeign(t *testing.T) {
	withBook(t, func(t *testing.T, b *Book, s *shelf, _ chan error) {
		decide(t, s.Table, "s", &sites.Rules{Name: "x"})
		if v, err := b.At(t.Context(), 1); err != nil || v.Site("s").Name != "x" {
			t.Errorf("at(1) = %+v, %v; want it read at once", v, err)
		}
		if _, err := b.At(t.Context(), 2); err == nil || !strings.Contains(err.Error(), checkpoint.ErrForeignTable.Error()) {
			t.Errorf("at(2) = %v, want ErrForeignTable", err)
		}
	})
}

// overtaken is a table in which a site is created while a worker appends that it has no rules: the first answer is lost.
type overtaken struct {
	sinks.Table
	meanwhile func()
}

func (o *overtaken) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if f := o.meanwhile; f != nil && p.Item[sinks.AttrEntity].Str() == sinks.EntityRules {
		o.meanwhile = nil
		f()
		return sinks.Result{}, sinks.ErrUnknownOutcome
	}
	return o.Table.Put(ctx, p)
}

// Whoever is second finds the rules of who was first, however often he asks.
func TestWorkerDoesNotOverruleWhoCreates(t *testing.T) {
	withBook(t, func(t *testing.T, b *Book, s *shelf, _ chan error) {
		b.send.Table = &overtaken{s, func() {
			decide(t, s.Table, "s", &sites.Rules{Name: "x"})
			if err := b.Refresh(t.Context(), nil); err != nil { // As another worker of the process does.
				t.Error(err)
			}
		}}
		if err := b.First(t.Context(), nil, "s"); err != nil {
			t.Fatal(err)
		}
		if h := b.Latest().History("s"); len(h) != 1 || h[0].Rules.Name != "x" {
			t.Errorf("history %+v, want what was decided alone", h)
		}
	})
}

// What somebody decided and did not publish, since he ended, readers see all the same, also where whoever learned of it first
// has ended too.
func TestWhatWasDecidedIsPublished(t *testing.T) {
	withBook(t, func(t *testing.T, b *Book, s *shelf, _ chan error) {
		decide(t, s.Table, "s", &sites.Rules{Name: "x"})
		decide(t, s.Table, "t", new(sites.Rules))
		if err := b.Refresh(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for id, want := range map[string]bool{"s": true, "t": false} {
			key := sinks.Keys{}.Metadata(id)
			r, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
			if err != nil || (r.Items[key] != nil) != want {
				t.Errorf("site %q has the metadata %v, %v", id, r.Items[key], err)
			}
		}
	})
}
