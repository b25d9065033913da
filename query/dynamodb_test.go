package query_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// onReal are the tests of the suite that make test runs on the real table, too. Between them they ask for each kind of key with each kind
// of bound, go on to a next page, in both orders and by strong reads. TestSQLite names a kind that none of them asks for. They are chosen
// for the fewest requests: DynamoDB Local takes 2 to 5 ms of CPU time for each.
var onReal = []string{"StatsPagesAddUp", "SealedSumsOutliveTheDays", "RealtimeMergesMinutesAndPartitions", "SessionsOfOneSortKey",
	"SessionSeenByTwoPartitionsHasTwoParts", "SitesOfAllListsAndOwners", "GoalsComeByID", "ConversionsOfAllShardsAreMergedByTime",
	"EmptyListsSayWhereDataLies", "ExportedEventsComeInOrder", "FilteredListIsRefusedAlone", "RecountsCoverTheirRange", "FunnelsOfASite"}

// Each test has a table of its own within the table.
func TestRealDynamoDB(t *testing.T) {
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	store := dynamo.New(client, "query-"+rand.Text())
	// An answer is lost now and then: net/http closes the connection while it is read (aws-sdk-go-v2#2737).
	table := retry.Policy{Within: testenv.AttemptTimeout}.Table(store)
	if err := store.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(onReal, s.name) {
				slow.Test(t)
			}
			s.test(t, worldOn(t, testworld.Apart(table, s.name), sinks.Keys{}))
		})
	}
}

// asking notes the kinds of requests that reach a table.
type asking struct {
	sinks.Table

	mu    sync.Mutex // covers kinds
	kinds map[string]bool
}

func (a *asking) note(kinds ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, kind := range kinds {
		a.kinds[kind] = true
	}
}

// kindOf names a key by the words that it begins with. Ids and instants are of no kind.
func kindOf(pk, sk string) string {
	pk, _, _ = strings.Cut(pk, "#")
	sk, _, more := strings.Cut(sk, "#")
	pk = strings.TrimRight(pk, "0123456789")
	if pk == "SITES" || !more && sk != "METADATA" || strings.ContainsFunc(sk, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return pk
	}
	return pk + "/" + sk
}

func (a *asking) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if q.Limit == 0 && q.Prefix+q.From+q.To == "" && strings.HasPrefix(q.PK, "SITE#") {
		return a.Table.Query(ctx, q) // A test looks at all items of a site.
	}
	kind := fmt.Sprintf("%v %s prefix %v from %v to %v", q.Index, kindOf(q.PK, q.Prefix+q.From), q.Prefix != "", q.From != "", q.To != "")
	a.note(kind)
	for what, is := range map[string]bool{"desc": q.Desc, "next page": q.After != "", "strong": q.Consistent, "all": q.Limit == 0} {
		if is {
			a.note(fmt.Sprint(q.Index, " ", what))
		}
	}
	return a.Table.Query(ctx, q)
}

func (a *asking) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	for _, key := range g.Keys {
		a.note("get " + kindOf(key.PK, key.SK))
	}
	a.note(fmt.Sprintf("get strong %v", g.Consistent))
	return a.Table.BatchGet(ctx, g)
}
