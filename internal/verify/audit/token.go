package audit

import (
	"context"
	"fmt"
	"math"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// ScanTokens compares the access tokens and share links with their keys and with themselves. They follow from nothing else in the table or
// the log.
func (v *Audit) ScanTokens(ctx context.Context) error {
	for it, err := range v.Items(ctx, sinks.Query{PK: v.Keys.Tokens()}) {
		if err != nil {
			return fmt.Errorf("read the tokens: %w", err)
		}
		v.compareToken(it)
	}
	return nil
}

func (v *Audit) compareToken(it sinks.Item) {
	c := finding.CompareItem(finding.KindToken, it)
	for _, name := range []string{sinks.AttrTokenKind, sinks.AttrSecretHash, sinks.AttrSiteIDs, sinks.AttrAllSites, sinks.AttrRights,
		sinks.AttrLimits, sinks.AttrExpiresAt, sinks.AttrLastUsedOn} {
		c.Ignore(name)
	}
	id := it[sinks.AttrTokenID]
	c.Ignore(sinks.AttrTokenID)
	if v.Keys.Token(id.Str()) != it.Key() {
		c.Differ(sinks.AttrTokenID, finding.Show(id), "the token that the key spells")
	}
	c.KindIs(sinks.AttrNote, sinks.String)
	c.KindIs(sinks.AttrCreatedBy, sinks.String)
	c.Between(sinks.AttrAllSites, 0, 1)
	c.Between(sinks.AttrCreatedAt, 1, v.Now()*1000+count.DayMs)
	created, today := it[sinks.AttrCreatedAt].Int(), v.Now()*1000/count.DayMs*count.DayMs
	if it[sinks.AttrExpiresAt].Kind() != sinks.None { // One that had expired would not have been created.
		c.Between(sinks.AttrExpiresAt, created+1, math.MaxInt64)
	}
	if used := it[sinks.AttrLastUsedOn]; used.Kind() != sinks.None {
		c.Between(sinks.AttrLastUsedOn, created/count.DayMs*count.DayMs-count.DayMs, today+count.DayMs) // Clocks may differ.
		if used.Kind() == sinks.Number && used.Int()%count.DayMs != 0 {
			c.Differ(sinks.AttrLastUsedOn, finding.Show(used), "the start of a day in UTC")
		}
	}
	if _, err := access.ReadStored(it); err != nil {
		c.Differ(sinks.AttrTokenKind, finding.Show(it[sinks.AttrTokenKind]), fmt.Sprintf("a token that can be read: %v", err))
	}
	c.Common(sinks.EntityToken, "")
	v.Add(c)
}
