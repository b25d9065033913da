package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func newTableHotCommand(a *app) *cobra.Command {
	var from []string
	var output show.Format
	var limit int
	cmd := &cobra.Command{
		Use:   "hot-keys [SITE]",
		Short: "List the most-written partition keys, or how evenly a site's shards are written",
		Long: `Ask running processes, by their --http addresses, for the partition keys with the most write units in the last five whole minutes,
and add up the answers. A partition key takes 1,000 write units a second. Each process counts its 2,048 hottest keys: a key's figure
is a lower bound, "at most" is the upper bound.

With SITE, list the site's shards and how far the busiest is above the mean. If they are hot, give the site more shards with footfall
site update.

Processes answer if they run with --http-hot-keys. Without --metrics-url, the process at the configured http address on this machine is
asked. To find all processes, run footfall status: the owner of a partition is HOST/PROCESS/RANDOM. Name each host once, with the port of
its --http.`,
		Example: `  footfall table hot-keys --metrics-url http://worker-1:8080 --metrics-url http://worker-2:8080
  footfall table hot-keys shop.example --metrics-url http://localhost:8080 --output json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usagef("--limit %d: choose 1 or more", limit)
			}
			urls, err := a.processes(cmd, from)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				of, err := askHot(cmd.Context(), urls)
				if err != nil {
					return err
				}
				return a.printHot(capacity.ReportHot(of, limit), output)
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				shards, err := shardsOf(ctx, t, args[0])
				if err != nil {
					return err
				}
				of, err := askHot(ctx, urls)
				if err != nil {
					return err
				}
				return a.printHot(capacity.ReportSite(of, args[0], shards), output)
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&from, "metrics-url", nil, "address of a running process, http://HOST:PORT (repeat for each)")
	addOutput(cmd, &output, show.Table, show.JSON)
	f.IntVar(&limit, "limit", 20, "max. keys to list, 1 or more")
	return cmd
}

// processes returns the addresses of the processes to ask: those that are named, or the one of the configuration.
func (a *app) processes(cmd *cobra.Command, named []string) ([]string, error) {
	if len(named) == 0 {
		c, err := a.config(cmd)
		if err != nil {
			return nil, err
		}
		if c.HTTP == "" {
			return nil, usagef("no process to ask: start footfall run with --http, and name its address with --metrics-url http://HOST:PORT; " +
				"footfall status shows the hosts as the owners of partitions, HOST/PROCESS/RANDOM")
		}
		host, port, err := net.SplitHostPort(c.HTTP)
		if err != nil {
			return nil, usagef("http %q: %w", c.HTTP, err)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "localhost"
		}
		address := "http://" + net.JoinHostPort(host, port)
		fmt.Fprintf(a.err, "Asking %s alone; footfall status shows the hosts of the others as the owners of partitions: name them with "+
			"--metrics-url.\n", address)
		return []string{address}, nil
	}
	for i, text := range named {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return nil, usagef("--metrics-url %q: write http://HOST:PORT", text)
		}
		named[i] = u.Scheme + "://" + u.Host
	}
	return named, nil
}

// shardsOf is how many shards of a site are written: those of its raw events or of its sessions, which are more.
func shardsOf(ctx context.Context, t *openedTable, site string) (int, error) {
	answer, err := query.New(t.Table, sinks.Keys{}, time.Now).Site(ctx, query.SiteParams{Site: site})
	if err != nil {
		return 0, blame(err)
	}
	if !answer.SiteKnown {
		return 0, fmt.Errorf("site %q is not known: none of its events was counted, and it was not created: footfall site list shows all", site)
	}
	return max(sinks.DefaultShards, answer.Site.Shards), nil
}

func askHot(ctx context.Context, urls []string) (of []capacity.HotOf, err error) {
	for _, u := range urls {
		h := capacity.HotOf{URL: u}
		err = errors.Join(err, getJSON(ctx, u+"/debug/hot-keys", &h.Hot, func() bool { return !h.To.IsZero() }))
		of = append(of, h)
	}
	return of, err
}

// getJSON asks a running process for a document, which is one only if whole says so.
func getJSON(ctx context.Context, url string, to any, whole func() bool) error {
	return getFrom(ctx, url, func(body io.Reader) error {
		err := json.NewDecoder(body).Decode(to)
		if err == nil && !whole() {
			err = errors.New("the answer is of another kind")
		}
		return err
	})
}

// maxAnswer is what of an answer is read: 2,048 keys of 2 KB come to 4 MB.
const maxAnswer = 16 << 20

// getFrom asks a running process.
func getFrom(ctx context.Context, url string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("no answer in 10s"))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	const remedy = "does footfall run of this version serve there, with --http?"
	r, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %s", doctor.WithCause(ctx, err), remedy)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, r.Status, remedy)
	}
	if err := read(io.LimitReader(r.Body, maxAnswer)); err != nil {
		return fmt.Errorf("%s: %w: %s", url, err, remedy)
	}
	return nil
}

func (a *app) printHot(r capacity.HotReport, output show.Format) error {
	return a.print(output, r, func(out io.Writer) error { return capacity.PrintHot(out, r) })
}
