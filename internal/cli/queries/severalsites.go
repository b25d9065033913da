package queries

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
)

// severalSites are the flags of a question about sites together.
type severalSites struct {
	all     bool
	owner   string
	without []string // flags that such a question does not take
}

func (s *severalSites) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.all, "all-sites", false, "all sites together")
	cmd.Flags().StringVar(&s.owner, "owner", "", "the sites of this owner together")
	command.Exclude(cmd, "all-sites", "owner")
}

// asked reports whether the question is about several sites.
func (s *severalSites) asked() bool { return s.all || s.owner != "" }

// check refuses a question that names neither a site nor several, or both.
func (s *severalSites) check(f *pflag.FlagSet, site bool, example string) error {
	if s.asked() == site {
		return command.Usagef("give either a site, or --all-sites, or --owner, as in: %s", example)
	}
	if !s.asked() {
		return nil
	}
	var wrong []string
	for _, name := range s.without {
		if f.Changed(name) {
			wrong = append(wrong, "--"+name)
		}
	}
	if len(wrong) > 0 {
		return command.Usagef("%s: leave it out for several sites", strings.Join(wrong, ", "))
	}
	return nil
}
