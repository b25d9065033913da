package inspect

import (
	"fmt"
	"io"

	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

func printStatus(out io.Writer, layout show.Layout, a StatusAnswer, history bool) error {
	if len(a.Checkpoints) == 0 && a.Generations.Live == 1 && generationsText(a.Generations) == "" {
		_, err := fmt.Fprintf(out, "Topic %s: nothing of it is in this table yet.\n", a.Topic)
		return err
	}
	if err := show.WriteParagraph(out, layout, "", show.Neutral, fmt.Sprintf("%s\n", a.statusSummary)); err != nil {
		return err
	}
	if text := generationsText(a.Generations); text != "" {
		if err := show.WriteParagraph(out, layout, "", show.Neutral, text+"\n"); err != nil {
			return err
		}
	}
	if err := checkpointList(a).Write(out, layout); err != nil {
		return err
	}
	if history {
		if err := printTakeovers(out, layout, a.Takeovers); err != nil {
			return err
		}
	}
	out = show.PlainWriter(out)
	settings := make(map[string]string)
	for _, v := range a.Checkpoints {
		printStopped(out, v.ChainView, a.option())
		if history {
			printHistory(out, v.ChainView, settings)
		}
	}
	for i, problem := range a.Problems {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, "Problem:", problem)
	}
	return nil
}

// option is what commands need to act on the generation that is shown.
func (a StatusAnswer) option() string {
	if a.Generation == a.Generations.Live {
		return ""
	}
	return fmt.Sprintf(" --generation %d", a.Generation)
}

// generationsText says which generations of items there are beside the live one; "": none.
func generationsText(g connect.GenerationsAnswer) string {
	switch {
	case g.Flipped:
		return fmt.Sprintf("Generation %d of the items is live: making it so was cut short, run footfall rebuild again.", g.Live)
	case g.Dropping > 0:
		return fmt.Sprintf("Generation %d of the items is being deleted: unless footfall rebuild drop runs, run it again.", g.Dropping)
	case g.Building > 0:
		return fmt.Sprintf("Generation %d of the items is being rebuilt beside generation %d, which is live: see footfall rebuild status.",
			g.Building, g.Live)
	case g.Former > 0:
		return fmt.Sprintf("Generation %d of the items is live. Generation %d, which was live before, is kept until footfall rebuild drop.",
			g.Live, g.Former)
	}
	return ""
}

// checkpointList has a row for each lane of each partition.
func checkpointList(a StatusAnswer) show.List {
	l := show.List{
		Headers: []string{"PARTITION", "LANE", "STATE", "FLUSH", "POSITIONS", "OPEN", "LAG", "AGE", "RECORDS", "EPOCH", "GROUP", "OWNER"},
		Tones:   stateTones,
	}
	for _, v := range a.Checkpoints {
		records := "-"
		open, age := v.ages()
		if v.Lane == checkpoint.LaneStats {
			records = fmt.Sprint(v.Totals.Records())
		}
		l.Rows = append(l.Rows, []string{fmt.Sprint(v.Partition), v.Lane, v.State, fmt.Sprint(v.Step), fmt.Sprintf("[%d,%d)", v.From, v.To),
			open, fmt.Sprint(v.Lag), age, records, fmt.Sprint(v.Epoch), v.Group, v.Owner})
	}
	return l
}

// stateTones say how good a state is.
var stateTones = map[string]show.Tone{stateParked: show.Bad, stateGap: show.Bad, stateDeleted: show.Bad, stateNotStarted: show.Doubtful,
	stateComplete: show.Good}

// ages are for how long the lane's flush has been open, and how old its lag is; "-": it is not, and there is none.
func (v laneStatus) ages() (open, lag string) {
	open, lag = "-", "-"
	if s := v.OpenFlushSeconds; s != nil {
		open = seconds(*s)
	}
	if v.Lag > 0 && v.LagSeconds != nil {
		lag = seconds(*v.LagSeconds)
	}
	return open, lag
}

// printStopped says what holds a lane up, and how to continue it.
func printStopped(out io.Writer, v checkpoint.ChainView, option string) {
	if v.Held > 0 && v.Lane == checkpoint.LaneStats {
		by := "a producer that the brokers do not name"
		if tx := v.HeldBy; tx != nil {
			by = fmt.Sprintf("producer %d, epoch %d, transactional id %q", tx.ProducerID, tx.ProducerEpoch, tx.TransactionalID)
		}
		fmt.Fprintf(out, "\nPartition %d: an open transaction of %s holds up %s from offset %d on.\n", v.Partition, by,
			plural.Count(v.Held, "record", "records"), v.LogEnd-v.Held)
	}
	if k := v.Park; k != nil {
		commands, with := k.Commands(v.Partition), "with"
		if len(commands) > 1 {
			with = "with one of"
		}
		fmt.Fprintf(out, "\nPartition %d is parked since %s: %s\nRemove the cause, then continue the partition %s:\n", v.Partition, k.Since,
			k.String(), with)
		for _, command := range commands {
			fmt.Fprintf(out, "  %s%s\n", command, option)
		}
	}
	if v.Lost {
		fmt.Fprintf(out, "\nPartition %d, lane %s has a history up to flush %d and no checkpoint: it was deleted.\nRestore it from a backup, "+
			"then run `footfall partition resume %d%s`, or stop the members and run `footfall table resume-restored`.\n", v.Partition, v.Lane, v.History[len(v.History)-1].Step,
			v.Partition, option)
	}
	if g := v.Gap; g != nil {
		fmt.Fprintf(out, "\nPartition %d, lane %s has a data gap, found %s: %s.\nTo continue after the gap, without these records:\n"+
			"  footfall partition accept-gap %d --lane %s --flush %d%s\n", v.Partition, v.Lane, g.Found, g.String(), v.Partition, v.Lane, v.Step,
			option)
	}
}

// printHistory prints what held for a lane, and settings that were printed before by where, which shown has.
func printHistory(out io.Writer, v checkpoint.ChainView, shown map[string]string) {
	fmt.Fprintf(out, "\nHistory of partition %d, lane %s:\n", v.Partition, v.Lane)
	for _, h := range v.History {
		settings := h.Settings
		if where, ok := shown[settings]; ok {
			settings = "as of " + where
		} else {
			shown[settings] = fmt.Sprintf("partition %d, lane %s, flush %d", v.Partition, v.Lane, h.Step)
		}
		fmt.Fprintf(out, "  from flush %d, position %d: topic id %s, base %d, site settings revision %d, settings %s\n", h.Step, h.From,
			h.TopicID, h.Base, h.Revision, settings)
		if h.Gap != nil && h.Gap.Cause == checkpoint.GapMirrored {
			fmt.Fprintf(out, "    adopted %s: %s\n", h.Gap.Accepted, h.Gap.String())
		} else if h.Gap != nil {
			fmt.Fprintf(out, "    gap accepted %s: %s\n", h.Gap.Accepted, h.Gap.String())
		}
		if f := h.Forgot; f != nil {
			fmt.Fprintf(out, "    positions [%d,%d) were counted, and skipped later\n", f.From, f.To)
		}
	}
}
