package visitorid

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"
	"time"
)

// MinSecretBytes is the least length of the secret of a Derived: shorter ones could be found by trying.
const MinSecretBytes = 16

// Derived makes visitor ids under salts that are computed from a secret and the day: for several collectors that must
// agree, and for replaying a log with the same ids. The package comment says what privacy that gives: none towards
// whoever has the secret, for all days, for as long as it exists. Where one process on one machine will do, a Hasher
// gives more. Make one with NewDerived. Safe for concurrent use. It must not be copied.
type Derived struct {
	secret []byte
	last   atomic.Pointer[dated] // the salt that was derived last: deriving one costs more than the rest of an id
}

// dated is a day's salt, with the HMACs that are keyed with it: keying one costs half an id.
type dated struct {
	day
	macs sync.Pool // of hash.Hash
}

// NewDerived makes a Derived of a secret of at least MinSecretBytes bytes, which it copies. The bytes should be
// random: a sentence that somebody can guess is no secret.
func NewDerived(secret []byte) (*Derived, error) {
	if len(secret) < MinSecretBytes {
		return nil, fmt.Errorf("secret of %d bytes (not shown): it needs at least %d; make one with `openssl rand -hex 16`",
			len(secret), MinSecretBytes)
	}
	return &Derived{secret: bytes.Clone(secret)}, nil
}

// ID returns the visitor's id, 32 lower-case hex digits, on the UTC day of at, the time of the event. Any day will
// do. The error names what the visitor lacks.
func (d *Derived) ID(v Visitor, at time.Time) (string, error) {
	s, err := d.salt(dayOf(at))
	if err != nil {
		return "", err
	}
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	return v.id(mac)
}

// salt derives the salt of a day: HKDF (RFC 5869) with SHA-256, no salt of its own, and the day in the info.
func (d *Derived) salt(of day) (*dated, error) {
	if last := d.last.Load(); last != nil && last.day == of {
		return last, nil
	}
	key, err := hkdf.Key(sha256.New, d.secret, nil, "footfall visitor id "+of.String(), saltBytes)
	if err != nil {
		return nil, fmt.Errorf("derive the salt of %s: %w", of, err)
	}
	next := &dated{day: of, macs: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
	d.last.Store(next)
	return next, nil
}
