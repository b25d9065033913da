package serving

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/internal/serve/reads"
)

// serveFlags are the flags of footfall serve.
type serveFlags struct {
	address   string
	tokens    bool
	public    string
	cert, key string
	embedKeys string
	limits    serveLimits
	publicURL *url.URL // read from public; nil: none
}

func (o *serveFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.address, "listen", ServeAddress,
		"address to listen on, HOST:PORT; loopback only without --require-token; port 0 = any free one")
	f.BoolVar(&o.tokens, "require-token", false, "answer only requests with an access token, a share link or a signed JSON Web Token")
	f.StringVar(&o.public, "public-url", "", "address of the server in browsers, as in https://stats.example")
	f.StringVar(&o.cert, "tls-cert", "", "file of the certificate for TLS with its chain, PEM")
	f.StringVar(&o.key, "tls-key", "", "file of the certificate's key, PEM")
	f.StringVar(&o.embedKeys, "embed-keys", "", "file of the keys, one or two, that JSON Web Tokens are signed with, YAML")
	o.limits.addFlags(cmd)
	command.AddConfigFlags(f, "http")
	f.Lookup("http").Usage = "address of /livez, /readyz and /metrics, as in 127.0.0.1:9464; empty = none"
}

// check refuses flags that do not fit, before anything is opened.
func (o *serveFlags) check() (err error) {
	if o.tokens && o.cert != "" && o.public == "" { // Cookies are for TLS alone, and for this name.
		return command.Usagef("--tls-cert: add --public-url, the address of the server in browsers, as in https://stats.example")
	}
	if o.public != "" {
		if o.publicURL, err = command.PublicURL(o.public); err != nil {
			return err
		}
	}
	switch {
	case !o.tokens && o.embedKeys != "":
		return command.Usagef("--embed-keys: without --require-token everyone may read everything: add --require-token")
	case !o.tokens && o.public != "":
		return command.Usagef("--public-url: without --require-token only this machine is answered: add --require-token")
	case !o.tokens:
		err = serve.CheckAddress(o.address, "add --require-token")
	default:
		err = serve.CheckReach(o.address, o.public)
	}
	switch {
	case err != nil:
		return command.Usagef("--listen %w", err)
	case (o.cert == "") != (o.key == ""):
		return command.Usagef("--tls-cert and --tls-key: name both, or neither")
	case o.cert != "" && o.public != "" && o.publicURL.Scheme != "https":
		return command.Usagef("--public-url %q: with --tls-cert browsers reach the server by https://", o.public)
	}
	return o.limits.check()
}

// serve serves a table until ctx ends.
func (o *serveFlags) serve(ctx context.Context, a *command.App, t *connect.Table) error {
	log := process.NewLog(a.Err, t.Config.Log)
	registry := prometheus.NewRegistry()
	process.RegisterBuild(registry)
	handler, err := o.handler(t, log, reads.NewMetrics(registry))
	if err != nil {
		return err
	}
	l, err := o.listen(log)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Serving %s at %s\n", t.Config.Table, o.shownAddress(l))
	work := untilDone
	if t.Config.HTTP != "" {
		work = func(ctx context.Context) error { return serveMetrics(ctx, t.Config.HTTP, registry, log) }
	}
	always := func() error { return nil }
	return process.Notifying(ctx, always, log, func(ctx context.Context) error {
		return o.limits.server(handler, log).Serve(ctx, l, work)
	})
}

// handler answers questions about the table of those who may ask.
func (o *serveFlags) handler(t *connect.Table, log *slog.Logger, m *reads.Metrics) (http.Handler, error) {
	s := serve.Options{Table: t.Table, Now: time.Now, Log: log, Metrics: m, Limits: o.limits.answers()}
	if !o.tokens {
		return serve.New(s), nil
	}
	k := access.KeeperOptions{Table: t.Table, Now: time.Now, Log: log}
	if o.embedKeys != "" {
		var err error
		if k.Embed, err = access.LoadEmbedKeys(o.embedKeys, log); err != nil {
			return nil, command.Usagef("--embed-keys: %w", err)
		}
	}
	s.Keeper, s.Limiter, s.Public = access.NewKeeper(k), access.NewLimiter(o.limits.rate), o.publicURL
	return serve.New(s), nil
}

// listen opens the address.
func (o *serveFlags) listen(log *slog.Logger) (l net.Listener, err error) {
	var certificate *serve.Certificate
	if o.cert != "" {
		if certificate, err = serve.LoadCertificate(o.cert, o.key, log); err != nil {
			return nil, err
		}
	}
	if !o.tokens {
		l, err = ListenHere(o.address)
	} else if l, err = net.Listen("tcp", o.address); err != nil {
		err = fmt.Errorf("%w: choose another address with --listen", err)
	}
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		return tls.NewListener(l, certificate.Config()), nil
	}
	if here, ok := l.Addr().(*net.TCPAddr); ok && !here.IP.IsLoopback() && (o.publicURL == nil || o.publicURL.Scheme != "https") {
		// Cause: `footfall serve --require-token` listens for other machines without TLS. Remedy: Do what the message says.
		log.Warn("tokens are sent without encryption: use --tls-cert and --tls-key, or a proxy with TLS and an https:// address in --public-url")
	}
	return l, nil
}

// shownAddress is the address that the command prints.
func (o *serveFlags) shownAddress(l net.Listener) string {
	switch {
	case o.publicURL != nil:
		return o.publicURL.String() + "/"
	case o.cert != "":
		return "https://" + l.Addr().String() + "/"
	}
	return AddressOf(l)
}

// serveMetrics answers probes and scrapes until ctx ends.
func serveMetrics(ctx context.Context, address string, metrics prometheus.Gatherer, log *slog.Logger) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve http: %w: choose another address with http (--http, FOOTFALL_HTTP)", err)
	}
	mux := http.NewServeMux()
	for _, path := range []string{"GET /livez", "GET /readyz"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	return process.ServeHandler(ctx, l, mux, log, untilDone)
}
