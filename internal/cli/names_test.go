package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/analyze"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/inspect"
	"github.com/footfall/footfall/internal/cli/queries"
	"github.com/footfall/footfall/internal/cli/records"
	"github.com/footfall/footfall/internal/cli/tables"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/query"
)

// TestNamesAreThoseCommitted holds every name that users write or read against one list, so that a change of one is seen in
// review: commands with their flags, keys with their variables, metrics with their labels, fields of JSON.
func TestNamesAreThoseCommitted(t *testing.T) {
	var b strings.Builder
	fmt.Fprintln(&b, "Commands and their own flags. Every command also has --help and the flags of footfall.")
	eachCommand(wholeCommand(), func(cmd *cobra.Command) {
		fmt.Fprintf(&b, "\n%s\n", cmd.UseLine())
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if _, configured := f.Annotations[command.FlagPath]; !f.Hidden && f.Name != "help" && (!configured || cmd.Parent() == nil) {
				fmt.Fprintf(&b, "  --%s %s\n", f.Name, f.Value.Type())
			}
		})
	})
	fmt.Fprintln(&b, "\nConfiguration: key, environment variable, flag.")
	for _, f := range config.Fields() {
		flag := "-"
		if f.Flag != "" {
			flag = "--" + f.Flag
		}
		fmt.Fprintf(&b, "  %s %s %s\n", f.Path, f.Env, flag)
	}
	fmt.Fprintln(&b, "\nMetrics and their labels.")
	for _, line := range metricNames(t) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintln(&b, "\nFields of JSON.")
	for _, x := range []struct {
		of     string
		answer any
	}{
		{"analyze", analyze.Answer{}}, {"query sites", query.SitesFiguresAnswer{}}, {"site list", query.SitesAnswer{}},
		{"query site", queries.SiteAndCost{}}, {"site show", query.SiteAnswer{}},
		{"query stats", query.StatsAnswer{}}, {"query stats --where", query.FilteredStatsAnswer{}},
		{"query uniques --where", query.FilteredUniquesAnswer{}}, {"query top --where", query.FilteredTopAnswer{}},
		{"query paths", query.PathsAnswer{}},
		{"query goals --where", query.FilteredGoalsAnswer{}},
		{"query uniques", query.UniquesAnswer{}}, {"query top", query.TopAnswer{}}, {"query realtime", query.RealtimeAnswer{}},
		{"query sessions", query.SessionsAnswer{}}, {"query session", query.SessionAnswer{}}, {"query events", query.EventsAnswer{}},
		{"query goals", query.GoalStatsAnswer{}}, {"query conversions", query.ConversionsAnswer{}}, {"query explain", schema.Explanation{}},
		{"goal list", query.GoalsAnswer{}}, {"goal show", query.GoalAnswer{}}, {"funnel list", query.FunnelsAnswer{}},
		{"funnel show", query.FunnelAnswer{}}, {"funnel report", query.FunnelReportAnswer{}},
		{"query verified", query.VerifiedAnswer{}}, {"query retention", query.RetentionAnswer{}}, {"query alerts", query.AlertsAnswer{}},
		{"annotate list", query.AnnotationsAnswer{}},
		{"annotate create", query.AnnotationAnswer{}}, {"segment list", segments.SegmentsAnswer{}},
		{"segment show", segments.SegmentAnswer{}}, {"verify", verify.Report{}}, {"status", inspect.StatusAnswer{}},
		{"doctor", doctor.Report{}}, {"rebuild status", connect.GenerationsAnswer{}},
		{"erase visitor, erase user", erase.Report{}}, {"erase list", []erase.Listed{}},
		{"failed list", records.FailedList{}}, {"failed show", records.FailedJSON{}}, {"failed replay", replay.Summary{}},
		{"produce", produce.Summary{}},
		{"produce --dry-run", produce.Forecast{}},
		{"plan", capacity.Plan{}}, {"cost", capacity.CostReport{}}, {"table hot-keys", capacity.HotReport{}},
		{"table describe", tables.DescribedTable{}},
		{"table update", tables.AlteredTable{}}, {"/debug/hot-keys", capacity.Hot{}}, {"/cost", capacity.Spent{}},
	} {
		fmt.Fprintf(&b, "\n%s\n", x.of)
		for _, name := range clitest.JSONFields(reflect.TypeOf(x.answer), "", nil) {
			fmt.Fprintf(&b, "  %s\n", name)
		}
	}
	golden.Check(t, "testdata/names.txt", b.String())
}

// wholeCommand is the command line as it is executed.
func wholeCommand() *cobra.Command {
	a := &command.App{}
	root := newRootCommand(a)
	prepare(a, root, new(bool))
	return root
}

// eachCommand calls f for a command and all below it, in the order of help.
func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, f)
	}
}

func metricNames(t *testing.T) (names []string) {
	all, err := allMetrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if labels := strings.ReplaceAll(strings.ReplaceAll(m.labels, "`", ""), ", ", ","); labels != "" {
			m.name += "{" + labels + "}"
		}
		names = append(names, m.name)
	}
	return names
}
