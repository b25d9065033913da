// Package serving has footfall serve: its flags, its limits, and how it listens.
package serving

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/collect"
	"github.com/footfall/footfall/internal/serve"
)

// NewServeCommand is footfall serve.
func NewServeCommand(a *command.App) *cobra.Command {
	var o serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the numbers: a page of each site and a read API",
		Long: `Serve the numbers of all sites over HTTP: a page of each site, which needs no script, and a read API in JSON, CSV and NDJSON under
/api/v1, with the same figures as footfall query. /api/v1/openapi.json describes it.

Without --require-token there is no access control: it listens on a loopback address only and answers requests for localhost only. To
reach it from another machine then, use an SSH tunnel, or a proxy that asks for a password and sets the Host header to localhost.

With --require-token each request needs an access token (footfall token create), a share link (footfall share create), or a JSON Web Token
that is signed with a key of --embed-keys. Then it may listen on any address. --public-url is the address that browsers open.
For TLS, give --tls-cert and --tls-key, which are read again when they change, or use a proxy.

It writes only annotations that requests create or delete and, with --require-token, the day on which each token was used last.

Ctrl-C ends it after the answers that are under way, within two seconds.`,
		Example: `  footfall serve --table dynamodb://footfall
  footfall serve --data data --listen 127.0.0.1:9000
  footfall serve --require-token --listen :8443 --public-url https://stats.example:8443 --tls-cert cert.pem --tls-key key.pem
  curl 'http://127.0.0.1:8787/api/v1/sites/shop.example/stats?period=7d&compare=previous'
  curl -H "Authorization: Bearer $TOKEN" 'https://stats.example:8443/api/v1/sites/shop.example/top/page?from=-7d&format=csv'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return connect.WithPlainTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				if err := tableExists(ctx, t); err != nil {
					return err
				}
				return o.serve(ctx, a, t)
			})
		},
	}
	o.addFlags(cmd)
	return cmd
}

// tableExists returns an error if there is no table: questions about it could only fail.
func tableExists(ctx context.Context, t *connect.Table) error {
	_, err := t.Describe(ctx)
	return err
}

// ServeUntilDone answers questions about a table on a listener, which it closes when ctx ends, and has a collector take events there.
// Everyone who can connect may ask.
func ServeUntilDone(ctx context.Context, l net.Listener, t *connect.Table, collector http.Handler, log *slog.Logger) error {
	limits := defaultServeLimits()
	mux := http.NewServeMux()
	mux.Handle("/", serve.New(serve.Options{Table: t.Table, Now: time.Now, Log: log}))
	for _, path := range []string{collect.PathScript, collect.PathBrowser, collect.PathPixel} {
		mux.Handle(path, collector)
	}
	return limits.server(mux, log).Serve(ctx, l, untilDone)
}
