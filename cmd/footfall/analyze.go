package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// analyzeFlags are the flags of footfall analyze.
type analyzeFlags struct {
	file       fileFlags
	site       string
	by, zone   string
	top        []string
	rows, most int
	bots       bool
	output     show.Format

	loc *time.Location // of zone; nil: the sites' own
}

func newAnalyzeCommand(a *app) *cobra.Command {
	var p analyzeFlags
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Count the lines of files and print the figures: no broker, no configuration",
		Long: `Count the lines of access logs, of events, or of other files, and print the figures of each site: by day, the top pages, referrers
and so on, and the latest sessions. A broker and the pipeline run in this process while the files are read; figures are those that footfall
run would have. The table is a temporary file, which is deleted at the end; --table sqlite://FILE keeps it in a new file, for footfall
query. Nothing is read from or sent to other machines.

FILE is a file, a folder, a glob, or - for standard input, optionally compressed with gzip, zstd or bzip2. Several files are read in the
order of the times of their first lines. --format auto finds the format by the first lines of the first file:

` + formatsHelp + `

analyze differs from footfall produce in what it assumes: --visitor-salt is fixed, so that a visitor of several days counts once, the key
of the visitors' hash is random and forgotten at the end, asset is one of the nonInteractiveEvents, old events are not too late, and
nothing expires. Without --set siteId=..., the siteId of combined and common is "site". Lines that cannot be counted are listed at the end
with file, line number and reason. Sessions are listed of the last 48 hours only; their figures are in all tables.

Bots are detected and counted apart, as in footfall query. --include-bots adds their events and page views.

Exit code 1 if no line could be counted.`,
		Example: `  footfall analyze access.log.gz
  footfall analyze '/var/log/nginx/access.log*' --top page,referrer --limit 20
  zcat access.log.*.gz | footfall analyze - --output json
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
	p.file.addFlags(cmd)
	salt := f.Lookup("visitor-salt")
	salt.DefValue = "fixed"
	cobra.CheckErr(salt.Value.Set("fixed"))
	f.StringVar(&p.site, "site", "", "print the figures of this site alone")
	f.StringVar(&p.by, "by", "", "size of a bucket: "+strings.Join(query.Sizes, ", ")+" (default: by the length of the range)")
	f.StringVar(&p.zone, "tz", "", "time zone of days, as in Europe/Berlin (default: UTC)")
	f.StringSliceVar(&p.top, "top", []string{"page", "referrer", "browser"}, "dimensions whose top values are printed; none = none")
	f.IntVar(&p.rows, "limit", 10, fmt.Sprintf("max. top values and sessions, 1 to %d", query.MaxLimit))
	f.IntVar(&p.most, "max-sites", 5, "max. sites, those with the most events first")
	addBots(cmd, &p.bots)
	addOutput(cmd, &p.output, show.Table, show.JSON)
	complete(cmd, "by", query.Sizes...)
}

func (p *analyzeFlags) check(changed func(string) bool) (err error) {
	if slices.Equal(p.top, []string{"none"}) {
		p.top = nil
	}
	for _, name := range p.top {
		if _, err := sketch.ParseDimension(name); err != nil {
			return usagef("--top: %w", err)
		}
	}
	switch {
	case p.rows < 1 || p.rows > query.MaxLimit:
		return usagef("--limit %d: write 1 to %d", p.rows, query.MaxLimit)
	case p.most < 1:
		return usagef("--max-sites %d: write 1 or more", p.most)
	case p.by != "" && !slices.Contains(query.Sizes, p.by):
		return usagef("--by %s: choose %s", p.by, either(query.Sizes))
	}
	if p.zone != "" {
		if p.loc, err = query.ParseZone(p.zone); err != nil {
			return usagef("%w", err)
		}
	}
	return p.file.check(changed)
}

// run counts the files and prints the figures.
func (p *analyzeFlags) run(a *app, cmd *cobra.Command, names []string) (err error) {
	if err := p.check(cmd.Flags().Changed); err != nil {
		return err
	}
	for _, name := range []string{"brokers", "topic", "data"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s: footfall analyze brings its own broker; send files to yours with footfall produce", name)
		}
	}
	c, err := analysisConfig(cmd)
	if err != nil {
		return err
	}
	file, total, err := p.open(cmd, a, names)
	if err != nil {
		return err
	}
	url, remove, err := analysisTable(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	return analyze(cmd.Context(), a, analysis{flags: p, config: c, file: file, total: total, table: url})
}

// open opens the files.
func (p *analyzeFlags) open(cmd *cobra.Command, a *app, names []string) (*produce.File, int64, error) {
	inputs, total, err := a.inputs(cmd.Context(), names)
	if err != nil {
		return nil, 0, err
	}
	format, err := p.file.formatOf(inputs, cmd.Flags().Changed, formatOptions{buckets: 16 * devPartitions, needTime: true, site: "site"})
	if err != nil {
		return nil, 0, err
	}
	produce.Order(inputs, format)
	file := produce.NewFiles(inputs, format)
	if p.file.sort > 0 {
		file.Sort(p.file.sort)
	}
	return file, total, nil
}

// analysisConfig is the configuration of footfall dev, but nothing is too late and nothing expires.
func analysisConfig(cmd *cobra.Command) (config.Config, error) {
	c, err := devConfig(cmd)
	if err != nil {
		return c, err
	}
	c.AllowedLateness = config.Off
	c.Retention = config.Retention{Raw: config.Never, Session: config.Never, Hour: config.Never, Day: config.Never}
	c.RawEvents, c.Sites.MaxNewPerHour, c.Seal.Interval = config.RawOff, 0, 0
	if !slices.Contains(c.NonInteractiveEvents, "asset") {
		c.NonInteractiveEvents = append(slices.Clone(c.NonInteractiveEvents), "asset")
	}
	c.Intervals = config.Intervals{Stats: 200 * time.Millisecond, Realtime: 200 * time.Millisecond}
	return c, nil
}

// analysisTable names a table that does not exist yet, and how to remove it.
func analysisTable(cmd *cobra.Command) (url string, remove func() error, err error) {
	if f := cmd.Flags().Lookup("table"); f.Changed {
		path, ok := strings.CutPrefix(f.Value.String(), "sqlite://")
		if !ok {
			return "", nil, usagef("--table %s: footfall analyze writes a file: sqlite://FILE", f.Value)
		}
		if _, err := os.Stat(path); err == nil {
			return "", nil, fmt.Errorf("--table %s: the file exists, and its figures would be mixed with new ones: name another, or delete it",
				f.Value)
		}
		return f.Value.String(), func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp("", "footfall-analyze-")
	if err != nil {
		return "", nil, fmt.Errorf("temporary table: %w: set TMPDIR to a folder in which this user may write, or name a file with --table", err)
	}
	return "sqlite://" + filepath.Join(dir, devTable), func() error { return os.RemoveAll(dir) }, nil
}

// analysisAnswer is what footfall analyze prints as JSON.
type analysisAnswer struct {
	Counted      int64             `json:"counted"` // lines
	Refused      int64             `json:"refused"` // lines that could not be counted
	FirstRefused []produce.Refusal `json:"refusedLines"`
	Duplicates   int64             `json:"duplicates"` // of the counted, events with the siteId and id of one before
	FirstEvent   time.Time         `json:"firstEvent"`
	LastEvent    time.Time         `json:"lastEvent"`
	Seconds      float64           `json:"seconds"` // from the start to the last line in the table
	SitesLeftOut int               `json:"sitesLeftOut"`
	Sites        []siteAnalysis    `json:"sites"`
}

// siteAnalysis are the figures of a site.
type siteAnalysis struct {
	SiteID   string               `json:"siteId"`
	Stats    query.StatsAnswer    `json:"stats"`
	Top      []query.TopAnswer    `json:"top"`
	Sessions query.SessionsAnswer `json:"sessions"` // the latest of the last 48 hours
}

// answer asks the table about the sites.
func (p *analyzeFlags) answer(ctx context.Context, table sinks.Table, to *analysisAnswer) error {
	r := query.New(table, sinks.Keys{}, time.Now)
	ids, err := p.sites(ctx, r)
	if err != nil {
		return err
	}
	var all []siteAnalysis
	end := to.LastEvent.Add(time.Millisecond)
	for _, id := range ids {
		stats, err := r.Stats(ctx, query.StatsParams{Site: id, From: to.FirstEvent, To: end, By: query.By(p.by), Zone: p.loc, IncludeBots: p.bots,
			Paging: query.Paging{Limit: query.MaxLimit}})
		if err != nil {
			return blame(err)
		}
		all = append(all, siteAnalysis{SiteID: id, Stats: stats})
	}
	slices.SortStableFunc(all, func(a, b siteAnalysis) int { return int(eventsOf(b.Stats) - eventsOf(a.Stats)) })
	to.SitesLeftOut = max(0, len(all)-p.most)
	to.Sites = all[:min(len(all), p.most)]
	for i := range to.Sites {
		s := &to.Sites[i]
		for _, dimension := range p.top {
			top, err := r.Top(ctx, query.TopParams{Site: s.SiteID, Dimension: dimension, From: to.FirstEvent, To: end, Zone: p.loc, Limit: p.rows,
				IncludeBots: p.bots})
			if err != nil {
				return blame(err)
			}
			s.Top = append(s.Top, top)
		}
		if s.Sessions, err = r.Sessions(ctx, query.SessionsParams{Site: s.SiteID, Paging: query.Paging{Limit: p.rows, Desc: true}}); err != nil {
			return blame(err)
		}
	}
	return nil
}

func eventsOf(s query.StatsAnswer) int64 {
	if s.Totals == nil {
		return 0
	}
	return s.Totals.Events
}

// sites are the ids of the sites that were counted, or the one that is asked for.
func (p *analyzeFlags) sites(ctx context.Context, r *query.Reader) (ids []string, err error) {
	paging := query.Paging{Limit: query.MaxLimit}
	for {
		list, err := r.Sites(ctx, query.SitesParams{Paging: paging})
		if err != nil {
			return nil, err
		}
		for _, s := range list.Sites {
			if p.site == "" || p.site == s.SiteID {
				ids = append(ids, s.SiteID)
			}
		}
		if paging.Cursor = list.Cursor; list.Cursor == "" {
			break
		}
	}
	if p.site != "" && len(ids) == 0 {
		return nil, &exitError{codeUnknown, fmt.Errorf("--site %s: no line is of this site: leave it out to see which there are", p.site)}
	}
	return ids, nil
}

// shown are the answers about the site that have something to show.
func (s siteAnalysis) shown() []any {
	answers := []any{s.Stats}
	for _, top := range s.Top {
		answers = append(answers, top)
	}
	if len(s.Sessions.Sessions) > 0 {
		answers = append(answers, s.Sessions)
	}
	return answers
}

// printTables prints the answer for people.
func (p *analyzeFlags) printTables(a *app, answer *analysisAnswer) error {
	layout := a.layout(show.Table)
	err := a.paged(func(out io.Writer) error {
		for _, s := range answer.Sites {
			for _, x := range s.shown() {
				if err := show.Print(out, a.err, layout, x); err != nil {
					return err
				}
				fmt.Fprintln(out)
			}
		}
		if answer.SitesLeftOut > 0 {
			fmt.Fprintf(out, "%d more sites: show them with --max-sites, or one with --site\n", answer.SitesLeftOut)
		}
		return nil
	})
	return errors.Join(err, answer.summary(a.err))
}

// summary says what became of the lines.
func (x *analysisAnswer) summary(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Counted %d lines, of %s to %s, in %.1f s.\n", x.Counted, x.FirstEvent.Format(time.RFC3339),
		x.LastEvent.Format(time.RFC3339), x.Seconds)
	if x.Duplicates > 0 {
		fmt.Fprintf(&b, "%d of them have the siteId and id of one before, and do not count again.\n", x.Duplicates)
	}
	if x.Refused > 0 {
		fmt.Fprintf(&b, "Refused %d lines:\n", x.Refused)
		for _, r := range x.FirstRefused {
			fmt.Fprintf(&b, "  %s\n", show.Plain(r.Error()))
		}
		if more := x.Refused - int64(len(x.FirstRefused)); more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
