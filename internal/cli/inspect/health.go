package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/doctor"
)

// NewHealthCommand is footfall health.
func NewHealthCommand(a *command.App) *cobra.Command {
	var ready bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the process at the configured http address whether it works",
		Long: `Ask the process of footfall run or footfall serve at the address of http (--http, FOOTFALL_HTTP) whether it works. It is the
health check of the image, which has no shell and no other HTTP client. footfall dev serves no probes.

A process that cannot work any more ends by itself. One that has lost the brokers or the table and waits for them works: a restart
would not help. With --ready it must be ready as well, which an orchestrator asks before it sends traffic or continues a rolling
deployment. The answer names each reason.

The exit code is 0 if the process answers, 1 if it does not or is not ready, and 2 for wrong usage.`,
		Example: "  footfall health --http :8080\n  footfall health --ready",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			address, err := connect.LocalProcess(c.HTTP)
			if err != nil {
				return err
			}
			path := "/livez"
			if ready {
				path = "/readyz"
			}
			answer, err := probe(cmd.Context(), address+path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, answer)
			return err
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "ask whether the process is ready, rather than whether it works")
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

// probe asks an address of probes, and returns what it says. An answer other than 200 is an error that has its text.
func probe(ctx context.Context, url string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer in 5s"))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	// The process of this machine itself is asked, unlike by connect.GetFrom: without a proxy, and a redirect is no answer of it.
	client := http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	defer client.CloseIdleConnections()
	const remedy = "does footfall run or serve listen there, with --http?"
	r, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%w: %s", doctor.WithCause(ctx, err), remedy)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		return "", fmt.Errorf("%s: %w", url, err)
	}
	answer := strings.TrimSpace(string(text))
	switch {
	case r.StatusCode == http.StatusOK:
		return answer, nil
	case r.StatusCode == http.StatusServiceUnavailable && answer != "":
		return "", fmt.Errorf("%s: %s: %s", url, r.Status, answer)
	}
	return "", fmt.Errorf("%s: %s: %s", url, r.Status, remedy)
}
