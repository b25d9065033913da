package access

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Store writes the tokens of a table. Safe for concurrent use.
type Store struct {
	Table sinks.Table
	Keys  sinks.Keys
	By    string // who writes, for people
	Now   func() time.Time
}

// UnknownTokenError reports that the table has no token or share link of that id.
type UnknownTokenError struct {
	Kind Kind
	ID   string
}

func (e *UnknownTokenError) Error() string {
	return fmt.Sprintf("there is no %s %q: `footfall %s list` lists the ids", e.Kind, e.ID, e.Kind)
}

// Create keeps a new token that allows what s says, and returns it with the token itself, which is not to be had later.
func (s *Store) Create(ctx context.Context, t Stored) (created Stored, token string, err error) {
	now := s.Now()
	if err := t.Validate(); err != nil {
		return Stored{}, "", err
	}
	if !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now) {
		return Stored{}, "", fmt.Errorf("it would expire at %s, which has passed: name a later time", t.ExpiresAt.Format(time.RFC3339))
	}
	if several := slices.IndexFunc(t.Limits.Where, func(f Filter) bool { return len(f) > 1 }); several >= 0 {
		what := fmt.Sprintf("filter %q with several values", strings.Join(t.Limits.Where[several][1:], ", "))
		if err := sinks.NeedFormat(ctx, s.Table, what, sinks.FormatOfLists); err != nil {
			return Stored{}, "", err
		}
	}
	t.ID, token = newSecret(t.Kind)
	t.hash, t.CreatedAt, t.CreatedBy, t.LastUsed = hashOf(token), time.UnixMilli(now.UnixMilli()).UTC(), s.By, time.Time{}
	r, err := s.Table.Put(ctx, sinks.Put{Item: t.Item(s.Keys), If: []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}})
	switch {
	case err != nil:
		return Stored{}, "", fmt.Errorf("create a %s: %w", t.Kind, err)
	case r.Refused && bytes.Equal(r.Item[sinks.AttrSecretHash].Bytes(), t.hash): // The answer to the first try was lost.
	case r.Refused:
		return Stored{}, "", fmt.Errorf("create a %s: its id is taken: run the command again", t.Kind)
	}
	return t, token, nil
}

// List reads the tokens of a kind, by id.
func (s *Store) List(ctx context.Context, kind Kind) ([]Stored, error) {
	all := []Stored{}
	for it, err := range sinks.Items(ctx, s.Table, sinks.Query{PK: s.Keys.Tokens(), Consistent: true}) {
		if err != nil {
			return nil, fmt.Errorf("list the tokens: %w", err)
		}
		if Kind(it[sinks.AttrTokenKind].Str()) != kind {
			continue
		}
		t, err := ReadStored(it)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Revoke removes a token. Servers that have just read it refuse it within [Memory]. One that is not there is an *UnknownTokenError, also
// when an earlier call has removed it.
func (s *Store) Revoke(ctx context.Context, kind Kind, id string) error {
	if !spelledID.MatchString(id) {
		return fmt.Errorf("%q is not the id of a %s: `footfall %s list` lists the ids", id, kind, kind)
	}
	r, err := s.Table.Delete(ctx, sinks.Delete{Key: s.Keys.Token(id),
		If: []sinks.Cond{{Attr: sinks.AttrTokenKind, Op: sinks.Equal, Value: sinks.Str(string(kind))}}})
	if err != nil {
		return fmt.Errorf("revoke %s %q: %w: run the command again; repeating it is safe", kind, id, err)
	}
	if r.Refused {
		return &UnknownTokenError{kind, id}
	}
	return nil
}
