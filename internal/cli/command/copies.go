package command

import "github.com/spf13/cobra"

const copiesAnnotation = "footfall_copies"

// OnCopies has a command work on a copy of a table, which others refuse. It warns of it, unless it is the one that makes the copy usable.
func OnCopies(cmd *cobra.Command, warns bool) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[copiesAnnotation] = "quiet"
	if warns {
		cmd.Annotations[copiesAnnotation] = "warns"
	}
	return cmd
}

// WorksOnCopies reports whether a command works on a copy of a table, and whether it warns of it.
func WorksOnCopies(cmd *cobra.Command) (works, warns bool) {
	how := cmd.Annotations[copiesAnnotation]
	return how != "", how == "warns"
}
