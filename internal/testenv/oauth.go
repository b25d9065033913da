package testenv

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// An issuer signs tokens (RFC 7519, with RS256) that a broker accepts which has its public key.
type issuer struct{ key *rsa.PrivateKey }

// oauthAudience is the audience of tokens that the broker accepts.
const oauthAudience = "kafka"

func newIssuer() (issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	return issuer{key}, err
}

// keys are the public keys of the issuer as a JSON Web Key Set (RFC 7517).
func (i issuer) keys() string {
	text, err := json.Marshal(map[string]any{"keys": []map[string]string{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
		"n": encode64(i.key.N.Bytes()), "e": encode64(big.NewInt(int64(i.key.E)).Bytes())}}})
	if err != nil {
		panic(err) // Of texts.
	}
	return string(text)
}

func encode64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// token signs a token of a user.
func (i issuer) token(user, audience string, lifetime time.Duration) (string, error) {
	now := time.Now()
	claims, err := json.Marshal(map[string]any{"iss": "footfall test", "sub": user, "aud": audience, "iat": now.Unix(),
		"exp": now.Add(lifetime).Unix()})
	if err != nil {
		return "", err
	}
	text := encode64([]byte(`{"alg":"RS256","kid":"1","typ":"JWT"}`)) + "." + encode64(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	return text + "." + encode64(signature), err
}

// TokenEndpoint grants tokens of a [SecureBroker] to one client.
type TokenEndpoint struct {
	*httptest.Server
	ClientID, ClientSecret string

	Granted atomic.Int64 // how many tokens it has granted
	issuer  issuer
}

// TokenEndpoint starts an endpoint whose tokens are valid for a time. It grants them to the broker's user. A client that asks for an
// audience gets a token for it.
func (b *SecureBroker) TokenEndpoint(t testing.TB, lifetime time.Duration) *TokenEndpoint {
	t.Helper()
	e := &TokenEndpoint{ClientID: b.User, ClientSecret: b.Password, issuer: b.issuer}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		id, secret, _ := r.BasicAuth()
		if id != e.ClientID || secret != e.ClientSecret {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"invalid_client"}`)
			return
		}
		audience := oauthAudience
		if named := r.FormValue("audience"); named != "" {
			audience = named
		}
		token, err := e.issuer.token(id, audience, lifetime)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		e.Granted.Add(1)
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, token, int(lifetime.Seconds()))
	}))
	t.Cleanup(e.Close)
	return e
}

// Token returns a token of the broker's user.
func (b *SecureBroker) Token(t testing.TB, lifetime time.Duration) string {
	t.Helper()
	token, err := b.issuer.token(b.User, oauthAudience, lifetime)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
