package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
)

func newVersionCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go release",
		Long: `Print the module version, the commit and its date if the binary was built in a checkout, and the Go release. footfall --version prints
the same.`,
		Example: `  footfall version`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return printVersion(a.Out) },
	}
}

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "footfall %s\n", version())
	return err
}

// imageVersion and imageRevision are set by the linker when an image is built, in which there is no checkout.
var imageVersion, imageRevision string

// version is what the Go command has recorded in the binary: the module's version, the commit with its date, where the binary
// was built in a checkout, and the release of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	set := make(map[string]string)
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	text := info.Main.Version
	switch {
	case imageVersion != "":
		text = imageVersion
		if imageRevision != "" {
			text += ", commit " + imageRevision[:min(12, len(imageRevision))]
		}
	case text == "(devel)":
		text = "of no known version (built with -buildvcs=false, or outside a checkout)"
	}
	if commit := set["vcs.revision"]; commit != "" {
		text += ", commit " + commit[:min(12, len(commit))] + " of " + set["vcs.time"]
		if set["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return text + ", " + info.GoVersion
}
