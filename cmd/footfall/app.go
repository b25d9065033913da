package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/show"
)

// app is what every subcommand shares.
type app struct {
	in       io.Reader
	out, err io.Writer

	drain   func() // what the first signal does: end the command's context; nil: nothing
	running bool   // a subcommand has begun: errors from here on are not about the command line
}

// beginDrain does what the first signal does: the command's context ends, and the next signal ends the process.
func (a *app) beginDrain() {
	if a.drain != nil {
		a.drain()
	}
}

// execute runs a command line and returns the exit code: 0, 1 for an error, 2 for wrong usage, or what an
// exitError says. The error is on a.err by then.
func (a *app) execute(ctx context.Context, args []string) int {
	root := newRootCommand(a)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetArgs(args)
	root.SetFlagErrorFunc(flagError)
	a.prepare(root)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	code := 1
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
	} else if !a.running {
		code = codeUsage // Cobra's own: an unknown command or flag, a wrong number of arguments.
	}
	if err.Error() != "" {
		columns, _ := sizeOf(a.err)
		cobra.CheckErr(show.WriteParagraph(a.err, show.Layout{Width: columns}, "", show.Neutral, "footfall: "+err.Error()))
	}
	if code == codeUsage {
		fmt.Fprintf(a.err, "See '%s --help'.\n", cmd.CommandPath())
	}
	return code
}

// prepare makes a.running true when a subcommand begins, and has its flags checked. Commands that only hold others refuse
// unknown ones.
func (a *app) prepare(cmd *cobra.Command) {
	if cmd.Args != nil {
		cmd.Args = namingArgs(cmd.Args)
	}
	if run := cmd.RunE; run != nil {
		addJSONFlag(cmd)
		a.completeNames(cmd)
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			a.running = true
			if err := errors.Join(refuseEmpty(cmd.Flags()), refuseTogether(cmd.Flags()), readJSONFlag(cmd.Flags())); err != nil {
				return err
			}
			if err := checkOutput(cmd.Flags()); err != nil {
				return err
			}
			return run(cmd, args)
		}
	} else if cmd.HasSubCommands() {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usagef("unknown command %q for %q%s", args[0], cmd.CommandPath(), suggestion(cmd, args[0]))
		}
	}
	for _, c := range cmd.Commands() {
		a.prepare(c)
	}
}

func suggestion(cmd *cobra.Command, wrong string) string {
	cmd.SuggestionsMinimumDistance = 2 // edits
	near := slices.DeleteFunc(cmd.SuggestionsFor(wrong), func(name string) bool {
		return len(wrong) <= 3 && name[0] != wrong[0] // Two edits of three letters make another word: foo is not top.
	})
	if len(near) > 0 {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// addJSONFlag adds --json, which is short for --output json, to a command that prints JSON.
func addJSONFlag(cmd *cobra.Command) {
	if f := cmd.Flags().Lookup("output"); f != nil && slices.Contains(f.Annotations[outputFormats], string(show.JSON)) {
		cmd.Flags().Bool("json", false, "same as --output json")
	}
}

// readJSONFlag sets --output where --json is given.
func readJSONFlag(f *pflag.FlagSet) error {
	if given, err := f.GetBool("json"); err != nil || !given {
		return nil
	}
	if output := f.Lookup("output"); output.Changed && output.Value.String() != "json" {
		return usagef("--json and --output %s: choose one", output.Value)
	}
	return f.Set("output", "json")
}

const codeUsage = 2

// exitError is an error that chooses the process's exit code. Its text may be empty when all has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is an error of the command line: exit code 2.
func usagef(format string, args ...any) error {
	return &exitError{codeUsage, fmt.Errorf(format, args...)}
}

// emptyFlag is the annotation of a flag that may be set to nothing.
const emptyFlag = "footfall_empty"

// mayBeEmpty says of flags that nothing is a value of theirs.
func mayBeEmpty(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		cobra.CheckErr(f.SetAnnotation(name, emptyFlag, []string{"true"}))
	}
}

// refuseEmpty refuses flags that are set to nothing: a shell makes that of a variable that is not set, and all sites would be
// taken where one was meant. Those that set a field of the configuration are its own to judge.
func refuseEmpty(f *pflag.FlagSet) error {
	var empty []string
	f.Visit(func(flag *pflag.Flag) {
		text := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			text = strings.Join(list.GetSlice(), "")
		}
		_, configured := flag.Annotations[flagPath]
		if _, may := flag.Annotations[emptyFlag]; text == "" && !may && !configured {
			empty = append(empty, "--"+flag.Name)
		}
	})
	if empty == nil {
		return nil
	}
	return usagef("%s: empty, perhaps from an unset shell variable: give a value, or leave the flag out", strings.Join(empty, ", "))
}

// flagPath is the annotation of a flag that sets a field of the configuration: the field's path.
const flagPath = "footfall_config"

// addSourceFlags adds the flags that every subcommand has: where the configuration comes from, and the three
// fields that nearly all need.
func addSourceFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringP("config", "c", "", "configuration file, YAML (or FOOTFALL_CONFIG)")
	f.String("data", "", "use the broker, topic and table that footfall dev keeps in this directory")
	addConfigFlags(f, sourcePaths...)
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

// configFields are the fields of the configuration. Most commands look for some of them when they are made.
var configFields = sync.OnceValue(config.Fields)

// allFields is the annotation of a flag of addAllConfigFlags.
const allFields = "footfall_all"

// addAllConfigFlags adds flags that set all other fields of the configuration. Help mentions them in one line.
func addAllConfigFlags(f *pflag.FlagSet) {
	var paths []string
	for _, field := range configFields() {
		if !slices.Contains(sourcePaths, field.Path) && f.Lookup(field.Flag) == nil {
			paths = append(paths, field.Path)
		}
	}
	addConfigFlags(f, paths...)
	f.VisitAll(func(flag *pflag.Flag) {
		if path, ok := flag.Annotations[flagPath]; ok && slices.Contains(paths, path[0]) {
			flag.Annotations[allFields] = []string{"true"}
		}
	})
}

// addConfigFlags adds flags that set the fields of these paths. A flag that exists already stays.
func addConfigFlags(f *pflag.FlagSet, paths ...string) {
	for _, field := range configFields() {
		if field.Flag == "" || !slices.Contains(paths, field.Path) || f.Lookup(field.Flag) != nil {
			continue
		}
		help := field.Help
		if field.Default != "" {
			help += " (default " + field.Default + ")"
		}
		f.String(field.Flag, "", help)
		flag := f.Lookup(field.Flag)
		flag.Annotations = map[string][]string{flagPath: {field.Path}}
		switch {
		case field.Path == "rawEvents": // As while it was a switch.
			flag.NoOptDefVal = string(config.RawItems)
		case field.Switch:
			flag.NoOptDefVal = "true"
		}
	}
}

// config loads the configuration of a subcommand: the file, the environment, the directory of footfall dev, flags;
// later ones win. It is valid when the error is nil; else the error names every fault.
func (a *app) config(cmd *cobra.Command) (config.Config, error) {
	src, err := sources(cmd)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(src)
}

func sources(cmd *cobra.Command) (config.Sources, error) {
	src := fileAndEnvironment(cmd)
	if f := cmd.Flag("data"); f != nil && f.Changed {
		dev, err := readDevFile(f.Value.String())
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
		if path, ok := f.Annotations[flagPath]; ok {
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

// devFile is what footfall dev leaves in its directory for other commands: where its parts are.
type devFile struct {
	Brokers string `json:"brokers"`
	Topic   string `json:"topic"`
	Table   string `json:"table"` // in the file a path is from the directory: a copy has a table of its own

	name string
}

// devFileName is the file's name in the directory.
const devFileName = "dev.json"

func readDevFile(dir string) (devFile, error) {
	d := devFile{name: filepath.Join(dir, devFileName)}
	text, err := os.ReadFile(d.name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return d, fmt.Errorf("%s is not a directory of footfall dev (it has no %s): start `footfall dev --data %s` once", dir, devFileName, dir)
	case err != nil:
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w: start `footfall dev --data %s` to have it written again", d.name, err, dir)
	}
	return d.in(dir)
}

// in names the table by its whole path, which lies in dir unless the file says otherwise.
func (d devFile) in(dir string) (devFile, error) {
	kind, path, _ := strings.Cut(d.Table, "://")
	if kind != "sqlite" || filepath.IsAbs(path) {
		return d, nil
	}
	path, err := filepath.Abs(filepath.Join(dir, path))
	d.Table = kind + "://" + path
	return d, err
}

func (d devFile) values() []config.Value {
	return []config.Value{
		{Path: "kafka.brokers", Text: d.Brokers, Origin: d.name},
		{Path: "kafka.topic", Text: d.Topic, Origin: d.name},
		{Path: "table", Text: d.Table, Origin: d.name},
	}
}

// kafkaOptions are the options by which any client reaches the brokers: seeds, TLS and SASL.
func kafkaOptions(k config.Kafka) ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(k.Brokers...), kgo.ClientID(k.ClientID)}
	if k.TLS.Enabled {
		c, err := tlsConfig(k.TLS)
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	password := k.SASL.Password
	if k.SASL.PasswordFile != "" {
		text, err := os.ReadFile(k.SASL.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("kafka.sasl.passwordFile: %w", err)
		}
		password = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	}
	switch strings.ToUpper(k.SASL.Mechanism) {
	case "PLAIN":
		opts = append(opts, kgo.SASL(plain.Auth{User: k.SASL.Username, Pass: password}.AsMechanism()))
	case "SCRAM-SHA-256":
		opts = append(opts, kgo.SASL(scram.Auth{User: k.SASL.Username, Pass: password}.AsSha256Mechanism()))
	case "SCRAM-SHA-512":
		opts = append(opts, kgo.SASL(scram.Auth{User: k.SASL.Username, Pass: password}.AsSha512Mechanism()))
	}
	return opts, nil
}

func tlsConfig(t config.TLS) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("kafka.tls.ca: %s has no certificate in PEM form: name a file that begins with -----BEGIN CERTIFICATE-----", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.cert and kafka.tls.key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func complete(cmd *cobra.Command, flag string, values ...string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}
