package main

import (
	"encoding/json"
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

// print prints an answer as JSON, or has table print it.
func (a *app) print(output show.Format, answer any, table func(io.Writer) error) error {
	if output == show.JSON {
		return a.printJSON(answer)
	}
	return table(a.plainIfTerminal())
}

// printJSON prints an answer as one document.
func (a *app) printJSON(answer any) error {
	e := json.NewEncoder(a.plainIfTerminal())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(answer)
}

// show prints an answer of package query.
func (a *app) show(layout show.Layout, answer any) error {
	return show.Print(a.plainIfTerminal(), a.err, layout, answer)
}

// width is how many columns the terminal has that the answer is printed on; 0: it is not printed on one.
func (a *app) width() int {
	f, ok := a.out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0 // It is no terminal.
	}
	return width
}
