package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// topFlags are the flags of footfall top, and the looks that rates are of.
type topFlags struct {
	interval  time.Duration
	looks     int
	processes []string
	urls      []string
	prices    capacity.Prices
	past      rates
}

// NewTopCommand is footfall top.
func NewTopCommand(a *command.App) *cobra.Command {
	s := topFlags{prices: capacity.DefaultPrices()}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch partitions, lag, rates, write units and dollars an hour",
		Long: `Ask the brokers and the table every two seconds, and show the partitions, those with the greatest lag first:

  IN/S       records that came a second, in the last two minutes
  COUNTED/S  records that were counted, rejected or found to be duplicates a second, between flushes of the last two minutes
  LAG, AGE   offsets that are not counted yet, and how old the first of them is
  OPEN       for how long the flush has been open, if it is

Write and read units, and dollars an hour on demand at the prices of footfall cost, are those of the last five whole minutes of the
processes that --metrics-url names (without it: the one at the configured http address; without that, they are not shown).

Brokers or a table that stop answering are a line of the screen. Ctrl-C ends it. Without a terminal each look is printed below the last.`,
		Example: `  footfall top
  footfall top --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080
  footfall top --looks 2 --interval 10s > rates.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(a, cmd) },
	}
	f := cmd.Flags()
	f.DurationVar(&s.interval, "interval", 2*time.Second, "time between looks, 100ms or more")
	f.IntVar(&s.looks, "looks", 0, "end after this number of looks; 0 = never")
	f.StringArrayVar(&s.processes, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	command.AddAllConfigFlags(f)
	return command.OnCopies(cmd, true)
}

func (s *topFlags) run(a *command.App, cmd *cobra.Command) error {
	switch c, err := a.Config(cmd); {
	case err != nil:
		return err
	case s.interval < 100*time.Millisecond:
		return command.Usagef("--interval %v: write a duration of 100ms or more", s.interval)
	case s.looks < 0:
		return command.Usagef("--looks %d: write 0 or more", s.looks)
	case len(s.processes) > 0 || c.HTTP != "":
		if s.urls, err = connect.Processes(a, cmd, s.processes); err != nil {
			return err
		}
	}
	return connect.WithTopic(a, cmd, connect.StatusPatience, func(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table) error {
		for n := 1; ; n++ {
			if err := s.look(ctx, a, kafka, topic, t); err != nil && n == 1 {
				return err
			}
			if n == s.looks {
				return nil
			}
			select {
			case <-time.After(s.interval):
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// look shows what there is now. An error of the brokers or the table is shown, too.
func (s *topFlags) look(ctx context.Context, a *command.App, kafka []kgo.Opt, topic string, t *connect.Table) error {
	answer, err := askStatus(ctx, kafka, topic, t, 0, nil)
	if ctx.Err() != nil {
		return nil
	}
	columns, lines := a.Size()
	clear := ""
	if columns > 0 {
		clear = "\x1b[H\x1b[2J" // Home, and clear the terminal.
	}
	now := clear + time.Now().UTC().Format(time.DateTime)
	if err != nil {
		fmt.Fprintln(a.Out, oneLine(fmt.Sprintf("%s no answer: %v", now, err), columns))
		return err
	}
	s.past.add(answer)
	fmt.Fprintf(a.Out, "%s  %s\n", now, answer.statusSummary)
	shown := 3 // lines: the summary, the headers, and one for the cursor
	for _, line := range s.units(ctx) {
		fmt.Fprintln(a.Out, oneLine(line, columns))
		shown++
	}
	list := s.past.list(answer)
	more := 0
	if columns > 0 && len(list.Rows) > lines-shown {
		fit := max(1, lines-shown-1)
		list.Rows, more = list.Rows[:fit], len(list.Rows)-fit
	}
	if err := list.Write(a.Out, a.Layout(show.Table)); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(a.Out, "and %s with less lag\n", plural.Count(more, "lane", "lanes"))
	}
	return nil
}

// oneLine shortens a text to a line of a terminal that has this many columns; 0: it is none.
func oneLine(text string, columns int) string {
	text = strings.Join(strings.Fields(text), " ")
	if columns == 0 {
		return text
	}
	return ansi.Truncate(text, columns, "…")
}

// units says what the processes consume, a line for all that answer and one for each that does not.
func (s *topFlags) units(ctx context.Context) (lines []string) {
	var of []capacity.SpentOf
	for _, url := range s.urls {
		one, err := connect.AskSpent(ctx, []string{url})
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", url, err))
			continue
		}
		of = append(of, one...)
	}
	if len(of) > 0 {
		total := capacity.ReportCost(of, s.prices, 0).Total
		lines = slices.Insert(lines, 0, fmt.Sprintf("%.1f write units and %.1f read units a second, $%.3f an hour on demand (%s)", total.Writes,
			total.Reads, s.prices.Hour(total.Writes, total.Reads), plural.Count(len(of), "process", "processes")))
	}
	return lines
}

// rates are the looks of the last two minutes.
type rates []StatusAnswer

const ratesOver = 2 * time.Minute

// add adds a look, and forgets what is too old. One that is as old as ratesOver or older stays.
func (r *rates) add(a StatusAnswer) {
	*r = append(*r, a)
	for len(*r) > 2 && a.AskedAt.Sub((*r)[1].AskedAt) >= ratesOver {
		*r = (*r)[1:]
	}
}

// of returns how many records of a partition came a second, and how many were counted; "-": not known yet.
func (r rates) of(now laneStatus, at time.Time) (in, counted string) {
	in, counted = "-", "-"
	for _, look := range r {
		i := slices.IndexFunc(look.Checkpoints, func(v laneStatus) bool { return v.Partition == now.Partition && v.Lane == now.Lane })
		if i < 0 || look.Checkpoints[i].TopicID != now.TopicID {
			continue
		}
		then := look.Checkpoints[i]
		if passed := at.Sub(look.AskedAt).Seconds(); in == "-" && passed > 0 {
			in = fmt.Sprintf("%.1f", float64(now.LogEnd-then.LogEnd)/passed)
		}
		if then.FlushedAt == nil || now.FlushedAt == nil || now.Lane != checkpoint.LaneStats {
			continue
		}
		if passed := now.FlushedAt.Sub(*then.FlushedAt).Seconds(); passed > 0 {
			return in, fmt.Sprintf("%.1f", float64(now.Totals.Records()-then.Totals.Records())/passed)
		}
	}
	return in, counted
}

// list has a row for each lane, the greatest lag first.
func (r rates) list(a StatusAnswer) show.List {
	l := show.List{Headers: []string{"PARTITION", "LANE", "STATE", "IN/S", "COUNTED/S", "LAG", "AGE", "OPEN", "EPOCH", "OWNER"},
		Tones: stateTones}
	lanes := slices.Clone(a.Checkpoints)
	slices.SortStableFunc(lanes, func(x, y laneStatus) int { return cmp.Compare(y.Lag, x.Lag) })
	for _, v := range lanes {
		in, counted := r.of(v, a.AskedAt)
		open, age := v.ages()
		l.Rows = append(l.Rows, []string{fmt.Sprint(v.Partition), v.Lane, v.State, in, counted, fmt.Sprint(v.Lag), age, open,
			fmt.Sprint(v.Epoch), v.Owner})
	}
	return l
}
