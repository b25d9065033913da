package manage

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/query/filters"
)

// NewTokenCommand is footfall token.
func NewTokenCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke access tokens of footfall serve",
		Long: `An access token says which sites a program or a person may read with footfall serve --require-token, and with which rights. The table
keeps a hash of it, so a token is shown once, when it is created.`,
		Example: "  footfall token create --site shop.example --note 'weekly report'\n  footfall token list\n  footfall token revoke ID",
	}
	cmd.AddCommand(newTokenCreateCommand(a), newListCommand(a, access.Token), newRevokeCommand(a, access.Token))
	return cmd
}

// credentialFlags are the flags that create a token or a share link.
type credentialFlags struct {
	access.Stored
	rights  []string
	where   []string // filters, of share links
	expires string
	segment string // whose filters a share link gets; "": none
	public  string // address of the server, of share links
}

func (c *credentialFlags) addFlags(cmd *cobra.Command, expires string) {
	cmd.Flags().StringVar(&c.Note, "note", "", "what it is for")
	cmd.Flags().StringVar(&c.expires, "expires", expires, "when it expires: a number of days from now as in 90d, a date (2027-01-31) or never")
}

// stored reads the flags.
func (c *credentialFlags) stored(now time.Time) (access.Stored, error) {
	s := c.Stored
	var err error
	if s.Rights, err = access.ParseRights(c.rights); err != nil {
		return s, fmt.Errorf("--right: %w", err)
	}
	if s.ExpiresAt, err = parseExpiry(c.expires, now); err != nil {
		return s, fmt.Errorf("--expires %w", err)
	}
	where, err := query.ParseConditions(c.where)
	if err == nil {
		err = query.CheckValues(where)
	}
	if err == nil && len(where) > 0 {
		err = filters.Check(where)
	}
	if err != nil {
		return s, err
	}
	s.Limits.Where = filters.ToStored[access.Filter](where)
	return s, s.Validate()
}

// inSegment is stored with the filters that the segment has now.
func (c *credentialFlags) inSegment(ctx context.Context, t *connect.Table, now time.Time) (s access.Stored, err error) {
	if c.where, err = segments.Under(ctx, t.Table, c.Sites[0], c.segment, c.where); err != nil {
		return s, ask.Blame(err)
	}
	if s, err = c.stored(now); err != nil {
		return s, command.Usagef("%w", err)
	}
	return s, nil
}

// parseExpiry reads when something expires; the zero time: never.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "never" {
		return time.Time{}, nil
	}
	if number, ok := strings.CutSuffix(text, "d"); ok {
		var days int
		if _, err := fmt.Sscanf(number, "%d", &days); err == nil && fmt.Sprint(days) == number && days >= 1 && days <= 36_500 {
			return now.UTC().Add(time.Duration(days) * 24 * time.Hour).Truncate(time.Second), nil
		}
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, fmt.Errorf("%q: write a number of days as in 90d, a date as in 2027-01-31, or never", text)
	}
	if !at.After(now) {
		return at, fmt.Errorf("%q: it has passed: name a later date", text)
	}
	return at, nil
}

func newTokenCreateCommand(a *command.App) *cobra.Command {
	c := credentialFlags{Stored: access.Stored{Kind: access.Token}}
	cmd := creating(a, &c, &cobra.Command{
		Use:   "create",
		Short: "Create an access token",
		Long: `Create an access token and print it. It is shown this once.

Rights: read is figures, top values, goals, funnels and site settings. sessions is sessions, their events and conversions: all that has
ids of visitors and users. annotate is to create and delete annotations. No right includes another.

Programs send a token in the header Authorization: Bearer TOKEN. People enter it on the page /login.`,
		Example: `  footfall token create --site shop.example --site blog.example --note 'weekly report'
  footfall token create --all-sites --right read --right sessions --expires 30d
  footfall token create --site shop.example --output json`,
		Args: cobra.NoArgs,
	})
	cmd.Flags().StringArrayVar(&c.Sites, "site", nil, "id of a site that may be read (repeat)")
	cmd.Flags().BoolVar(&c.AllSites, "all-sites", false, "all sites may be read, also those that are created later")
	cmd.Flags().StringArrayVar(&c.rights, "right", []string{string(access.Read)}, "right: read, sessions or annotate (repeat)")
	command.Exclude(cmd, "site", "all-sites")
	command.Complete(cmd, "right", rightNames()...)
	c.addFlags(cmd, "90d")
	return cmd
}

func rightNames() (names []string) {
	for _, r := range access.Rights {
		names = append(names, string(r))
	}
	return names
}

// creating makes cmd create a token or a share link, and print it.
func creating(a *command.App, c *credentialFlags, cmd *cobra.Command) *cobra.Command {
	var output show.Format
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	if c.rights == nil && c.Kind == access.Share {
		c.rights = []string{string(access.Read)}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if c.Kind == access.Share {
			c.Sites = args
		}
		now := time.Now()
		s, err := c.stored(now)
		if err != nil {
			return command.Usagef("%w", err)
		}
		return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
			for _, site := range s.Sites {
				if err := entered.CheckKnown(ctx, t.Table, site); err != nil {
					return err
				}
			}
			if c.segment != "" {
				if s, err = c.inSegment(ctx, t, now); err != nil {
					return err
				}
			}
			created, secret, err := credentialStore(t).Create(ctx, s)
			if err != nil {
				return err
			}
			if c.segment != "" {
				fmt.Fprintf(a.Err, "The link has the filters of segment %s as they are now: later changes of the segment do not change it.\n",
					c.segment)
			}
			answer := createdCredential{listedCredential: listedOf(created), Token: secret, Address: c.address(secret)}
			return a.Print(output, answer, func(out io.Writer) error { return answer.write(out) })
		})
	}
	return cmd
}

func credentialStore(t *connect.Table) *access.Store {
	return &access.Store{Table: t.Table, By: writer(t).By, Now: time.Now}
}

// listedCredential is a token or share link as JSON has it.
type listedCredential struct {
	ID         string     `json:"id"`
	Sites      []string   `json:"siteIds"` // empty: all
	AllSites   bool       `json:"allSites"`
	Rights     []string   `json:"rights"`
	Range      *rangeText `json:"range,omitempty"`   // of a share link; null: it is not limited
	Where      []string   `json:"where,omitempty"`   // filters of all answers of a share link
	Origins    []string   `json:"origins,omitempty"` // that may show a share link in a frame
	Note       string     `json:"note"`
	CreatedAt  time.Time  `json:"createdAt"`
	CreatedBy  string     `json:"createdBy"`
	ExpiresAt  *time.Time `json:"expiresAt"` // null: never
	Expired    bool       `json:"expired"`
	LastUsedOn *string    `json:"lastUsedOn"` // a date in UTC; null: none is known
}

// rangeText is a range as it was named.
type rangeText struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Period string `json:"period"`
}

func listedOf(s access.Stored) listedCredential {
	l := listedCredential{ID: s.ID, Sites: s.Sites, AllSites: s.AllSites, Rights: []string{}, Where: filtersOf(s.Limits),
		Origins: s.Limits.Origins, Note: s.Note,
		CreatedAt: s.CreatedAt, CreatedBy: s.CreatedBy}
	if l.Sites == nil {
		l.Sites = []string{}
	}
	for _, r := range s.Rights {
		l.Rights = append(l.Rights, string(r))
	}
	if s.Limits.Ranged() {
		l.Range = &rangeText{s.Limits.From, s.Limits.To, s.Limits.Period}
	}
	if !s.ExpiresAt.IsZero() {
		l.ExpiresAt, l.Expired = &s.ExpiresAt, !s.ExpiresAt.After(time.Now())
	}
	if !s.LastUsed.IsZero() {
		day := s.LastUsed.Format(time.DateOnly)
		l.LastUsedOn = &day
	}
	return l
}

// filtersOf are the filters of a credential as they are given. What a later release has written may not be read here.
func filtersOf(l access.Limits) (texts []string) {
	where, err := filters.FromStored(l.Where)
	if err != nil {
		for _, filter := range l.Where {
			texts = append(texts, strings.Join(filter, ","))
		}
		return texts
	}
	return filters.Texts(where)
}

// createdCredential is a new one, with its secret.
type createdCredential struct {
	listedCredential
	Token   string `json:"token"`
	Address string `json:"address,omitempty"` // of a share link
}

func (c createdCredential) write(out io.Writer) error {
	shown := c.Token
	if c.Address != "" {
		shown = c.Address
	}
	_, err := fmt.Fprintf(out, "%s\n\nIts id is %s. Keep it now: it is not shown again.\n", shown, c.ID)
	return err
}

// credentialList is the JSON of footfall token list and footfall share list.
type credentialList struct {
	Tokens []listedCredential `json:"tokens"`
}

func newListCommand(a *command.App, kind access.Kind) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List " + kindName(kind),
		Long: "List " + kindName(kind) + " with their sites, when they expire and the day of their last use. Expired ones are listed until " +
			"they are revoked.",
		Example: "  footfall " + string(kind) + " list --output json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				all, err := credentialStore(t).List(ctx, kind)
				if err != nil {
					return err
				}
				list := credentialList{[]listedCredential{}}
				for _, s := range all {
					list.Tokens = append(list.Tokens, listedOf(s))
				}
				return a.PrintList(output, list, list.list().Write)
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	return cmd
}

func kindName(kind access.Kind) string {
	if kind == access.Share {
		return "share links"
	}
	return "access tokens"
}

func (l credentialList) list() show.List {
	list := show.List{Headers: []string{"ID", "SITES", "RIGHTS", "EXPIRES", "LAST USE", "NOTE"}}
	for _, c := range l.Tokens {
		sites := "all"
		if !c.AllSites {
			var ids []string
			for _, id := range c.Sites {
				ids = append(ids, command.SpellID(id))
			}
			sites = strings.Join(ids, ",")
			for _, filter := range c.Where {
				sites += " " + show.Plain(filter)
			}
		}
		expires, used := "never", "-"
		if c.ExpiresAt != nil {
			expires = c.ExpiresAt.Format(time.DateOnly)
		}
		if c.Expired {
			expires += " (expired)"
		}
		if c.LastUsedOn != nil {
			used = *c.LastUsedOn
		}
		list.Rows = append(list.Rows, []string{c.ID, sites, strings.Join(c.Rights, ","), expires, used, c.Note})
	}
	return list
}

func newRevokeCommand(a *command.App, kind access.Kind) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke one of the " + kindName(kind),
		Long: "Revoke one of the " + kindName(kind) + ", by the id that footfall " + string(kind) + " list prints. Servers refuse it within " +
			access.Memory.String() + ".",
		Example: "  footfall " + string(kind) + " revoke 7k3m5qa2xn4vbe6t",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				if err := credentialStore(t).Revoke(ctx, kind, args[0]); err != nil {
					return err
				}
				fmt.Fprintf(a.Out, "Revoked %s.\n", args[0])
				return nil
			})
		},
	}
}

// address is where a share link is opened; "" for a token.
func (c *credentialFlags) address(secret string) string {
	if c.Kind != access.Share {
		return ""
	}
	return strings.TrimSuffix(c.public, "/") + "/share/" + secret
}
