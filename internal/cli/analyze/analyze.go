// Package analyze has footfall analyze, which counts files into a table of its own.
package analyze

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sketch"
)

// NewAnalyzeCommand is footfall analyze.
func NewAnalyzeCommand(a *command.App) *cobra.Command {
	var p analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Count the lines of files and print the figures: no broker, no configuration",
		Long: `Count the lines of access logs, of events, or of other files, and print the figures of each site: by day, the top pages, referrers
and so on, and the latest sessions. Figures are those that footfall run would have. They are kept in memory, and beyond some 200 MB in a
temporary file; --table sqlite://FILE keeps them in a new file, for footfall query. No other machine is asked, but S3
for s3://.

FILE is a file, a folder, a glob, s3://BUCKET/PREFIX for all objects whose keys begin so, or - for standard input, optionally compressed
with gzip, zstd or bzip2. Several files are read in the order of the times of their first lines. A bucket is read with the credentials
of the AWS SDK (s3:ListBucket, s3:GetObject). --format auto finds the format by the first lines of each file:

` + files.FormatsHelp + `

analyze differs from footfall produce in what it assumes. --visitor-salt is fixed: a visitor of several days counts once. With
--visitor-salt daily, figures are the same as with produce. The key of the visitors' hash is computed from the first lines of the files:
the same files have the same figures in every run, also estimates; a named pipe has a random one. Old events are not too late, and nothing
expires. Lines of an access log that name no host are of the host that most referrers of its own pages name, which is then no source of
visits; --host names another. If none is found, their siteId is "site".

Lines that cannot be counted are listed at the end with file, line number and reason. If a file cannot be read to its end, such as an
incomplete copy of a compressed one, the lines before the damage count, and the exit code is 1. Only sessions of the last 48 hours are
listed; the figures of all sessions are in the tables.

--follow counts one file on as it grows, also when it is rotated or emptied, and shows the figures again when lines have come: on a terminal
in place of those before. Ctrl-C ends it with the whole answer.

Bots are detected and counted apart, as in footfall query. --include-bots adds their events and page views. The pages of access logs that
were not found (404), and the requests by status, are those of all lines.

Exit code 1 if no line could be counted, or a file could not be read to its end.`,
		Example: `  footfall analyze access.log.gz
  footfall analyze '/var/log/nginx/access.log*' --top page,referrer --limit 20
  footfall analyze access.log --log-format '$remote_addr [$time_iso8601] "$request" $status "$http_user_agent"'
  footfall analyze s3://my-bucket/AWSLogs/123456789012/elasticloadbalancing/eu-west-1/2026/05/
  zcat access.log.*.gz | footfall analyze - --output json
  footfall analyze access.log --html report.html
  footfall analyze visits.csv --map timestamp=time --map visitorId=user --map url=page --set siteId=shop.example --set type=page_view
  footfall analyze access.log --table sqlite://march.db && footfall query top site browser --from 2026-03-01 --table sqlite://march.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(a, cmd, args) },
	}
	p.addFlags(cmd)
	return cmd
}

func (p *analyzeFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	p.file.AddFlags(cmd)
	salt := f.Lookup("visitor-salt")
	salt.DefValue = "fixed"
	cobra.CheckErr(salt.Value.Set("fixed"))
	f.StringVar(&p.host, "host", "", "access logs: own host of lines that name none (default: found by the referrers)")
	f.StringVar(&p.site, "site", "", "print the figures of this site alone")
	f.StringVar(&p.by, "by", "", "size of a bucket: "+strings.Join(query.Sizes, ", ")+" (default: by the length of the range)")
	f.StringVar(&p.zone, "tz", "", "time zone of days, as in Europe/Berlin (default: UTC)")
	f.StringSliceVar(&p.top, "top", []string{"page", "referrer", "browser"}, "dimensions whose top values are printed; none = none")
	f.IntVar(&p.rows, "limit", 10, fmt.Sprintf("max. top values and sessions, 1 to %d", query.MaxLimit))
	f.IntVar(&p.most, "max-sites", 5, "max. sites, those with the most events first")
	ask.AddBots(cmd, &p.bots)
	f.StringVar(&p.html, "html", "", "also write the page of the first site, as footfall serve has it, to this `file`; it loads nothing")
	f.BoolVar(&p.wide, "wide", false, "show all columns: also those that do not fit into 100 characters, or are the same in all rows")
	f.BoolVar(&p.follow, "follow", false, "count on as the file grows or is rotated, and show the figures again, until Ctrl-C")
	command.AddOutput(cmd, &p.output, show.Table, show.JSON)
	command.Complete(cmd, "by", query.Sizes...)
}

func (p *analyzeFlags) check(changed func(string) bool) (err error) {
	if slices.Equal(p.top, []string{"none"}) {
		p.top = nil
	}
	for _, name := range p.top {
		if _, err := sketch.ParseDimension(name); err != nil {
			return command.Usagef("--top: %w", err)
		}
	}
	switch {
	case p.rows < 1 || p.rows > query.MaxLimit:
		return command.Usagef("--limit %d: write 1 to %d", p.rows, query.MaxLimit)
	case p.most < 1:
		return command.Usagef("--max-sites %d: write 1 or more", p.most)
	case p.by != "" && !slices.Contains(query.Sizes, p.by):
		return command.Usagef("--by %s: choose %s", p.by, command.Either(query.Sizes))
	}
	if p.zone != "" {
		if p.loc, err = query.ParseZone(p.zone); err != nil {
			return command.Usagef("%w", err)
		}
	}
	return p.file.Check(changed)
}

// run counts the files and prints the figures.
func (p *analyzeFlags) run(a *command.App, cmd *cobra.Command, names []string) (err error) {
	if err := p.check(cmd.Flags().Changed); err != nil {
		return err
	}
	for _, name := range []string{"brokers", "topic", "data"} {
		if cmd.Flags().Changed(name) {
			return command.Usagef("--%s: footfall analyze needs no broker; send files to yours with footfall produce", name)
		}
	}
	if err := p.checkFollow(names, cmd.Flags().Changed("sort")); err != nil {
		return err
	}
	c, err := analysisConfig(cmd)
	if err != nil {
		return err
	}
	x := analysis{flags: p, files: filesText(names)}
	ctx, open := cmd.Context(), (func() (io.ReadCloser, error))(nil)
	if p.follow { // The end of the command's context ends the file.
		ctx = context.WithoutCancel(ctx)
		open = func() (io.ReadCloser, error) {
			return files.Follow(cmd.Context(), names[0], followEvery, func() error { return x.pause() })
		}
	}
	var key []byte
	x.file, x.total, err = p.file.Open(cmd, names, files.Options{Open: open, Buckets: 16 * command.DevPartitions, NeedTime: true,
		Site: cmp.Or(p.host, siteOfFiles), FindSite: p.host == "",
		Stdin: func(ctx context.Context) produce.Input { return files.EndingInput(ctx, a.In) }, KeyOf: func(files []produce.Input) []byte {
			key = produce.KeyOf(files)
			return key
		}})
	if err != nil {
		return err
	}
	if c.VisitorHashKey == "" && key != nil { // The table keeps its key, which must not say what the visitorIds were made with.
		sum := sha256.Sum256(append(key, "table"...))
		c.VisitorHashKey = hex.EncodeToString(sum[:16])
	}
	if x.table, err = newTable(cmd); err != nil {
		return err
	}
	x.config = c
	err = x.analyze(ctx, a)
	return errors.Join(err, x.table.close(x.complete))
}

// analysisConfig is the configuration of footfall dev, but nothing is too late and nothing expires.
func analysisConfig(cmd *cobra.Command) (config.Config, error) {
	c, err := command.DevConfig(cmd)
	if err != nil {
		return c, err
	}
	c.AllowedLateness = config.Off
	c.Retention = config.Retention{Raw: config.Never, Session: config.Never, Hour: config.Never, Day: config.Never}
	c.RawEvents, c.Sites.MaxNewPerHour, c.Seal.Interval = config.RawOff, 0, 0
	c.Intervals = config.Intervals{Stats: 200 * time.Millisecond, Realtime: 200 * time.Millisecond}
	return c, nil
}
