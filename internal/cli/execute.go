package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/show"
)

// Execute runs a command line and returns the exit code: 0, 1 for an error, 2 for wrong usage, or what an
// command.ExitError says. The error is on a.Err by then.
func Execute(ctx context.Context, a *command.App, args []string) int {
	root := newRootCommand(a)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	running := false
	prepare(a, root, &running)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	code := 1
	if e, ok := errors.AsType[*command.ExitError](err); ok {
		code = e.Code
	} else if !running {
		code = command.CodeUsage // Cobra's own: an unknown command or flag, a wrong number of arguments.
	}
	if err.Error() != "" {
		columns, _ := command.SizeOf(a.Err)
		cobra.CheckErr(show.WriteParagraph(a.Err, show.Layout{Width: columns}, "", show.Neutral, "footfall: "+err.Error()))
	}
	if code == command.CodeUsage {
		fmt.Fprintf(a.Err, "See '%s --help'.\n", cmd.CommandPath())
	}
	return code
}

// prepare makes running true when a subcommand begins, and has its flags checked: errors from there on are not about the command line.
// Commands that only hold others refuse unknown ones.
func prepare(a *command.App, cmd *cobra.Command, running *bool) {
	if cmd.Args != nil {
		cmd.Args = namingArgs(cmd.Args)
	}
	if run := cmd.RunE; run != nil {
		addJSONFlag(cmd)
		completeNames(a, cmd)
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*running = true
			if err := errors.Join(refuseEmpty(cmd.Flags()), refuseTogether(cmd.Flags()), readJSONFlag(cmd.Flags())); err != nil {
				return err
			}
			if err := checkOutput(cmd.Flags()); err != nil {
				return err
			}
			return run(cmd, args)
		}
	} else if cmd.HasSubCommands() {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if asked, err := cmd.Flags().GetBool("version"); err == nil && asked { // Of the root command, which alone has the flag.
				return printVersion(a.Out)
			}
			if len(args) == 0 {
				return cmd.Help()
			}
			return command.Usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), suggestion(cmd, args[0]))
		}
	}
	for _, c := range cmd.Commands() {
		prepare(a, c, running)
	}
}

func suggestion(cmd *cobra.Command, wrong string) string {
	cmd.SuggestionsMinimumDistance = 2 // edits
	near := slices.DeleteFunc(cmd.SuggestionsFor(wrong), func(name string) bool {
		return len(wrong) <= 3 && name[0] != wrong[0] // Two edits of three letters make another word: foo is not top.
	})
	if len(near) > 0 {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// refuseEmpty refuses flags that are set to nothing: a shell makes that of a variable that is not set, and all sites would be
// taken where one was meant. Those that set a field of the configuration are its own to judge.
func refuseEmpty(f *pflag.FlagSet) error {
	var empty []string
	f.Visit(func(flag *pflag.Flag) {
		text := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			text = strings.Join(list.GetSlice(), "")
		}
		_, configured := flag.Annotations[command.FlagPath]
		if _, may := flag.Annotations[command.EmptyFlag]; text == "" && !may && !configured {
			empty = append(empty, "--"+flag.Name)
		}
	})
	if empty == nil {
		return nil
	}
	return command.Usagef("%s: empty, perhaps from an unset shell variable: give a value, or leave the flag out", strings.Join(empty, ", "))
}

func refuseTogether(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		for _, group := range flag.Annotations[command.TogetherFlag] {
			var given []string
			for name := range strings.FieldsSeq(group) {
				if f.Changed(name) {
					given = append(given, "--"+name)
				}
			}
			if err == nil && len(given) > 1 {
				err = command.Usagef("%s: choose one", strings.Join(given, " and "))
			}
		}
	})
	return err
}

// readJSONFlag sets --output where --json is given.
func readJSONFlag(f *pflag.FlagSet) error {
	if given, err := f.GetBool("json"); err != nil || !given {
		return nil
	}
	if output := f.Lookup("output"); output.Changed && output.Value.String() != "json" {
		return command.Usagef("--json and --output %s: choose one", output.Value)
	}
	return f.Set("output", "json")
}

// addJSONFlag adds --json, which is short for --output json, to a command that prints JSON.
func addJSONFlag(cmd *cobra.Command) {
	if f := cmd.Flags().Lookup("output"); f != nil && slices.Contains(f.Annotations[command.OutputFormats], string(show.JSON)) {
		cmd.Flags().Bool("json", false, "same as --output json")
	}
}

// checkOutput refuses a format that the command does not print.
func checkOutput(f *pflag.FlagSet) error {
	output := f.Lookup("output")
	if output == nil || output.Annotations[command.OutputFormats] == nil {
		return nil
	}
	if names := output.Annotations[command.OutputFormats]; !slices.Contains(names, output.Value.String()) {
		return command.Usagef("--output %q: choose %s", output.Value, command.Either(names))
	}
	return nil
}
