package registry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/wire"
)

// fake is a server with Confluent's API. Its answers are as in "Schema Registry API Reference", GET /schemas/ids/{int: id} and GET
// /subjects/(string: subject)/versions/(versionId: version), and the errors as in Errors.java in confluentinc/schema-registry.
type fake struct {
	*httptest.Server
	answers map[string]reply // by path and query; the others are missing

	mu    sync.Mutex // covers asked
	asked []string   // paths and queries
	last  *http.Request
}

// reply is an answer. Without a status it is 200, without a kind of content it is the registry's.
type reply struct {
	status  int
	content string
	body    string
	endless bool // the body is repeated until the client leaves
	to      string
}

const (
	registryJSON = "application/vnd.schemaregistry.v1+json"
	html         = "<html><body>Bad gateway</body></html>"
)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked, f.last = append(f.asked, r.URL.RequestURI()), r
	f.mu.Unlock()
	a, ok := f.answers[r.URL.RequestURI()]
	if !ok {
		a = reply{status: 404, body: `{"error_code":40403,"message":"Schema not found"}`}
		if strings.HasPrefix(r.URL.Path, "/subjects/") {
			a.body = `{"error_code":40401,"message":"Subject not found."}`
		}
	}
	if a.content == "" {
		a.content = registryJSON
	}
	w.Header().Set("Content-Type", a.content)
	if a.to != "" {
		w.Header().Set("Location", a.to)
	}
	if a.status > 0 {
		w.WriteHeader(a.status)
	}
	for {
		if _, err := io.WriteString(w, a.body); err != nil || !a.endless {
			return
		}
	}
}

// requests returns what was asked since the last call.
func (f *fake) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}

func newFake(t *testing.T, answers map[string]reply) *fake {
	t.Helper()
	f := &fake{answers: answers}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func newClient(t *testing.T, o registry.Options) *registry.Client {
	t.Helper()
	c, err := registry.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reference is one as in the API.
type reference struct {
	Name    string `json:"name"`
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

// schema is the answer with a schema. Without a kind it is Avro.
func schema(kind, text string, references ...reference) reply {
	body, err := json.Marshal(struct {
		Schema     string      `json:"schema"`
		SchemaType string      `json:"schemaType,omitempty"`
		References []reference `json:"references,omitempty"`
	}{text, kind, references})
	if err != nil {
		panic(err)
	}
	return reply{body: string(body)}
}

// class is what a caller makes of an error.
type class string

const (
	found    class = "found"
	unknown  class = "unknown"
	unusable class = "unusable"
	unclear  class = "no clear answer"
)

func classOf(err error) class {
	isUnknown, isUnusable := errors.Is(err, registry.ErrUnknown), errors.Is(err, registry.ErrUnusable)
	switch {
	case isUnknown && isUnusable:
		return "unknown and unusable"
	case isUnknown:
		return unknown
	case isUnusable:
		return unusable
	case err != nil:
		return unclear
	}
	return found
}

const (
	text = `{"type":"string"}`
	path = "/schemas/ids/7"
)

var seven = wire.Confluent(7)

func TestSchemasOfAllKindsAreFound(t *testing.T) {
	f := newFake(t, map[string]reply{"/base/schemas/ids/1": schema("", text), "/base/schemas/ids/2": schema("PROTOBUF", `syntax = "proto3";`),
		"/base/schemas/ids/2147483647": schema("JSON", `{"type":"object"}`)})
	c := newClient(t, registry.Options{URLs: []string{f.URL + "/base/"}})
	for id, want := range map[uint32]wire.Source{1: {Kind: wire.Avro, Text: text}, 2: {Kind: wire.Protobuf, Text: `syntax = "proto3";`},
		2147483647: {Kind: wire.JSON, Text: `{"type":"object"}`}} {
		got, err := c.Schema(t.Context(), wire.Confluent(id))
		if err != nil || got.Kind != want.Kind || got.Text != want.Text || len(got.References) > 0 {
			t.Errorf("schema %d is %+v, %v; want %+v", id, got, err, want)
		}
	}
	if got := f.last.Header; got.Get("User-Agent") != "footfall" || got.Get("Accept") != registryJSON || got.Get("Authorization") != "" {
		t.Errorf("the header is %v", got)
	}
}

func TestAnswersAreOfThreeClasses(t *testing.T) {
	elsewhere := newFake(t, map[string]reply{path: schema("", text)})
	const mebibyte = 1 << 20
	for _, c := range []struct {
		name string
		reply
		want class
	}{
		{"schema not found", reply{status: 404, body: `{"error_code":40403,"message":"Schema 7 not found"}`}, unknown},
		{"Apicurio: artifact not found", reply{status: 404, body: `{"error_code":40401,"message":"No artifact with ID '7'"}`}, unknown},
		{"unknown kind", schema("THRIFT", "struct A {}"), unusable},
		{"1 MiB", schema("", strings.Repeat("x", mebibyte)), found},
		{"1 MiB, escaped", schema("", strings.Repeat("<", mebibyte)), found},
		{"1 MiB and a byte", schema("", strings.Repeat("x", mebibyte+1)), unusable},
		{"more than is read", schema("", strings.Repeat("x", 9*mebibyte)), unusable},
		{"plain text", reply{content: "text/plain", body: schema("", text).body}, found},
		{"more than the schema", reply{body: `{"id":7,"guid":"x","schema":"{}","schemaType":null,"references":null,"metadata":{}}`}, found},
		{"wrong path", reply{status: 404, body: `{"error_code":404,"message":"HTTP 404 Not Found"}`}, unclear},
		{"404 of a proxy", reply{status: 404, content: "text/html", body: html}, unclear},
		{"404 without a body", reply{status: 404}, unclear},
		{"400 with the code of another", reply{status: 400, body: `{"error_code":40403}`}, unclear},
		{"401", reply{status: 401, body: `{"error_code":401,"message":"Unauthorized"}`}, unclear},
		{"403", reply{status: 403, body: `{"error_code":40301,"message":"User is denied operation Read"}`}, unclear},
		{"429", reply{status: 429, body: `{"error_code":429,"message":"Too many requests"}`}, unclear},
		{"store error", reply{status: 500, body: `{"error_code":50001,"message":"Error in the backend data store"}`}, unclear},
		{"bad gateway", reply{status: 502, content: "text/html", body: html}, unclear},
		{"200 of a proxy", reply{content: "text/html", body: html}, unclear},
		{"HTML as JSON", reply{body: html}, unclear},
		{"no content", reply{status: 204}, unclear},
		{"no body", reply{}, unclear},
		{"cut", reply{body: `{"schema":"{\"type\":`}, unclear},
		{"no schema", reply{body: `{}`}, unclear},
		{"null", reply{body: `null`}, unclear},
		{"a list", reply{body: `[1,2]`}, unclear},
		{"a schema that is no text", reply{body: `{"schema":{"type":"string"}}`}, unclear},
		{"endless HTML", reply{content: "text/html", body: strings.Repeat(html, 1000), endless: true}, unclear},
		{"endless error", reply{status: 500, body: strings.Repeat(html, 1000), endless: true}, unclear},
		{"redirect to another host", reply{status: 302, to: elsewhere.URL + path}, unclear},
		{"redirect in a circle", reply{status: 302, to: path}, unclear},
		{"redirect within the host", reply{status: 307, to: "/moved"}, found},
		{"redirect to nowhere", reply{status: 302}, unclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, map[string]reply{path: c.reply, "/moved": schema("", text)})
			got, err := newClient(t, registry.Options{URLs: []string{f.URL}}).Schema(t.Context(), seven)
			if classOf(err) != c.want || (err == nil) != (got.Text != "") {
				t.Errorf("%.40q, %v; want %s", got.Text, err, c.want)
			}
			if asked := len(f.requests()); asked > 10 {
				t.Errorf("%d requests were sent", asked)
			}
			if err != nil && !(strings.HasPrefix(err.Error(), "schema 7: ") && strings.Contains(err.Error(), f.URL) || c.want == unusable) {
				t.Errorf("%q names no schema or no server", err)
			}
		})
	}
	if asked := elsewhere.requests(); len(asked) > 0 {
		t.Errorf("the other host was asked for %v", asked)
	}
}

// What no registry of the kind can have is not asked for: Confluent's answers to a number above Java's int as to a wrong path.
// TestRefusalsNameWhatToCheck: a wrong path is not blamed on the password.
func TestRefusalsNameWhatToCheck(t *testing.T) {
	for status, want := range map[int]string{404: "check the path of event.registry.urls", 500: "check the server",
		401: "check event.registry.user and its password", 403: "check event.registry.user and its password"} {
		f := newFake(t, map[string]reply{path: {status: status}})
		_, err := newClient(t, registry.Options{URLs: []string{f.URL}}).Schema(t.Context(), seven)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
	}
}

func TestImpossibleIDsAreUnknown(t *testing.T) {
	f := newFake(t, nil)
	c := newClient(t, registry.Options{URLs: []string{f.URL}})
	for _, id := range []wire.ID{wire.Glue([16]byte{15: 7}), wire.Confluent(1 << 31)} {
		if _, err := c.Schema(t.Context(), id); classOf(err) != unknown {
			t.Errorf("schema %v: %v, want it unknown", id, err)
		}
	}
	if asked := f.requests(); len(asked) > 0 {
		t.Errorf("the registry was asked for %v", asked)
	}
}

func version(subject string, n any) string {
	return fmt.Sprintf("/subjects/%s/versions/%v?deleted=true", subject, n)
}

func TestReferencesPrecedeTheirUsers(t *testing.T) {
	common := reference{"common.proto", "common a/ü", 3}
	f := newFake(t, map[string]reply{
		path:                              schema("PROTOBUF", "root", reference{"a.proto", "a", 1}, reference{"b.proto", "b", -1}),
		version("a", 1):                   schema("PROTOBUF", "a", common),
		version("b", "latest"):            schema("PROTOBUF", "b", reference{"a.proto", "a", 2}, common),
		version("common%20a%2F%C3%BC", 3): schema("PROTOBUF", "common"),
	})
	got, err := newClient(t, registry.Options{URLs: []string{f.URL}}).Schema(t.Context(), seven)
	want := []wire.Reference{{Name: "common.proto", Text: "common"}, {Name: "a.proto", Text: "a"}, {Name: "b.proto", Text: "b"}}
	if err != nil || got.Text != "root" || !slices.Equal(got.References, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if asked := f.requests(); len(asked) != 4 {
		t.Errorf("%v were asked for, want each once", asked)
	}
}

func TestReferencesThatCannotBeUsed(t *testing.T) {
	quarters := map[string]reply{}
	chains := map[int]map[string]reply{100: {}, 101: {}}
	var four []reference
	for n := range 4 {
		four = append(four, reference{fmt.Sprint("r", n), fmt.Sprint("s", n), 1})
		quarters[version(four[n].Subject, 1)] = schema("", strings.Repeat("x", 1<<20))
	}
	for last, chain := range chains {
		for n := range last {
			next := []reference{{fmt.Sprint("r", n+1), fmt.Sprint("s", n+1), 1}}
			if n+1 == last {
				next = nil
			}
			chain[version(fmt.Sprint("s", n), 1)] = schema("", text, next...)
		}
	}
	zero := []reference{{"r0", "s0", 1}}
	of := func(a reply) map[string]reply { return map[string]reply{version("s0", 1): a} }
	for _, c := range []struct {
		name string
		root reply
		of   map[string]reply
		want class
	}{
		{"of itself", schema("", text, zero...), of(schema("", text, zero...)), unusable},
		{"in a circle", schema("", text, zero...), map[string]reply{version("s0", 1): schema("", text, reference{"r1", "s1", 1}),
			version("s1", 1): schema("", text, zero...)}, unusable},
		{"no subject of the name", schema("", text, zero...), nil, unusable},
		{"no version of the number", schema("", text, zero...), of(reply{status: 404, body: `{"error_code":40402}`}), unusable},
		{"wrong path", schema("", text, zero...), of(reply{status: 404, body: `{"error_code":404}`}), unclear},
		{"store error", schema("", text, zero...), of(reply{status: 500, body: `{"error_code":50001}`}), unclear},
		{"unknown kind", schema("", text, zero...), of(schema("THRIFT", text)), unusable},
		{"too large", schema("", text, zero...), of(schema("", strings.Repeat("x", 1<<20+1))), unusable},
		{"4 MiB in all", schema("", "", four...), quarters, found},
		{"4 MiB and a byte in all", schema("", "x", four...), quarters, unusable},
		{"100 of them", schema("", text, zero...), chains[100], found},
		{"101 of them", schema("", text, zero...), chains[101], unusable},
		{"no name", schema("", text, reference{"", "s0", 1}), of(schema("", text)), unusable},
		{"no subject", schema("", text, reference{"r0", "", 1}), of(schema("", text)), unusable},
		{"no version", schema("", text, reference{"r0", "s0", 0}), of(schema("", text)), unusable},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, c.of)
			if f.answers == nil {
				f.answers = make(map[string]reply)
			}
			f.answers[path] = c.root
			if _, err := newClient(t, registry.Options{URLs: []string{f.URL}}).Schema(t.Context(), seven); classOf(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if asked := len(f.requests()); asked > 101 {
				t.Errorf("%d requests were sent", asked)
			}
		})
	}
}
