package verify

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/internal/verify/audit"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/judge"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
)

// DefaultMemory is about how many bytes of sites a pass keeps unless it is chosen otherwise. The process takes some three times
// as much: the collector's reserve, a page of items of eight sites, and what the Kafka client has fetched.
const DefaultMemory = 96 << 20

// Run recounts the topic and compares the table with the recount. It writes nothing to the table and joins no group. The error
// says why the comparison could not be made; what it found is in the report.
func Run(ctx context.Context, o scope.Options) (finding.Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxDifferences == 0 {
		o.MaxDifferences = 1000
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	log, err := topiclog.Open(ctx, o.Kafka, o.Topic, "name one that does (kafka.topic)")
	if err != nil {
		return finding.Report{}, err
	}
	defer log.Close()
	ends, err := log.Ends(ctx)
	if err != nil {
		return newReport(o), err
	}
	held, err := heldUp(ctx, log, ends)
	if err != nil {
		return newReport(o), err
	}
	if err := announceCost(ctx, o, log, ends); err != nil {
		return newReport(o), err
	}
	done, err := readProgress(o, log.HexID())
	if err != nil {
		return newReport(o), err
	}
	pass := 0
	for p := done.Next; ; p = p.After() {
		v := newVerifier(o, log, p)
		pass++
		v.Ends, v.Pass = ends, pass
		if v.Starts, err = log.Starts(ctx); err == nil {
			err = v.run(ctx)
		}
		takePass(&done.Report, v, p.First())
		if err != nil {
			return done.Report, err
		}
		if p = v.Hashes; p.To == scope.WholeTable.To || !v.ran {
			break
		}
		done.Next = p.After()
		if err := done.write(o); err != nil {
			return done.Report, err
		}
	}
	done.Report.HeldUp = held
	checkRange(&done.Report, o)
	done.Report.Finish()
	return done.Report, done.remove(o)
}

// heldUp returns what open transactions keep from being read, given the end offsets.
func heldUp(ctx context.Context, log *topiclog.Log, ends map[int32]int64) (held []finding.HeldUp, err error) {
	high, err := log.HighWatermarks(ctx)
	if err != nil {
		return nil, err
	}
	stable, err := log.Ends(ctx) // Asked once more: what is higher by now was no open transaction.
	if err != nil {
		return nil, err
	}
	for _, p := range log.Partitions {
		if from := max(stable[p], ends[p]); high[p] > from {
			held = append(held, finding.HeldUp{Partition: p, From: from, To: high[p]})
		}
	}
	return held, nil
}

// newVerifier makes one that recounts a part of the sites.
func newVerifier(o scope.Options, log *topiclog.Log, p scope.Part) *verifier {
	m := recount.New(scope.New(o, p), finding.NewTally(newReport(o), o.MaxDifferences, p.First()), log)
	return &verifier{scanner: &scanner{Judges: judge.New(m)}, heads: audit.New(m)}
}

// run is one pass.
func (v *verifier) run(ctx context.Context) error {
	used, behind, err := v.wait(ctx)
	v.Report.Behind = append(v.Report.Behind, behind...)
	if err != nil || !used {
		return err
	}
	v.ran, v.Folding = true, true
	all, err := v.advance(ctx)
	if err != nil {
		return err
	}
	v.Folding = false
	if v.Hashes.First() {
		for id, c := range v.Chains {
			v.heads.CheckHead(c, all[id])
		}
		v.heads.CompareChains(all)
		if err := v.heads.CompareLost(ctx); err != nil {
			return err
		}
		v.heads.ListGaps(all)
		if err := v.scanNewSites(ctx); err != nil {
			return err
		}
	}
	if err := errors.Join(v.LoadErasures(ctx), v.LoadPurges(ctx)); err != nil {
		return err
	}
	before := v.Verdicts()
	if err := v.scan(ctx); err != nil {
		return err
	}
	if err := v.settle(ctx); err != nil {
		return err
	}
	v.heads.ListLost()
	v.checkSite(before)
	return nil
}
