package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrNotServed reports that a broker that was to be a directory's is not there, or is that of another directory. The
// error that wraps it says which.
var ErrNotServed = errors.New("no broker of this directory")

// A port alone does not tell whose broker listens there: while a directory's broker is down another's may take its
// port, and a copy of a directory remembers the same one. So each broker tells which directory it keeps, as a Kafka
// does, by DescribeLogDirs; since kfake answers about partitions, of which a fresh directory has none, the question is
// one about no partition. (A cluster id of its own would not do: kfake keeps it in files that are copied with the rest.)

// tellDirectory makes the cluster answer a DescribeLogDirs about no partition with the directory. All others it answers
// as before.
func tellDirectory(cluster *kfake.Cluster, dir string) {
	cluster.ControlKey(int16(kmsg.DescribeLogDirs), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.DescribeLogDirsRequest)
		if req.Topics == nil || len(req.Topics) > 0 { // nil: all partitions
			return nil, nil, false
		}
		cluster.KeepControl()
		answer := kmsg.NewDescribeLogDirsResponseDir()
		answer.Dir = dir
		resp := req.ResponseKind().(*kmsg.DescribeLogDirsResponse)
		resp.Dirs = append(resp.Dirs, answer)
		return resp, nil, true
	})
}

// CheckServed asks the first of the seed brokers in opts whether it keeps the directory. It returns nil if so, however
// either of them spells the directory's path, and else an error that is ErrNotServed.
func CheckServed(ctx context.Context, dir string, opts ...kgo.Opt) error {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer client.Close()
	req := kmsg.NewPtrDescribeLogDirsRequest()
	req.Topics = []kmsg.DescribeLogDirsRequestTopic{}
	answer, err := client.SeedBrokers()[0].Request(ctx, req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("%w: nothing answers: %w", ErrNotServed, err)
	}
	dirs := answer.(*kmsg.DescribeLogDirsResponse).Dirs
	if len(dirs) != 1 {
		return fmt.Errorf("%w: another program's broker answers", ErrNotServed)
	}
	want, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if kept, err := os.Stat(dirs[0].Dir); err != nil || !os.SameFile(kept, want) {
		return fmt.Errorf("%w: the broker of directory %s answers", ErrNotServed, dirs[0].Dir)
	}
	return nil
}
