package connect

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/login"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// A way to credentials and to a table: one of testdata/aws.txt.
type way struct{ name, env, config, asks string }

func ways(t *testing.T) (all []way) {
	text, err := os.ReadFile("testdata/aws.txt")
	if err != nil {
		t.Fatal(err)
	}
	for stanza := range strings.SplitSeq(string(text), "\n# ") {
		lines := strings.Split(strings.TrimSpace(stanza), "\n")
		w := way{name: lines[0]}
		for _, line := range lines[1:] {
			switch kind, rest, _ := strings.Cut(line, " "); kind {
			case ">":
				w.asks += rest + "\n"
			case "|":
				w.config += rest + "\n"
			default:
				w.env += line + "\n"
			}
		}
		all = append(all, w)
	}
	return all[1:] // The first says what the others are.
}

// A recorder plays AWS for one process: STS, SSO, the services of an instance and of a container, and DynamoDB. It is a proxy too, whose
// tunnels end in it. It writes down what each client asks of whom.
type recorder struct {
	t    *testing.T
	pair tls.Certificate // of all hosts
	dir  string          // of the process's files

	mu     sync.Mutex // covers all below
	client string     // that asks now
	asked  map[string][]string
	made   map[string]int // credentials, by kind
}

// ServeHTTP answers what comes without TLS.
func (a *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			a.t.Error(err)
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n")
		a.tunnel(tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{a.pair}}), r.Host)
	case r.URL.IsAbs():
		a.answer(w, r, "proxied "+r.URL.Host)
	default:
		a.answer(w, r, "local")
	}
}

// tunnel answers what comes through a tunnel to a host, until the client closes it.
func (a *recorder) tunnel(conn *tls.Conn, host string) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if host != r.Host && host != r.Host+":443" {
			a.t.Errorf("a request through a tunnel to %s is for %s", host, r.Host)
		}
		w := httptest.NewRecorder()
		a.answer(w, r, host)
		answer := w.Result()
		answer.ContentLength = int64(w.Body.Len())
		if answer.Write(conn) != nil {
			return
		}
	}
}

func (a *recorder) answer(w http.ResponseWriter, r *http.Request, host string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		a.t.Error(err)
	}
	say := func(parts ...string) {
		a.asked[a.client] = append(a.asked[a.client], strings.Join(strings.Fields(host+" "+strings.Join(parts, " ")), " "))
	}
	form, _ := url.ParseQuery(string(body))
	kind := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch operation, isTable := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810."); {
	case strings.HasPrefix(r.URL.Path, "/client/"):
		a.begin(kind)
	case isTable:
		say(operation, a.signed(r, body))
		io.WriteString(w, "{}")
	case form.Get("Action") == "AssumeRole":
		say("AssumeRole", form.Get("RoleArn"), form.Get("RoleSessionName"), form.Get("ExternalId"), a.signed(r, body))
		a.assume(w, form)
	case form.Get("Action") == "AssumeRoleWithWebIdentity":
		say("AssumeRoleWithWebIdentity", form.Get("RoleArn"), form.Get("RoleSessionName"), form.Get("WebIdentityToken"))
		a.assume(w, form)
	case strings.HasPrefix(host, "oidc."):
		var asked struct{ GrantType, RefreshToken string }
		if err := json.Unmarshal(body, &asked); err != nil {
			a.t.Error(err)
		}
		say(asked.GrantType, asked.RefreshToken)
		io.WriteString(w, `{"accessToken":"refreshed","refreshToken":"again","expiresIn":3600}`)
	case strings.HasPrefix(host, "portal.sso."):
		say(r.URL.RawQuery, r.Header.Get("X-Amz-Sso_bearer_token"))
		c := a.grant("sso")
		fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":%q,"secretAccessKey":%q,"sessionToken":%q,"expiration":%d}}`,
			c.AccessKeyID, c.SecretAccessKey, c.SessionToken, c.Expires.UnixMilli())
	default:
		say(r.Method, r.URL.Path, r.Header.Get("X-Aws-Ec2-Metadata-Token")+r.Header.Get("Authorization"))
		switch kind {
		case "instance", "container":
			c := a.grant(kind)
			fmt.Fprintf(w, `{"Code":"Success","AccessKeyId":%q,"SecretAccessKey":%q,"Token":%q,"Expiration":%q}`,
				c.AccessKeyID, c.SecretAccessKey, c.SessionToken, c.Expires.UTC().Format(time.RFC3339))
		case "token":
			w.Header().Set("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", "21600")
			io.WriteString(w, "imds")
		case "":
			io.WriteString(w, "instance")
		}
	}
}

// begin gives the next client the files that the first one had.
func (a *recorder) begin(client string) {
	a.client, a.made = client, make(map[string]int)
	for key, text := range map[string]string{
		"signed in": `{"accessToken":"token","expiresAt":"2999-01-01T00:00:00Z"}`,
		"expired": `{"accessToken":"token","expiresAt":"2020-01-01T00:00:00Z","refreshToken":"refresh","clientId":"c",` +
			`"clientSecret":"s"}`} {
		a.write(fmt.Sprintf(".aws/sso/cache/%x.json", sha1.Sum([]byte(key))), text)
	}
	a.write("token", "token1")
}

func (a *recorder) write(name, text string) {
	name = filepath.Join(a.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		a.t.Error(err)
	}
}

// grant makes credentials of a kind. The first ones are about to expire; an instance has expired ones: the SDK does not renew them
// earlier. The token of the file is renewed too.
func (a *recorder) grant(kind string) aws.Credentials {
	a.made[kind]++
	c := credentials(fmt.Sprint(kind, a.made[kind]))
	switch {
	case a.made[kind] > 1:
		c.Expires = time.Now().Add(time.Hour)
	case kind == "instance":
		c.Expires = time.Now().Add(-time.Second)
	default:
		c.Expires = time.Now().Add(30 * time.Second)
	}
	a.write("token", fmt.Sprint("token", a.made[kind]+1))
	return c
}

// credentials are those with an id. All but key are temporary.
func credentials(id string) aws.Credentials {
	c := aws.Credentials{AccessKeyID: id, SecretAccessKey: "secret of " + id}
	if id != "key" {
		c.SessionToken = "session of " + id
	}
	return c
}

// assume answers as STS does. Credentials are of the kind that the role's name says.
func (a *recorder) assume(w io.Writer, form url.Values) {
	name := form.Get("RoleArn")[strings.Index(form.Get("RoleArn"), "/")+1:]
	c := a.grant(name)
	fmt.Fprintf(w, `<%[1]sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%[1]sResult><Credentials>`+
		`<AccessKeyId>%[2]s</AccessKeyId><SecretAccessKey>%[3]s</SecretAccessKey><SessionToken>%[4]s</SessionToken>`+
		`<Expiration>%[5]s</Expiration></Credentials><AssumedRoleUser><AssumedRoleId>id</AssumedRoleId>`+
		`<Arn>arn:aws:sts::123456789012:assumed-role/%[6]s/s</Arn></AssumedRoleUser>`+
		`</%[1]sResult></%[1]sResponse>`,
		form.Get("Action"), c.AccessKeyID, c.SecretAccessKey, c.SessionToken, c.Expires.UTC().Format(time.RFC3339), name)
}

// signed returns key, region and service of a request's signature, which is the one that the SDK's signer makes.
func (a *recorder) signed(r *http.Request, body []byte) string {
	given := r.Header.Get("Authorization")
	_, credential, _ := strings.Cut(given, "Credential=")
	credential, names, _ := strings.Cut(credential, ", SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	parts := strings.Split(credential, "/")
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || len(parts) != 5 {
		a.t.Errorf("%s at %v, %v", given, at, err)
		return given
	}
	again := httptest.NewRequest(r.Method, "https://"+r.Host+r.URL.Path, bytes.NewReader(body))
	again.Header = make(http.Header)
	for name := range strings.SplitSeq(names, ";") {
		if name != "host" && name != "content-length" {
			again.Header.Set(name, r.Header.Get(name))
		}
	}
	hash, c := sha256.Sum256(body), credentials(parts[0])
	if err := v4.NewSigner().SignHTTP(r.Context(), c, again, hex.EncodeToString(hash[:]), parts[3], parts[2], at); err != nil {
		a.t.Error(err)
	}
	if want := again.Header.Get("Authorization"); given != want || r.Header.Get("X-Amz-Security-Token") != c.SessionToken {
		a.t.Errorf("a request for %s is signed\n%s, by the SDK\n%s", r.Host, given, want)
	}
	return fmt.Sprintf("by %s/%s/%s", parts[0], parts[2], parts[3])
}

// askAWS is set in a child process, to the recorder's URL: a process reads once which proxies there are.
const askAWS = "FOOTFALL_TEST_ASK_AWS"

const msk = "msk"

// AskAWS ends a child process once each client has asked. In others it does nothing.
func AskAWS() {
	at := os.Getenv(askAWS)
	if at == "" {
		return
	}
	for _, client := range []string{config.ClientSDK, config.ClientDirect, msk} {
		if err := ask(context.Background(), at, client); err != nil {
			fmt.Printf("%s: %v\n", client, err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

// ask sends two requests with a client: the credentials that it begins with are about to expire at the first.
func ask(ctx context.Context, at, client string) error {
	answer, err := http.Post(at+"/client/"+client, "", nil)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if client == msk {
		return askMSK(ctx)
	}
	made, err := dynamo.Connect(ctx, dynamo.ConnectOptions{AttemptTimeout: time.Minute})
	if err != nil {
		return err
	}
	table := sinks.Table(dynamo.New(made, "footfall"))
	if client == config.ClientDirect {
		table = dynamo.NewDirect(dynamo.New(made, "footfall"), made)
	}
	_, updated := table.Update(ctx, sinks.Update{Key: sinks.Key{PK: "p", SK: "s"}})
	_, queried := table.Query(ctx, sinks.Query{PK: "p"})
	return errors.Join(updated, queried)
}

func askMSK(ctx context.Context) error {
	m, err := login.Mechanism(config.SASL{Mechanism: config.AWSMSKIAM})
	if err != nil {
		return err
	}
	const broker = "b-1.kafka.us-west-2.amazonaws.com:9098"
	_, _, first := m.Authenticate(ctx, broker)
	_, text, second := m.Authenticate(ctx, broker)
	fmt.Println(string(text))
	return errors.Join(first, second)
}

// TestAWSIsAskedTheSameByAllClients: with either client of the table, AWS is asked the same for credentials, which are renewed before they
// expire, and the same hosts for the table, with signatures of the same keys. Connections to MSK are authenticated with these credentials.
func TestAWSIsAskedTheSameByAllClients(t *testing.T) {
	cert, key := certificate(t, "*.eu-west-1.amazonaws.com", "*.ddb.eu-west-1.amazonaws.com", "*.eu-west-1.api.aws", "*.ddb.eu-west-1.api.aws",
		"*.us-east-1.amazonaws.com", "*.us-east-1.api.aws", "*.us-east-2.amazonaws.com", "*.sso.us-east-2.amazonaws.com",
		"*.cn-north-1.amazonaws.com.cn", "dynamodb.internal")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways(t) {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			a := &recorder{t: t, pair: pair, dir: t.TempDir(), asked: make(map[string][]string)}
			s := httptest.NewServer(a)
			defer s.Close()
			_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
			fill := strings.NewReplacer("$DIR", a.dir, "$URL", s.URL, "$PORT", port)
			a.write("config", fill.Replace(way.config))
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append([]string{askAWS + "=" + s.URL, "HOME=" + a.dir, "AWS_CONFIG_FILE=" + a.dir + "/config", "AWS_CA_BUNDLE=" + cert,
				"HTTPS_PROXY=" + s.URL, "HTTP_PROXY=" + s.URL, "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + s.URL, "AWS_REGION=eu-west-1"},
				strings.Split(fill.Replace(way.env), "\n")...)
			sent, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, sent)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			asks := strings.Split(strings.TrimSpace(fill.Replace(way.asks)), "\n")
			of := len(asks) - 2 // The last two are of the table.
			for client, want := range map[string][]string{config.ClientSDK: asks, config.ClientDirect: asks, msk: asks[:of]} {
				if !slices.Equal(a.asked[client], want) {
					t.Errorf("%s asks\n%s\nwant\n%s", client, strings.Join(a.asked[client], "\n"), strings.Join(want, "\n"))
				}
			}
			_, key, _ := strings.Cut(asks[of], " by ")
			key, _, _ = strings.Cut(key, "/")
			if want := credentials(key); !regexp.MustCompile(`"x-amz-credential":"`+key+`/\d+/us-west-2/kafka-cluster/`).Match(sent) ||
				!strings.Contains(string(sent), want.SessionToken) {
				t.Errorf("MSK is sent %s, want the credentials of %s", sent, key)
			}
		})
	}
}
