package command

import (
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/footfall/footfall/internal/show"
)

// OutputFormats is the annotation of the flag --output: the formats it may name.
const OutputFormats = "footfall_formats"

// AddOutput adds the flag --output, which chooses among formats; the first is the default. prepare refuses others.
func AddOutput(cmd *cobra.Command, to *show.Format, formats ...show.Format) {
	var names []string
	for _, f := range formats {
		names = append(names, string(f))
	}
	cmd.Flags().StringVarP((*string)(to), "output", "o", names[0], Either(names))
	cobra.CheckErr(cmd.Flags().SetAnnotation("output", OutputFormats, names))
	Complete(cmd, "output", names...)
}

// Print prints an answer as JSON, or has table print it. NDJSON is for a show.Lister.
func (a *App) Print(output show.Format, answer any, table func(io.Writer) error) error {
	switch output {
	case show.JSON:
		return a.PrintJSON(answer)
	case show.NDJSON:
		return a.Paged(func(out io.Writer) error { return show.WriteLines(a.PlainIfTerminal(out), answer) })
	}
	return a.Paged(func(out io.Writer) error { return table(a.PlainIfTerminal(out)) })
}

// PrintList prints an answer as print does. list escapes by itself what a terminal obeys: it may have colours.
func (a *App) PrintList(output show.Format, answer any, list func(io.Writer, show.Layout) error) error {
	if output != show.Table {
		return a.Print(output, answer, nil)
	}
	return a.Paged(func(out io.Writer) error { return list(out, a.Layout(output)) })
}

// PrintJSON prints an answer as one document.
func (a *App) PrintJSON(answer any) error {
	return a.Paged(func(out io.Writer) error { return show.WriteJSON(a.PlainIfTerminal(out), answer) })
}

// Show prints an answer of package query. Tables escape by themselves what a terminal obeys, and are coloured.
func (a *App) Show(layout show.Layout, answer any) error {
	return a.Paged(func(out io.Writer) error {
		if layout.Format != show.Table {
			out = a.PlainIfTerminal(out)
		}
		return show.Print(out, a.Err, layout, answer)
	})
}

// PlainIfTerminal is a writer for what producers have sent: if the standard output is a terminal, characters that it obeys are escaped.
func (a *App) PlainIfTerminal(out io.Writer) io.Writer {
	if IsTerminal(a.Out) {
		return show.PlainWriter(out)
	}
	return out
}

// Layout is how tables are printed for the reader of the standard output: fitting a terminal, and coloured there unless NO_COLOR is set
// (https://no-color.org) or the terminal is dumb.
func (a *App) Layout(format show.Format) show.Layout {
	columns, _ := a.Size()
	terminal := columns > 0
	return show.Layout{Format: format, Width: columns, Bars: terminal,
		Color: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// PlainIfTerminal returns a writer that escapes what a terminal obeys, if w is one.
func PlainIfTerminal(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return show.PlainWriter(w)
	}
	return w
}

// SpellID makes an id fit for a terminal: sites name themselves, and must not move the cursor.
func SpellID(id string) string {
	q := strconv.QuoteToGraphic(id)
	return q[1 : len(q)-1]
}
