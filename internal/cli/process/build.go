package process

import (
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// RegisterBuild shows which build runs, and under which fold version it counts.
func RegisterBuild(registry prometheus.Registerer) {
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
