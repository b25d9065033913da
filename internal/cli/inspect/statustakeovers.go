package inspect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// takeover is what footfall status prints of a takeover.
type takeover struct {
	Partition int32 `json:"partition"`
	checkpoint.Takeover
	Former string `json:"formerOwner"` // "": not known, it took over more than a day ago
}

// takeoversOf asks the group for those of all partitions or of one; nil: it could not be asked, which is no reason to say nothing else.
func takeoversOf(ctx context.Context, kafka []kgo.Opt, group, topic string, only *int32) []takeover {
	client, err := kadm.NewOptClient(kafka...)
	if err != nil {
		return nil
	}
	defer client.Close()
	offsets, err := client.FetchOffsetsForTopics(ctx, group, topic)
	if err != nil {
		return nil
	}
	all := []takeover{}
	offsets.Each(func(o kadm.OffsetResponse) {
		if only != nil && o.Partition != *only {
			return
		}
		former := ""
		for _, t := range checkpoint.ReadTakeovers(o.Metadata).Recent(time.Now()) {
			all = append(all, takeover{o.Partition, t, former})
			former = t.Owner
		}
	})
	slices.SortFunc(all, func(a, b takeover) int { return a.At.Compare(b.At) })
	return all
}

// printTakeovers lists takeovers.
func printTakeovers(out io.Writer, layout show.Layout, all []takeover) error {
	if len(all) == 0 {
		text := "No partition was taken over in the last day."
		if all == nil {
			text = "The group could not be asked for the takeovers of the last day."
		}
		_, err := fmt.Fprintln(out, "\n"+text)
		return err
	}
	l := show.List{Headers: []string{"TAKEN OVER", "PARTITION", "EPOCH", "REPEATS", "OWNER", "FORMER OWNER"}, Minor: []string{"EPOCH"}}
	for _, t := range all {
		repeats := "-"
		if len(t.Repeats) > 0 {
			repeats = strings.Join(t.Repeats, ", ")
		}
		l.Rows = append(l.Rows, []string{t.At.Format(time.DateTime), fmt.Sprint(t.Partition), fmt.Sprint(t.Epoch), repeats, t.Owner, t.Former})
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return l.Write(out, layout)
}
