package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/sinks"
)

// scanTokens compares the access tokens and share links with their keys and with themselves. They follow from nothing else in the table or
// the log.
func (v *chainAudit) scanTokens(ctx context.Context) error {
	for it, err := range v.items(ctx, sinks.Query{PK: v.keys.Tokens()}) {
		if err != nil {
			return fmt.Errorf("read the tokens: %w", err)
		}
		v.compareToken(it)
	}
	return nil
}

func (v *chainAudit) compareToken(it sinks.Item) {
	c := compareItem(kindToken, it)
	for _, name := range []string{sinks.AttrTokenKind, sinks.AttrSecretHash, sinks.AttrSiteIDs, sinks.AttrAllSites, sinks.AttrRights,
		sinks.AttrLimits, sinks.AttrExpiresAt, sinks.AttrLastUsedOn} {
		c.ignore(name)
	}
	id := it[sinks.AttrTokenID]
	c.ignore(sinks.AttrTokenID)
	if v.keys.Token(id.Str()) != it.Key() {
		c.differ(sinks.AttrTokenID, show(id), "the token that the key spells")
	}
	c.kindIs(sinks.AttrNote, sinks.String)
	c.kindIs(sinks.AttrCreatedBy, sinks.String)
	c.between(sinks.AttrAllSites, 0, 1)
	c.between(sinks.AttrCreatedAt, 1, v.now()*1000+dayMs)
	created, today := it[sinks.AttrCreatedAt].Int(), v.now()*1000/dayMs*dayMs
	if it[sinks.AttrExpiresAt].Kind() != sinks.None { // One that had expired would not have been created.
		c.between(sinks.AttrExpiresAt, created+1, math.MaxInt64)
	}
	if used := it[sinks.AttrLastUsedOn]; used.Kind() != sinks.None {
		c.between(sinks.AttrLastUsedOn, created/dayMs*dayMs-dayMs, today+dayMs) // Clocks may differ.
		if used.Kind() == sinks.Number && used.Int()%dayMs != 0 {
			c.differ(sinks.AttrLastUsedOn, show(used), "the start of a day in UTC")
		}
	}
	if _, err := access.ReadStored(it); err != nil {
		c.differ(sinks.AttrTokenKind, show(it[sinks.AttrTokenKind]), fmt.Sprintf("a token that can be read: %v", err))
	}
	c.common(sinks.EntityToken, "")
	v.add(c)
}
