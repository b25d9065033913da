package engine

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cgroup"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/pipeline"
)

// memoryShare is the part of the container's limit that becomes the soft limit of Go's runtime. The rest is for what the
// runtime does not count: the program itself, and pages of files that the kernel keeps for it.
const memoryShare = 0.9

// CollectPercent is how much the heap may grow, in percent of what is in use, before it is collected (GOGC), below the soft limit. Above
// Go's 100, a partition in catch-up with everything on takes some 15 % less CPU (docs/internals/performance.md).
const CollectPercent = 200

// LimitMemory sets the percentage of Go's collector (GOGC) and its soft memory limit (GOMEMLIMIT), each unless the environment does. The
// process then stays under sum and under the container's limit. Where the environment switches the limit off, the percentage is Go's own.
// LimitMemory returns the limit that was set from outside; 0: none.
func LimitMemory(root fs.FS, sum int64, percent int) (outside int64) {
	set := int64(0) // by the environment; Go has read it
	if os.Getenv("GOMEMLIMIT") != "" {
		if set = debug.SetMemoryLimit(-1); set == math.MaxInt64 {
			return 0 // off
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if set > 0 {
		return set
	}
	limit := sum - programBytes
	if container, ok := cgroup.MemoryLimit(root); ok {
		outside = int64(float64(container) * memoryShare)
		limit = min(limit, outside)
	}
	debug.SetMemoryLimit(limit)
	return outside
}

const (
	// baseBytes is what the process takes without partitions: the program, its own tables, and the clients of Kafka and the table.
	baseBytes = 48 << 20
	// programBytes is how far the process may exceed the runtime's limit: by pages of the program's file, 24 MiB, which the runtime
	// does not count, and by the heap in a burst: on a machine with little time to spare the collector was up to 27 MiB late.
	programBytes = 64 << 20
)

// answersHeld is how many answers to fetches the base has room for, of 8 MiB: one that is read and two that wait.
const answersHeld = 3

// MemoryCeiling is how much memory the process needs when it owns all partitions of the topic.
func MemoryCeiling(c config.Config, partitions int64) int64 {
	larger := max(0, int64(c.Kafka.FetchMaxBytes)-pipeline.DefaultFetchMaxBytes)
	return baseBytes + answersHeld*larger + int64(c.Limits.MemoryBytes) + int64(c.Limits.FetchedBytes) +
		partitions*pipeline.PartitionBytes(duplicatesOf(c), c.Limits.ChunksAhead)
}

// TopicPartitions returns how many partitions the topic has, 1 where the brokers do not say.
func TopicPartitions(ctx context.Context, kafka []kgo.Opt, topic string) int64 {
	ctx, cancel := context.WithTimeout(ctx, doctor.Patience)
	defer cancel()
	cl, err := kgo.NewClient(kafka...)
	if err != nil {
		return 1
	}
	defer cl.Close()
	topics, err := kadm.NewClient(cl).ListTopics(ctx, topic)
	if err != nil {
		return 1
	}
	return max(1, int64(len(topics[topic].Partitions)))
}

// ReportMemory logs MemoryCeiling, and warns if the limit that was set from outside is lower.
func ReportMemory(log *slog.Logger, c config.Config, partitions, limit int64) {
	each, sum := pipeline.PartitionBytes(duplicatesOf(c), c.Limits.ChunksAhead), MemoryCeiling(c, partitions)
	spelled := "none"
	if limit > 0 {
		spelled = mebibytes(limit)
	}
	log.Info("memory", "ceiling", mebibytes(sum), "memoryBytes", mebibytes(int64(c.Limits.MemoryBytes)), "fetchedBytes",
		mebibytes(int64(c.Limits.FetchedBytes)), "partitions", partitions, "eachPartition", mebibytes(each), "limit", spelled)
	if 0 < limit && limit < sum {
		// Cause: GOMEMLIMIT or the limit of the container is less than what the configuration may need. Remedy: Lower the settings that the line
		// names, or raise the limit: a process above it is killed.
		log.Warn(fmt.Sprintf("the memory limit of %s is below the %s that this process may need when it owns all %d partitions: "+
			"lower limits.memoryBytes or limits.fetchedBytes, or give it more memory", mebibytes(limit), mebibytes(sum), partitions))
	}
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<19)/(1<<20)) }
