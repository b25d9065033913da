package cli

import (
	"errors"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
)

// namingArgs has a command name the arguments that it takes, where Cobra's own check would only count them.
func namingArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if _, ours := errors.AsType[*command.ExitError](err); err == nil || ours {
			return err
		}
		usage := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) == 0:
			return command.Usagef("an argument is missing: write %s", usage)
		case usage == cmd.CommandPath():
			return command.Usagef("unexpected argument %q: %s takes flags only", args[0], usage)
		}
		return command.Usagef("wrong number of arguments, %d: write %s", len(args), usage)
	}
}

// flagError adds the remedy to an error of a flag.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return command.Usagef("%w%s", err, flagHint(cmd, unknown.GetSpecifiedName()))
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	var remedy string
	switch f := wrong.GetFlag(); f.Value.Type() {
	case "duration":
		remedy = "not a duration: write one as in 500ms, 30m or 48h"
	case "int", "int32", "int64", "uint64":
		remedy = "not a whole number"
	case "float64":
		remedy = "not a number"
	case "bool":
		remedy = "choose true or false"
	default:
		return err
	}
	return command.Usagef("--%s %q: %s", wrong.GetFlag().Name, wrong.GetValue(), remedy)
}

// flagHint names the flag that was probably meant: the one of the key that the wrong name spells, or one that differs in a letter or two.
func flagHint(cmd *cobra.Command, wrong string) (hint string) {
	plain := strings.NewReplacer("-", "", ".", "", "_", "")
	for _, field := range command.ConfigFields() {
		if field.Flag != "" && cmd.Flag(field.Flag) != nil && strings.EqualFold(plain.Replace(field.Path), plain.Replace(wrong)) {
			return ": did you mean --" + field.Flag + "?"
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if hint == "" && !f.Hidden && levenshtein.ComputeDistance(f.Name, wrong) <= min(2, len(wrong)/3) {
			hint = ": did you mean --" + f.Name + "?"
		}
	})
	return hint
}
