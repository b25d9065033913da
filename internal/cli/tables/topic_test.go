package tables

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/slow"
)

// TestTopicIsAdopted: what footfall dev has counted is mirrored, and its table continues there. footfall verify recounts the mirror.
func TestTopicIsAdopted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	dir := clitest.CountedDirectory(t)
	broker := clitest.Must(embedded.Open(dir))
	defer broker.Close()
	mirror := clitest.NewBroker(t, kfake.SeedTopics(command.DevPartitions, command.DevTopic)).ListenAddrs()[0]
	copyTopic(t, broker.Addr(), mirror)
	on := []string{"--brokers", mirror, "--topic", command.DevTopic, "--table", "sqlite://" + filepath.Join(dir, command.DevTable)}
	for _, c := range []struct {
		line string
		code int
		says string
	}{
		{"topic adopt --from-brokers " + mirror, 1, "it is the same topic"},
		{"topic adopt --dry-run --from-brokers " + broker.Addr(), 0, "after it are equal)\nNothing was changed."},
		{"topic adopt --from-brokers " + broker.Addr(), 0, "Start the members there."},
		{"topic adopt --from-brokers " + broker.Addr(), 0, "is in the mirror already\n"},
		{"status --history --partition 0", 0, "mirrored: it continues at offset"},
		{"verify", 0, "0 differences"},
	} {
		code, out, errs := clitest.Footfall(t, append(strings.Fields(c.line), on...)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q; want %d and %q", c.line, code, out, errs, c.code, c.says)
		}
	}
}

// copyTopic copies all records.
func copyTopic(t *testing.T, from, to string) {
	t.Helper()
	client := clitest.Must(kgo.NewClient(kgo.SeedBrokers(from), kgo.ConsumeTopics(command.DevTopic)))
	defer client.Close()
	mirror := clitest.Must(kgo.NewClient(kgo.SeedBrokers(to), kgo.RecordPartitioner(kgo.ManualPartitioner())))
	defer mirror.Close()
	left := int64(0)
	clitest.Must(kadm.NewClient(client).ListEndOffsets(t.Context(), command.DevTopic)).Each(func(o kadm.ListedOffset) { left += o.Offset })
	for left > 0 {
		for _, r := range client.PollFetches(t.Context()).Records() {
			left--
			if err := mirror.ProduceSync(t.Context(), r).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTopicUsage(t *testing.T) {
	clitest.Refused(t, "topic adopt",
		clitest.WrongUsage{Says: "name the old cluster"},
		clitest.WrongUsage{Args: "--from-brokers a:1 --from-config b.yaml", Says: "name the old cluster"},
		clitest.WrongUsage{Args: "--from-brokers a:1 --records 0", Says: "--records 0"},
	)
}
