package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/collect"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/serve"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/visitorid"
)

// CollectAddress is where footfall collect and footfall dev take events by default.
const CollectAddress = "127.0.0.1:8788"

// NewCollectCommand is footfall collect.
func NewCollectCommand(a *command.App) *cobra.Command {
	var o collectFlags
	cmd := &cobra.Command{
		Use:   "collect --sites FILE",
		Short: "Take events from pages and backends over HTTP, and publish them to the topic",
		Long: `Take events over HTTP and publish them to the topic. An event is answered with 202 only when the brokers have it, with all in-sync
replicas; with 503 and Retry-After when they do not, or when too many events wait for them. Send it again with the same id: it counts once.

  GET  /hello.js    the script of pages, without cookies and storage
  POST /hello       its events; the Origin must be one of the site's
  GET  /hello.gif   a page view of a browser without scripts, as ?siteId=SITE&url=URL; the Referer must be of the site
  POST /events      events of backends and apps, with Authorization: Bearer TOKEN

The file of --sites, which is read again when it changes, has the sites and who may send their events:

  sites:
    - id: shop.example            # origins by default: https://shop.example and https://www.shop.example
    - id: blog
      origins: [https://blog.example]
      tokens: [9f86d081884c7d65...]  # SHA-256 of the tokens of backends, in hex

A visitor is a hash of site, address and user agent under a salt of the day, which all collectors share by the topic of --salts-topic. It is
deleted 48 hours after its day began; the address is kept nowhere. docs/collect.md has a page's snippet and the fields of events.

SIGINT and SIGTERM end it after the requests that are under way.`,
		Example: `  footfall collect --sites sites.yaml --brokers kafka:9092 --listen :8443 --tls-cert cert.pem --tls-key key.pem
  footfall collect --sites sites.yaml --listen 10.0.0.5:8788 --trusted-proxies 10.0.0.0/8 --country-header CF-IPCountry`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config(cmd)
			if err == nil {
				err = engine.RefuseMapping(c, "footfall collect")
			}
			if err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			log := process.NewLog(a.Err, c.Log)
			kafka, err := connect.Clients(cmd, c)
			if err != nil {
				return process.UnlessAsked(cmd.Context(), log, err)
			}
			return o.collect(cmd.Context(), a, c, kafka, log)
		},
	}
	o.addFlags(cmd)
	return cmd
}

// collectFlags are the flags of footfall collect.
type collectFlags struct {
	address, sites, salts string
	cert, key             string
	proxies               []string
	countries             string
	ignoreGPC             bool
	buckets, connections  int
	queueBytes            int64
	patience              time.Duration

	network collect.Network // of proxies and countries
}

func (o *collectFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.address, "listen", CollectAddress, "address to listen on, HOST:PORT; port 0 = any free one")
	f.StringVar(&o.sites, "sites", "", "file of the sites and who may send their events, YAML")
	f.StringVar(&o.salts, "salts-topic", "", "topic of the salts of visitor ids, created if absent (default TOPIC.salts)")
	f.StringVar(&o.cert, "tls-cert", "", "file of the certificate for TLS with its chain, PEM")
	f.StringVar(&o.key, "tls-key", "", "file of the certificate's key, PEM")
	f.StringSliceVar(&o.proxies, "trusted-proxies", nil, "networks of the reverse proxies whose X-Forwarded-For is believed, as in 10.0.0.0/8")
	f.StringVar(&o.network.CountryHeader, "country-header", "",
		"header in which a trusted proxy names the visitor's country, as in CF-IPCountry")
	f.StringVar(&o.countries, "country-file", "", "file of networks and their countries in MaxMind's format, .mmdb; read at start")
	f.BoolVar(&o.ignoreGPC, "ignore-gpc", false, "count visitors whose browser sends Global Privacy Control, too")
	f.IntVar(&o.buckets, "buckets", 1, "partition keys of a site, 1 to 65536; more spread a site over as many partitions")
	f.Int64Var(&o.queueBytes, "queue-bytes", defaultQueueBytes,
		"max. bytes of events that wait for the brokers, half of it for one site; more are answered with 503")
	f.DurationVar(&o.patience, "ack-timeout", defaultPatience,
		"max. time for the brokers to acknowledge an event, 1s to 60s; later ones are answered with 503")
	f.IntVar(&o.connections, "max-connections", 4096,
		"max. open connections, 2 or more; one more closes the one that has waited longest for a request")
	command.AddConfigFlags(f, "http", "log.level", "log.format")
	f.Lookup("http").Usage = "address of /livez, /readyz and /metrics, as in 127.0.0.1:9465; empty = none"
}

// check refuses flags that do not fit, and reads those that are read once.
func (o *collectFlags) check() error {
	switch {
	case o.sites == "":
		return command.Usagef("--sites is missing: name a file that lists your sites, as in sites: [{id: shop.example}]")
	case (o.cert == "") != (o.key == ""):
		return command.Usagef("--tls-cert and --tls-key: name both, or neither")
	case o.buckets < 1 || o.buckets > 1<<16:
		return command.Usagef("--buckets %d: write 1 to 65536", o.buckets)
	case o.queueBytes < 1<<20:
		return command.Usagef("--queue-bytes %d: write 1048576 (1 MiB) or more", o.queueBytes)
	case o.patience < time.Second || o.patience > time.Minute:
		return command.Usagef("--ack-timeout %v: write 1s to 60s", o.patience)
	case o.connections < 2:
		return command.Usagef("--max-connections %d: write 2 or more", o.connections)
	case o.network.CountryHeader != "" && len(o.proxies) == 0:
		return command.Usagef("--country-header: it is believed from proxies alone: add --trusted-proxies")
	}
	for _, text := range o.proxies {
		p, err := netip.ParsePrefix(text)
		if a, addrErr := netip.ParseAddr(text); addrErr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return command.Usagef("--trusted-proxies %q: write a network as in 10.0.0.0/8, or an address", text)
		}
		o.network.Proxies = append(o.network.Proxies, p)
	}
	if o.countries != "" {
		var err error
		if o.network.Countries, err = collect.OpenCountries(o.countries); err != nil {
			return command.Usagef("--country-file %w", err)
		}
	}
	return nil
}

// collect takes events until ctx ends.
func (o *collectFlags) collect(ctx context.Context, a *command.App, c config.Config, kafka []kgo.Opt, log *slog.Logger) error {
	if o.salts == "" {
		o.salts = c.Kafka.Topic + ".salts"
	}
	if o.salts == c.Kafka.Topic {
		return command.Usagef("--salts-topic %s: this is the topic of the events: name another", o.salts)
	}
	sites, err := collect.LoadSites(o.sites, log)
	if err != nil {
		return command.Usagef("--sites %w", err)
	}
	if err := doctor.CheckTopic(ctx, kafka, c.Kafka); err != nil {
		return process.UnlessAsked(ctx, log, err)
	}
	kafka = append(kafka, kgo.WithLogger(process.KafkaLog{To: log}))
	queue, err := collect.NewQueue(collect.QueueOptions{Kafka: kafka, Topic: c.Kafka.Topic, MaxBytes: o.queueBytes, Patience: o.patience})
	if err != nil {
		return err
	}
	defer queue.Close()
	salts, err := collect.OpenSalts(ctx, kafka, o.salts)
	if err != nil {
		return process.UnlessAsked(ctx, log, err)
	}
	defer salts.Close()
	visitors, err := visitorid.OpenStore(salts, time.Now())
	if err == nil {
		err = collect.RenewSalts(visitors, time.Now())
	}
	if err != nil {
		return process.UnlessAsked(ctx, log, err)
	}
	registry := prometheus.NewRegistry()
	process.RegisterBuild(registry)
	handler := collect.New(collect.Options{Sites: sites, Network: o.network, Visitors: visitors, Queue: queue, NewJudge: judges(c),
		RespectGPC: !o.ignoreGPC, Buckets: o.buckets, Now: time.Now, Log: log, Metrics: collect.NewMetrics(registry, queue.Bytes)})
	l, err := o.listen(log)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Collecting events for topic %s at %s\n", c.Kafka.Topic, o.shown(l))
	work := func(ctx context.Context) error { return collect.KeepSalts(ctx, visitors, log) }
	if c.HTTP != "" {
		salting := work
		work = func(ctx context.Context) error {
			return process.WithHTTP(ctx, c.HTTP, process.Probed{Ready: queue.Ready, Metrics: registry}, log, salting)
		}
	}
	longest := o.patience + 15*time.Second // A request may take ten seconds to arrive.
	server := process.Server{Handler: handler, Log: log, Connections: o.connections, Write: longest, Ending: longest}
	return process.Notifying(ctx, queue.Ready, log, func(ctx context.Context) error { return server.Serve(ctx, l, work) })
}

// judges make what says why a pipeline of this configuration would reject an event, or overlook one of its fields.
func judges(c config.Config) func() produce.Judge {
	return func() produce.Judge {
		settings := engine.SettingsNow(c, time.Now())
		verdict := engine.Verdicts(&settings)
		return func(value []byte, at time.Time) (string, string) {
			settings.NotAfter = checkpoint.NotAfter(at)
			reason, detail, notes := verdict(value, at)
			if reason == event.Accepted && notes&event.NoteUnusableField != 0 {
				return "unusable_field", "an optional field would count as absent: it is of another type, too long, or a value beyond its limits"
			}
			return string(reason), detail
		}
	}
}

// LocalCollector takes events of pages of this machine, of any site, as footfall dev does. Salts are in a directory.
func LocalCollector(c config.Config, kafka []kgo.Opt, salts string, log *slog.Logger) (http.Handler, *collect.Queue, error) {
	visitors, err := visitorid.Open(salts, time.Now())
	if err != nil {
		return nil, nil, err
	}
	queue, err := collect.NewQueue(collect.QueueOptions{Kafka: kafka, Topic: c.Kafka.Topic, MaxBytes: defaultQueueBytes,
		Patience: defaultPatience})
	if err != nil {
		return nil, nil, err
	}
	return collect.New(collect.Options{Sites: collect.LocalSites(), Visitors: visitors, Queue: queue, NewJudge: judges(c), RespectGPC: true,
		Now: time.Now, Log: log}), queue, nil
}

// What footfall collect bounds by default.
const (
	defaultQueueBytes = 64 << 20
	defaultPatience   = 10 * time.Second
)

func (o *collectFlags) listen(log *slog.Logger) (net.Listener, error) {
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		return nil, fmt.Errorf("%w: choose another address with --listen", err)
	}
	if o.cert == "" {
		return l, nil
	}
	certificate, err := serve.LoadCertificate(o.cert, o.key, log)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	t := certificate.Config()
	t.NextProtos = []string{"http/1.1"} // In HTTP/2 a connection has 250 requests, whose bodies --max-connections would not bound.
	return tls.NewListener(l, t), nil
}

// shown is the address as browsers spell it.
func (o *collectFlags) shown(l net.Listener) string {
	if o.cert != "" {
		return strings.Replace(AddressOf(l), "http:", "https:", 1)
	}
	return AddressOf(l)
}
