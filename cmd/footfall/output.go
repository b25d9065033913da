package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/footfall/footfall/internal/show"
)

// outputFormats is the annotation of the flag --output: the formats it may name.
const outputFormats = "footfall_formats"

// addOutput adds the flag --output, which chooses among formats; the first is the default. prepare refuses others.
func addOutput(cmd *cobra.Command, to *show.Format, formats ...show.Format) {
	var names []string
	for _, f := range formats {
		names = append(names, string(f))
	}
	cmd.Flags().StringVarP((*string)(to), "output", "o", names[0], either(names))
	cobra.CheckErr(cmd.Flags().SetAnnotation("output", outputFormats, names))
	complete(cmd, "output", names...)
}

// either spells a choice: a, b or c.
func either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// checkOutput refuses a format that the command does not print.
func checkOutput(f *pflag.FlagSet) error {
	output := f.Lookup("output")
	if output == nil || output.Annotations[outputFormats] == nil {
		return nil
	}
	if names := output.Annotations[outputFormats]; !slices.Contains(names, output.Value.String()) {
		return usagef("--output %q: choose %s", output.Value, either(names))
	}
	return nil
}

// print prints an answer as JSON, or has table print it. NDJSON is for a show.Lister.
func (a *app) print(output show.Format, answer any, table func(io.Writer) error) error {
	switch output {
	case show.JSON:
		return a.printJSON(answer)
	case show.NDJSON:
		return a.paged(func(out io.Writer) error { return show.WriteLines(a.plainIfTerminal(out), answer) })
	}
	return a.paged(func(out io.Writer) error { return table(a.plainIfTerminal(out)) })
}

// printList prints an answer as print does. list escapes by itself what a terminal obeys: it may have colours.
func (a *app) printList(output show.Format, answer any, list func(io.Writer, show.Layout) error) error {
	if output != show.Table {
		return a.print(output, answer, nil)
	}
	return a.paged(func(out io.Writer) error { return list(out, a.layout(output)) })
}

// printJSON prints an answer as one document.
func (a *app) printJSON(answer any) error {
	return a.paged(func(out io.Writer) error { return show.WriteJSON(a.plainIfTerminal(out), answer) })
}

// show prints an answer of package query. Tables escape by themselves what a terminal obeys, and are coloured.
func (a *app) show(layout show.Layout, answer any) error {
	return a.paged(func(out io.Writer) error {
		if layout.Format != show.Table {
			out = a.plainIfTerminal(out)
		}
		return show.Print(out, a.err, layout, answer)
	})
}

// plainIfTerminal is a writer for what producers have sent: if the standard output is a terminal, characters that it obeys are escaped.
func (a *app) plainIfTerminal(out io.Writer) io.Writer {
	if isTerminal(a.out) {
		return show.PlainWriter(out)
	}
	return out
}

// size is how many columns and lines the terminal has that the answer is printed on; 0: it is not printed on one.
func (a *app) size() (columns, lines int) { return sizeOf(a.out) }

// sizeOf is how many columns and lines the terminal has that a stream goes to; 0: it goes to none.
func sizeOf(stream any) (columns, lines int) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, 0
	}
	columns, lines, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0 // It is no terminal.
	}
	return columns, lines
}

// layout is how tables are printed for the reader of the standard output: fitting a terminal, and coloured there unless NO_COLOR is set
// (https://no-color.org) or the terminal is dumb.
func (a *app) layout(format show.Format) show.Layout {
	columns, _ := a.size()
	terminal := columns > 0
	return show.Layout{Format: format, Width: columns, Bars: terminal,
		Color: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func plainIfTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return show.PlainWriter(w)
	}
	return w
}
