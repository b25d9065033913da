package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cgroup"
	"github.com/footfall/footfall/pipeline"
)

// memoryShare is the part of the container's limit that becomes the soft limit of Go's runtime. The rest is for what the
// runtime does not count: the program itself, and pages of files that the kernel keeps for it.
const memoryShare = 0.9

// limitMemory sets the soft memory limit of Go's runtime from the container's, unless GOMEMLIMIT has set one. It returns the
// limit that holds; 0: none.
func limitMemory(root fs.FS) int64 {
	if set := debug.SetMemoryLimit(-1); set < math.MaxInt64 {
		return set
	}
	container, ok := cgroup.MemoryLimit(root)
	if !ok {
		return 0
	}
	limit := int64(float64(container) * memoryShare)
	debug.SetMemoryLimit(limit)
	return limit
}

// baseBytes is what the process takes without partitions: the program's own tables, and the clients of Kafka and the table.
const baseBytes = 48 << 20

// topicPartitions returns how many partitions the topic has, 1 where the brokers do not say.
func topicPartitions(ctx context.Context, kafka []kgo.Opt, topic string) int64 {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
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

// reportMemory logs how much memory the process needs when it owns all partitions of the topic, and warns where the limit is
// lower.
func reportMemory(log *slog.Logger, c config.Config, partitions, limit int64) {
	each := pipeline.PartitionBytes(int64(c.Duplicates.Window))
	sum := baseBytes + int64(c.Limits.MemoryBytes) + int64(c.Limits.FetchedBytes) + partitions*each
	spelled := "none"
	if limit > 0 {
		spelled = mebibytes(limit)
	}
	log.Info("memory", "ceiling", mebibytes(sum), "memoryBytes", mebibytes(int64(c.Limits.MemoryBytes)), "fetchedBytes",
		mebibytes(int64(c.Limits.FetchedBytes)), "partitions", partitions, "eachPartition", mebibytes(each), "limit", spelled)
	if 0 < limit && limit < sum {
		log.Warn(fmt.Sprintf("the memory limit of %s is below the %s that this process may need when it owns all %d partitions: "+
			"lower limits.memoryBytes or limits.fetchedBytes, or give it more memory", mebibytes(limit), mebibytes(sum), partitions))
	}
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<19)/(1<<20)) }
