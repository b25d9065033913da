package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/show"
)

func newConfigTryCommand(a *command.App) *cobra.Command {
	var kcat, coded bool
	var limit int
	var output show.Format
	cmd := &cobra.Command{
		Use:   "try FILE",
		Short: "Show what the configuration makes of sample records",
		Long: `Show field by field how footfall run would map sample records, by event.* of the configuration, and why one is rejected. FILE has one
record value per line; FILE - is standard input. With --kcat its lines are the output of kcat -J: records with key, headers and timestamp.
A record without a timestamp gets that of its event. The command connects to nothing but the schema registry, if there is one, so it does
not know which sites are registered. Exit code 1: a record is rejected.`,
		Example: "  kcat -C -b localhost:9092 -t tracking -o -20 -e -J |\n    footfall config try --kcat --event-preset segment --event-set " +
			"siteId=shop.example -\n" +
			"  footfall config try --config footfall.yaml sample.ndjson",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			if limit < 0 {
				return command.Usagef("--limit %d: write 0 or more", limit)
			}
			trial, err := engine.NewTrial(c)
			if err != nil {
				return err
			}
			in := a.In
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			s, err := tryRecords(cmd.Context(), trial, samples{in, kcat, coded}, limit)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			err = a.Print(output, s, func(out io.Writer) error { return s.write(out, a.Layout(output), engine.Sources(c)) })
			if err == nil && s.Records == 0 {
				err = fmt.Errorf("%s has no record", args[0])
			}
			if err == nil && s.Rejected > 0 {
				err = fmt.Errorf("%d of %s rejected", s.Rejected, plural.Count(s.Records, "record is", "records are"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&kcat, "kcat", false, "lines are the output of kcat -J")
	cmd.Flags().BoolVar(&coded, "base64", false, "values are in base64, as values with schemas must be")
	cmd.Flags().IntVar(&limit, "limit", 10, "records to print")
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

// sample is what becomes of sample records.
type sample struct {
	Records  int            `json:"records"`
	Rejected int            `json:"rejected"`
	First    []engine.Tried `json:"first"` // --limit of them
}

// samples are lines with a record each.
type samples struct {
	in     io.Reader
	kcat   bool // a line is the output of kcat -J
	base64 bool // values are in base64
}

// record reads a line.
func (s samples) record(line []byte) (r *kgo.Record, err error) {
	r = &kgo.Record{Value: line}
	if s.kcat {
		r, err = engine.Envelope(line)
	}
	if err == nil && s.base64 {
		if r.Value, err = base64.StdEncoding.AppendDecode(nil, r.Value); err != nil {
			err = fmt.Errorf("--base64: the value is not in base64: encode it, or leave the flag out: %w", err)
		}
	}
	return r, err
}

// tryRecords tries each line, and keeps the first.
func tryRecords(ctx context.Context, trial *engine.Trial, from samples, limit int) (s sample, err error) {
	lines := bufio.NewReader(from.in)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err == io.EOF {
			return s, nil
		}
		if err != nil && err != io.EOF {
			return s, err
		}
		r, err := from.record(bytes.TrimRight(line, "\r\n"))
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n, err)
		}
		tried, err := trial.Try(ctx, n, r)
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n, err)
		}
		if s.Records++; tried.Reason != "" {
			s.Rejected++
			if _, coded := base64.StdEncoding.DecodeString(string(r.Value)); coded == nil && len(r.Value) > 0 && !from.base64 {
				tried.Detail += ": values in base64 need --base64"
			}
		}
		if len(s.First) < limit {
			s.First = append(s.First, tried)
		}
	}
}

// write prints a list for each record.
func (s sample) write(out io.Writer, layout show.Layout, from map[string]string) error {
	for _, t := range s.First {
		fate := "counted"
		if t.Reason != "" {
			fate = strings.TrimSuffix("rejected, "+string(t.Reason)+": "+t.Detail, ": ")
		}
		if len(t.Notes) > 0 {
			fate += " (" + strings.Join(t.Notes, ", ") + ")"
		}
		fmt.Fprintf(out, "Record %d: %s\n", t.Record, show.Plain(fate))
		if t.Reason != "" && t.Value != nil {
			fmt.Fprintf(out, "Its value: %s\n", show.Plain(string(t.Value)))
		}
		list := show.List{Headers: []string{"FIELD", "VALUE", "FROM"}, Keep: "VALUE"}
		var r eventjson.Reader
		members, _ := r.Object(nil, t.Event)
		made := make(map[string]bool)
		for _, m := range members {
			made[m.Name] = true
			list.Rows = append(list.Rows, []string{m.Name, cellOf(m), from[m.Name]})
		}
		for _, name := range slices.Sorted(maps.Keys(from)) { // A name that is misspelled gives no value, and no fault.
			if len(members) > 0 && !made[name] && !strings.HasPrefix(name, "properties.") {
				list.Rows = append(list.Rows, []string{name, "(none)", from[name]})
			}
		}
		if len(list.Rows) > 0 {
			if err := list.Write(out, layout); err != nil {
				return err
			}
		}
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintf(out, "%s, %d counted.\n", plural.Count(s.Records, "record", "records"), s.Records-s.Rejected)
	return err
}

// cellOf is a value for people: a text without its quotes.
func cellOf(m eventjson.Member) string {
	if text, ok := eventjson.Unquote(m.Value); ok {
		return text
	}
	var short bytes.Buffer
	if json.Compact(&short, m.Value) != nil {
		return string(m.Value)
	}
	return short.String()
}
