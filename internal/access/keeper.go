package access

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/footfall/footfall/sinks"
)

// Memory is how long a keeper takes a token for unchanged: so much later, at most, a revoked one is refused.
const Memory = 10 * time.Second

// Bounds of what credentials that may be made up can cost: the tokens that are kept in memory, some 500 bytes each, and the reads of tokens
// that were not asked for before, a second and at once.
const (
	maxKnown    = 10_000
	newAtOnce   = 200
	newASecond  = 50
	usePatience = time.Second
)

var (
	// ErrUnknown reports a credential that is not valid: there is no such token, it is revoked or has expired, or it is not signed with a
	// key that the server has.
	ErrUnknown = errors.New("the credential is not valid")
	// ErrBusy reports that too many unknown tokens were tried for another one to be looked up now.
	ErrBusy = errors.New("too many unknown tokens were tried")
)

// A Keeper looks up what credentials allow. Safe for concurrent use. Make one with [NewKeeper].
type Keeper struct {
	table  sinks.Table
	keys   sinks.Keys
	now    func() time.Time
	log    *slog.Logger
	embed  *EmbedKeys
	lookup *rate.Limiter // of tokens that are not in memory

	mu     sync.Mutex // covers known and logged
	known  map[string]seen
	logged bool // it was logged that the last use of tokens cannot be kept
}

// seen is a token as it was read.
type seen struct {
	Stored
	at   time.Time // of the read
	used time.Time // the day that was last written
}

// KeeperOptions are what a keeper needs.
type KeeperOptions struct {
	Table sinks.Table // of the tokens; the day of their last use is written to it
	Keys  sinks.Keys
	Now   func() time.Time
	Log   *slog.Logger
	Embed *EmbedKeys // of JSON Web Tokens; nil: none is accepted
}

// NewKeeper makes a keeper.
func NewKeeper(o KeeperOptions) *Keeper {
	return &Keeper{table: o.Table, keys: o.Keys, now: o.Now, log: o.Log, embed: o.Embed, known: make(map[string]seen),
		lookup: rate.NewLimiter(newASecond, newAtOnce)}
}

// Grant returns what a credential allows. Of one that is not valid the error is ErrUnknown or ErrBusy; other errors are the table's.
func (k *Keeper) Grant(ctx context.Context, credential string) (Grant, error) {
	if looksSigned(credential) {
		if k.embed == nil {
			return Grant{}, ErrUnknown
		}
		return k.embed.Grant(credential, k.now())
	}
	id, ok := parseSecret(credential)
	if !ok {
		return Grant{}, ErrUnknown
	}
	t, err := k.token(ctx, id)
	if err != nil {
		return Grant{}, err
	}
	if !t.is(credential) || !t.ExpiresAt.IsZero() && !k.now().Before(t.ExpiresAt) {
		return Grant{}, ErrUnknown
	}
	k.use(ctx, t)
	return t.grant(), nil
}

// token returns a token, at most Memory old.
func (k *Keeper) token(ctx context.Context, id string) (seen, error) {
	now := k.now()
	k.mu.Lock()
	t, ok := k.known[id]
	k.mu.Unlock()
	if ok && now.Sub(t.at) < Memory {
		return t, nil
	}
	if !ok && !k.lookup.AllowN(now, 1) {
		return seen{}, ErrBusy
	}
	key := k.keys.Token(id)
	found, err := sinks.Get(ctx, k.table, key)
	if err != nil {
		return seen{}, err
	}
	if found[key] == nil {
		k.forget(id)
		return seen{}, ErrUnknown
	}
	stored, err := ReadStored(found[key])
	if err != nil {
		k.forget(id)
		// Cause: The item of the token is damaged, or a later release created the token. Remedy: Create another token with `footfall token
		// create` or `footfall share create`, or run the later release.
		k.log.WarnContext(ctx, "a token was refused", "error", err)
		return seen{}, ErrUnknown
	}
	return k.remember(seen{stored, now, stored.LastUsed}), nil
}

func (k *Keeper) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, id)
}

// remember keeps a token that was read, in the place of any other if there is no room.
func (k *Keeper) remember(t seen) seen {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, ok := k.known[t.ID]; ok && before.used.After(t.used) {
		t.used = before.used
	} else if !ok && len(k.known) >= maxKnown {
		for id := range k.known {
			delete(k.known, id)
			break
		}
	}
	k.known[t.ID] = t
	return t
}

// use records the day on which a token was used, once. It helps operators find unused tokens.
// If it cannot be written, the request is answered all the same.
func (k *Keeper) use(ctx context.Context, t seen) {
	today := k.now().UTC().Truncate(24 * time.Hour)
	k.mu.Lock()
	known := k.known[t.ID]
	first := known.used.Before(today)
	if first {
		known.used = today
		k.known[t.ID] = known
	}
	k.mu.Unlock()
	if !first {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), usePatience)
	defer stop()
	_, err := k.table.Update(ctx, sinks.Update{Key: k.keys.Token(t.ID),
		Set: []sinks.Attr{{Name: sinks.AttrLastUsedOn, Value: sinks.Int(today.UnixMilli())}},
		If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Present},
			{Attr: sinks.AttrLastUsedOn, Op: sinks.AbsentOrLess, Value: sinks.Int(today.UnixMilli())}}})
	if err != nil && k.firstFailure() {
		// Cause: The table refused to write the day of the last use: the permission is missing, or capacity. Logged once. Remedy: Requests are
		// answered still. `footfall doctor --role serve` names a missing permission.
		k.log.WarnContext(ctx, "the last use of tokens is not kept", "token", t.ID, "error", err)
	}
}

// firstFailure reports whether no failure was logged yet: one line of the log is enough.
func (k *Keeper) firstFailure() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := !k.logged
	k.logged = true
	return first
}
