package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

func TestConfigPrintMasksAndNamesSources(t *testing.T) {
	t.Setenv("FOOTFALL_KAFKA_SASL_MECHANISM", "plain")
	t.Setenv("FOOTFALL_KAFKA_SASL_USERNAME", "me")
	t.Setenv("FOOTFALL_KAFKA_SASL_PASSWORD", "hunter2")
	code, out, errs := footfall(t, "config", "print", "--topic", "clicks", "--kafka-tls-enabled", "--intervals-stats=5m")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d, stderr %q", code, errs)
	}
	for _, want := range []string{"topic: clicks # --topic\n", "enabled: true # --kafka-tls-enabled\n", "stats: 5m # --intervals-stats\n",
		"username: me # FOOTFALL_KAFKA_SASL_USERNAME\n", "'********' # FOOTFALL_KAFKA_SASL_PASSWORD\n", "group: footfall\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hunter2") {
		t.Error("the password is printed")
	}
}

func TestConfigInitWritesAFileOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, out, errs := footfall(t, "config", "init"); code != 0 || !strings.Contains(out, "footfall.yaml is written") {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if code, out, errs := footfall(t, "config", "check", "--config", "footfall.yaml"); code != 0 {
		t.Errorf("check: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	written, err := os.ReadFile("footfall.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := footfall(t, "config", "init", "-"); code != 0 || out != string(written) {
		t.Errorf("init -: exit code %d, stderr %q; want what the file has, got\n%s", code, errs, out)
	}
	code, out, errs := footfall(t, "config", "init", "footfall.yaml")
	if code != 1 || out != "" || !strings.Contains(errs, "footfall.yaml exists") {
		t.Errorf("init again: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
	if _, _, errs := footfall(t, "config", "init", "none/footfall.yaml"); !strings.Contains(errs, "no such file or directory") {
		t.Errorf("init in a directory that is not there: stderr %q", errs)
	}
}

func TestConfigCheckNamesEveryFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "footfall.yaml")
	if err := os.WriteFile(file, []byte("kafka:\n  brokr: a\nlog:\n  level: loud\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FOOTFALL_CONFIG", file)
	code, out, errs := footfall(t, "config", "check", "--http", "80")
	if code != 1 || out != "" {
		t.Errorf("exit code %d, stdout %q; want 1 and nothing", code, out)
	}
	for _, want := range []string{"kafka.brokr (" + file + ":2): no such key", "log.level (" + file + ":4)", "http (--http)"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in:\n%s", want, errs)
		}
	}
	file = filepath.Join(t.TempDir(), "short.yaml")
	if err := os.WriteFile(file, []byte("retention: {session: 5d, hour: 90d}"), 0o600); err != nil {
		t.Fatal(err)
	}
	const warning = "warning: retention.session 5d is less than retention.hour 90d"
	if code, out, errs := footfall(t, "config", "check", "--config", file); code != 0 || out != "The configuration is valid.\n" ||
		!strings.HasPrefix(errs, warning) {
		t.Errorf("short sessions: exit code %d, stdout %q, stderr %q; want a valid configuration and %q", code, out, errs, warning)
	}
	file = filepath.Join(t.TempDir(), "plain.yaml")
	for tls, want := range map[string]string{"false": "warning: kafka.sasl.mechanism PLAIN sends the password unencrypted", "true": ""} {
		text := "kafka: {sasl: {mechanism: plain, username: u, password: p}, tls: {enabled: " + tls + "}}"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := footfall(t, "config", "check", "--config", file); code != 0 || !strings.HasPrefix(errs, want) || want == "" &&
			errs != "" {
			t.Errorf("SASL plain with tls %s: exit code %d, stderr %q; want %q", tls, code, errs, want)
		}
	}
	const unused = "warning: kafka.sessionTimeout 10s has no effect with kafka.groupProtocol consumer"
	if code, _, errs := footfall(t, "config", "check", "--config", os.DevNull, "--kafka-group-protocol", "consumer",
		"--kafka-session-timeout", "10s"); code != 0 || !strings.HasPrefix(errs, unused) {
		t.Errorf("a session timeout that brokers decide: exit code %d, stderr %q; want %q", code, errs, unused)
	}
	if code, out, errs := footfall(t, "config", "check", "--config", os.DevNull); code != 0 || out != "The configuration is valid.\n" ||
		errs != "" {
		t.Errorf("of defaults: exit code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// TestEmptyFlagIsRefused: whoever sets a flag to nothing has a variable that is not set, and did not mean all sites.
func TestEmptyFlagIsRefused(t *testing.T) {
	url := tableURL(t)
	for _, c := range []struct{ flag, command string }{
		{"--zone", "site create x"}, {"--raw-days", "site create x"}, {"--output", "site create x"},
		{"--from", "site update shop --shards 4"}, {"--zone", "site update shop --name X"}, {"--hour-days", "site update shop --name X"},
		{"--owner", "site list"}, {"--site", "verify"}, {"--from", "verify"}, {"--config", "query sites"}, {"--data", "verify"},
		{"--data", "dev"},
		{"--from", "query stats shop"}, {"--to", "query stats shop"}, {"--by", "query stats shop"}, {"--tz", "query stats shop"},
		{"--at", "query realtime shop"}, {"--visitor", "query sessions shop"}, {"--user", "query sessions shop"},
		{"--session", "query events shop"}, {"--type", "query events shop"}, {"--item", "query explain"},
		{"--visitor-hash-key", "produce"}, {"--set", "produce"}, {"--reason", "failed replay"}, {"--open", "failed replay"},
	} {
		line := append(strings.Fields(c.command), c.flag, "", "--table", url)
		code, out, errs := footfall(t, line...)
		if code != codeUsage || out != "" || !strings.Contains(errs, c.flag+": empty") || !strings.Contains(errs, "leave the flag out") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want a usage error that names the flag", line, code, out, errs)
		}
	}
	if _, _, errs := footfall(t, "query", "stats", "shop", "--from", "", "--by", ""); !strings.Contains(errs, "--by, --from: empty") {
		t.Errorf("two empty flags: stderr %q, want both named", errs)
	}
	for _, line := range [][]string{
		{"site", "create", "x", "--name", "", "--owner", "", "--domains", "", "--user-agents", "", "--referrers", ""},
		{"site", "update", "x", "--name", "", "--owner", "", "--domains", "", "--user-agents", "", "--referrers", ""},
		{"query", "sites", "--cursor", ""}, {"config", "check", "--http", ""},
	} {
		if code, _, errs := footfall(t, append(line, "--table", url)...); code != 0 {
			t.Errorf("%q: exit code %d, stderr %q; want it to be taken", line, code, errs)
		}
	}
}

// The configuration and the pipeline have their defaults in two places, since config imports none of our packages.
func TestDefaultsAgree(t *testing.T) {
	o := pipelineOptions(config.Default())
	want := checkpoint.DefaultSettings()
	want.RawPacked = true
	if !reflect.DeepEqual(o.Settings, want) {
		t.Errorf("settings %+v, want the pipeline's %+v", o.Settings, want)
	}
	if o.Limits != pipeline.DefaultLimits {
		t.Errorf("limits %+v, want the pipeline's %+v", o.Limits, pipeline.DefaultLimits)
	}
	if !o.Settings.RawEvents || o.ServerBalanced || o.HashKey != nil {
		t.Errorf("raw events %v, server balanced %v, hash key %x; want true, false, none", o.Settings.RawEvents, o.ServerBalanced, o.HashKey)
	}
}

func TestEveryFieldReachesThePipeline(t *testing.T) {
	c := config.Default()
	c.AllowedLateness, c.AllowedEarliness, c.NonInteractiveEvents = config.Off, time.Second, []string{"scroll"}
	c.Retention = config.Retention{Raw: 1, Session: 2, Hour: 3, Day: config.Never}
	c.VisitorHashKey = "000102030405060708090a0b0c0d0e0f"
	c.Duplicates = config.Duplicates{Window: 7 * time.Second, MemoryBytes: 1 << 20, Observe: true}
	c.Breakdowns = config.Breakdowns{Rows: 9, Bytes: 2000}
	c.Bots = config.Bots{Lists: false, Rate: 7}
	c.Sites.Accept, c.Sites.MaxNewPerHour, c.BatchBytes = "registered", 3, 8<<20
	c.Privacy.QueryParameters = []string{"utm_*", "gclid"}
	c.Visits = config.Visits{Gap: config.Gap(time.Second), Longest: time.Minute}
	c.Kafka.GroupProtocol, c.Kafka.GroupInstanceID, c.Kafka.FailedTopic, c.RawEvents = "consumer", "a", "bad", config.RawOff
	c.Kafka.SessionTimeout, c.Kafka.ClientRack, c.Kafka.FetchMaxBytes, c.Kafka.MaxPartitionFetchBytes = 10*time.Second, "b", 100_000, 50_000
	o := pipelineOptions(c)
	if o.SessionTimeout != 10*time.Second || o.Rack != "b" || o.FetchMaxBytes != 100_000 || o.MaxPartitionFetchBytes != 50_000 {
		t.Errorf("session timeout %v, rack %q, fetches of %d and %d bytes; want those of the configuration", o.SessionTimeout, o.Rack,
			o.FetchMaxBytes, o.MaxPartitionFetchBytes)
	}
	want := checkpoint.Settings{BatchBytes: 8 << 20, Fold: checkpoint.FoldVersion, LateMs: -1, EarlyMs: 1000,
		NonInteractive: []string{"scroll"}, Breakdowns: 9, BreakdownBytes: 2000,
		Sites: checkpoint.SitesRegistered, NewSites: 3, QueryParameters: "gclid,utm_*",
		Bots: checkpoint.Bots{Rate: 7}, VisitGapMs: 1000, VisitLongestMs: 60_000,
		Retention: checkpoint.Retention{RawDays: 1, SessionDays: 2, HourDays: 3, DayDays: checkpoint.Never}}
	if !reflect.DeepEqual(o.Settings, want) {
		t.Errorf("settings %+v, want %+v", o.Settings, want)
	}
	if want := (checkpoint.Duplicates{WindowMs: 7000, Positions: 41_943}); o.ObserveDuplicates != want {
		t.Errorf("a window of %v is observed, want %v", o.ObserveDuplicates, want)
	}
	if !o.ServerBalanced || o.InstanceID != "a" || o.FailedTopic != "bad" || o.Settings.RawEvents || len(o.HashKey) != 16 ||
		o.HashKey[15] != 15 {
		t.Errorf("options %+v do not say what the configuration says", o)
	}
}

func TestDirectoryOfDevIsASource(t *testing.T) {
	dir := t.TempDir()
	if _, err := writeDevFile(dir, "127.0.0.1:19999"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FOOTFALL_KAFKA_TOPIC", "env")
	t.Setenv("FOOTFALL_KAFKA_GROUP", "env")
	_, out, errs := footfall(t, "config", "print", "--data", dir, "--brokers", "flag:1")
	for _, want := range []string{"brokers: ['flag:1'] # --brokers", "topic: events # " + filepath.Join(dir, "dev.json"),
		"group: env # FOOTFALL_KAFKA_GROUP",
		"table: sqlite://" + filepath.Join(dir, "footfall.db")} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s%s", want, out, errs)
		}
	}
	code, _, errs := footfall(t, "config", "check", "--data", t.TempDir())
	if code != 1 || !strings.Contains(errs, "is not a directory of footfall dev (it has no dev.json): start `footfall dev --data ") {
		t.Errorf("--data of an empty directory: exit code %d, stderr %q", code, errs)
	}
}

// certificate makes a self-signed certificate of 127.0.0.1 that is its own authority, for servers and clients, as
// PEM files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "footfall test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestBrokersAreReachedWithTLSAndSASL(t *testing.T) {
	cert, key := certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(must(x509.ParseCertificate(pair.Certificate[0])))
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots}),
		kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "secret"), kfake.Superuser("SCRAM-SHA-256", "me", "secret"),
		kfake.Superuser("SCRAM-SHA-512", "me", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	passwordFile := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(passwordFile, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	right := func(mechanism string) config.Kafka {
		return config.Kafka{Brokers: c.ListenAddrs(), Topic: "events", TLS: config.TLS{Enabled: true, CA: cert, Cert: cert, Key: key},
			SASL: config.SASL{Mechanism: mechanism, Username: "me", PasswordFile: passwordFile}}
	}
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "plain", "scram-sha-512"} {
		if err := reach(t, right(mechanism)); err != nil {
			t.Errorf("%s with mutual TLS: %v", mechanism, err)
		}
	}
	for _, w := range []struct {
		name  string
		spoil func(*config.Kafka)
		want  string
	}{
		{"wrong password", func(k *config.Kafka) { k.SASL.PasswordFile, k.SASL.Password = "", "wrong" },
			`user (now "me") and password`}, // kfake closes the connection.
		{"wrong password as Kafka answers it", func(*config.Kafka) {
			c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
				resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
				resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
				return resp, nil, true
			})
		}, `refuse user "me": SASL_AUTHENTICATION_FAILED`},
		{"no credentials", func(k *config.Kafka) { k.SASL = config.SASL{} }, `kafka.sasl: mechanism (now "")`},
		{"authority unknown", func(k *config.Kafka) { k.TLS.CA = "" }, "kafka.tls.ca"},
		{"certificate of another name", func(k *config.Kafka) { k.TLS.ServerName = "kafka.internal" }, "kafka.tls.serverName"},
		{"file without a certificate", func(k *config.Kafka) { k.TLS.CA = key }, "kafka.tls.ca: " + key + " has no certificate in PEM form"},
		{"key that belongs to nothing", func(k *config.Kafka) { k.TLS.Key = cert }, "kafka.tls.cert and kafka.tls.key: "},
	} {
		t.Run(w.name, func(t *testing.T) {
			k := right("scram-sha-512")
			w.spoil(&k)
			if err := reach(t, k); err == nil || !strings.Contains(err.Error(), w.want) {
				t.Errorf("error %v, want %q", err, w.want)
			}
		})
	}
}

// reach asks the brokers for the topic as run does before it begins.
func reach(t *testing.T, k config.Kafka) error {
	t.Helper()
	opts, err := kafkaOptions(k)
	if err != nil {
		return err
	}
	return doctor.CheckTopic(t.Context(), opts, k)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestJSONIsShortForOutputJSON(t *testing.T) {
	url := tableURL(t)
	want, _, _ := asked(t, "query", "site", "shop", "--table", url, "--output", "json")
	for _, args := range [][]string{{"--json"}, {"--json", "-o", "json"}, {"--json=true"}} {
		if out, errs, code := asked(t, append([]string{"query", "site", "shop", "--table", url}, args...)...); code != 0 || errs != "" ||
			out != want {
			t.Errorf("%v: exit code %d, stderr %q, stdout %s; want what --output json prints", args, code, errs, out)
		}
	}
	if _, errs, code := asked(t, "query", "site", "shop", "--table", url, "--json", "--output", "csv"); code != codeUsage ||
		!strings.Contains(errs, "choose one") {
		t.Errorf("--json --output csv: exit code %d, stderr %q", code, errs)
	}
}

func TestBootstrapServerIsBrokers(t *testing.T) {
	code, out, errs := footfall(t, "config", "print", "--bootstrap-server", "kafka:9092")
	if code != 0 || !strings.Contains(out, "brokers: ['kafka:9092'] # --brokers\n") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s", code, errs, out)
	}
}
