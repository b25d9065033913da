package inbox

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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
