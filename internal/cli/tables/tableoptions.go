package tables

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/sinks"
)

// optionFlags are the flags of sinks.Options.
type optionFlags struct {
	warm, most int64
	protected  bool
	class      string
}

func (o *optionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int64Var(&o.warm, "warm-write-units", 0, fmt.Sprintf("write units per second that the table and each index take at once, %d or more "+
		"(default: as they are)", sinks.MinWarmWriteUnits))
	f.Int64Var(&o.most, "max-write-units", 0, fmt.Sprintf("on demand: max. write units per second of the table and of each index; "+
		"%d = unlimited (default: as it is)", sinks.Unlimited))
	f.BoolVar(&o.protected, "deletion-protection", false, "protect the table from deletion (default: as it is)")
	f.StringVar(&o.class, "table-class", "", fmt.Sprintf("%s or %s, where storage costs less and requests more (default: as it is)",
		sinks.ClassStandard, sinks.ClassInfrequentAccess))
}

// addShape adds the flags of a table that is to be made.
func (o *optionFlags) addShape(cmd *cobra.Command, s *sinks.Shape) {
	f := cmd.Flags()
	f.Int64Var(&s.ReadCapacity, "read-capacity", 0, "provisioned read units per second, of the table and of each index (default: on demand)")
	f.Int64Var(&s.WriteCapacity, "write-capacity", 0,
		"provisioned write units per second, of the table and of each index (default: on demand)")
	f.BoolVar(&s.Recovery, "recovery", false, "turn on point-in-time recovery")
	f.BoolVar(&s.Stream, "dynamodb-stream", false, "turn on a DynamoDB stream of new and old images")
	o.add(cmd)
}

// addScaling adds the flags of auto scaling.
func addScaling(cmd *cobra.Command, c *sinks.Change) {
	f := cmd.Flags()
	f.Int64Var(&c.MaxReadCapacity, "max-read-capacity", 0, "max. read units of auto scaling (default: none)")
	f.Int64Var(&c.MaxWriteCapacity, "max-write-capacity", 0, "max. write units of auto scaling (default: none)")
	f.IntVar(&c.Utilization, "utilization", 0, fmt.Sprintf("target utilization of auto scaling in percent, 20 to 90 (default %d)",
		sinks.DefaultUtilization))
}

// readShape sets the options of a shape, and checks all of it.
func (o *optionFlags) readShape(cmd *cobra.Command, s *sinks.Shape) error {
	if err := errors.Join(o.read(cmd, &s.Options), noZeros(cmd, "read-capacity", "write-capacity")); err != nil {
		return err
	}
	return s.Validate()
}

// read sets the options that were asked for.
func (o *optionFlags) read(cmd *cobra.Command, to *sinks.Options) error {
	class, err := sinks.ParseTableClass(o.class)
	*to = sinks.Options{WarmWriteUnits: o.warm, MaxWriteUnits: o.most, Class: class}
	if cmd.Flags().Changed("deletion-protection") {
		to.DeletionProtection = &o.protected
	}
	return errors.Join(err, noZeros(cmd, "warm-write-units", "max-write-units"))
}

// optionRows are the lines of a description about options. A store without options has none.
func optionRows(o sinks.Options) (rows [][2]string) {
	if o.WarmWriteUnits > 0 {
		rows = append(rows, [2]string{"Warm", fmt.Sprintf("%d write units a second", o.WarmWriteUnits)})
	}
	if o.MaxWriteUnits > 0 {
		rows = append(rows, [2]string{"Maximum", fmt.Sprintf("%d write units a second", o.MaxWriteUnits)})
	}
	if o.DeletionProtection != nil {
		rows = append(rows, [2]string{"Protection", map[bool]string{true: "on", false: "off"}[*o.DeletionProtection]})
	}
	if o.Class != "" {
		rows = append(rows, [2]string{"Class", string(o.Class)})
	}
	return rows
}

// noZeros refuses a number of 0, which by itself asks for nothing.
func noZeros(cmd *cobra.Command, flags ...string) error {
	for _, flag := range flags {
		if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "0" {
			return fmt.Errorf("--%s 0: choose 1 or more, or leave it out", flag)
		}
	}
	return nil
}

// orEmpty makes no strings an empty list rather than null.
func orEmpty(l []string) []string { return append([]string{}, l...) }
