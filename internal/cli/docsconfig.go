package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
)

// documentConfiguration writes docs/configuration.md.
func documentConfiguration(out io.Writer) error {
	var b strings.Builder
	b.WriteString(`# Configuration

Written by ` + "`footfall docs configuration`" + `. Settings come from the defaults, one YAML file (` + "`--config`, `FOOTFALL_CONFIG`" + `), the
environment and flags; later ones win. In the file, a dot is a level: ` + "`kafka.failedTopic`" + ` is ` + "`failedTopic`" + ` below ` + "`kafka`" + `. Its variable is
` + "`FOOTFALL_KAFKA_FAILED_TOPIC`, its flag `--kafka-failed-topic`" + `, and so for all keys, except for the flags that the table names.
` + "`footfall config print`" + ` shows the effective values, ` + "`footfall config check`" + ` lists all mistakes. AWS is configured by its own standard
variables and files; ` + "`AWS_ENDPOINT_URL_DYNAMODB`" + ` points at DynamoDB Local.

| key | default | meaning |
|---|---|---|
`)
	for _, f := range config.Fields() {
		value, flag := "", ""
		if f.Default != "" {
			value = "`" + f.Default + "`"
		}
		switch regular := strings.TrimPrefix(f.Env, "FOOTFALL_"); f.Flag {
		case "":
			flag = "; no flag"
		case strings.ToLower(strings.ReplaceAll(regular, "_", "-")):
		default:
			flag = "; flag `--" + f.Flag + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s%s |\n", f.Path, value, strings.ReplaceAll(f.Help, "|", "\\|"), flag)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// documentCommands writes the help of every command.
func documentCommands(out io.Writer, root *cobra.Command) error {
	var b strings.Builder
	b.WriteString("# Commands\n\nWritten by `footfall docs cli`. [configuration.md](configuration.md) has the flags of the configuration, " +
		"and\n" +
		"[operations.md](operations.md#exit-codes) the exit codes.\n")
	var walk func(cmd *cobra.Command) error
	walk = func(cmd *cobra.Command) error {
		var help bytes.Buffer
		was := cmd.OutOrStdout()
		cmd.SetOut(&help)
		err := cmd.Help()
		cmd.SetOut(was)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```\n%s```\n", cmd.CommandPath(), cmd.Short, help.String())
		for _, c := range cmd.Commands() {
			if c.Name() == "help" || c.Name() == "completion" {
				continue // Cobra's own.
			}
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(root); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String())
	return err
}
