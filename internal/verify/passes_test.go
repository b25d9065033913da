package verify_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// manySites fills the table with sites that have a few sessions each.
func (w *world) manySites(sites int) {
	w.t.Helper()
	for i := range sites {
		site := fmt.Sprint("site ", i)
		var records []record
		for j := range 6 {
			records = append(records, record{int32(i % 2), w.event(site, "page_view", time.Duration(j)*time.Minute,
				"visitorId", fmt.Sprint("v", j), "sessionId", fmt.Sprint("s", j), "url", fmt.Sprint("/", j))})
		}
		w.produce(records...)
	}
	w.pipeline()
}

// damageSites changes an hour of each site.
func (w *world) damageSites(sites int) {
	w.t.Helper()
	items := w.snapshot()
	for i := range sites {
		key := sinks.Keys{}.HourStats(fmt.Sprint("site ", i), w.start.UnixMilli()-w.start.UnixMilli()%3600_000)
		w.set(key, with(items[key], sinks.AttrEvents, sinks.Int(99)))
	}
}

const smallMemory = 200 << 10 // of twelve sites some hundred kilobytes are one pass's

// Several passes find what one does, and keep no more at a time than they may.
func TestPassesTogetherAreOneRecount(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.manySites(40)
		whole := w.verify(nil)
		want(t, "in one pass", whole, 0)
		small := func(o *scope.Options) { o.Memory = smallMemory }
		r := w.verify(small)
		want(t, "in several passes", r, 0)
		if whole.Passes != 1 || r.Passes < 3 || r.Records != whole.Records || !maps.Equal(r.Compared, whole.Compared) {
			t.Errorf("%d passes, %d records, compared %v; one pass: %d passes, %d records, compared %v",
				r.Passes, r.Records, r.Compared, whole.Passes, whole.Records, whole.Compared)
		}
		if most := int64(smallMemory + 32<<10); r.KeptBytes > most || whole.KeptBytes < most {
			t.Errorf("%d bytes were kept at a time, want %d at most; in one pass %d", r.KeptBytes, most, whole.KeptBytes)
		}
		// Damage in any site is found once, whichever pass the site is of.
		w.damageSites(40)
		if r := w.verify(small); r.DifferenceCount != 40 {
			t.Errorf("%d differences, want one of each site", r.DifferenceCount)
		}
	})
}

func TestSampleOfSitesIsVerified(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.manySites(40)
		sample := func(o *scope.Options) { o.SampleSites = 0.25 }
		r := w.verify(sample)
		want(t, "a sample", r, 0)
		if n := r.Compared["site"]; n < 4 || n > 18 || r.SampleSites != 0.25 {
			t.Errorf("%d of 40 sites were verified, want about 10", n)
		}
		w.damageSites(40)
		damaged := w.verify(sample)
		want(t, "damage in each site", damaged, finding.ExitDifferent)
		found := make(map[string]bool)
		for _, d := range damaged.Differences {
			if found[d.PK] = true; d.Attribute != sinks.AttrEvents {
				t.Errorf("difference %+v, want those of events alone", d)
			}
		}
		if n := r.Compared["site"]; int64(len(found)) != n || damaged.DifferenceCount != n {
			t.Errorf("damage was found in %d sites, want it once in each of the %d that are sampled", len(found), n)
		}
	})
}

// A run that ends between two passes is continued where it ended, and its file is gone in the end.
func TestRunIsResumed(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.manySites(40)
		whole := w.verify(func(o *scope.Options) { o.Memory = smallMemory })
		file := filepath.Join(t.TempDir(), "progress")
		ctx, stop := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		var scanned atomic.Int64
		o := scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: counting{w.table.Table, func() {
			if scanned.Add(1) == 1500 {
				stop(enough)
			}
		}}, Memory: smallMemory, Resume: file}
		if _, err := verify.Run(ctx, o); !errors.Is(err, enough) {
			t.Fatalf("Run = %v, want it to be cancelled", err)
		}
		if _, err := verify.Run(t.Context(), scope.Options{Kafka: w.kafka(), Topic: w.topic, Table: w.table.Table, Resume: file,
			SampleSites: 0.5}); err == nil {
			t.Error("a run of other sites continued from the file")
		}
		r := w.verify(func(o *scope.Options) { o.Memory, o.Resume = smallMemory, file })
		want(t, "resumed", r, 0)
		if !r.Resumed || !maps.Equal(r.Compared, whole.Compared) || r.Records != whole.Records {
			t.Errorf("resumed %v, %d records, compared %v; want what one run has: %d, %v", r.Resumed, r.Records, r.Compared, whole.Records,
				whole.Compared)
		}
		if again := w.verify(func(o *scope.Options) { o.Memory, o.Resume = smallMemory, file }); again.Resumed {
			t.Error("a run that was complete was continued")
		}
	})
}

// counting counts queries.
type counting struct {
	sinks.Table
	query func()
}

func (c counting) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	c.query()
	if err := ctx.Err(); err != nil {
		return sinks.Page{}, context.Cause(ctx)
	}
	return c.Table.Query(ctx, q)
}

func TestProgressIsReported(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.manySites(200)
		var records, sites finding.Progress
		w.verify(func(o *scope.Options) {
			o.Progress = func(p finding.Progress) {
				if p.Sites {
					sites = p
				} else {
					records = p
				}
			}
		})
		if want := (finding.Progress{Pass: 1, Done: 1000, Total: 1200}); records != want {
			t.Errorf("records %+v, want %+v", records, want)
		}
		if want := (finding.Progress{Pass: 1, Sites: true, Done: 200, Total: 200}); sites != want {
			t.Errorf("sites %+v, want %+v", sites, want)
		}
	})
}

func TestCostIsAnnouncedBefore(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.manySites(10)
		var announced []finding.Cost
		w.verify(func(o *scope.Options) {
			o.Describe, o.Cost = w.table.Table.(sinks.Admin).Describe, func(c finding.Cost) { announced = append(announced, c) }
		})
		if len(announced) != 1 || announced[0].Records != 60 || announced[0].Items < 100 || announced[0].ReadUnits < 5 ||
			announced[0].Passes != 1 {
			t.Errorf("cost %+v; want 60 records and more than a hundred items", announced)
		}
	})
}
