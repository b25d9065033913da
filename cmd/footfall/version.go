package main

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the Go release",
		Long: `Print the module version, the commit and its date if the binary was built in a checkout, and the Go release. footfall --version prints
the same.`,
		Example: `  footfall version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "footfall %s\n", version())
			return err
		},
	}
}

// registerBuild shows which build runs, and under which fold version it counts.
func registerBuild(registry prometheus.Registerer) {
	commit, release := "unknown", "unknown"
	number := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		number, release = info.Main.Version, info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	promauto.With(registry).NewGauge(prometheus.GaugeOpts{Namespace: "footfall", Name: "build_info",
		Help: "1, with the version, the commit, the Go release and the fold version, which names the rules that make numbers of records.",
		ConstLabels: prometheus.Labels{"version": number, "commit": commit, "goversion": release,
			"foldversion": strconv.Itoa(checkpoint.FoldVersion)}}).Set(1)
}

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
	if text == "(devel)" {
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
