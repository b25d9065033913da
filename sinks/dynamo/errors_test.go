package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/sinktest"
)

// service is a server in DynamoDB's place, with the requests it got counted.
type service struct {
	*httptest.Server
	requests atomic.Int64
}

func serve(t testing.TB, answer http.HandlerFunc) *service {
	t.Helper()
	var s service
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return &s
}

// says answers every request with one status and body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// fails answers with an error as DynamoDB spells it; more is further JSON members.
func fails(code, message, more string) http.HandlerFunc {
	return says(http.StatusBadRequest, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q%s}`, code, message, more))
}

func table(t testing.TB, s *service, o dynamo.ConnectOptions) *dynamo.Table {
	t.Helper()
	return dynamo.New(connect(t, s.URL, o), "footfall")
}

// An opener makes a table that s answers for.
type opener func(testing.TB, *service, dynamo.ConnectOptions) sinks.Table

// openers make tables with each of the clients of items, by its name.
var openers = map[string]opener{
	"sdk": func(t testing.TB, s *service, o dynamo.ConnectOptions) sinks.Table { return table(t, s, o) },
	"direct": func(t testing.TB, s *service, o dynamo.ConnectOptions) sinks.Table {
		client := connect(t, s.URL, o)
		return dynamo.NewDirect(dynamo.New(client, "footfall"), client)
	},
}

// onClients runs a test with each client of items.
func onClients(t *testing.T, test func(t *testing.T, table opener)) {
	t.Helper()
	for name, open := range openers {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

var guarded = sinks.Update{
	Key: sinks.Key{PK: "SITE#a", SK: "STATS#hour#2026-05-12T14"},
	Add: []sinks.Attr{{Name: sinks.AttrPageViews, Value: sinks.Int(3)}},
	Set: []sinks.Attr{{Name: "ws1_17", Value: sinks.Int(8)}},
	If:  []sinks.Cond{{Attr: "ws1_17", Op: sinks.AbsentOrLess, Value: sinks.Int(8)}},
}

// verbs are all verbs of a table, with requests that are in order.
func verbs(ctx context.Context, t sinks.Table) (writes, reads map[string]error) {
	writes, reads = make(map[string]error), make(map[string]error)
	it := sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str("s")}
	_, writes["Update"] = t.Update(ctx, guarded)
	_, writes["Put"] = t.Put(ctx, sinks.Put{Item: it})
	_, writes["Delete"] = t.Delete(ctx, sinks.Delete{Key: it.Key()})
	_, writes["BatchPut"] = t.BatchPut(ctx, sinktest.Batch(it))
	_, reads["BatchGet"] = t.BatchGet(ctx, sinks.BatchGet{Keys: []sinks.Key{it.Key()}})
	_, reads["Query"] = t.Query(ctx, sinks.Query{PK: "p"})
	return writes, reads
}

func drop(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

func TestErrorsSayWhatTheCallerMayDo(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		var all = []error{sinks.ErrThrottled, sinks.ErrUnknownOutcome, sinks.ErrTooLarge, sinks.ErrNoTable, sinks.ErrDenied}
		for _, c := range []struct {
			name   string
			answer http.HandlerFunc
			want   error  // one of all; nil: none of them
			says   string // part of the text
		}{
			{"the table's capacity is exceeded", fails("ProvisionedThroughputExceededException", "slow down", ""), sinks.ErrThrottled, "slow down"},
			{"the rate is too high", fails("ThrottlingException", "", ""), sinks.ErrThrottled, "ThrottlingException"},
			{"the account's limit is exceeded", fails("RequestLimitExceeded", "", ""), sinks.ErrThrottled, "RequestLimitExceeded"},
			{"too many requests", says(429, "busy"), sinks.ErrThrottled, "429"},
			{"a transaction is at the item", fails("TransactionConflictException", "", ""), sinks.ErrThrottled, "TransactionConflict"},
			{"another region is at the item", fails("ReplicatedWriteConflictException", "", ""), sinks.ErrThrottled, "ReplicatedWriteConflict"},

			{"internal error", says(500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}`),
				sinks.ErrUnknownOutcome, "oops"},
			{"service unavailable", says(503, `{"__type":"com.amazon.coral.service#ServiceUnavailableException"}`), sinks.ErrUnknownOutcome, "503"},
			{"an error page of a proxy", says(502, "<html>Bad Gateway</html>"), sinks.ErrUnknownOutcome, "502"},
			{"the request arrived too slowly", says(408, ""), sinks.ErrUnknownOutcome, "408"},
			{"an answer that is no JSON", says(200, "<html>"), sinks.ErrUnknownOutcome, ""},
			{"an answer cut short", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				fmt.Fprint(w, `{"Attributes":`)
			}, sinks.ErrUnknownOutcome, "EOF"},
			{"a dropped connection", drop, sinks.ErrUnknownOutcome, ""},
			{"a signature that has expired", fails("InvalidSignatureException",
				"Signature expired: 20260512T140000Z is now earlier than 20260512T140500Z", ""),
				sinks.ErrUnknownOutcome, "clock"},

			{"a new item of more than 400 KB", fails("ValidationException", "Item size has exceeded the maximum allowed size", ""),
				sinks.ErrTooLarge, ""},
			{"an item that would grow beyond 400 KB", fails("ValidationException", "Item size to update has exceeded the maximum allowed size", ""),
				sinks.ErrTooLarge, ""},
			{"a request at fault", fails("ValidationException", "Invalid UpdateExpression: Syntax error", ""), nil, "Syntax error"},
			{"an error nobody knows", fails("NovelException", "what?", ""), nil, "what?"},

			{"no such table", fails("ResourceNotFoundException", "Requested resource not found", ""), sinks.ErrNoTable, "footfall table create"},
			{"not allowed", fails("AccessDeniedException", "not authorized to perform: dynamodb:UpdateItem", ""), sinks.ErrDenied, "policy"},
			{"an unknown key", fails("UnrecognizedClientException", "The security token included in the request is invalid.", ""), sinks.ErrDenied,
				"AWS_ACCESS_KEY_ID"},
			{"a wrong secret", fails("InvalidSignatureException", "The request signature we calculated does not match", ""), sinks.ErrDenied,
				"AWS_SECRET_ACCESS_KEY"},
			{"an incomplete signature", fails("IncompleteSignatureException", "", ""), sinks.ErrDenied, "AWS_SECRET_ACCESS_KEY"},
			{"an expired token", fails("ExpiredTokenException", "The security token included in the request is expired", ""), sinks.ErrDenied,
				"AWS_SESSION_TOKEN"},
			{"no token", fails("MissingAuthenticationTokenException", "", ""), sinks.ErrDenied, "AWS_PROFILE"},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := serve(t, c.answer)
				writes, reads := verbs(t.Context(), table(t, s, dynamo.ConnectOptions{}))
				for _, errs := range []map[string]error{writes, reads} {
					for verb, err := range errs {
						for _, meaning := range all {
							if errors.Is(err, meaning) != (meaning == c.want) {
								t.Errorf("%s = %v: is it %q? %v", verb, err, meaning, errors.Is(err, meaning))
							}
						}
						if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "table footfall") {
							t.Errorf("%s = %v, want the table and %q in it", verb, err, c.says)
						}
					}
				}
				if n := s.requests.Load(); n != int64(len(writes)+len(reads)) {
					t.Errorf("%d verbs sent %d requests, want each sent once", len(writes)+len(reads), n)
				}
			})
		}
	})
}

func TestThrottleNamesItsReasons(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		for _, c := range []struct{ code, member string }{
			{"ProvisionedThroughputExceededException", "ThrottlingReasons"},
			{"RequestLimitExceeded", "ThrottlingReasons"},
			{"ThrottlingException", "throttlingReasons"},
		} {
			for _, resource := range []string{"Table", "Index"} {
				for _, limit := range []string{"ProvisionedThroughput", "AccountLimit", "KeyRangeThroughput", "MaxOnDemandThroughput"} {
					reason := resource + "Write" + limit + "Exceeded"
					s := serve(t, fails(c.code, "", fmt.Sprintf(`,%q:[{"reason":%q,"resource":"arn:aws:dynamodb:eu-west-1:1:table/footfall"},{"reason":"Other"}]`, c.member, reason)))
					_, err := table(t, s, dynamo.ConnectOptions{}).Update(t.Context(), guarded)
					throttle, ok := errors.AsType[*sinks.ThrottleError](err)
					if !ok || !slices.Equal(throttle.Reasons, []string{reason, "Other"}) || throttle.HotKey() != (limit == "KeyRangeThroughput") {
						t.Errorf("%s for %s: Update = %v, want a *ThrottleError with both reasons", c.code, reason, err)
					}
				}
			}
		}
	})
}

func TestRefusalAnswersWithTheItem(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		s := serve(t, fails("ConditionalCheckFailedException", "The conditional request failed",
			`,"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"k":{"N":"170141183460469231731687303715884105"},"b":{"B":"`+
				strings.Repeat("AAAA", 500)+`"},"theirs":{"BOOL":true}}`))
		r, err := table(t, s, dynamo.ConnectOptions{}).Update(t.Context(), guarded)
		if err != nil || !r.Refused || r.Item["k"].Num().String() != "170141183460469231731687303715884105" || len(r.Item["b"].Bytes()) != 1500 {
			t.Errorf("Update = %+v, %v, want a refusal with the item", r, err)
		}
		if r.Units != 2 { // an item of 1.5 KB
			t.Errorf("a refusal by an item of 1.5 KB consumed %v units, want 2", r.Units)
		}
		if v := r.Item["theirs"]; v.Kind() != sinks.Other {
			t.Errorf("an attribute that footfall does not write was read as %v", v)
		}

		s = serve(t, fails("ConditionalCheckFailedException", "The conditional request failed", ""))
		r, err = table(t, s, dynamo.ConnectOptions{}).Update(t.Context(), guarded)
		if err != nil || !r.Refused || r.Item != nil || r.Units != 1 {
			t.Errorf("Update = %+v, %v, want a refusal without an item, of 1 unit", r, err)
		}
	})
}

// Values of types that footfall never writes are damage of one attribute, and no reason not to read others.
func TestValuesOfOtherTypesAreDamage(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		for _, c := range []struct{ value, spelled string }{
			{`{"N":"1.5"}`, "N 1.5"}, {`{"BOOL":true}`, "BOOL true"}, {`{"NULL":true}`, "NULL"}, {`{"SS":["b","a"]}`, `SS ["a" "b"]`},
			{`{"L":[{"S":"x"},{"N":"1"}]}`, `L ["S \"x\"" "N 1"]`}, {`{"M":{"b":{"N":"1"},"a":{"S":"x"}}}`, `M ["a" "S \"x\"" "b" "N 1"]`},
		} {
			s := serve(t, says(200, `{"Items":[{"pk":{"S":"SITE#a"},"sk":{"S":"s"},"et":{"S":"stats"},"pageViews":`+c.value+`,"events":{"N":"7"}}]}`))
			page, err := table(t, s, dynamo.ConnectOptions{}).Query(t.Context(), sinks.Query{PK: "SITE#a"})
			if err != nil || len(page.Items) != 1 {
				t.Fatalf("%s: Query = %+v, %v", c.value, page, err)
			}
			it := page.Items[0]
			if v := it["pageViews"]; v.Kind() != sinks.Other || v.String() != c.spelled || it["events"].Int() != 7 {
				t.Errorf("%s: read as %v, want %s", c.value, it, c.spelled)
			}
			if wrong := sinks.WrongKinds(sinks.EntityStats, it); len(wrong) != 1 || wrong[0] != "pageViews" {
				t.Errorf("%s: %v are damaged, want pageViews", c.value, wrong)
			}
		}
	})
}

func TestRequestThatIsNotAnsweredTimesOut(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		over := make(chan struct{})
		s := serve(t, func(_ http.ResponseWriter, _ *http.Request) { <-over })
		defer close(over)
		writes, reads := verbs(t.Context(), table(t, s, dynamo.ConnectOptions{AttemptTimeout: 20 * time.Millisecond}))
		for _, errs := range []map[string]error{writes, reads} {
			for verb, err := range errs {
				if !errors.Is(err, sinks.ErrUnknownOutcome) {
					t.Errorf("%s = %v, want ErrUnknownOutcome", verb, err)
				}
			}
		}
	})
}

func TestUnreachableEndpointIsRetryable(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		s := serve(t, says(200, "{}"))
		s.URL = "http://127.0.0.1:1" // The port of a server that has ended may be another test's by now.
		if _, err := table(t, s, dynamo.ConnectOptions{}).Update(t.Context(), guarded); !sinks.Retryable(err) {
			t.Errorf("Update = %v, want a retryable error", err)
		}
	})
}

func TestCancelledWriteHasAnUnknownOutcome(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		shutdown := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		over := make(chan struct{})
		s := serve(t, func(http.ResponseWriter, *http.Request) {
			cancel(shutdown) // The request is in DynamoDB's hands.
			<-over
		})
		defer close(over)
		writes, reads := verbs(ctx, table(t, s, dynamo.ConnectOptions{}))
		for verb, err := range writes {
			if !errors.Is(err, shutdown) || !errors.Is(err, context.Canceled) || !errors.Is(err, sinks.ErrUnknownOutcome) {
				t.Errorf("%s = %v, want the cancellation, its cause and ErrUnknownOutcome", verb, err)
			}
		}
		for verb, err := range reads {
			if !errors.Is(err, shutdown) || errors.Is(err, sinks.ErrUnknownOutcome) {
				t.Errorf("%s = %v, want the cause alone", verb, err)
			}
		}
	})
}

// fakeUpdates is a client whose updates all end in one way.
type fakeUpdates struct {
	dynamo.Client
	update func() (*dynamodb.UpdateItemOutput, error)
}

func (a fakeUpdates) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput,
	error) {
	return a.update()
}

func TestAnswerCountsThoughTheCallerGaveUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := dynamo.New(fakeUpdates{update: func() (*dynamodb.UpdateItemOutput, error) {
		cancel()
		return nil, &types.ConditionalCheckFailedException{}
	}}, "footfall").Update(ctx, guarded)
	if err != nil || !r.Refused {
		t.Errorf("Update = %+v, %v, want a refusal", r, err)
	}
	_, err = dynamo.New(fakeUpdates{update: func() (*dynamodb.UpdateItemOutput, error) {
		return nil, &types.ThrottlingException{}
	}}, "footfall").Update(ctx, guarded)
	if !errors.Is(err, sinks.ErrThrottled) || errors.Is(err, sinks.ErrUnknownOutcome) {
		t.Errorf("Update = %v, want ErrThrottled", err)
	}
}

func TestBatchesNameWhatIsLeft(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		key := func(sk string) sinks.Key { return sinks.Key{PK: "p", SK: sk} }
		byKey := func(a, b sinks.Key) int { return strings.Compare(a.SK, b.SK) }

		s := serve(t, says(200, `{"UnprocessedItems":{"footfall":[{"PutRequest":{"Item":{"sk":{"S":"3"},"n":{"N":"3"},"pk":{"S":"p"}}}},
		{"PutRequest":{"Item":{"pk":{"S":"p"},"sk":{"S":"1"}}}}]},"ConsumedCapacity":[{"TableName":"footfall","CapacityUnits":2.5}]}`))
		var items []sinks.Item
		for _, sk := range []string{"1", "2", "3"} {
			items = append(items, sinks.Item{sinks.AttrPK: sinks.Str("p"), sinks.AttrSK: sinks.Str(sk)})
		}
		r, err := table(t, s, dynamo.ConnectOptions{}).BatchPut(t.Context(), sinktest.Batch(items...))
		slices.SortFunc(r.Left, byKey)
		if err != nil || !slices.Equal(r.Left, []sinks.Key{key("1"), key("3")}) || r.Units != 2.5 {
			t.Errorf("BatchPut = %+v, %v, want 1 and 3 left and 2.5 units", r, err)
		}

		s = serve(t, says(200, `{"Responses":{"footfall":[{"pk":{"S":"p"},"sk":{"S":"2"},"n":{"N":"7"}}]},
		"UnprocessedKeys":{"footfall":{"Keys":[{"sk":{"S":"3"},"pk":{"S":"p"}},{"pk":{"S":"p"},"sk":{"S":"1"}}]}}}`))
		r, err = table(t, s, dynamo.ConnectOptions{}).BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key("1"), key("2"), key("3")}})
		slices.SortFunc(r.Left, byKey)
		if err != nil || !slices.Equal(r.Left, []sinks.Key{key("1"), key("3")}) || len(r.Items) != 1 || r.Items[key("2")]["n"].Int() != 7 {
			t.Errorf("BatchGet = %+v, %v, want 2, with 1 and 3 left", r, err)
		}
	})
}
