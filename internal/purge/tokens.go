package purge

import (
	"context"
	"fmt"
	"slices"

	"github.com/footfall/footfall/sinks"
)

// tokens takes the site from the tokens that name it, if change says so, and returns how many do. A token or share link of this site alone
// is revoked. Tokens of all sites stay as they are.
func (r *run) tokens(ctx context.Context, change bool) (n int64, err error) {
	for it, err := range sinks.Items(ctx, r.table, sinks.Query{PK: sinks.Keys{}.Tokens(), Consistent: true}) {
		if err != nil {
			return n, fmt.Errorf("read the tokens: %w", err)
		}
		if !slices.Contains(it[sinks.AttrSiteIDs].Strings(), r.Site) {
			continue
		}
		n++
		if change {
			if err := r.withdraw(ctx, it); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// withdraw takes the site from a token.
func (r *run) withdraw(ctx context.Context, it sinks.Item) error {
	for it != nil {
		named := it[sinks.AttrSiteIDs]
		left := slices.DeleteFunc(slices.Clone(named.Strings()), func(site string) bool { return site == r.Site })
		if len(left) == len(named.Strings()) {
			return nil
		}
		asRead := []sinks.Cond{{Attr: sinks.AttrSiteIDs, Op: sinks.Equal, Value: named}}
		var answer sinks.Result
		var err error
		if len(left) == 0 {
			answer, err = r.table.Delete(ctx, sinks.Delete{Key: it.Key(), If: asRead})
		} else {
			answer, err = r.table.Update(ctx, sinks.Update{Key: it.Key(), If: asRead,
				Set: []sinks.Attr{{Name: sinks.AttrSiteIDs, Value: sinks.Strings(left)}}})
		}
		if err != nil {
			return fmt.Errorf("take the site from token %s: %w", it.Key().SK, err)
		}
		if !answer.Refused {
			return nil
		}
		it = answer.Item
	}
	return nil
}
