package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/show"
)

// widestHelp is the widest that help is printed, in columns: longer lines are hard to read.
const widestHelp = 140

// help prints what a command does, and how it is used, in lines that fit the terminal.
func help(a *command.App, cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	columns, _ := a.Size()
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", strings.TrimRight(show.Reflow(about, min(columns, widestHelp)), " \n"))
	cobra.CheckErr(usage(a, cmd))
}

// helpOf prints the help of the command that is named.
func helpOf(root *cobra.Command, names []string) error {
	found, rest, err := root.Find(names)
	if err != nil || len(rest) > 0 {
		return command.Usagef("unknown command %q: footfall help lists all commands", strings.Join(names, " "))
	}
	return found.Help()
}

// commandsOf lists the commands of a group below cmd.
func commandsOf(cmd *cobra.Command, group string) string {
	var b strings.Builder
	width := cmd.NamePadding()
	for _, c := range cmd.Commands() {
		width = max(width, len(c.Name()))
	}
	for _, c := range cmd.Commands() {
		if c.GroupID == group && (c.IsAvailableCommand() || c.Name() == "help") {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name(), c.Short)
		}
	}
	return b.String()
}

// usage prints how a command is used: its own flags first, then those of every command. The flags of the whole configuration take
// one line, since they are the same everywhere they exist.
func usage(a *command.App, cmd *cobra.Command) error {
	columns, _ := a.Size()
	columns = min(columns, widestHelp)
	var b strings.Builder
	section := func(title, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", title, text)
		}
	}
	var uses string
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		uses = "  " + cmd.UseLine()
	} else {
		uses = "  " + cmd.CommandPath() + " COMMAND"
	}
	section("Usage", uses)
	section("Examples", cmd.Example)
	for _, g := range cmd.Groups() {
		section(g.Title, commandsOf(cmd, g.ID))
	}
	rest := "Commands"
	if len(cmd.Groups()) > 0 {
		rest = "Other commands"
	}
	section(rest, commandsOf(cmd, ""))
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = cmd.LocalFlags().SortFlags
	configured := false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, all := f.Annotations[command.AllFields]; all {
			configured = true
		} else {
			own.AddFlag(f)
		}
	})
	section("Flags", own.FlagUsagesWrapped(columns))
	section("Flags of every command", cmd.InheritedFlags().FlagUsagesWrapped(columns))
	if configured {
		section("Flags of the configuration",
			`  Most keys are also flags, as in --intervals-stats 60s for intervals.stats. "footfall docs configuration" lists them.`)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s COMMAND --help\" describes a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStdout(), strings.TrimPrefix(b.String(), "\n"))
	return err
}
