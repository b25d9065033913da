package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/schema"
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
			if _, configured := f.Annotations[flagPath]; !f.Hidden && f.Name != "help" && (!configured || cmd.Parent() == nil) {
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
		{"analyze", analysisAnswer{}}, {"query sites", query.SitesFiguresAnswer{}}, {"site list", query.SitesAnswer{}},
		{"query site", siteAndCost{}}, {"site show", query.SiteAnswer{}},
		{"query stats", query.StatsAnswer{}}, {"query stats --where", query.FilteredStatsAnswer{}},
		{"query uniques --where", query.FilteredUniquesAnswer{}}, {"query top --where", query.FilteredTopAnswer{}},
		{"query goals --where", query.FilteredGoalsAnswer{}},
		{"query uniques", query.UniquesAnswer{}}, {"query top", query.TopAnswer{}}, {"query realtime", query.RealtimeAnswer{}},
		{"query sessions", query.SessionsAnswer{}}, {"query session", query.SessionAnswer{}}, {"query events", query.EventsAnswer{}},
		{"query goals", query.GoalStatsAnswer{}}, {"query conversions", query.ConversionsAnswer{}}, {"query explain", schema.Explanation{}},
		{"goal list", query.GoalsAnswer{}}, {"goal show", query.GoalAnswer{}}, {"funnel list", query.FunnelsAnswer{}},
		{"funnel show", query.FunnelAnswer{}}, {"funnel report", query.FunnelReportAnswer{}},
		{"query verified", query.VerifiedAnswer{}}, {"annotate list", query.AnnotationsAnswer{}},
		{"annotate create", query.AnnotationAnswer{}}, {"verify", verify.Report{}}, {"status", statusAnswer{}}, {"doctor", doctor.Report{}},
		{"erase visitor, erase user", erase.Report{}}, {"erase list", []erase.Listed{}},
		{"failed list", failedList{}}, {"failed show", failedJSON{}}, {"failed replay", replay.Summary{}}, {"produce", produce.Summary{}},
		{"produce --dry-run", produce.Forecast{}},
		{"plan", capacity.Plan{}}, {"cost", capacity.CostReport{}}, {"table hot-keys", capacity.HotReport{}},
		{"table describe", describedTable{}},
		{"table update", alteredTable{}}, {"/debug/hot-keys", capacity.Hot{}}, {"/cost", capacity.Spent{}},
	} {
		fmt.Fprintf(&b, "\n%s\n", x.of)
		for _, name := range jsonFields(reflect.TypeOf(x.answer), "", nil) {
			fmt.Fprintf(&b, "  %s\n", name)
		}
	}
	golden.Check(t, "testdata/names.txt", b.String())
}

// wholeCommand is the command line as it is executed.
func wholeCommand() *cobra.Command {
	a := &app{}
	root := newRootCommand(a)
	a.prepare(root)
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

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// jsonFields lists the fields of a type as JSON has them: a.b is b in a, a[] an element of a list, a{} a value of an object with
// free keys. A type within itself is listed once.
func jsonFields(t reflect.Type, prefix string, within []reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return jsonFields(t.Elem(), prefix, within)
	case t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || slices.Contains(within, t):
		return []string{prefix}
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return jsonFields(t.Elem(), prefix+"[]", within)
	case t.Kind() == reflect.Map:
		return jsonFields(t.Elem(), prefix+"{}", within)
	case t.Kind() != reflect.Struct:
		return []string{prefix}
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			names = append(names, jsonFields(f.Type, prefix, append(within, t))...)
		default:
			if name == "" {
				name = f.Name // Without a tag: seen in the list, and worth one.
			}
			if prefix != "" {
				name = prefix + "." + name
			}
			names = append(names, jsonFields(f.Type, name, append(within, t))...)
		}
	}
	return slices.Compact(names)
}
