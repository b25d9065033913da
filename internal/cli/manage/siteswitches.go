package manage

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/sites"
)

// siteSwitches are flags of site create and site update: what is written for a site, and the rows of its breakdowns.
type siteSwitches struct{ properties []string }

// addFlags adds the flags. The texts say what holds without them: of a switch that is on by default, of one that is off, of properties and
// of rows.
func (s *siteSwitches) addFlags(cmd *cobra.Command, on, off, properties, rows string) {
	f := cmd.Flags()
	f.String("realtime", "", "on or off: realtime minutes (default: "+on+")")
	f.String("recent", "", "on or off: lists of recent sessions (default: "+on+")")
	f.String("visitor-index", "", "on or off: sessions by visitor (default: "+on+")")
	f.String("new-visitors", "", "on or off: new and returning visitors (default: "+off+")")
	for _, flag := range []string{"realtime", "recent", "visitor-index", "new-visitors"} {
		command.Complete(cmd, flag, "on", "off")
	}
	command.AddRows(f, "default: "+rows)
	f.StringSliceVar(&s.properties, "property", nil, "keys of the events' properties that are dimensions of breakdowns, separated by commas "+
		"(default: "+properties+")")
	command.MayBeEmpty(f, "property")
}

// read returns the changes that the flags amount to; zero: none is set.
func (s *siteSwitches) read(f *pflag.FlagSet) (c sites.Changes, err error) {
	c.Properties = command.Given(f, "property", &s.properties)
	err = errors.Join(readSwitch(f, "realtime", &c.Realtime), readSwitch(f, "recent", &c.Recent),
		readSwitch(f, "visitor-index", &c.VisitorIndex), readSwitch(f, "new-visitors", &c.NewVisitors))
	if err != nil {
		return c, err
	}
	c.Rows, err = command.ReadRows(f)
	return c, err
}

// validIfAny checks changes of a site, if there are any.
func validIfAny(c sites.Changes, site string) error {
	if reflect.ValueOf(c).IsZero() {
		return nil
	}
	return c.Validate(site)
}

// readSwitch reads a flag that is on or off; to stays nil where it was not set.
func readSwitch(f *pflag.FlagSet, flag string, to **bool) error {
	if !f.Changed(flag) {
		return nil
	}
	text := f.Lookup(flag).Value.String()
	if text != "on" && text != "off" {
		return fmt.Errorf("--%s %q: write on or off", flag, text)
	}
	*to = new(text == "on")
	return nil
}
