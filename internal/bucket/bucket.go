// Package bucket lists and reads the objects of an S3 bucket, with the credentials, the region and the signer of the AWS SDK. The SDK's own
// client of S3 is not used: it would make the program larger by a tenth, for two requests.
package bucket

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/encoding/httpbinding"

	"github.com/footfall/footfall/internal/awsenv"
)

// Client asks one bucket. Safe for concurrent use once List has returned.
type Client struct {
	bucket      string
	endpoint    string // of another service than AWS's; "": AWS's
	region      string
	credentials aws.CredentialsProvider
	http        aws.HTTPClient
	signer      *v4.Signer
}

// Object is an object of a bucket.
type Object struct {
	Key      string    `xml:"Key"`
	Bytes    int64     `xml:"Size"`
	Modified time.Time `xml:"LastModified"`
}

// Connect makes a client of a bucket from AWS's standard environment. AWS_ENDPOINT_URL_S3 names another service. It sends nothing to S3.
func Connect(ctx context.Context, bucket string) (*Client, error) {
	cfg, err := awsenv.Load(ctx)
	if err != nil {
		return nil, err
	}
	c := &Client{bucket: bucket, endpoint: awsenv.Endpoint(ctx, cfg, "S3"), region: cfg.Region, credentials: cfg.Credentials,
		http: cfg.HTTPClient, signer: signer()}
	if c.region == "" {
		c.region = "us-east-1" // It knows the region of each bucket.
	}
	return c, nil
}

// signer makes signatures as S3 wants them: paths are encoded once.
func signer() *v4.Signer {
	return v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
}

// List returns the objects whose keys begin with a prefix, but not the empty ones, in the order of their keys.
func (c *Client) List(ctx context.Context, prefix string) (objects []Object, err error) {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		var page struct {
			Contents []Object
			Next     string `xml:"NextContinuationToken"`
		}
		response, err := c.repeat(ctx, request{query: query})
		if err != nil {
			return nil, fmt.Errorf("list the objects: %w", err)
		}
		err = xml.NewDecoder(response.Body).Decode(&page)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return nil, fmt.Errorf("list the objects: %w", err)
		}
		for _, o := range page.Contents {
			if o.Bytes > 0 {
				objects = append(objects, o)
			}
		}
		if page.Next == "" {
			return objects, nil
		}
		query.Set("continuation-token", page.Next)
	}
}

// Head returns the first bytes of an object.
func (c *Client) Head(ctx context.Context, o Object, most int) ([]byte, error) {
	r, err := c.repeat(ctx, request{key: o.Key, span: fmt.Sprintf("bytes=0-%d", most-1)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(io.LimitReader(r.Body, int64(most)))
}

// request is a GET of an object, or of the bucket where there is no key.
type request struct {
	key         string
	query       url.Values
	span, match string // headers Range and If-Match
}

// Error is an answer of S3 that is not what was asked for.
type Error struct {
	Status  int    `xml:"-"`
	Code    string `xml:"Code"`
	Message string `xml:"Message"`
	Region  string `xml:"Region"` // that the bucket is in
}

// Error spells what S3 said.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("S3 answers with status %d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("S3 answers %s: %s", e.Code, e.Message)
}

// attempts is how often a request is sent that may succeed later, with a pause that doubles: 25 seconds in all.
const (
	attempts   = 8
	firstPause = 200 * time.Millisecond
)

// repeat sends a request until it is answered, or refused for good. A bucket in another region says which.
func (c *Client) repeat(ctx context.Context, q request) (*http.Response, error) {
	for n := 1; ; n++ {
		response, err := c.send(ctx, q)
		refused, isRefused := errors.AsType[*Error](err)
		switch {
		case err == nil:
			return response, nil
		case n < attempts && isRefused && refused.Region != "" && refused.Region != c.region && c.endpoint == "" && q.key == "":
			c.region = refused.Region
			continue
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case n == attempts || isRefused && refused.Status < 500 && refused.Status != http.StatusTooManyRequests,
			errors.Is(err, errCredentials):
			return nil, err
		}
		select {
		case <-time.After(firstPause << (n - 1)):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

var errCredentials = errors.New("no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// send sends a request once.
func (c *Client) send(ctx context.Context, q request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address(q), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Amz-Content-Sha256", emptySHA256)
	if q.span != "" {
		r.Header.Set("Range", q.span)
	}
	if q.match != "" {
		r.Header.Set("If-Match", q.match)
	}
	var keys aws.Credentials
	if c.credentials != nil {
		keys, err = c.credentials.Retrieve(ctx)
	}
	if err != nil || !keys.HasKeys() {
		return nil, errors.Join(errCredentials, err)
	}
	if err := c.signer.SignHTTP(ctx, keys, r, emptySHA256, "s3", c.region, time.Now()); err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "identity") // Objects are as they are stored.
	response, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusPartialContent {
		return response, nil
	}
	defer response.Body.Close()
	refused := &Error{Status: response.StatusCode}
	_ = xml.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(refused) // The status says enough.
	refused.Region = cmp.Or(refused.Region, response.Header.Get("X-Amz-Bucket-Region"))
	return nil, refused
}

// address is the URL of a request. A bucket is a host below AWS's, unless its name has a dot, for which there is no certificate.
func (c *Client) address(q request) string {
	key := httpbinding.EscapePath(q.key, false)
	base := strings.TrimSuffix(c.endpoint, "/")
	domain := "amazonaws.com"
	if strings.HasPrefix(c.region, "cn-") {
		domain += ".cn"
	}
	switch {
	case base != "":
		base += "/" + c.bucket
	case strings.Contains(c.bucket, "."):
		base = "https://s3." + c.region + "." + domain + "/" + c.bucket
	default:
		base = "https://" + c.bucket + ".s3." + c.region + "." + domain
	}
	if len(q.query) > 0 {
		key += "?" + q.query.Encode()
	}
	return base + "/" + key
}
