package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

func printStatus(out io.Writer, a statusAnswer, history bool) error {
	if len(a.Checkpoints) == 0 {
		_, err := fmt.Fprintf(out, "Topic %s: nothing of it is in this table yet.\n", a.Topic)
		return err
	}
	fmt.Fprintf(out, "%s\n\n", a.statusSummary)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tLANE\tSTATE\tFLUSH\tPOSITIONS\tOPEN\tLAG\tAGE\tRECORDS\tEPOCH\tGROUP\tOWNER")
	for _, v := range a.Checkpoints {
		records, open, age := "-", "-", "-"
		if s := v.OpenFlushSeconds; s != nil {
			open = seconds(*s)
		}
		if v.Lag > 0 && v.LagSeconds != nil {
			age = seconds(*v.LagSeconds)
		}
		if v.Lane == checkpoint.LaneStats {
			records = fmt.Sprint(v.Totals.Records())
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t[%d,%d)\t%s\t%d\t%s\t%s\t%d\t%s\t%s\n", v.Partition, v.Lane, v.State, v.Step, v.From, v.To, open,
			v.Lag, age, records, v.Epoch, v.Group, v.Owner)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, v := range a.Checkpoints {
		printStopped(out, v.ChainView)
		if history {
			printHistory(out, v.ChainView)
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

// printStopped says what holds a lane up, and how to continue it.
func printStopped(out io.Writer, v checkpoint.ChainView) {
	if v.Held > 0 && v.Lane == checkpoint.LaneStats {
		by := "a producer that the brokers do not name"
		if tx := v.HeldBy; tx != nil {
			by = fmt.Sprintf("producer %d, epoch %d, transactional id %q", tx.ProducerID, tx.ProducerEpoch, tx.TransactionalID)
		}
		fmt.Fprintf(out, "\nPartition %d: an open transaction of %s holds up %d records from offset %d on.\n", v.Partition, by, v.Held,
			v.LogEnd-v.Held)
	}
	if k := v.Park; k != nil {
		commands, with := k.Commands(v.Partition), "with"
		if len(commands) > 1 {
			with = "with one of"
		}
		fmt.Fprintf(out, "\nPartition %d is parked since %s: %s\nRemove the cause, then continue the partition %s:\n", v.Partition, k.Since,
			k.String(), with)
		for _, command := range commands {
			fmt.Fprintf(out, "  %s\n", command)
		}
	}
	if v.Lost {
		fmt.Fprintf(out, "\nPartition %d, lane %s has a history up to flush %d and no checkpoint: it was deleted.\nRestore it from a backup, "+
			"then run `footfall partition resume %d`, or start over with an empty table.\n", v.Partition, v.Lane, v.History[len(v.History)-1].Step,
			v.Partition)
	}
	if g := v.Gap; g != nil {
		fmt.Fprintf(out, "\nPartition %d, lane %s has a data gap, found %s: %s.\nTo continue after the gap, without these records:\n"+
			"  footfall partition accept-gap %d --lane %s --flush %d\n", v.Partition, v.Lane, g.Found, g.String(), v.Partition, v.Lane, v.Step)
	}
}

func printHistory(out io.Writer, v checkpoint.ChainView) {
	fmt.Fprintf(out, "\nHistory of partition %d, lane %s:\n", v.Partition, v.Lane)
	for _, h := range v.History {
		fmt.Fprintf(out, "  from flush %d, position %d: topic id %s, base %d, site settings revision %d, settings %s\n", h.Step, h.From,
			h.TopicID, h.Base, h.Revision, h.Settings)
		if h.Gap != nil {
			fmt.Fprintf(out, "    gap accepted %s: %s\n", h.Gap.Accepted, h.Gap.String())
		}
		if f := h.Forgot; f != nil {
			fmt.Fprintf(out, "    positions [%d,%d) were counted, and skipped later\n", f.From, f.To)
		}
	}
}

func stateOf(v checkpoint.ChainView) string {
	switch {
	case v.Park != nil:
		return "parked"
	case v.Gap != nil:
		return "gap"
	case v.Lost:
		return "deleted"
	case v.Step == 0:
		return "not started"
	case v.Done:
		return "complete"
	}
	return "flushing"
}
