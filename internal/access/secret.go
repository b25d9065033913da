package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"
)

// A token is a prefix that scanners of source code find, an id and a secret:
//
//	fft_<id: 16 characters>_<secret: 32 characters>    an access token
//	ffs_<id>_<secret>                                  a share link
//
// Id and secret are 80 and 160 random bits in base 32. A secret of that size is not guessed, so one round of SHA-256 keeps it.
var prefixes = map[Kind]string{Token: "fft_", Share: "ffs_"}

const (
	idBytes     = 10
	secretBytes = 20
)

var alphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// spelledToken matches a token.
var spelledToken = regexp.MustCompile(`^ff[ts]_([a-z2-7]{16})_[a-z2-7]{32}$`)

// spelledID matches the id of a token.
var spelledID = regexp.MustCompile(`^[a-z2-7]{16}$`)

// newSecret makes a token and its id.
func newSecret(kind Kind) (id, token string) {
	random := make([]byte, idBytes+secretBytes)
	rand.Read(random) // Never fails (crypto/rand).
	id = alphabet.EncodeToString(random[:idBytes])
	return id, prefixes[kind] + id + "_" + alphabet.EncodeToString(random[idBytes:])
}

// parseSecret returns the id of a token; ok is false if it is not spelled as one.
func parseSecret(token string) (id string, ok bool) {
	m := spelledToken.FindStringSubmatch(token)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// hashOf is what the table keeps of a token.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// looksSigned reports whether a credential is spelled as a JSON Web Token.
func looksSigned(credential string) bool { return strings.Count(credential, ".") == 2 }
