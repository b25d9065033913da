package inbox

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Ends asks the brokers how far the partitions of a topic reach. Partitions whose leader does not answer are left out.
func Ends(ctx context.Context, admin *kadm.Client, topic string) (map[int32]End, error) {
	high, err := admin.ListEndOffsets(ctx, topic)
	if err != nil && len(high) == 0 && !errors.Is(err, kerr.LeaderNotAvailable) {
		return nil, err
	}
	stable, err := admin.ListCommittedOffsets(ctx, topic) // Last, so that what comes between the two is no open transaction.
	if err != nil && len(stable) == 0 && !errors.Is(err, kerr.LeaderNotAvailable) {
		return nil, err
	}
	ends := make(map[int32]End)
	stable.Each(func(s kadm.ListedOffset) {
		if h, ok := high.Lookup(topic, s.Partition); ok && s.Err == nil && h.Err == nil {
			ends[s.Partition] = End{High: max(h.Offset, s.Offset), Stable: s.Offset}
		}
	})
	return ends, nil
}

// Leaders notices partitions whose leader does not answer: the client waits for one without a word.
type Leaders struct {
	Log  *slog.Logger
	Wait *prometheus.GaugeVec // seconds, by partition

	of map[int32]leader
}

// A leader is what is known of the leader of a partition.
type leader struct {
	answered, looked time.Time
	missed           bool // it did not answer the last time
}

// Look notes whether the leader of a partition has answered.
func (l *Leaders) Look(now time.Time, partition int32, answers bool) {
	was, known := l.of[partition]
	if l.of == nil {
		l.of = make(map[int32]leader)
	}
	if !known {
		was.answered = now
	}
	wait := now.Sub(was.answered)
	switch {
	case !answers && !was.missed:
		// Cause: No broker leads the partition, as while the brokers that have it are down, or its leader does not answer. Remedy: Bring the
		// brokers back. Its records are counted once it has a leader again.
		l.Log.Warn("a partition waits for its leader", "partition", partition)
	case answers && was.missed:
		l.Log.Info("a partition has a leader again", "partition", partition, "waited", wait.Round(time.Second))
	}
	if answers {
		was.answered, wait = now, 0
	}
	l.of[partition] = leader{was.answered, now, !answers}
	l.Wait.WithLabelValues(strconv.Itoa(int(partition))).Set(wait.Seconds())
}

// Forget shows nothing more of the partitions that were not looked at in this round.
func (l *Leaders) Forget(now time.Time) {
	for n, of := range l.of {
		if of.looked != now {
			delete(l.of, n)
			l.Wait.DeleteLabelValues(strconv.Itoa(int(n)))
		}
	}
}
