package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify/finding"
)

// sealedReport is what footfall verify --sealed has found.
type sealedReport struct {
	Site   string           `json:"siteId"`
	Months []verified.Month `json:"months"` // the closed ones of the range
}

// checkSealed compares the closed months of a site without the topic, and prints what it has found.
func (v *verifyFlags) checkSealed(a *command.App, cmd *cobra.Command, now time.Time) error {
	r := sealedReport{Site: v.Site}
	err := connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
		keys, err := t.KeysOf(v.generation)
		if err != nil {
			return err
		}
		from, to, _, err := v.verifyRange(ctx, t, now)
		if err == nil {
			r.Months, err = verified.CheckSealed(ctx, t.Table, keys, v.Site, from, to)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err = a.Print(v.Output, r, r.writeText); err == nil && r.exitCode() != 0 {
		err = &command.ExitError{Code: r.exitCode()}
	}
	return err
}

// exitCode returns 0 if a recount of a month is recorded and no month has changed, ExitDifferent if one has, otherwise ExitNothing.
func (r sealedReport) exitCode() int {
	code := finding.ExitNothing
	for _, m := range r.Months {
		if len(m.Changed)+len(m.Unequal) > 0 {
			return finding.ExitDifferent
		}
		if m.VerifiedAt != nil {
			code = 0
		}
	}
	return code
}

func (r sealedReport) writeText(w io.Writer) error {
	var b strings.Builder
	for _, m := range r.Months {
		switch {
		case m.VerifiedAt == nil:
			fmt.Fprintf(&b, "%s: no recount of the whole month is recorded: footfall verify --site %s --record, while the topic has its records\n",
				m.Month, r.Site)
		case len(m.Changed) > 0:
			fmt.Fprintf(&b, "%s: verified against the log at %s, changed since: %s\n", m.Month, m.VerifiedAt.Format(time.RFC3339), texts(m.Changed))
		default:
			fmt.Fprintf(&b, "%s: verified against the log at %s, unchanged since\n", m.Month, m.VerifiedAt.Format(time.RFC3339))
		}
		if m.DaysExpired {
			fmt.Fprintf(&b, "%s: days have expired: only the month's own items were compared\n", m.Month)
		}
		for _, what := range m.Unequal {
			fmt.Fprintf(&b, "%s: differs from its days: %s\n", m.Month, what)
		}
	}
	fmt.Fprintf(&b, "%d closed months of site %s\n", len(r.Months), r.Site)
	if len(r.Months) == 0 {
		fmt.Fprintf(&b, "A month is closed once it is over and sealed. After a rebuild it is that of another generation: footfall verify "+
			"--site %s --record binds it, while the topic has its records.\n", r.Site)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func texts(parts []verified.Part) string {
	all := make([]string, len(parts))
	for i, p := range parts {
		all[i] = string(p)
	}
	return strings.Join(all, ", ")
}
