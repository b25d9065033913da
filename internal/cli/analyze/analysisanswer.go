package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// Answer is what footfall analyze prints as JSON.
type Answer struct {
	Counted      int64             `json:"counted"` // lines
	Refused      int64             `json:"refused"` // lines that could not be counted
	FirstRefused []produce.Refusal `json:"refusedLines"`
	LeftOut      produce.LeftOut   `json:"leftOut"`
	Statuses     produce.Statuses  `json:"statuses"`    // of requests in access logs
	Broken       []brokenFile      `json:"brokenFiles"` // whose figures are those of the lines before
	Duplicates   int64             `json:"duplicates"`  // of the counted, events with the siteId and id of one before
	FirstEvent   time.Time         `json:"firstEvent"`
	LastEvent    time.Time         `json:"lastEvent"`
	Seconds      float64           `json:"seconds"` // from the start to the last line in the table
	SitesLeftOut int               `json:"sitesLeftOut"`
	Sites        []siteAnalysis    `json:"sites"`

	unnamed string // the site of lines that name none; "": there were none
	kept    bool   // the figures stay in a file, for other commands
}

// brokenFile is a file that could not be read to its end.
type brokenFile struct {
	produce.Place        // of the last line that was read
	Offset        int64  `json:"offset"` // bytes that were read, packed if the file is
	Error         string `json:"error"`
}

// siteAnalysis are the figures of a site.
type siteAnalysis struct {
	SiteID   string               `json:"siteId"`
	Stats    query.StatsAnswer    `json:"stats"`
	Top      []query.TopAnswer    `json:"top"`
	Sessions query.SessionsAnswer `json:"sessions"` // the latest of the last 48 hours
}

// answer asks the table about the sites.
func (p *analyzeFlags) answer(ctx context.Context, table sinks.Table, to *Answer) error {
	r := query.New(table, time.Now)
	ids, err := p.sites(ctx, r)
	if err != nil {
		return err
	}
	for _, id := range ids {
		stats, err := p.stats(ctx, r, id, to)
		if err != nil {
			return ask.Blame(err)
		}
		// Of many sites, only the largest are kept.
		to.Sites = append(to.Sites, siteAnalysis{SiteID: id, Stats: stats})
		slices.SortStableFunc(to.Sites, func(a, b siteAnalysis) int { return cmp.Compare(eventsOf(b.Stats), eventsOf(a.Stats)) })
		if len(to.Sites) > p.most {
			to.Sites = slices.Delete(to.Sites, p.most, len(to.Sites))
			to.SitesLeftOut++
		}
	}
	for i := range to.Sites {
		s := &to.Sites[i]
		var lists []query.TopList
		for _, dimension := range p.top {
			lists = append(lists, query.TopList{Dimension: dimension, Limit: p.rows})
		}
		if len(lists) > 0 {
			params := query.TopParams{Site: s.SiteID, From: to.FirstEvent, To: to.end(), Zone: p.loc, IncludeBots: p.bots}
			if s.Top, err = r.Tops(ctx, params, lists); err != nil {
				return ask.Blame(err)
			}
		}
		for i := range s.Top {
			s.Top[i].Warnings = []query.Warning{}
		}
		if s.Sessions, err = r.Sessions(ctx, query.SessionsParams{Site: s.SiteID, Paging: query.Paging{Limit: p.rows, Desc: true}}); err != nil {
			return ask.Blame(err)
		}
	}
	return nil
}

// stats asks for the figures of a site, with the rows of all pages.
func (p *analyzeFlags) stats(ctx context.Context, r *query.Reader, site string, of *Answer) (query.StatsAnswer, error) {
	params := query.StatsParams{Site: site, From: of.FirstEvent, To: of.end(), By: query.By(p.by), Zone: p.loc, IncludeBots: p.bots,
		Paging: query.Paging{Limit: query.MaxLimit}}
	all, err := r.Stats(ctx, params)
	for err == nil && all.Cursor != "" {
		var next query.StatsAnswer
		params.Cursor = all.Cursor
		next, err = r.Stats(ctx, params)
		all.Buckets, all.Cursor = append(all.Buckets, next.Buckets...), next.Cursor
	}
	all.Warnings = []query.Warning{} // All was counted. Only the files are old.
	return all, err
}

// end is the end of the range of all events, exclusive.
func (x *Answer) end() time.Time { return x.LastEvent.Add(time.Millisecond) }

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
		return nil, &command.ExitError{Code: command.CodeUnknown,
			Err: fmt.Errorf("--site %s: no line is of this site: leave it out to see which there are", p.site)}
	}
	return ids, nil
}

// shown are the answers about the site that have something to show. Pages after the first have no command here, so no cursor is shown.
func (s siteAnalysis) shown() []any {
	answers := []any{s.Stats}
	for _, top := range s.Top {
		top.Cursor = ""
		answers = append(answers, top)
	}
	if len(s.Sessions.Sessions) > 0 {
		sessions := s.Sessions
		sessions.Cursor = ""
		answers = append(answers, sessions)
	}
	return answers
}

// limited reports whether there are more values or sessions than are shown.
func (s siteAnalysis) limited() bool {
	return s.Sessions.Cursor != "" || slices.ContainsFunc(s.Top, func(t query.TopAnswer) bool { return t.Cursor != "" })
}

// siteOfFiles is the site of lines that name none, if no host is found: titles name the files of such lines.
const siteOfFiles = "site"

// filesText is what titles call files.
func filesText(names []string) string {
	switch {
	case len(names) != 1:
		return plural.Count(int64(len(names)), "file", "files")
	case names[0] == "-":
		return "standard input"
	}
	return filepath.Base(names[0])
}

// mostColumns is how wide tables are without --wide.
const mostColumns = 100

// printTables prints the answer for people. files is what to call the files.
func (p *analyzeFlags) printTables(a *command.App, answer *Answer, files string) error {
	layout := a.Layout(show.Table)
	layout.Remedy, layout.Brief = "--wide shows all.", !p.wide
	switch {
	case p.wide:
		layout.Width = 0
	case layout.Width == 0 || layout.Width > mostColumns:
		layout.Width = mostColumns
	}
	err := a.Paged(func(out io.Writer) error {
		for _, s := range answer.Sites {
			layout.Site, layout.Subject = s.SiteID, ""
			switch {
			case s.SiteID != answer.unnamed:
			case len(answer.Sites) == 1:
				layout.Subject = files
			case s.SiteID == siteOfFiles: // The files have lines of others, too.
				layout.Subject = "lines without a host"
			}
			for _, x := range s.shown() {
				if err := show.Print(out, a.Err, layout, x); err != nil {
					return err
				}
				fmt.Fprintln(out)
			}
		}
		answer.printNotFound(out)
		if slices.ContainsFunc(answer.Sites, siteAnalysis.limited) {
			fmt.Fprintf(out, "There are more values or sessions: raise --limit, up to %d.\n", query.MaxLimit)
		}
		if n := answer.SitesLeftOut; n > 0 {
			fmt.Fprintf(out, "%s not shown: raise --max-sites, or name one with --site.\n", plural.Count(n, "more site is", "more sites are"))
		}
		return nil
	})
	return errors.Join(err, answer.summary(a.Err, p.host != ""))
}

// printNotFound lists pages that were not found.
func (x *Answer) printNotFound(out io.Writer) {
	if len(x.Statuses.NotFound) == 0 {
		return
	}
	fmt.Fprintln(out, "Pages not found (404), by requests, also of bots")
	for _, row := range x.Statuses.NotFound {
		page := row.Page
		if len(x.Sites) > 1 {
			page = row.SiteID + " " + page
		}
		fmt.Fprintf(out, "%8d  %s\n", row.Requests, page)
	}
	fmt.Fprintln(out)
}

// summary says what became of the lines.
func (x *Answer) summary(w io.Writer, hostGiven bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Counted %s, from %s to %s, in %.1f s.\n", plural.Count(x.Counted, "line", "lines"), x.FirstEvent.Format(time.RFC3339),
		x.LastEvent.Format(time.RFC3339), x.Seconds)
	if x.LeftOut.All() > 0 {
		fmt.Fprintf(&b, "Left out: %v. --count-assets counts them.\n", &x.LeftOut)
	}
	if len(x.Statuses.Classes) > 1 {
		fmt.Fprintf(&b, "Requests by status: %v.\n", &x.Statuses)
	}
	if x.unnamed != "" && x.unnamed != siteOfFiles && !hostGiven {
		fmt.Fprintf(&b, "Referrers of %s are taken for its own pages: --host names another host.\n", x.unnamed)
	}
	if x.Duplicates > 0 {
		fmt.Fprintf(&b, "%s the siteId and id of an earlier line, and did not count again.\n",
			plural.Count(x.Duplicates, "of them has", "of them have"))
	}
	if !x.kept {
		b.WriteString("--table sqlite://FILE keeps the figures: footfall query and footfall serve answer from that file.\n")
	}
	out := show.PlainWriter(w)
	_, err := io.WriteString(out, b.String())
	return errors.Join(err, produce.Summary{Refused: x.Refused, FirstRefused: x.FirstRefused}.WriteRefused(out))
}

// analyzeFlags are the flags of footfall analyze.
type analyzeFlags struct {
	file       files.Flags
	host, site string
	by, zone   string
	top        []string
	rows, most int
	bots, wide bool
	follow     bool
	html       string // file that gets a page
	output     show.Format

	loc *time.Location // of zone; nil: the sites' own
}
