// Package cli is the whole command line of footfall: it joins the commands, checks flags, and has help, completion and the generated
// documents. The commands are in the packages below.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/analyze"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/inspect"
	"github.com/footfall/footfall/internal/cli/manage"
	"github.com/footfall/footfall/internal/cli/queries"
	"github.com/footfall/footfall/internal/cli/records"
	"github.com/footfall/footfall/internal/cli/run"
	"github.com/footfall/footfall/internal/cli/serving"
	"github.com/footfall/footfall/internal/cli/tables"
)

// Main is the program: it runs the command line of the process and ends it with the exit code.
func Main() {
	restrictFiles()
	ctx, stop := untilSignal(context.Background())
	a := &command.App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Drain: stop}
	os.Exit(Execute(ctx, a, os.Args[1:]))
}

// untilSignal returns a context that the first SIGINT or SIGTERM cancels, which asks for a drain. The second ends
// the process at once, as it would any program: nothing is lost by that, the next start redoes the open steps.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// newRootCommand is the whole command line.
func newRootCommand(a *command.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "footfall",
		Short: "Exact web analytics from Kafka to one table",
		Long: `footfall reads web-analytics events from a Kafka topic and keeps exact numbers per site (page views,
visitors, sessions, bounces) in one DynamoDB table, or in a SQLite file on one machine. Each number equals
an offline recount of the topic, also after crashes: footfall verify does the recount.`,
		Example: `  footfall analyze access.log.gz                  the figures of an access log
  footfall dev                                    everything on this machine, with synthetic traffic
  footfall table create --table dynamodb://footfall
  footfall run --brokers kafka:9092 --topic events --table dynamodb://footfall
  footfall query stats shop.example --from -30d --by week`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	// Cobra's own flag prints by a template, for which the linker keeps the exported methods of all types.
	root.Flags().BoolP("version", "v", false, "version for footfall")
	root.SetUsageFunc(func(cmd *cobra.Command) error { return usage(a, cmd) })
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { help(a, cmd) })
	command.AddSourceFlags(root)
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range commands {
			c.GroupID = title
			root.AddCommand(c)
		}
	}
	group("Count", analyze.NewAnalyzeCommand(a), serving.NewCollectCommand(a), run.NewDevCommand(a), run.NewProduceCommand(a),
		run.NewRunCommand(a))
	group("Read", queries.NewQueryCommand(a), queries.NewReportCommand(a), records.NewExportCommand(a), serving.NewServeCommand(a),
		manage.NewShareCommand(a), manage.NewTokenCommand(a))
	group("Decide about sites and persons", manage.NewAlertCommand(a), manage.NewAnnotateCommand(a), records.NewEraseCommand(a),
		manage.NewFunnelCommand(a), manage.NewGoalCommand(a), manage.NewSegmentCommand(a), manage.NewSiteCommand(a))
	group("Operate", newConfigCommand(a), tables.NewCostCommand(a), inspect.NewDoctorCommand(a), records.NewFailedCommand(a),
		inspect.NewHealthCommand(a), inspect.NewPartitionCommand(a), tables.NewPlanCommand(a), tables.NewRebuildCommand(a),
		inspect.NewStatusCommand(a), newBundleCommand(a), tables.NewTableCommand(a), inspect.NewTopCommand(a), tables.NewTopicCommand(a),
		tables.NewUpgradeCommand(a), inspect.NewVerifyCommand(a))
	root.AddCommand(newDocsCommand(a), newVersionCommand(a))
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Example = "  footfall help query stats"
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error { return helpOf(root, args) }
		}
	}
	return root
}
