package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// EmptyFlag is the annotation of a flag that may be set to nothing.
const EmptyFlag = "footfall_empty"

// MayBeEmpty says of flags that nothing is a value of theirs.
func MayBeEmpty(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		cobra.CheckErr(f.SetAnnotation(name, EmptyFlag, []string{"true"}))
	}
}

// TogetherFlag is the annotation of flags that exclude each other: their names.
const TogetherFlag = "footfall_together"

// Exclude has a command refuse two of the flags together.
func Exclude(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = make(map[string][]string)
		}
		f.Annotations[TogetherFlag] = append(f.Annotations[TogetherFlag], strings.Join(names, " "))
	}
}

// Complete has shells complete the values of a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// Given returns where the value of a flag is, nil where the flag was not set.
func Given[T any](f *pflag.FlagSet, flag string, value *T) *T {
	if !f.Changed(flag) {
		return nil
	}
	return value
}

// Either spells a choice: a, b or c.
func Either(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
