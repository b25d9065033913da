package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

	// maxAnswer is how many bytes of an answer are read. JSON spells a byte of text with up to six; the rest is for references and metadata.
	maxAnswer = 6*maxText + 2<<20
)

// httpClient sends requests within these bounds.
func httpClient(next http.RoundTripper) *http.Client {
	return &http.Client{Transport: bounded{next}, Timeout: patience, CheckRedirect: sameHost}
}

// sameHost refuses redirects that would take the credentials elsewhere, or send them in the clear.
func sameHost(next *http.Request, via []*http.Request) error {
	from := via[0].URL
	if len(via) > maxRedirects || next.URL.Host != from.Host || from.Scheme == "https" && next.URL.Scheme != "https" {
		return fmt.Errorf("it redirects to %s://%s, which is not followed: name the server that answers", next.URL.Scheme, next.URL.Host)
	}
	return nil
}

// bounded ends bodies after maxAnswer bytes. A body that seems to be a registry's ends with a [http.MaxBytesError]: the registry has such a
// schema. Others are truncated, and are no longer JSON.
type bounded struct{ next http.RoundTripper }

type truncatedBody struct {
	io.Reader
	io.Closer
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK && strings.Contains(response.Header.Get("Content-Type"), "json") {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	} else {
		response.Body = truncatedBody{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, nil
}

// unanswered says why there is no whole answer of a server; nil: there is one.
func unanswered(server string, err error) error {
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return fmt.Errorf("%w: the answer of %s has more than %d bytes", ErrUnusable, server, maxAnswer)
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err // It names the URL as well.
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", server, err)
}

// transport makes connections that trust the certificates of a file, besides the ones of the system.
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
