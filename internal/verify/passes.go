package verify

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/pipeline/event"
)

// DefaultMemory is about how many bytes of sites a pass keeps unless it is chosen otherwise. The process takes some three times
// as much: the collector's reserve, a page of items of eight sites, and what the Kafka client has fetched.
const DefaultMemory = 96 << 20

// Run recounts the topic and compares the table with the recount. It writes nothing to the table and joins no group. The error
// says why the comparison could not be made; what it found is in the report.
func Run(ctx context.Context, o Options) (Report, error) {
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
		return Report{}, err
	}
	log.Limits = batch.Limits{Value: event.MaxRecordBytes, Key: 1, Header: event.HeaderSource, Bytes: 256} // what a recount needs
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
	for p := done.Next; ; p = p.after() {
		v := newVerifier(o, log, p)
		pass++
		v.ends, v.pass = ends, pass
		if v.starts, err = log.Starts(ctx); err == nil {
			err = v.run(ctx)
		}
		done.Report.take(v, p.first())
		if err != nil {
			return done.Report, err
		}
		if p = v.hashes; p.to == wholeTable.to || !v.ran {
			break
		}
		done.Next = p.after()
		if err := done.write(o); err != nil {
			return done.Report, err
		}
	}
	done.Report.HeldUp = held
	done.Report.checkRange(o)
	done.Report.finish()
	return done.Report, done.remove(o)
}

// heldUp returns what open transactions keep from being read, given the end offsets.
func heldUp(ctx context.Context, log *topiclog.Log, ends map[int32]int64) (held []HeldUp, err error) {
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
			held = append(held, HeldUp{Partition: p, From: from, To: high[p]})
		}
	}
	return held, nil
}

// newVerifier makes one that recounts a part of the sites.
func newVerifier(o Options, log *topiclog.Log, p part) *verifier {
	m := newModel(newRulebook(o, p), newTally(newReport(o), o.MaxDifferences, p.first()), log)
	return &verifier{scanner: &scanner{judges: newJudges(m)}, heads: newChainAudit(m)}
}

// run is one pass.
func (v *verifier) run(ctx context.Context) error {
	used, behind, err := v.wait(ctx)
	v.report.Behind = append(v.report.Behind, behind...)
	if err != nil || !used {
		return err
	}
	v.ran, v.folding = true, true
	all, err := v.advance(ctx)
	if err != nil {
		return err
	}
	v.folding = false
	if v.hashes.first() {
		for id, c := range v.chains {
			v.heads.checkHead(c, all[id])
		}
		v.heads.compareChains(all)
		if err := v.heads.compareLost(ctx); err != nil {
			return err
		}
		v.heads.listGaps(all)
		if err := v.scanNewSites(ctx); err != nil {
			return err
		}
	}
	if err := v.loadErasures(ctx); err != nil {
		return err
	}
	before := v.verdicts()
	if err := v.scan(ctx); err != nil {
		return err
	}
	if err := v.settle(ctx); err != nil {
		return err
	}
	v.heads.listLost()
	v.checkSite(before)
	return nil
}

// takeAll recounts a record, and gives up sites where that is too much to keep.
func (v *model) takeAll(k *kgo.Record) error {
	if err := v.take(k); err != nil {
		return err
	}
	v.advanced(1)
	if v.folding && v.ledger.full() {
		v.giveUp()
	}
	return nil
}
