package visitorid

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	// Kept is how long a salt is kept from the beginning of its day: through the day itself and the next, in which
	// visits that began before midnight go on and late events arrive.
	Kept = 48 * time.Hour
	// MaxAhead is how far an event's time may be ahead of the clock. It is also how long before its day a salt may
	// be made. Pipelines reject events beyond it by default.
	MaxAhead = 10 * time.Minute
)

// Errors for which the event is at fault: an id for it is not to be had.
var (
	// ErrForgotten reports an event of a day whose salt is kept no longer.
	ErrForgotten = errors.New("salt forgotten")
	// ErrAhead reports an event of a time more than MaxAhead ahead of the clock.
	ErrAhead = errors.New("time ahead of the clock")
)

// Hasher makes visitor ids under random salts, one for each UTC day of event time, which it makes when first needed and
// forgets Kept after the day's beginning, for good. The zero value keeps them in memory: after a restart the visitors of
// the day count once more. Open returns one that outlives restarts.
//
// The caller passes the clock. A Hasher whose clock is ahead by a day or more forgets too early: once the clock is
// right again, visitors of the days that it forgot have new ids.
//
// Salts are overwritten when they are forgotten; copies that the runtime may have made last until their memory is used
// again. Forgetting happens in calls: where events may stay away for hours, call Forget from a timer.
//
// Safe for concurrent use. It must not be copied.
type Hasher struct {
	store Store // nil: in memory only

	mu    sync.Mutex // covers salts and today
	salts map[day]*salt
	today day // when expired salts were last forgotten

	// changing covers the store, and which salts there are. It is held across I/O: only
	// those wait for it that need the salt which is being made, or have found the day to be over.
	changing sync.Mutex
}

// Open returns a Hasher that keeps its salts in a directory, one file of mode 0600 for each day, and makes the directory
// (mode 0700) if there is none. now is the clock: files of salts whose time is over are removed at once, and never read.
//
// A salt is in its file before its first id is returned. Processes that share the directory have the same ids. Removing
// a file does not scrub the disk, nor its snapshots and backups: a directory in memory (/run, tmpfs) outlives restarts
// of the process and leaves nothing behind. The directory must allow hard links.
func Open(dir string, now time.Time) (*Hasher, error) {
	if dir == "" {
		return nil, errors.New(`directory of salts "": name one, or use the zero Hasher to keep them in memory only`)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of salts: %w", err)
	}
	return OpenStore(directory(dir), now)
}

// A Store keeps salts for several processes, or for a process that starts again. A [Hasher] calls one method at a time.
type Store interface {
	// Keep returns the salt of a UTC day, which it names by its beginning, as every process has it from now on: the one that is
	// kept already, or else salt. Only a salt that a process that starts later would find may be returned.
	Keep(day time.Time, salt []byte) ([]byte, error)
	// Forget removes the salts of the days for which over returns true, for good.
	Forget(over func(day time.Time) bool) error
}

// OpenStore returns a Hasher that keeps its salts in a store. Salts whose time is over at now, the clock, are forgotten at once.
func OpenStore(s Store, now time.Time) (*Hasher, error) {
	h := &Hasher{store: s}
	if err := h.Forget(now); err != nil {
		return nil, err
	}
	return h, nil
}

// ID returns the visitor's id, 32 lower-case hex digits, on the UTC day of at, the time of the event; now is the clock.
// It returns ErrForgotten for a time before yesterday and ErrAhead for one more than MaxAhead ahead of now. Other
// errors say what the visitor lacks, or that the directory cannot be read or written: then no salt is used that others
// would not find there, nor any while an expired one cannot be removed, and the call may be repeated.
func (h *Hasher) ID(v Visitor, at, now time.Time) (string, error) {
	d, today := dayOf(at), dayOf(now)
	switch {
	case expired(d, today):
		return "", fmt.Errorf("event's time %s: %w: its day's salt was kept until %s; send events sooner, or use a Derived to replay old ones",
			at.UTC().Format(time.RFC3339), ErrForgotten, d.start().Add(Kept).Format(time.RFC3339))
	case at.After(now.Add(MaxAhead)):
		return "", fmt.Errorf("event's time %s: %w, which says %s: set the clocks, no more than %v may lie between them",
			at.UTC().Format(time.RFC3339), ErrAhead, now.UTC().Format(time.RFC3339), MaxAhead)
	}
	s, ok := h.known(d, today)
	if !ok {
		var err error
		if s, err = h.make(d, today); err != nil {
			return "", err
		}
	}
	return s.id(v)
}

// Forget forgets the salts whose time is over at now, the clock. The error says which file could not be removed; the
// call may be repeated.
func (h *Hasher) Forget(now time.Time) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	return h.forget(dayOf(now))
}

// expired reports whether a day's salt is forgotten today.
func expired(d, today day) bool { return d < today-1 }

// known returns a copy of a day's salt if there is one and none has expired since the last look.
func (h *Hasher) known(d, today day) (salt, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.salts[d]
	if s == nil || h.today != today {
		return salt{}, false
	}
	return *s, true
}

// make forgets what has expired and returns a day's salt: that of the store, or a new one, or the one that another
// goroutine has made meanwhile.
func (h *Hasher) make(d, today day) (salt, error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	if s, ok := h.known(d, today); ok {
		return s, nil
	}
	if err := h.forget(today); err != nil {
		return salt{}, err
	}
	if s, ok := h.known(d, today); ok { // It was made yesterday.
		return s, nil
	}
	s := new(salt)
	rand.Read(s[:]) // Never fails (crypto/rand).
	if h.store != nil {
		kept, err := h.store.Keep(d.start(), s[:])
		if err == nil && len(kept) != saltBytes {
			err = fmt.Errorf("%d bytes are kept, not the %d of a salt", len(kept), saltBytes)
		}
		if err != nil {
			return salt{}, fmt.Errorf("salt of %s: %w", d, err)
		}
		copy(s[:], kept)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.salts == nil {
		h.salts = make(map[day]*salt)
	}
	h.salts[d] = s
	return *s, nil
}

// forget overwrites the salts that have expired, here and in the store, and those of days too far ahead, which a
// wrong clock has made. The caller holds changing.
func (h *Hasher) forget(today day) error {
	over := func(d day) bool { return expired(d, today) || d > today+1 }
	h.mu.Lock()
	for d, s := range h.salts {
		if over(d) {
			clear(s[:])
			delete(h.salts, d)
		}
	}
	h.mu.Unlock()
	if h.store != nil {
		if err := h.store.Forget(func(t time.Time) bool { return over(dayOf(t)) }); err != nil {
			return fmt.Errorf("forget salts: %w", err)
		}
	}
	h.mu.Lock()
	h.today = today
	h.mu.Unlock()
	return nil
}
