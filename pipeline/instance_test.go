package pipeline_test

import (
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestStaticMemberLeavesItsPlace: the brokers learn that a static member of a group of KIP-848 will come back, and which one it is. Without
// the id they refuse to hear that it leaves, and its successor waits for the session timeout.
func TestStaticMemberLeavesItsPlace(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		var left atomic.Int64
		w.Cluster.ControlKey(int16(kmsg.ConsumerGroupHeartbeat), func(r kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			if r := r.(*kmsg.ConsumerGroupHeartbeatRequest); r.MemberEpoch == -2 && r.InstanceID != nil && *r.InstanceID == "static-1" &&
				r.MemberID != "" {
				left.Add(1)
			}
			return nil, nil, false
		})
		o := w.With(w.Table, 0)
		o.ServerBalanced, o.InstanceID = true, "static-1"
		for n := range int64(2) {
			p := w.Start(o)
			w.Produce(events(0, 5)...)
			w.Settled()
			p.Drain()
			if left.Load() != n+1 {
				t.Errorf("%d requests to leave with the id, want %d", left.Load(), n+1)
			}
		}
	})
}
