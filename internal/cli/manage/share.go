package manage

import (
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/cli/command"
)

// NewShareCommand is footfall share.
func NewShareCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "share",
		Short: "Create, list and revoke share links to one site",
		Long: `A share link shows the figures of one site to everyone who has it, without a token: the page and the API, in a range that no parameter
of the address widens. It has no sessions, conversions, settings or ids of visitors. footfall serve --require-token answers it.`,
		Example: "  footfall share create shop.example --period 2026-05 --expires 30d\n  footfall share list\n  footfall share revoke ID",
	}
	cmd.AddCommand(newShareCreateCommand(a), newListCommand(a, access.Share), newRevokeCommand(a, access.Share))
	return cmd
}

func newShareCreateCommand(a *command.App) *cobra.Command {
	c := credentialFlags{Stored: access.Stored{Kind: access.Share}}
	cmd := creating(a, &c, &cobra.Command{
		Use:   "create SITE",
		Short: "Create a share link to a site",
		Long: `Create a share link and print it. It is shown this once. Without --public-url its path is printed, which comes after the address of
footfall serve --require-token.

Range: --from and --to, or --period, as in footfall query, by whole days of the site's zone. Days before today and periods such as month
move on with time. Without any, the link shows all that the table has. Questions beyond the range are refused, and so are comparisons
with a range before it.

Filters: --where, as in footfall query, is on all answers; filters of a question are added to it. The API and the pages then answer with
stats, uniques, top values, goals, paths and reports of funnels alone, without what they cost. --segment copies the filters that a segment
has now: later changes of the segment do not change the link.

Frames: pages of the origins that --origin names may show the link in a frame. Without any, no page may.`,
		Example: `  footfall share create shop.example --from -30d --note 'the agency'
  footfall share create shop.example --period 2026-05 --expires never --public-url https://stats.example
  footfall share create shop.example --where country=DE --where 'page^=/docs/'
  footfall share create shop.example --origin https://intranet.example`,
		Args: cobra.ExactArgs(1),
	})
	f := cmd.Flags()
	f.StringVar(&c.Limits.From, "from", "", "start of the range: a date, a month, a year, or days before today as in -30d (default: open)")
	f.StringVar(&c.Limits.To, "to", "", "end of the range, exclusive, spelled as --from (default: open)")
	f.StringVar(&c.Limits.Period, "period", "",
		"range by name, instead of --from and --to: 7d, 28d, month, last-month, a date, a month (2026-05) or a year")
	f.StringArrayVar(&c.Limits.Origins, "origin", nil,
		"origin of pages that may show the link in a frame, as in https://intranet.example (repeat)")
	f.StringArrayVar(&c.where, "where", nil, "filter of all answers, as in footfall query: country=DE (repeat)")
	f.StringVar(&c.segment, "segment", "", "segment whose filters are copied into the link; --where adds filters")
	f.StringVar(&c.public, "public-url", "", "address of the server, which the link begins with, as in https://stats.example")
	command.Exclude(cmd, "period", "from")
	command.Exclude(cmd, "period", "to")
	c.addFlags(cmd, "90d")
	return cmd
}
