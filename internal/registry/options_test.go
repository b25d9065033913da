package registry_test

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/registry"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const hidden = "s3cret" // part of all passwords

// Each wrong option is named with its value and what to write, all at once, and without passwords.
func TestWrongOptionsAreNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, "")
	const one = "https://registry.example:8081"
	for _, c := range []struct {
		registry.Options
		want []string
	}{
		{registry.Options{}, []string{"event.registry.urls is empty: name the registry"}},
		{registry.Options{URLs: []string{"registry:8081"}}, []string{`event.registry.urls has "registry:8081": write http://HOST:PORT`}},
		{registry.Options{URLs: []string{"ftp://registry"}}, []string{`event.registry.urls has "ftp://registry": write http://HOST:PORT`}},
		{registry.Options{URLs: []string{"https://"}}, []string{`event.registry.urls has "https://": it has no host`}},
		{registry.Options{URLs: []string{one + "/?a=b"}}, []string{`event.registry.urls has "` + one + `/?a=b": leave out what begins with ?`}},
		{registry.Options{URLs: []string{"https://me:" + hidden + "%zz@registry"}}, []string{`event.registry.urls has "registry": write http`}},
		{registry.Options{URLs: []string{"me:" + hidden + "@registry"}}, []string{`event.registry.urls has "registry": write http`}},
		{registry.Options{URLs: []string{"https://me@registry"}}, []string{`event.registry.urls has "registry": write USER:PASSWORD`}},
		{registry.Options{URLs: []string{"https://:" + hidden + "@registry"}}, []string{`urls has "registry": write USER:PASSWORD`}},
		{registry.Options{URLs: []string{"glue://eu-central-1/x"}}, []string{`urls has "glue://eu-central-1/x": write glue:// and`}},
		{registry.Options{URLs: []string{"glue://host.example"}}, []string{`has "glue://host.example": write glue:// and the region`}},
		{registry.Options{URLs: []string{"glue://eu-central-1", one}}, []string{"event.registry.urls has glue:// among 2 URLs: name it alone"}},
		{registry.Options{URLs: []string{"glue://"}, User: "me", Password: hidden}, []string{`event.registry.user "me", password and`}},
		{registry.Options{URLs: []string{"https://me:" + hidden + "@registry"}, User: "me", Password: hidden}, []string{"besides those in urls"}},
		{registry.Options{URLs: []string{one}, User: "me", Password: hidden, PasswordFile: empty}, []string{"both given: leave out one"}},
		{registry.Options{URLs: []string{one}, Password: hidden}, []string{`event.registry.user is "", and a user needs a password`}},
		{registry.Options{URLs: []string{one}, User: "me"}, []string{`event.registry.user is "me", and a user needs a password`}},
		{registry.Options{URLs: []string{one}, User: "m:e", Password: hidden}, []string{`event.registry.user is "m:e": basic authentication`}},
		{registry.Options{URLs: []string{one}, User: "me", PasswordFile: empty}, []string{"event.registry.passwordFile: ", "is empty"}},
		{registry.Options{URLs: []string{one}, User: "me", PasswordFile: empty + "x"}, []string{"event.registry.passwordFile: ", "no such"}},
		{registry.Options{URLs: []string{one}, CA: empty}, []string{"event.registry.ca: " + empty + " has no certificate in PEM form"}},
		{registry.Options{URLs: []string{one}, CA: empty + "x"}, []string{"event.registry.ca: ", "no such file"}},
		{registry.Options{URLs: []string{"http://registry"}, CA: empty}, []string{"event.registry.ca is " + empty + ", which only"}},
		{registry.Options{URLs: []string{"glue://"}, CA: empty}, []string{"for glue:// set AWS_CA_BUNDLE"}},
		{registry.Options{URLs: []string{"ftp://a", "ftp://b"}, User: "me"}, []string{`"ftp://a"`, `"ftp://b"`, "event.registry.user"}},
	} {
		_, err := registry.New(c.Options)
		if err == nil {
			t.Errorf("%+v is accepted, want %q", c.Options, c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q, want %q in it", err, want)
			}
		}
		if strings.Contains(err.Error(), hidden) {
			t.Errorf("%q shows a password", err)
		}
	}
}

// TestPasswordFileIsReadAgain: a password that was replaced is sent with the next request.
func TestPasswordFileIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	f := newFake(t, map[string]reply{path: schema("", text)})
	write(t, file, "first\n")
	c := newClient(t, registry.Options{URLs: []string{f.URL}, User: "me", PasswordFile: file})
	for _, step := range []struct{ text, want string }{{"first\n", "first"}, {"second", "second"}, {"", "second"}, {"third", "third"}} {
		write(t, file, step.text)
		if _, err := c.Schema(t.Context(), seven); err != nil {
			t.Fatal(err)
		}
		if user, password, _ := f.last.BasicAuth(); user != "me" || password != step.want {
			t.Errorf("the file has %q: %s and %q were sent", step.text, user, password)
		}
	}
}

// Each server is sent its own user and password, also after a redirect, and no error shows them.
func TestPasswordsAreHidden(t *testing.T) {
	refused := reply{status: 401, body: `{"error_code":401,"message":"wrong password ` + hidden + `"}`}
	first := newFake(t, map[string]reply{path: {status: 302, to: "/moved"}, "/moved": refused})
	second := newFake(t, map[string]reply{path: {status: 302, to: "http://me:" + hidden + "@other.example/"}})
	down := newFake(t, nil)
	down.Close()
	with := func(f *fake, user string) string { return strings.Replace(f.URL, "://", "://"+user+":"+hidden+"@", 1) }
	for _, o := range []registry.Options{
		{URLs: []string{with(first, "one"), with(second, "two"), with(down, "three")}},
		{URLs: []string{first.URL, second.URL, down.URL}, User: "all", Password: hidden},
	} {
		_, err := newClient(t, o).Schema(t.Context(), seven)
		if classOf(err) != unclear || strings.Contains(err.Error(), hidden) {
			t.Errorf("%v, want no clear answer, without the password", err)
		}
		for n, f := range []*fake{first, second} {
			want := []string{"one", "two"}[n]
			if o.User != "" {
				want = o.User
			}
			if user, password, _ := f.last.BasicAuth(); user != want || password != hidden {
				t.Errorf("server %d was sent %q and %q, want user %q", n, user, password, want)
			}
		}
	}
}

func TestCertificatesOfAFileAreTrusted(t *testing.T) {
	f := &fake{answers: map[string]reply{path: schema("", text)}}
	f.Server = httptest.NewTLSServer(f)
	t.Cleanup(f.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})))
	for file, want := range map[string]class{"": unclear, ca: found} {
		if _, err := newClient(t, registry.Options{URLs: []string{f.URL}, CA: file}).Schema(t.Context(), seven); classOf(err) != want {
			t.Errorf("with ca %q: %v, want %s", file, err, want)
		}
	}
}
