package dynamo

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// An exchange is one request and its answer, with the memory that they take, which later exchanges use again.
type exchange struct {
	link *link
	body              // of the request
	in   bytes.Buffer // the answer
	rest io.LimitedReader
	signer
	reads decoder
}

const (
	// maxAnswerBytes is more than 16 MB of items, the most that DynamoDB answers, become as JSON.
	maxAnswerBytes = 128 << 20

	// maxKeptBytes of memory are kept for other exchanges: a batch of raw events takes less.
	maxKeptBytes = 256 << 10
)

// writeBufferBytes of a connection take a batch of raw events with its headers, which then is one call of the system. 128 requests in
// flight have 4 MiB of them.
const writeBufferBytes = 32 << 10

func newLink(client *dynamodb.Client) *link {
	l := &link{client: client, options: client.Options()}
	l.transport = l.options.HTTPClient.Do
	if b, ok := l.options.HTTPClient.(*awshttp.BuildableClient); ok {
		tr := b.GetTransport()
		tr.ForceAttemptHTTP2 = false // DynamoDB speaks HTTP/1.1.
		tr.DisableCompression = true
		tr.WriteBufferSize = writeBufferBytes
		l.transport, l.timeout = tr.RoundTrip, b.GetTimeout()
	}
	l.pool.New = func() any { return &exchange{link: l} }
	return l
}

// exchange returns an empty exchange; release is to be called in the end.
func (l *link) exchange() *exchange { return l.pool.Get().(*exchange) }

// release lets others use the exchange.
func (x *exchange) release() {
	if cap(x.body.text) > maxKeptBytes || x.in.Cap() > maxKeptBytes {
		return
	}
	clear(x.values) // They refer to what the caller has.
	clear(x.attrs)
	x.values, x.attrs, x.err = x.values[:0], x.attrs[:0], nil
	x.link.pool.Put(x)
}

// Values of the header X-Amz-Target.
const (
	api            = "DynamoDB_20120810."
	updateItem     = api + "UpdateItem"
	putItem        = api + "PutItem"
	deleteItem     = api + "DeleteItem"
	batchWriteItem = api + "BatchWriteItem"
	batchGetItem   = api + "BatchGetItem"
	query          = api + "Query"
)

const userAgent = "footfall"

// send sends the request, once, and returns the answer. Errors are those of the generated client.
func (x *exchange) send(ctx context.Context, operation string) (answer, error) {
	a, err := x.try(ctx, operation)
	if err != nil {
		return a, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: strings.TrimPrefix(operation, api), Err: err}
	}
	return a, nil
}

func (x *exchange) try(ctx context.Context, operation string) (answer, error) {
	credentials, err := x.link.options.Credentials.Retrieve(ctx)
	if err != nil {
		return answer{}, err
	}
	to, err := x.link.targetOf(ctx, credentials.AccountID)
	if err != nil {
		return answer{}, err
	}
	inTime, cancel := ctx, context.CancelFunc(func() {})
	if x.link.timeout > 0 {
		inTime, cancel = context.WithTimeout(ctx, x.link.timeout)
	}
	defer cancel()
	sent := time.Now()
	resp, err := x.link.transport(x.request(inTime, credentials, to, operation))
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, &smithy.CanceledError{Err: ctx.Err()}
	case err != nil:
		return answer{}, &smithyhttp.RequestSendError{Err: err}
	}
	defer resp.Body.Close()
	x.link.observe(resp.Header, sent)
	if err = x.receive(resp); err == nil && resp.StatusCode/100 != 2 {
		err = x.refusal(ctx, resp)
	}
	var a answer
	if err == nil {
		if a, err = x.reads.read(x.in.Bytes()); err != nil {
			err = &smithy.DeserializationError{Err: err}
		}
	}
	if err != nil {
		id := resp.Header.Get("X-Amzn-Requestid")
		err = &awshttp.ResponseError{RequestID: id, ResponseError: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: resp},
			Err: err}}
	}
	return a, err
}

// request makes the request of the JSON text that is appended. The transport sends what it knows to be in memory together with the
// headers, in one call of the system.
func (x *exchange) request(ctx context.Context, credentials aws.Credentials, to *target, operation string) *http.Request {
	text, date := x.handOver(), x.link.now().UTC().Format(timeFormat)
	values := [...]string{
		x.authorization(signed{date, credentials, to, operation, text}),
		contentType, date, operation, userAgent, "identity", credentials.SessionToken,
	}
	header := http.Header{"Authorization": values[0:1:1], "Content-Type": values[1:2:2], "X-Amz-Date": values[2:3:3],
		"X-Amz-Target": values[3:4:4], "User-Agent": values[4:5:5], "Accept-Encoding": values[5:6:6]}
	if credentials.SessionToken != "" {
		header["X-Amz-Security-Token"] = values[6:7:7]
	}
	r := to.request.WithContext(ctx)
	r.Header, r.ContentLength, r.Body = header, int64(len(text)), io.NopCloser(bytes.NewReader(text))
	r.GetBody = func() (io.ReadCloser, error) { // The transport sends again on another connection if it sent nothing on a closed one.
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	return r
}

// handOver returns the JSON text for the transport, which may still be sending it when the answer has come.
func (x *exchange) handOver() []byte {
	if cap(x.body.text) <= maxKeptBytes {
		return bytes.Clone(x.body.text)
	}
	text := x.body.text
	x.body.text = nil
	return text
}

// receive reads the whole answer, and makes sure that it is undamaged.
func (x *exchange) receive(resp *http.Response) error {
	x.in.Reset()
	x.rest = io.LimitedReader{R: resp.Body, N: maxAnswerBytes + 1}
	defer func() { x.rest.R = nil }()
	if n := resp.ContentLength; n > 0 && n <= maxKeptBytes {
		x.in.Grow(int(n) + bytes.MinRead) // ReadFrom wants room to find the end.
	}
	switch n, err := x.in.ReadFrom(&x.rest); {
	case err != nil:
		return &smithy.DeserializationError{Err: err}
	case n > maxAnswerBytes:
		return &smithy.DeserializationError{Err: fmt.Errorf("the answer is longer than %d bytes", maxAnswerBytes)}
	}
	given := resp.Header.Get("X-Amz-Crc32")
	if given == "" {
		return nil // DynamoDB Local sends none with errors.
	}
	if sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE(x.in.Bytes())), 10); sum != given {
		return &smithy.DeserializationError{Err: fmt.Errorf("%w: its CRC-32 is %s, not %s", errDamaged, sum, given)}
	}
	return nil
}

// refusal returns the error that an answer is, as the generated client reads it. Of smithy-go v1.28.8 some damaged texts make it panic.
func (x *exchange) refusal(ctx context.Context, resp *http.Response) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &smithy.DeserializationError{Err: fmt.Errorf("%w: %v", errDamaged, p)}
		}
	}()
	resp.Body = io.NopCloser(bytes.NewReader(x.in.Bytes()))
	defer func() { resp.Body = http.NoBody }() // The error refers to the answer, whose memory is used again.
	// An error is read the same way whatever the operation.
	operation := smithy.NewOperationSchema(schemas.UpdateItem, schemas.UpdateItemInput, schemas.UpdateItemOutput)
	return x.link.options.Protocol.DeserializeResponse(ctx, operation, dynamodb.TypeRegistry, &smithyhttp.Response{Response: resp}, nil)
}
