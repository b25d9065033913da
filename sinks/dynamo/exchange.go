package dynamo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// An exchange is one request and its answer, with the memory that they take. An exchange is used again when both its caller and the
// transport, which may still be sending when the answer has come, are done with it.
type exchange struct {
	link  *link
	body               // of the request
	in    bytes.Buffer // the answer
	reads decoder
	users atomic.Int32
}

const (
	contentType = "application/x-amz-json-1.0"

	// maxAnswerBytes is more than 16 MB of items, the most that DynamoDB answers, become as JSON.
	maxAnswerBytes = 128 << 20

	// maxKeptBytes of memory are kept for other exchanges: a batch of raw events takes less.
	maxKeptBytes = 256 << 10
)

// exchange returns an empty exchange; release is to be called in the end.
func (l *link) exchange() *exchange {
	x := l.pool.Get().(*exchange)
	x.users.Store(1)
	return x
}

// release ends a use of the exchange.
func (x *exchange) release() {
	if x.users.Add(-1) > 0 || cap(x.text) > maxKeptBytes || x.in.Cap() > maxKeptBytes {
		return
	}
	clear(x.values) // They refer to what the caller has.
	clear(x.attrs)
	x.values, x.attrs, x.err = x.values[:0], x.attrs[:0], nil
	x.link.pool.Put(x)
}

// send sends the request, once, and returns the answer. Errors are those of the generated client.
func (x *exchange) send(ctx context.Context, operation string) (answer, error) {
	a, err := x.try(ctx, operation)
	if err != nil {
		return a, &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: operation, Err: err}
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
	if x.link.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.link.timeout)
		defer cancel()
	}
	sent := time.Now()
	resp, err := x.link.transport(x.request(ctx, credentials, to, operation))
	if err != nil {
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

// request makes the request of the JSON text that is appended.
func (x *exchange) request(ctx context.Context, credentials aws.Credentials, to *target, operation string) *http.Request {
	at := x.link.now().UTC()
	operation = "DynamoDB_20120810." + operation
	values := [...]string{
		x.link.signer.authorization(signed{at, credentials, to, operation, x.text}),
		contentType, at.Format(signingTime), operation, "footfall", credentials.SessionToken,
	}
	header := http.Header{"Authorization": values[0:1:1], "Content-Type": values[1:2:2], "X-Amz-Date": values[2:3:3],
		"X-Amz-Target": values[3:4:4], "User-Agent": values[4:5:5]}
	if credentials.SessionToken != "" {
		header["X-Amz-Security-Token"] = values[5:6:6]
	}
	r := (&http.Request{Method: http.MethodPost, URL: to.url, Host: to.host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	r.Header, r.ContentLength, r.Body = header, int64(len(x.text)), x.payload()
	r.GetBody = func() (io.ReadCloser, error) { return x.payload(), nil } // for a connection that turns out to be closed
	return r
}

// receive reads the whole answer, and makes sure that it is undamaged.
func (x *exchange) receive(resp *http.Response) error {
	x.in.Reset()
	if n := resp.ContentLength; n > 0 && n <= maxKeptBytes {
		x.in.Grow(int(n) + bytes.MinRead) // ReadFrom wants room to find the end.
	}
	switch n, err := x.in.ReadFrom(io.LimitReader(resp.Body, maxAnswerBytes+1)); {
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

// errDamaged reports an answer that is not as it was sent.
var errDamaged = errors.New("the answer was damaged on its way")

// refusal returns the error that an answer is, as the generated client reads it.
func (x *exchange) refusal(ctx context.Context, resp *http.Response) error {
	resp.Body = io.NopCloser(bytes.NewReader(x.in.Bytes()))
	defer func() { resp.Body = http.NoBody }() // The error refers to the answer, whose memory is used again.
	// An error is read the same way whatever the operation.
	operation := smithy.NewOperationSchema(schemas.UpdateItem, schemas.UpdateItemInput, schemas.UpdateItemOutput)
	return x.link.options.Protocol.DeserializeResponse(ctx, operation, dynamodb.TypeRegistry, &smithyhttp.Response{Response: resp}, nil)
}

// payload returns the body of a request.
func (x *exchange) payload() *payload {
	x.users.Add(1)
	return &payload{exchange: x, text: x.text}
}

// A payload is the body of a request as the transport reads it, maybe on after the answer has come, until it closes it.
type payload struct {
	mu       sync.Mutex // guards what follows: the transport may close while it reads.
	exchange *exchange  // nil when closed
	text     []byte     // still to be read
}

func (p *payload) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exchange == nil {
		return 0, errClosed
	}
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}

var errClosed = errors.New("read of a closed request")

func (p *payload) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exchange != nil {
		p.exchange.release()
		p.exchange, p.text = nil, nil
	}
	return nil
}
