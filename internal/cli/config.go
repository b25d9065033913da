package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/engine"
)

func newConfigCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Create, print, check or try the configuration",
		Long: `The configuration is made of the defaults, one YAML file (--config or FOOTFALL_CONFIG), the environment
(FOOTFALL_KAFKA_BROKERS for kafka.brokers, and so on for every field; an empty variable counts
as not set) and flags; later ones win. AWS is configured by its own standard variables and files.`,
		Example: "  footfall config init\n  footfall config print --config footfall.yaml\n  footfall config check",
	}
	show := &cobra.Command{
		Use:   "print",
		Short: "Print the effective configuration as YAML, secrets masked",
		Long: `Print the effective configuration as a configuration file. A comment after each value says where it came from, unless it is the
default. Secrets are masked. Mistakes are listed on stderr, with exit code 1.`,
		Example: "  footfall config print\n  footfall config print --config footfall.yaml --intervals-stats 300s",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			src, err := command.Sources(cmd)
			if err != nil {
				return err
			}
			c, faults := command.LoadConfig(src)
			text, err := c.YAML()
			if err != nil {
				return err
			}
			if _, err := a.Out.Write(text); err != nil {
				return err
			}
			return faults
		},
	}
	check := &cobra.Command{
		Use:   "check",
		Short: "List every mistake in the configuration",
		Long: `Load the configuration as footfall run would and list every mistake, one per line, with exit code 1. Warnings name valid settings
that have a drawback, as footfall run and dev do when they start. The command connects to nothing.`,
		Example: "  footfall config check --config footfall.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			for _, text := range engine.ConfigWarnings(c) {
				fmt.Fprintln(a.Err, "warning:", text)
			}
			fmt.Fprintln(a.Out, "The configuration is valid.")
			return nil
		},
	}
	command.AddAllConfigFlags(show.Flags())
	command.AddAllConfigFlags(check.Flags())
	cmd.AddCommand(newConfigInitCommand(a), show, check, newConfigTryCommand(a))
	return cmd
}

func newConfigInitCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a configuration file with every setting commented out",
		Long: `Write a configuration file, footfall.yaml unless FILE is given, in which every setting is commented out, with its default and a
description. FILE - is standard output. The command does not overwrite a file. Only its owner can read it, as it may hold secrets.`,
		Example: "  footfall config init\n  footfall config init - | less",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := config.Template()
			if err != nil {
				return err
			}
			name := "footfall.yaml"
			if len(args) > 0 {
				name = args[0]
			}
			if name == "-" {
				_, err := a.Out.Write(text)
				return err
			}
			if err := writeNew(name, text); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "Wrote %s. Check it with: footfall config check --config %s\n", name, name)
			return nil
		},
	}
}

// writeNew writes a file that must not exist yet, whole or not at all.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return existsError(name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
