package command

import (
	"cmp"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/config"
)

// FlagPath is the annotation of a flag that sets a field of the configuration: the field's path.
const FlagPath = "footfall_config"

// AddSourceFlags adds the flags that every subcommand has: where the configuration comes from, and the three
// fields that nearly all need.
func AddSourceFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringP("config", "c", "", "configuration file, YAML (or FOOTFALL_CONFIG)")
	f.String("data", "", "use the broker, topic and table that footfall dev keeps in this directory")
	AddConfigFlags(f, sourcePaths...)
	f.Lookup("brokers").Usage += "; also --bootstrap-server"
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "bootstrap-server" { // As Kafka's own tools call it.
			name = "brokers"
		}
		return pflag.NormalizedName(name)
	})
}

// sourcePaths are the fields whose flags every subcommand has.
var sourcePaths = []string{"kafka.brokers", "kafka.topic", "table"}

// ConfigFields are the fields of the configuration. Most commands look for some of them when they are made.
var ConfigFields = sync.OnceValue(config.Fields)

// AllFields is the annotation of a flag of AddAllConfigFlags.
const AllFields = "footfall_all"

// AddAllConfigFlags adds flags that set all other fields of the configuration. Help mentions them in one line.
func AddAllConfigFlags(f *pflag.FlagSet) {
	var paths []string
	for _, field := range ConfigFields() {
		if !slices.Contains(sourcePaths, field.Path) && f.Lookup(field.Flag) == nil {
			paths = append(paths, field.Path)
		}
	}
	AddConfigFlags(f, paths...)
	f.VisitAll(func(flag *pflag.Flag) {
		if path, ok := flag.Annotations[FlagPath]; ok && slices.Contains(paths, path[0]) {
			flag.Annotations[AllFields] = []string{"true"}
		}
	})
}

// AddConfigFlags adds flags that set the fields of these paths. A flag that exists already stays.
func AddConfigFlags(f *pflag.FlagSet, paths ...string) {
	for _, field := range ConfigFields() {
		if field.Flag == "" || !slices.Contains(paths, field.Path) || f.Lookup(field.Flag) != nil {
			continue
		}
		help := field.Help
		if field.Default != "" {
			help += " (default " + field.Default + ")"
		}
		f.String(field.Flag, "", help)
		flag := f.Lookup(field.Flag)
		flag.Annotations = map[string][]string{FlagPath: {field.Path}}
		switch {
		case field.Path == "rawEvents": // As while it was a switch.
			flag.NoOptDefVal = string(config.RawItems)
		case field.Switch:
			flag.NoOptDefVal = "true"
		}
	}
}

// Config loads the configuration of a subcommand: the file, the environment, the directory of footfall dev, flags;
// later ones win. It is valid when the error is nil; else the error names every fault.
func (a *App) Config(cmd *cobra.Command) (config.Config, error) {
	src, err := Sources(cmd)
	if err != nil {
		return config.Config{}, err
	}
	return LoadConfig(src)
}

// Sources returns what the configuration of a subcommand is read from.
func Sources(cmd *cobra.Command) (config.Sources, error) {
	src := fileAndEnvironment(cmd)
	if f := cmd.Flag("data"); f != nil && f.Changed {
		dev, err := ReadDevFile(f.Value.String())
		if err != nil {
			return src, err
		}
		src.Over = dev.values()
	}
	src.Over = append(src.Over, changedFields(cmd)...)
	return src, nil
}

// changedFields are the fields of the configuration that flags set.
func changedFields(cmd *cobra.Command) (fields []config.Value) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if path, ok := f.Annotations[FlagPath]; ok {
			fields = append(fields, config.Value{Path: path[0], Text: f.Value.String(), Origin: "--" + f.Name})
		}
	})
	return fields
}

// fileAndEnvironment are the sources that have nothing to do with other flags.
func fileAndEnvironment(cmd *cobra.Command) config.Sources {
	src := config.Sources{File: os.Getenv("FOOTFALL_CONFIG"), Env: os.Environ()}
	if f := cmd.Flag("config"); f != nil && f.Changed {
		src.File = f.Value.String()
	}
	return src
}

// DevIntervals are those of footfall dev.
var DevIntervals = config.Intervals{Stats: 2 * time.Second, Realtime: time.Second}

// DevConfig is the configuration that other commands on the directory have, too, but for what dev brings.
func DevConfig(cmd *cobra.Command) (config.Config, error) {
	src := fileAndEnvironment(cmd)
	const own = "footfall dev"
	src.Over = []config.Value{{Path: "kafka.topic", Text: DevTopic, Origin: own}, {Path: "table", Text: "sqlite://" + DevTable, Origin: own}}
	src.Over = append(src.Over, changedFields(cmd)...)
	c, err := LoadConfig(src)
	if err != nil {
		return c, err
	}
	kafka := config.Default().Kafka
	kafka.Topic, kafka.FailedTopic = DevTopic, cmp.Or(c.Kafka.FailedTopic, DevTopic+".failed")
	kafka.Group, kafka.GroupProtocol = c.Kafka.Group, c.Kafka.GroupProtocol
	c.Kafka, c.Intervals = kafka, DevIntervals
	return c, nil
}
