package connect

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
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/doctor"
)

// Processes returns the addresses of the processes to ask: those that are named, or the one of the configuration.
func Processes(a *command.App, cmd *cobra.Command, named []string) ([]string, error) {
	if len(named) == 0 {
		c, err := a.Config(cmd)
		if err != nil {
			return nil, err
		}
		if c.HTTP == "" {
			return nil, command.Usagef("no process to ask: start footfall run with --http, and name its address with " +
				"--metrics-url http://HOST:PORT; footfall status shows the hosts as the owners of partitions, HOST/PROCESS/RANDOM/RELEASE")
		}
		address, err := LocalProcess(c.HTTP)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(a.Err, "Asking %s alone; footfall status shows the hosts of the others as the owners of partitions: name them with "+
			"--metrics-url.\n", address)
		return []string{address}, nil
	}
	for i, text := range named {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return nil, command.Usagef("--metrics-url %q: write http://HOST:PORT", text)
		}
		named[i] = u.Scheme + "://" + u.Host
	}
	return named, nil
}

// LocalProcess returns the URL of a process on this machine that listens at an address of http, as in :8080.
func LocalProcess(http string) (string, error) {
	if http == "" {
		return "", command.Usagef("http is empty: give the address that the process was started with, as in --http :8080 or FOOTFALL_HTTP")
	}
	host, port, err := net.SplitHostPort(http)
	if err != nil {
		return "", command.Usagef("http %q: %w", http, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

// AskHot asks processes for the partition keys with the most write units.
func AskHot(ctx context.Context, urls []string) (of []capacity.HotOf, err error) {
	for _, u := range urls {
		h := capacity.HotOf{URL: u}
		err = errors.Join(err, getJSON(ctx, u+"/debug/hot-keys", &h.Hot, func() bool { return !h.To.IsZero() }))
		of = append(of, h)
	}
	return of, err
}

// AskSpent asks processes for the units that sites have consumed.
func AskSpent(ctx context.Context, urls []string) (of []capacity.SpentOf, err error) {
	for _, u := range urls {
		s := capacity.SpentOf{URL: u}
		err = errors.Join(err, getJSON(ctx, u+"/cost", &s.Spent, func() bool { return !s.To.IsZero() }))
		of = append(of, s)
	}
	return of, err
}

// getJSON asks a running process for a document, which is one only if whole says so.
func getJSON(ctx context.Context, url string, to any, whole func() bool) error {
	return GetFrom(ctx, url, func(body io.Reader) error {
		err := json.NewDecoder(body).Decode(to)
		if err == nil && !whole() {
			err = errors.New("the answer is of another kind")
		}
		return err
	})
}

// GetFrom asks a running process.
func GetFrom(ctx context.Context, url string, read func(io.Reader) error) error {
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

// maxAnswer is what of an answer is read: 2,048 keys of 2 KB come to 4 MB.
const maxAnswer = 16 << 20
