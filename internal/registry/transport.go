package registry

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// What is asked of a registry at most.
const (
	patience      = 10 * time.Second // of a request, to the last byte of its answer
	maxText       = 1 << 20          // bytes of a schema
	maxTotal      = 4 << 20          // bytes of a schema and all its references
	maxReferences = 100
	maxRedirects  = 5

	// maxAnswer is how many bytes of an answer are read. JSON spells a byte of text with up to six (\u0000); the rest is for the names of
	// references and for metadata.
	maxAnswer = 6*maxText + 2<<20
)

// client sends requests within these bounds.
func client(next http.RoundTripper) *http.Client {
	return &http.Client{Transport: bounded{next}, Timeout: patience, CheckRedirect: sameHost}
}

// sameHost refuses redirects that would take the credentials elsewhere, or send them in the clear.
func sameHost(next *http.Request, via []*http.Request) error {
	from := via[0].URL
	if next.URL.Host != from.Host || from.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("it redirects to %s://%s, where the credentials are not sent: name the server that answers", next.URL.Scheme,
			next.URL.Host)
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	return nil
}

// bounded ends bodies after maxAnswer bytes: with a [http.MaxBytesError] if a registry seems to answer, and silently if it is something
// else that does. What is cut is no JSON any more.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK && strings.Contains(response.Header.Get("Content-Type"), "json") {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
		return response, nil
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxAnswer), response.Body}
	return response, nil
}

// transport makes connections that trust the certificates of a file, besides those of the system.
func transport(ca string) (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca == "" {
		return t, nil
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("event.registry.ca: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // The system has none.
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("event.registry.ca: %s has no certificate in PEM form: name a file that begins with "+
			"-----BEGIN CERTIFICATE-----", ca)
	}
	t.TLSClientConfig.RootCAs = roots
	return t, nil
}
