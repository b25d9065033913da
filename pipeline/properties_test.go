package pipeline_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A session timeout that the brokers refuse, which permit 6 s and more, ends the process with the setting and their limits.
func TestRefusedSessionTimeoutNamesTheSetting(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.SessionTimeout = 4 * time.Second
		run := w.Start(o)
		err := <-run.Done
		if err == nil || !strings.Contains(err.Error(), "kafka.sessionTimeout") || !strings.Contains(err.Error(), "4s") ||
			!strings.Contains(err.Error(), "group.min.session.timeout.ms") {
			t.Errorf("Run = %v, want the setting, its value and what limits it", err)
		}
	})
}

// The settings that are named as Kafka's properties are in the requests that these properties are about.
func TestKafkaPropertiesAreInTheRequests(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		var mu sync.Mutex // covers all of these
		var join kmsg.JoinGroupRequest
		var fetch kmsg.FetchRequest
		beats := 0
		w.Cluster.ControlKey(int16(kmsg.JoinGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
			mu.Lock()
			defer mu.Unlock()
			w.Cluster.KeepControl()
			join = *r.(*kmsg.JoinGroupRequest)
			return nil, nil, false
		})
		w.Cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			mu.Lock()
			defer mu.Unlock()
			w.Cluster.KeepControl()
			if f := r.(*kmsg.FetchRequest); len(f.Topics) > 0 {
				fetch = *f
			}
			return nil, nil, false
		})
		w.Cluster.ControlKey(int16(kmsg.Heartbeat), func(kmsg.Request) (kmsg.Response, error, bool) {
			mu.Lock()
			defer mu.Unlock()
			w.Cluster.KeepControl()
			beats++
			return nil, nil, false
		})
		o := w.Options()
		o.SessionTimeout, o.Rack, o.FetchMaxBytes, o.MaxPartitionFetchBytes = 6*time.Second, "b", 300_000, 200_000
		run := w.Start(o)
		w.Produce(traffic(1, 1, 10, bubbleStart)...)
		w.Settled()
		mu.Lock()
		before := beats
		mu.Unlock()
		w.Pass(time.Minute)
		mu.Lock()
		if join.SessionTimeoutMillis != 6000 || beats-before < 95 {
			t.Errorf("a session timeout of %d ms and %d heartbeats in a minute, want 6000 and one in 0.6 s", join.SessionTimeoutMillis, beats-before)
		}
		if fetch.Rack != "b" || fetch.MaxBytes != 300_000 || len(fetch.Topics) == 0 ||
			fetch.Topics[0].Partitions[0].PartitionMaxBytes != 200_000 {
			t.Errorf("fetches from rack %q of %d bytes: %+v", fetch.Rack, fetch.MaxBytes, fetch.Topics)
		}
		mu.Unlock()
		run.Drain()
	})
}
