package query_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// manyQueries are tests of thousands of queries.
var manyQueries = []string{"StatsOfAnyRangeEqualARecount", "StatsPagesOfAnySizeAddUp", "FilledStatsHaveARowForEachBucket"}

// Each test has a generation of items of its own, which others do not see.
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
	for i, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			if slices.Contains(manyQueries, s.name) {
				slow.Test(t)
			}
			s.test(t, worldOn(t, table, sinks.Keys{Generation: i + 2}))
		})
	}
}
