package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/rebuild"
)

func printComparison(out io.Writer, c rebuild.Comparison) error {
	_, err := fmt.Fprintf(out, "%s of %s compared: %d differ", plural.Count(c.Figures, "figure", "figures"),
		plural.Count(c.Sites, "site", "sites"), len(c.Differ))
	if err == nil && c.Moving > 0 {
		_, err = fmt.Fprintf(out, "; %d kept changing and were not compared: footfall verify compares them after the flip", c.Moving)
	}
	if err == nil && c.Uneven > 0 {
		_, err = fmt.Fprintf(out, "; %s compared in part, as their clocks change by a part of an hour",
			plural.Count(c.Uneven, "site is", "sites are"))
	}
	if err == nil {
		_, err = fmt.Fprintln(out, ".")
	}
	for _, d := range c.Differ {
		if err != nil {
			break
		}
		_, err = fmt.Fprintf(out, "  site %s, %s: %s; the first of %s: live %s, rebuilt %s\n", d.Site, d.Figure,
			d.First.Format("2006-01-02 15:04Z"), plural.Count(d.Buckets, "bucket", "buckets"), cmp.Or(d.Live, "nothing"),
			cmp.Or(d.Rebuilt, "nothing"))
	}
	return errors.Join(err, printRaw(out, c.Raw))
}

func printRebuilt(out io.Writer, r rebuild.Result) error {
	if err := printComparison(out, r.Comparison); err != nil {
		return err
	}
	end := fmt.Sprintf("Generation %d is not live, and is kept: footfall rebuild --flip continues it and makes it live, footfall rebuild "+
		"drop gives it up.", r.Generation)
	if r.Flipped {
		end = fmt.Sprintf("Generation %d is live. The former one is kept until footfall rebuild drop; footfall rebuild back makes it live again.",
			r.Generation)
	}
	_, err := fmt.Fprintln(out, end)
	return err
}

// printRaw says what came of records that the topic has lost.
func printRaw(out io.Writer, r *rebuild.RawPart) error {
	if r == nil {
		return nil
	}
	_, err := fmt.Fprintf(out, `Of what the topic has lost, raw events had %s. Without a raw event are about:
  %d that were counted: erased, purged, of before the first date, or sent more than once
  %d duplicates
  %d rejected
  %d others, such as markers of transactions
`, plural.Count(r.Read, "record", "records"), r.Counted, r.Duplicate, r.Rejected, r.Other)
	return err
}
