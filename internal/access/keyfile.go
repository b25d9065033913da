package access

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// MaxKeys is how many keys a file may have. With two, one can be replaced without a gap.
const MaxKeys = 2

// minSecret is the least size of a shared secret: that of the hash (RFC 7518, 3.2).
const minSecret = 32

// keyFile is a file of keys.
type keyFile struct {
	Keys []fileKey `yaml:"keys"`
}

// fileKey is a key as a file has it.
type fileKey struct {
	ID        string   `yaml:"id"`        // as in the header kid
	Algorithm string   `yaml:"algorithm"` // HS256 or EdDSA
	Secret    string   `yaml:"secret"`    // of HS256: base64
	PublicKey string   `yaml:"publicKey"` // of EdDSA: PEM
	AllSites  bool     `yaml:"allSites"`  // it may sign for every site
	Sites     []string `yaml:"sites"`     // it may sign for these alone
	Rights    []string `yaml:"rights"`    // that it may give; none: read
	Origins   []string `yaml:"origins"`   // where pages may be shown in a frame
}

// embedKey is a key that verifies.
type embedKey struct {
	id, algorithm string
	key           any // []byte or ed25519.PublicKey
	sites         []string
	allSites      bool
	rights        []Right
	origins       []string
}

var spelledKeyID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// readKeys reads a file of keys.
func readKeys(path string) ([]embedKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var f keyFile
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(f.Keys) == 0 || len(f.Keys) > MaxKeys {
		return nil, fmt.Errorf("%s: keys: there are %d: write one, or two while you replace one by the other", path, len(f.Keys))
	}
	var keys []embedKey
	for i, k := range f.Keys {
		key, err := k.read()
		if err == nil && slices.ContainsFunc(keys, func(o embedKey) bool { return o.id == k.ID }) {
			err = fmt.Errorf("id %q is that of another key: choose another", k.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: keys[%d]: %w", path, i, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func (k fileKey) read() (key embedKey, err error) {
	key = embedKey{id: k.ID, algorithm: k.Algorithm, sites: k.Sites, allSites: k.AllSites, rights: []Right{Read}, origins: k.Origins}
	if !spelledKeyID.MatchString(k.ID) {
		return key, fmt.Errorf("id %q: write 1 to 64 letters, digits, dots, dashes and underscores", k.ID)
	}
	switch k.Algorithm {
	case "HS256":
		key.key, err = k.secret()
	case "EdDSA":
		key.key, err = k.publicKey()
	default:
		err = fmt.Errorf("algorithm %q: choose HS256 or EdDSA", k.Algorithm)
	}
	if err != nil {
		return key, err
	}
	if len(k.Rights) > 0 {
		if key.rights, err = ParseRights(k.Rights); err != nil {
			return key, fmt.Errorf("rights: %w", err)
		}
	}
	if err := checkKeySites(k.Sites, k.AllSites); err != nil {
		return key, err
	}
	return key, Limits{Origins: k.Origins}.Validate()
}

// checkKeySites is checkSites for a key, which may sign for any number.
func checkKeySites(sites []string, all bool) error {
	if all == (len(sites) > 0) {
		return errors.New("sites: name the sites that the key may sign for, or write allSites: true")
	}
	return nil
}

func (k fileKey) secret() ([]byte, error) {
	if k.PublicKey != "" {
		return nil, errors.New("publicKey: a key of HS256 has a secret instead")
	}
	secret, err := base64.StdEncoding.DecodeString(k.Secret)
	if err != nil {
		return nil, errors.New("secret: not base64: make one with `openssl rand -base64 32`")
	}
	if len(secret) < minSecret {
		return nil, fmt.Errorf("secret: %d bytes, which can be guessed: make one of %d with `openssl rand -base64 %d`", len(secret), minSecret,
			minSecret)
	}
	return secret, nil
}

func (k fileKey) publicKey() (ed25519.PublicKey, error) {
	if k.Secret != "" {
		return nil, errors.New("secret: a key of EdDSA has a publicKey instead")
	}
	const remedy = "make the pair with `openssl genpkey -algorithm ed25519`, and this one with `openssl pkey -pubout`"
	block, _ := pem.Decode([]byte(k.PublicKey))
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("publicKey: not a public key in PEM: " + remedy)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("publicKey: %w: %s", err, remedy)
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("publicKey: not one of Ed25519: " + remedy)
	}
	return public, nil
}
