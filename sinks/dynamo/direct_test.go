package dynamo_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

// differing are the headers in which the requests of both clients differ: the signature, its time, the name of the client, and what the
// generated client says about its attempts.
var differing = []string{"Authorization", "X-Amz-Date", "User-Agent", "Amz-Sdk-Invocation-Id", "Amz-Sdk-Request"}

// A sent request is one as a server gets it, without what may differ.
type sent struct {
	header http.Header
	body   any // The order of members does not matter.
}

func received(t testing.TB, r *http.Request) sent {
	q := sent{header: r.Header.Clone()}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&q.body); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	for _, name := range differing {
		q.header.Del(name)
	}
	q.header.Del("Content-Length") // JSON has more than one text: the SDK escapes < and >.
	return q
}

// TestDirectSendsAndReadsWhatTheSDKDoes draws requests and answers: both clients send the same request, and read the same from the answer.
func TestDirectSendsAndReadsWhatTheSDKDoes(t *testing.T) {
	var last sent
	var answer string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		last = received(t, r)
		w.Header().Set("X-Amzn-RequestId", "1")
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(answer))))
		if strings.Contains(answer, "__type") {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.WriteString(w, answer)
	})
	sdk, direct := openers["sdk"](t, s, dynamo.ConnectOptions{}), openers["direct"](t, s, dynamo.ConnectOptions{})
	for seed := range uint64(2000) {
		d := drawing{rand.New(rand.NewPCG(seed, 7))}
		operation, send := d.request("")
		answer = d.answer(operation)
		want, wantErr := send(t, sdk)
		wantSent := last
		last = sent{}
		got, err := send(t, direct)
		if !reflect.DeepEqual(last, wantSent) {
			t.Fatalf("seed %d: %s is sent as\n%v, by the SDK as\n%v", seed, operation, last, wantSent)
		}
		if got != want || !sameError(err, wantErr) {
			t.Fatalf("seed %d: %s answered with\n%s\nis read as\n%s, %v, by the SDK as\n%s, %v", seed, operation, answer, got, err, want, wantErr)
		}
	}
}

// sameError reports whether two errors are the same to a caller, and to a person.
func sameError(a, b error) bool {
	return (a == nil) == (b == nil) && meaning(a) == meaning(b) && fmt.Sprint(a) == fmt.Sprint(b)
}

// meaning is what a caller sees in an error.
func meaning(err error) string {
	var all []string
	for _, e := range []error{sinks.ErrThrottled, sinks.ErrUnknownOutcome, sinks.ErrTooLarge, sinks.ErrNoTable, sinks.ErrDenied} {
		if errors.Is(err, e) {
			all = append(all, e.Error())
		}
	}
	if throttle, ok := errors.AsType[*sinks.ThrottleError](err); ok {
		all = append(all, throttle.Reasons...)
	}
	return strings.Join(all, ", ")
}

// TestDirectSignsAsTheSDKDoes has the SDK's signer sign what a server got, at the time that the request names.
func TestDirectSignsAsTheSDKDoes(t *testing.T) {
	for _, c := range []struct{ path, token, region string }{{"", "", "us-east-1"}, {"/", "a/token+of=many", "eu-central-1"},
		{"/a path/under%20it/", "", "us-gov-west-1"}} {
		secret := aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", SessionToken: c.token}
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			given := r.Header.Get("Authorization")
			_, names, _ := strings.Cut(given, "SignedHeaders=")
			names, _, _ = strings.Cut(names, ",")
			again := httptest.NewRequest(r.Method, "http://"+r.Host+r.RequestURI, bytes.NewReader(body))
			again.Header = make(http.Header)
			for name := range strings.SplitSeq(names, ";") {
				if name != "host" && name != "content-length" {
					again.Header.Set(name, r.Header.Get(name))
				}
			}
			at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
			if err != nil {
				t.Error(err)
			}
			hash := sha256.Sum256(body)
			if err := v4.NewSigner().SignHTTP(r.Context(), secret, again, hex.EncodeToString(hash[:]), "dynamodb", c.region, at); err != nil {
				t.Error(err)
			}
			if want := again.Header.Get("Authorization"); given != want {
				t.Errorf("%+v: signed\n%s, by the SDK\n%s", c, given, want)
			}
			io.WriteString(w, "{}")
		})
		client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{Config: []func(*config.LoadOptions) error{
			config.WithRegion(c.region), config.WithBaseEndpoint(s.URL + c.path), config.WithCredentialsProvider(
				credentials.NewStaticCredentialsProvider(secret.AccessKeyID, secret.SecretAccessKey, secret.SessionToken))}})
		if err != nil {
			t.Fatal(err)
		}
		verbs(t.Context(), dynamo.NewDirect(dynamo.New(client, "footfall"), client))
		if n := s.requests.Load(); n != 6 {
			t.Errorf("%+v: %d requests, want 6", c, n)
		}
	}
}

// cutAfter answers with a status and a part of the body that it announces, and cuts the connection.
func cutAfter(status int, part string) http.HandlerFunc {
	return raw(fmt.Sprintf("HTTP/1.1 %d Status\r\nContent-Length: %d\r\n\r\n%s", status, len(part)+100, part))
}

// raw reads the request, sends a text and closes the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, text)
		conn.Close()
	}
}

// withHeader answers with a header.
func withHeader(name, value string, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		answer(w, r)
	}
}

// TestDirectFailsAsTheSDKDoes: whatever goes wrong with a request, both clients say the same about it, with the exceptions that the cases
// name.
func TestDirectFailsAsTheSDKDoes(t *testing.T) {
	const refused = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}`
	hang := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // A server notices that its client has gone once it has read the request.
		<-r.Context().Done()
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		direct string // what the direct client says, if the SDK's says nothing
	}{
		{name: "cut before the answer", answer: drop},
		{name: "cut in a success", answer: cutAfter(200, `{"Attributes":{"pk":`)},
		{name: "cut after a whole success", answer: cutAfter(200, `{}`)},
		{name: "cut in an error", answer: cutAfter(400, `{"__type":"`)},
		{name: "cut in a server's error", answer: cutAfter(500, `{"__type":"`)},
		{name: "never answered", answer: hang},
		{name: "half answered", answer: func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"Attributes":`)
			http.NewResponseController(w).Flush()
			hang(w, r)
		}},
		{name: "cut, of unknown length", answer: raw("HTTP/1.1 200 OK\r\n\r\n{\"Attributes\":{\"pk\":")},
		{name: "wrong CRC-32", answer: withHeader("X-Amz-Crc32", "1", says(200, "{}")), direct: "outcome unknown"},
		{name: "wrong CRC-32 of an error", answer: withHeader("X-Amz-Crc32", "1", says(400, refused)), direct: "outcome unknown"},
		{name: "CRC-32 that is no number", answer: withHeader("X-Amz-Crc32", "?", says(200, "{}"))},
		{name: "nothing", answer: says(200, ""), direct: "outcome unknown"},
		{name: "twice there", answer: says(200, `{} {}`), direct: "outcome unknown"},
		{name: "two types", answer: says(200, `{"Attributes":{"a":{"S":"a","N":"1"}},"Items":[{"a":{"S":"a","N":"1"}}]}`), direct: "?"},
		{name: "500", answer: says(500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}`)},
		{name: "503 of a proxy", answer: says(503, "<html>")},
		{name: "429 without an error", answer: says(429, "")},
		{name: "301", answer: withHeader("Location", "/elsewhere", says(301, ""))},
		{name: "403 of a proxy", answer: says(403, "<html>denied</html>")},
		{name: "throttled", answer: says(400, refused)},
		{name: "throttled, with reasons", answer: fails("ProvisionedThroughputExceededException", "slow down",
			`,"ThrottlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"arn"},{"reason":"Other"}]`)},
		{name: "code in the header", answer: withHeader("X-Amzn-ErrorType", "ThrottlingException:http://internal/", says(400, "{}"))},
		{name: "refused by a condition", answer: fails("ConditionalCheckFailedException", "no",
			`,"Item":{"pk":{"S":"p"},"n":{"N":"12"},"b":{"B":"AQ=="},"l":{"L":[{"S":"x"}]},"t":{"BOOL":true}}`)},
		{name: "refused by a condition, without an item", answer: fails("ConditionalCheckFailedException", "no", "")},
		{name: "transaction cancelled", answer: fails("TransactionCanceledException", "", `,"CancellationReasons":[{"Code":"None"}]`)},
		{name: "in a transaction", answer: fails("TransactionConflictException", "", "")},
		{name: "expired token", answer: fails("ExpiredTokenException", "The security token included in the request is expired", "")},
		{name: "expired signature", answer: fails("InvalidSignatureException", "Signature expired: now is earlier than before", "")},
		{name: "wrong secret", answer: fails("InvalidSignatureException", "does not match", "")},
		{name: "too large", answer: fails("ValidationException", "Item size to update has exceeded the maximum allowed size", "")},
		{name: "no table", answer: fails("ResourceNotFoundException", "Requested resource not found", "")},
		{name: "at fault", answer: fails("ValidationException", "Invalid UpdateExpression", "")},
		{name: "unknown", answer: fails("NovelException", "what?", "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answer)
			patience := dynamo.ConnectOptions{AttemptTimeout: time.Minute}
			if strings.HasSuffix(c.name, "answered") {
				patience.AttemptTimeout = 20 * time.Millisecond
			}
			want, wantErrs := replies(t, openers["sdk"](t, s, patience))
			got, errs := replies(t, openers["direct"](t, s, patience))
			for verb, err := range errs {
				if wantErr := wantErrs[verb]; wantErr == nil && c.direct != "" {
					if err == nil && c.direct != "?" || err != nil && !errors.Is(err, sinks.ErrUnknownOutcome) {
						t.Errorf("%s = %v, want %s", verb, err, c.direct)
					}
				} else if c.direct != "" && errors.Is(err, sinks.ErrUnknownOutcome) {
					continue
				} else if got[verb] != want[verb] || meaning(err) != meaning(wantErr) {
					t.Errorf("%s = %s, %v\nby the SDK %s, %v", verb, got[verb], err, want[verb], wantErr)
				}
			}
		})
	}
}

// replies sends a request of each verb and returns what they answered.
func replies(t *testing.T, table sinks.Table) (got map[string]string, errs map[string]error) {
	got, errs = make(map[string]string), make(map[string]error)
	for _, operation := range operations {
		_, send := drawing{rand.New(rand.NewPCG(1, 1))}.request(operation)
		got[operation], errs[operation] = send(t, table)
	}
	return got, errs
}

// TestClockIsCorrected: a server whose clock is 10 minutes ahead refuses the first request and takes its repetition. When its clock is
// right again, the same happens. The environment can say that the clock is not to be corrected.
func TestClockIsCorrected(t *testing.T) {
	onClients(t, func(t *testing.T, open opener) {
		ahead := 10 * time.Minute
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			now := time.Now().Add(ahead)
			w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
			if err != nil {
				t.Error(err)
			}
			if now.Sub(at).Abs() > 5*time.Minute {
				fails("InvalidSignatureException", "Signature expired: is now earlier", "")(w, r)
				return
			}
			io.WriteString(w, "{}")
		})
		table := open(t, s, dynamo.ConnectOptions{AttemptTimeout: time.Minute})
		for range 2 {
			before := s.requests.Load()
			if _, err := table.Update(t.Context(), guarded); !errors.Is(err, sinks.ErrUnknownOutcome) {
				t.Errorf("Update at the wrong time = %v, want ErrUnknownOutcome", err)
			}
			policy := retry.Policy{First: time.Nanosecond}
			if _, err := policy.Table(table).Update(t.Context(), guarded); err != nil || s.requests.Load() != before+2 {
				t.Errorf("repeated: %v after %d requests, want 2", err, s.requests.Load()-before)
			}
			ahead = 0
		}
		ahead = 10 * time.Minute
		t.Setenv("AWS_DISABLE_CLOCK_SKEW_CORRECTION", "true")
		table = open(t, s, dynamo.ConnectOptions{AttemptTimeout: time.Minute})
		for range 2 {
			if _, err := table.Update(t.Context(), guarded); !errors.Is(err, sinks.ErrUnknownOutcome) {
				t.Errorf("Update by a clock that is not corrected = %v, want ErrUnknownOutcome", err)
			}
		}
	})
}

// TestMiddleBoxesCloseConnections: however a box between ends answers and connections, each request gets its answer. Where the box says
// how long the answer is and that it closes the connection, no request is repeated.
func TestMiddleBoxesCloseConnections(t *testing.T) {
	const body = `{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"}}}`
	ok := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	for _, c := range []struct {
		name, answer string
		says         bool
	}{
		{"Connection: close", strings.Replace(ok, "OK\r\n", "OK\r\nConnection: close\r\n", 1), true},
		{"HTTP/1.0", strings.Replace(ok, "1.1", "1.0", 1), true},
		{"HTTP/1.0, of unknown length", "HTTP/1.0 200 OK\r\n\r\n" + body, false},
		{"of unknown length", "HTTP/1.1 200 OK\r\n\r\n" + body, false},
		{"without a word", ok, false},
		{"in chunks", fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n",
			body[:2], len(body)-2, body[2:]), false},
		{"after an interim answer", "HTTP/1.1 100 Continue\r\n\r\n" + ok, false},
		{"with an answer to nothing", ok + "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			onClients(t, func(t *testing.T, open opener) {
				s := serve(t, raw(c.answer))
				policy := retry.Policy{First: time.Nanosecond, Tries: 10}
				table := policy.Table(open(t, s, dynamo.ConnectOptions{AttemptTimeout: time.Minute}))
				const updates = 20
				for range updates {
					if r, err := table.Update(t.Context(), sinks.Update{Key: guarded.Key, Return: true}); err != nil || r.Item.Key().PK != "p" {
						t.Fatalf("Update = %v, %v", r, err)
					}
				}
				if n := s.requests.Load(); c.says && n != updates {
					t.Errorf("%d requests, want %d", n, updates)
				}
			})
		})
	}
}

// TestDirectKeepsRequestsApart sends many requests at once, some of which are given up: each gets its own answer.
func TestDirectKeepsRequestsApart(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Key json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			return // It was given up.
		}
		fmt.Fprintf(w, `{"Attributes":%s}`, q.Key)
	})
	table := openers["direct"](t, s, dynamo.ConnectOptions{AttemptTimeout: time.Minute})
	var done sync.WaitGroup
	for worker := range 16 {
		done.Go(func() {
			for i := range 100 {
				ctx := t.Context()
				if i%5 == 4 {
					short, cancel := context.WithTimeout(ctx, time.Duration(i)*10*time.Microsecond)
					defer cancel()
					ctx = short
				}
				key := sinks.Key{PK: fmt.Sprint("worker ", worker), SK: strings.Repeat(fmt.Sprint(i, " "), i*10)}
				if i%20 == 0 {
					key.SK = strings.Repeat(key.PK, 30_000) // Too much to be kept.
				}
				r, err := table.Update(ctx, sinks.Update{Key: key, Return: true})
				if err == nil && r.Item.Key() != key || err != nil && ctx.Err() == nil {
					t.Errorf("Update of %v = %v, %v", key, r.Item, err)
				}
			}
		})
	}
	done.Wait()
}

// TestRealDirectAgreesWithTheSDK draws requests and sends each to two tables on DynamoDB Local, with one client each.
func TestRealDirectAgreesWithTheSDK(t *testing.T) {
	sdk, _, name := localTable(t)
	other, client, otherName := localTable(t)
	direct := dynamo.NewDirect(other, client)
	for _, table := range []sinks.Admin{sdk, direct} {
		if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Fatal(err)
		}
	}
	const requests = 300
	answered := make(map[string]int)
	for seed := range uint64(requests) {
		operation, send := drawing{rand.New(rand.NewPCG(seed, 8))}.request("")
		want, wantErr := send(t, sdk)
		got, err := send(t, direct)
		if err != nil {
			err = errors.New(strings.ReplaceAll(err.Error(), otherName, name))
		}
		if got != want || meaning(err) != meaning(wantErr) || (err == nil) != (wantErr == nil) {
			t.Fatalf("seed %d: %s is answered with\n%s, %v, by the SDK's client\n%s, %v", seed, operation, got, err, want, wantErr)
		}
		if err == nil {
			answered[operation]++
		}
	}
	for _, operation := range operations {
		if answered[operation] < requests/20 {
			t.Errorf("%d of %d requests were a %s that succeeded: too few to show much", answered[operation], requests, operation)
		}
	}
}
