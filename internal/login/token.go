package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/sync/singleflight"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/secret"
)

// tokens are what OAUTHBEARER authenticates with: those of a file, or of an endpoint, which are kept until they are about to expire.
type tokens struct {
	file       *secret.Secret           // nil: an endpoint grants them
	client     clientcredentials.Config // its secret is the last one; it remembers how the endpoint wants it; used by request alone
	secret     *secret.Secret           // of the client
	extensions map[string]string

	last    atomic.Pointer[oauth2.Token]
	request singleflight.Group // connections that begin at once share a request, and its failure
}

// spare is how long before its end a token is not used any more: the clocks of the broker and of this machine may differ.
const spare = 5 * time.Second

// stay is a client that follows no redirect: the secret would go to another address.
var stay = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// endpointPatience is how long an endpoint has to answer.
const endpointPatience = 8 * time.Second

func newTokens(o config.OAuth) (*tokens, error) {
	t := &tokens{extensions: make(map[string]string)}
	for _, e := range o.Extensions {
		name, value, _ := strings.Cut(e, "=")
		t.extensions[name] = value
	}
	if o.TokenFile != "" {
		t.file = secret.New("", "kafka.sasl.oauth.tokenFile", o.TokenFile)
		_, err := t.file.Read()
		return t, err
	}
	t.secret = secret.New(o.ClientSecret, "kafka.sasl.oauth.clientSecretFile", o.ClientSecretFile)
	t.client = clientcredentials.Config{ClientID: o.ClientID, TokenURL: o.TokenEndpoint, Scopes: strings.Fields(o.Scope)}
	if o.Audience != "" {
		t.client.EndpointParams = url.Values{"audience": {o.Audience}}
	}
	_, err := t.secret.Read()
	return t, err
}

// auth returns a token that has not expired.
func (t *tokens) auth(ctx context.Context) (a oauth.Auth, err error) {
	a.Extensions = t.extensions
	if t.file != nil {
		a.Token, err = t.file.Read()
		return a, err
	}
	if last := t.last.Load(); last != nil && time.Until(last.Expiry) >= spare {
		a.Token = last.AccessToken
		return a, nil
	}
	answer := t.request.DoChan("", func() (any, error) {
		token, err := t.grant(context.WithoutCancel(ctx))
		t.last.Store(token)
		return token, err
	})
	select {
	case r := <-answer:
		if r.Err == nil {
			a.Token = r.Val.(*oauth2.Token).AccessToken
		}
		return a, r.Err
	case <-ctx.Done():
		return a, context.Cause(ctx)
	}
}

// grant asks the endpoint for a token. Of its answer an error shows the status and the code of the error alone: the rest may have the
// client's secret in it.
func (t *tokens) grant(ctx context.Context) (*oauth2.Token, error) {
	client := &t.client
	var err error
	if client.ClientSecret, err = t.secret.Read(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, endpointPatience, fmt.Errorf("no answer in %v", endpointPatience))
	defer cancel()
	token, err := client.Token(context.WithValue(ctx, oauth2.HTTPClient, stay))
	if err == nil {
		return token, nil
	}
	endpoint, _, _ := strings.Cut(client.TokenURL, "?") // A secret may stand in its query.
	what := fmt.Sprintf("get a token from kafka.sasl.oauth.tokenEndpoint %s for client %q", endpoint, client.ClientID)
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err
	}
	refused := false
	switch answer, answered := errors.AsType[*oauth2.RetrieveError](err); {
	case answered:
		code := ""
		if answer.ErrorCode != "" && len(answer.ErrorCode) < 60 {
			code = fmt.Sprintf(", %q", answer.ErrorCode)
		}
		status, check := answer.Response.StatusCode, "clientId, and clientSecret or clientSecretFile"
		refused = status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
		if status/100 == 3 || status == http.StatusNotFound {
			check = "the URL; redirects are not followed"
		}
		err = fmt.Errorf("%d %s%s: check %s", status, http.StatusText(status), code, check)
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case strings.Contains(err.Error(), "cannot parse"), strings.Contains(err.Error(), "missing access_token"):
		err = errors.New("the answer has no token: is it the endpoint that grants tokens?")
	}
	return nil, &Error{what, err, refused}
}

// bearer is OAUTHBEARER that says why a token is refused.
type bearer struct{ sasl.Mechanism }

func (b bearer) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	s, first, err := b.Mechanism.Authenticate(ctx, host)
	return bearing{s}, first, err
}

type bearing struct{ sasl.Session }

// Challenge takes what the broker answers to a token: nothing, or why it refuses it (RFC 7628, section 3.2.2).
func (s bearing) Challenge(answer []byte) (done bool, next []byte, err error) {
	if len(answer) > 0 {
		return false, nil, &Error{"the brokers refuse the token",
			fmt.Errorf("%.200q: check its issuer, audience and lifetime, see kafka.sasl.oauth", answer), true}
	}
	return s.Session.Challenge(answer)
}
