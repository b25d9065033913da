package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Stored is a token or a share link as the table keeps it.
type Stored struct {
	ID        string
	Kind      Kind // Token or Share
	Sites     []string
	AllSites  bool
	Rights    []Right
	Limits    Limits
	Note      string
	CreatedAt time.Time // to the millisecond
	CreatedBy string    // for people
	ExpiresAt time.Time // zero: never
	LastUsed  time.Time // the day in UTC of the last use; zero: none is known

	hash []byte // of the token
}

// Validate reports what is wrong with what a token would allow.
func (s Stored) Validate() error {
	if err := checkSites(s.Sites, s.AllSites); err != nil {
		return err
	}
	if _, err := ParseRights(spelled(s.Rights)); err != nil {
		return err
	}
	if len(s.Note) > maxText {
		return fmt.Errorf("note of %d bytes: write at most %d", len(s.Note), maxText)
	}
	switch s.Kind {
	case Token:
		if s.Limits.Ranged() || s.Limits.Filtered() || len(s.Limits.Origins) > 0 {
			return errors.New("a token has no limits of range, filters or origins: create a share link")
		}
	case Share:
		if s.AllSites || len(s.Sites) != 1 {
			return errors.New("a share link is of one site: name one")
		}
		if !slices.Equal(s.Rights, []Right{Read}) {
			return errors.New("a share link has the right read alone")
		}
	default:
		return fmt.Errorf("kind %q: neither token nor share", s.Kind)
	}
	return s.Limits.Validate()
}

// Item is the item of a token.
func (s Stored) Item(keys sinks.Keys) sinks.Item {
	key := keys.Token(s.ID)
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityToken), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrTokenID: sinks.Str(s.ID), sinks.AttrTokenKind: sinks.Str(string(s.Kind)), sinks.AttrSecretHash: sinks.Bytes(s.hash),
		sinks.AttrAllSites: sinks.Int(0), sinks.AttrRights: sinks.Strings(spelled(s.Rights)), sinks.AttrNote: sinks.Str(s.Note),
		sinks.AttrCreatedAt: sinks.Int(s.CreatedAt.UnixMilli()), sinks.AttrCreatedBy: sinks.Str(s.CreatedBy),
	}
	if s.AllSites {
		it[sinks.AttrAllSites] = sinks.Int(1)
	} else {
		it[sinks.AttrSiteIDs] = sinks.Strings(s.Sites)
	}
	if limits, err := json.Marshal(s.Limits); err != nil {
		panic(err) // Strings marshal.
	} else if string(limits) != "{}" {
		it[sinks.AttrLimits] = sinks.Str(string(limits))
	}
	if !s.ExpiresAt.IsZero() {
		it[sinks.AttrExpiresAt] = sinks.Int(s.ExpiresAt.UnixMilli())
	}
	return it
}

// ReadStored reads the item of a token. One that a later release has written with limits unknown here is an error.
func ReadStored(it sinks.Item) (s Stored, err error) {
	s = Stored{ID: it[sinks.AttrTokenID].Str(), Kind: Kind(it[sinks.AttrTokenKind].Str()), Sites: it[sinks.AttrSiteIDs].Strings(),
		AllSites: it[sinks.AttrAllSites].Int() == 1, Note: it[sinks.AttrNote].Str(), CreatedAt: instantOf(it[sinks.AttrCreatedAt]),
		CreatedBy: it[sinks.AttrCreatedBy].Str(), ExpiresAt: instantOf(it[sinks.AttrExpiresAt]), LastUsed: instantOf(it[sinks.AttrLastUsedOn]),
		hash: it[sinks.AttrSecretHash].Bytes()}
	s.Rights, err = ParseRights(it[sinks.AttrRights].Strings())
	if text := it[sinks.AttrLimits]; err == nil && text.Kind() != sinks.None {
		err = decodeStrict([]byte(text.Str()), &s.Limits)
	}
	if err == nil {
		err = s.Validate()
	}
	switch {
	case err != nil:
	case !spelledID.MatchString(s.ID):
		err = fmt.Errorf("id %q is not spelled as one", s.ID)
	case len(s.hash) != sha256.Size:
		err = fmt.Errorf("the hash has %d bytes, not %d", len(s.hash), sha256.Size)
	}
	if err != nil {
		return Stored{}, fmt.Errorf("token %q: %w; a newer release may have written it: use that one, or revoke the token", s.ID, err)
	}
	return s, nil
}

func instantOf(v sinks.Value) time.Time {
	if v.Kind() != sinks.Number {
		return time.Time{}
	}
	return time.UnixMilli(v.Int()).UTC()
}

// is reports whether the token is that of s, in the same time for all that are not.
func (s Stored) is(token string) bool { return subtle.ConstantTimeCompare(s.hash, hashOf(token)) == 1 }

// grant is what the token allows.
func (s Stored) grant() Grant {
	return Grant{Kind: s.Kind, Name: s.ID, Holder: s.ID, Sites: s.Sites, AllSites: s.AllSites, Rights: s.Rights, Limits: s.Limits,
		Expires: s.ExpiresAt, Note: s.Note}
}
