package requests

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// loginPatience is how long the logins of a process may be refused that was let in before: its credentials are being replaced.
const loginPatience = 5 * time.Minute

// Logins are those of a process that were refused, each soon after the one before. Not safe for concurrent use.
type Logins struct{ first, last time.Time }

// Passes reports whether a login that is refused now may pass, as the process was let in before.
func (l *Logins) Passes(now time.Time, before bool) bool {
	if now.Sub(l.last) > loginPatience {
		l.first = now
	}
	l.last = now
	return before && now.Sub(l.first) < loginPatience
}

// IsRefused reports whether a login was refused, by the brokers or by who gives tokens for them.
func IsRefused(err error) bool {
	login, ok := errors.AsType[interface {
		error
		Refused() bool
	}](err)
	return ok && login.Refused() || errors.Is(err, kerr.SaslAuthenticationFailed)
}
