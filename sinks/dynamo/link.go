package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/encoding/httpbinding"
)

// A link sends requests with the credentials, to the endpoint and with the transport of a generated client, over connections of its own.
// Safe for concurrent use.
type link struct {
	client    *dynamodb.Client
	options   dynamodb.Options
	transport func(*http.Request) (*http.Response, error)
	timeout   time.Duration // of a request; 0: none
	skew      atomic.Int64  // the server's clock less ours, in ns, by the last answer
	target    atomic.Pointer[target]
	pool      sync.Pool // of *exchange
}

// A target is where requests of an account go.
type target struct {
	account         string
	request         *http.Request // without headers and body
	host            string        // as in the header
	path            string        // as in a signature
	scope           string        // of signatures, without the day: /region/service/aws4_request
	region, service string
}

// targetOf returns where requests of an account go. The generated client knows: one of its requests shows it, which is not sent.
func (l *link) targetOf(ctx context.Context, account string) (*target, error) {
	if to := l.target.Load(); to != nil && to.account == account {
		return to, nil
	}
	var shown *http.Request
	_, err := l.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("any"), Key: map[string]types.AttributeValue{}},
		func(o *dynamodb.Options) {
			o.HTTPClient = clientFunc(func(r *http.Request) (*http.Response, error) {
				shown = r
				return nil, errNotSent
			})
		})
	if shown == nil {
		return nil, err
	}
	to := &target{account: account, host: cmp.Or(shown.Host, shown.URL.Host), path: httpbinding.EscapePath(shown.URL.EscapedPath(), false)}
	to.request = &http.Request{Method: http.MethodPost, URL: shown.URL, Host: to.host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if to.path == "" {
		to.path = "/"
	}
	authorization := shown.Header.Get("Authorization")
	_, credential, _ := strings.Cut(authorization, "AWS4-HMAC-SHA256 Credential=")
	credential, _, _ = strings.Cut(credential, ",")
	scope := strings.Split(credential, "/")
	if len(scope) != 5 {
		return nil, fmt.Errorf("requests are signed by %q, not by AWS4-HMAC-SHA256: set dynamodb.client to sdk", authorization)
	}
	to.region, to.service = scope[2], scope[3]
	to.scope = "/" + strings.Join(scope[2:], "/")
	l.target.Store(to)
	return to, nil
}

var errNotSent = errors.New("not sent")

type clientFunc func(*http.Request) (*http.Response, error)

func (f clientFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

// now is the time by the server's clock as far as it is known.
func (l *link) now() time.Time { return time.Now().Add(time.Duration(l.skew.Load())) }

// observe learns from an answer what time it is by the server's clock, as the generated client does: the answer is as of the middle of
// the time that it took. What a cache answers has no time.
func (l *link) observe(header http.Header, sent time.Time) {
	date := header["Date"]
	if len(date) == 0 || header["Age"] != nil || l.options.DisableClockSkewCorrection {
		return
	}
	if at, err := http.ParseTime(date[0]); err == nil {
		l.skew.Store(int64(at.Sub(sent.Add(time.Since(sent) / 2))))
	}
}
