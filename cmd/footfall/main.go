// Command footfall turns web-analytics events on a Kafka topic into exact per-site numbers in one table.
// It wires packages together and holds no logic of its own: one file per subcommand.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	restrictFiles()
	ctx, stop := untilSignal(context.Background())
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, drain: stop}
	os.Exit(a.execute(ctx, os.Args[1:]))
}

// untilSignal returns a context that the first SIGINT or SIGTERM cancels, which asks for a drain. The second ends
// the process at once, as it would any program: nothing is lost by that, the next start redoes the open steps.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// newRootCommand is the whole command line. Each subcommand has a constructor and a file of its own.
func newRootCommand(a *app) *cobra.Command {
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
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("footfall {{.Version}}\n")
	root.SetUsageFunc(a.usage)
	root.SetHelpFunc(a.help)
	addSourceFlags(root)
	root.AddCommand(
		newAnalyzeCommand(a),
		newDevCommand(a),
		newRunCommand(a),
		newConfigCommand(a),
		newProduceCommand(a),
		newQueryCommand(a),
		newServeCommand(a),
		newTokenCommand(a),
		newShareCommand(a),
		newAnnotateCommand(a),
		newReportCommand(a),
		newVerifyCommand(a),
		newStatusCommand(a),
		newDoctorCommand(a),
		newPartitionCommand(a),
		newEraseCommand(a),
		newFailedCommand(a),
		newSiteCommand(a),
		newFunnelCommand(a),
		newExportCommand(a),
		newGoalCommand(a),
		newTableCommand(a),
		newPlanCommand(a),
		newCostCommand(a),
		newDocsCommand(a),
		newVersionCommand(a),
	)
	return root
}
