package access

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Bounds of a JSON Web Token. It cannot be revoked, so it must expire within a day.
const (
	maxLifetime = 24 * time.Hour
	maxSigned   = 8 << 10 // bytes
)

// EmbedKeys are the keys that products sign JSON Web Tokens with, and the file that they are read from. Safe for concurrent use.
type EmbedKeys struct {
	path string
	log  *slog.Logger

	mu   sync.Mutex // covers keys and read
	keys []embedKey
	read version
}

// version says which content of a file was read.
type version struct {
	modified time.Time
	size     int64
}

func versionOf(path string) (version, error) {
	info, err := os.Stat(path)
	if err != nil {
		return version{}, err
	}
	return version{info.ModTime(), info.Size()}, nil
}

// LoadEmbedKeys reads the keys of a file. It is read again when it has changed; a change that cannot be read is logged, and the keys before
// it stay.
func LoadEmbedKeys(path string, log *slog.Logger) (*EmbedKeys, error) {
	at, err := versionOf(path)
	if err != nil {
		return nil, err
	}
	keys, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	return &EmbedKeys{path: path, log: log, keys: keys, read: at}, nil
}

// current returns the keys of the file as it is now.
func (e *EmbedKeys) current() []embedKey {
	at, err := versionOf(e.path)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil && at == e.read {
		return e.keys
	}
	var keys []embedKey
	if err == nil {
		keys, err = readKeys(e.path)
	}
	switch {
	case err == nil:
		e.keys, e.read = keys, at
	case at != e.read:
		// Cause: The file of `--embed-keys` changed, and cannot be read or is not valid. The keys before stay valid. Remedy: Mend the file. It is
		// read again when it changes.
		e.log.Warn("the keys of JSON Web Tokens were not read again", "error", err)
		e.read = at
	}
	return e.keys
}

// claims are what a JSON Web Token may say. An unknown claim is refused: it may have been meant as a limit.
type claims struct {
	jwt.RegisteredClaims
	Sites    []string `json:"sites"`
	Rights   []string `json:"rights"`
	Theme    string   `json:"theme"`
	Language string   `json:"language"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Period   string   `json:"period"`
	Where    []Filter `json:"where"`
}

var _ jwt.Claims = (*claims)(nil)

// UnmarshalJSON refuses claims that there are none of. Without it the embedded claims would be all that is read.
func (c *claims) UnmarshalJSON(text []byte) error {
	type plain claims // without this method
	err := decodeStrict(text, (*plain)(c))
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field != "" {
		return fmt.Errorf("claim %s: a %s does not fit: docs/serve.md lists the claims", e.Field, e.Value)
	}
	return err
}

// Grant returns what a JSON Web Token allows; ErrUnknown with the reason if it is not valid.
func (e *EmbedKeys) Grant(signed string, now time.Time) (Grant, error) {
	if len(signed) > maxSigned {
		return Grant{}, fmt.Errorf("%w: it has more than %d bytes", ErrUnknown, maxSigned)
	}
	keys := e.current()
	var key embedKey
	var c claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256", "EdDSA"}), jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(func() time.Time { return now }))
	_, err := parser.ParseWithClaims(signed, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		i := slices.IndexFunc(keys, func(k embedKey) bool { return k.id == id })
		switch {
		case i < 0:
			return nil, fmt.Errorf("its header kid %.64q is not the id of a key", id)
		case keys[i].algorithm != t.Method.Alg(): // The key says how it is used, not the token.
			return nil, fmt.Errorf("its algorithm is not that of the key %s", id)
		case t.Header["crit"] != nil:
			return nil, errors.New("its header crit asks for what is not supported")
		}
		key = keys[i]
		return key.key, nil
	})
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	g, err := c.grant(key, now)
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	g.Holder = key.id + " " + c.holder(signed)
	return g, nil
}

// holder names who holds the token: its subject, or else the token itself.
func (c *claims) holder(signed string) string {
	if c.Subject != "" {
		signed = c.Subject
	}
	sum := sha256.Sum256([]byte(signed))
	return hex.EncodeToString(sum[:8])
}

var spelledLanguage = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$`)

// grant is what the claims say, as far as the key may sign it.
func (c *claims) grant(key embedKey, now time.Time) (g Grant, err error) {
	g = Grant{Kind: Embed, Name: key.id, Sites: c.Sites, Rights: []Right{Read}, Expires: c.ExpiresAt.Time, Theme: c.Theme,
		Language: c.Language,
		Limits:   Limits{From: c.From, To: c.To, Period: c.Period, Where: c.Where, Origins: key.origins}}
	if c.ExpiresAt.Sub(now) > maxLifetime {
		return g, fmt.Errorf("exp is later than in %v: it cannot be revoked, so let it expire sooner", maxLifetime)
	}
	if c.Rights != nil {
		if g.Rights, err = ParseRights(c.Rights); err != nil {
			return g, fmt.Errorf("rights: %w", err)
		}
	}
	if err := checkSites(c.Sites, false); err != nil {
		return g, fmt.Errorf("sites: %w", err)
	}
	for _, right := range g.Rights {
		if !slices.Contains(key.rights, right) {
			return g, fmt.Errorf("the key %s may not give the right %q", key.id, right)
		}
	}
	for _, site := range c.Sites {
		if !key.allSites && !slices.Contains(key.sites, site) {
			return g, fmt.Errorf("the key %s may not sign for site %.64q", key.id, site)
		}
	}
	switch {
	case c.Theme != "" && c.Theme != "light" && c.Theme != "dark":
		return g, fmt.Errorf("theme %.32q: choose light or dark, or leave it out", c.Theme)
	case c.Language != "" && !spelledLanguage.MatchString(c.Language):
		return g, fmt.Errorf("language %.32q: not a language tag, as in de", c.Language)
	}
	return g, g.Limits.Validate()
}
