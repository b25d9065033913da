package adopt_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// lanesIn counts the lanes that have continued in the mirror.
func lanesIn(old, mirror *testpipeline.World) (n int) {
	old.T.Helper()
	id, _, err := checkpoint.InspectTopic(old.T.Context(), kadm.NewClient(mirror.Client), mirror.Topic, nil)
	if err != nil {
		old.T.Fatal(err)
	}
	for _, head := range heads(old) {
		if head.TopicID == hex.EncodeToString(id[:]) {
			n++
		}
	}
	return n
}

// heads are the checkpoints of all lanes.
func heads(w *testpipeline.World) (all []checkpoint.Head) {
	for n := range int32(partitions) {
		for _, lane := range checkpoint.Lanes {
			all = append(all, w.Checkpoint(sinks.TP{Topic: 1, Partition: n}, lane))
		}
	}
	return all
}

// records is how many records were counted.
func records(w *testpipeline.World) (n int64) {
	for _, head := range heads(w) {
		n += head.Totals.Records()
	}
	return n
}

// TestCutShortAtEveryRequest: the command is killed before each of its requests. While some lanes are in the mirror
// and others are not, a member that is started on the mirror ends, unless it finds all of its partitions there. The next run finishes.
func TestCutShortAtEveryRequest(t *testing.T) {
	refused := 0
	for at, more := 0, true; more; at++ {
		inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
			all := events(200, time.Now())
			old.Folded(old.Options(), all[:150])
			copying{skip: 7, transactions: 4}.copyTo(t, old, mirror)
			job := job(old, mirror)
			job.Table = testpipeline.NewMortal(old.Table, at)
			_, err := job.Run(t.Context(), false)
			if more = err != nil; !more {
				return
			}
			if !errors.Is(err, testpipeline.ErrKilled) {
				t.Fatalf("cut at %d: %v", at, err)
			}
			o := old.Options()
			o.Kafka = mirror.Kafka()
			if lanes := lanesIn(old, mirror); lanes > 0 && lanes < 2*partitions {
				if err := old.Ends(o); err == nil || !strings.Contains(err.Error(), "footfall topic adopt was cut short") {
					t.Errorf("cut at %d, with %d lanes in the mirror: a member ends with %v", at, lanes, err)
				}
				refused++
			}
			adopted(t, old, mirror)
			mirror.Recreated = true
			mirror.Folded(o, all[150:])
			mirror.Recounted()
			if n := records(old); n != 200 {
				t.Errorf("cut at %d: %d records were counted, of 200", at, n)
			}
		})
	}
	if refused < 4 {
		t.Errorf("a member was refused %d times", refused)
	}
}
