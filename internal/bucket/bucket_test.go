package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// connected is a client of a bucket at an address; "": at AWS's.
func connected(t *testing.T, endpoint string) *Client {
	t.Helper()
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_REGION":      "us-east-1",
		"AWS_CONFIG_FILE": "none", "AWS_SHARED_CREDENTIALS_FILE": "none", "AWS_ENDPOINT_URL_S3": endpoint} {
		t.Setenv(name, value)
	}
	c, err := Connect(t.Context(), "logs")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cuts serves an object. Each of its answers breaks off after some bytes.
func cuts(t *testing.T, object []byte, most int, tag func(n int64) string) *httptest.Server {
	t.Helper()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := 0
		_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		etag := tag(served.Add(1))
		if match := r.Header.Get("If-Match"); match != "" && match != etag {
			w.WriteHeader(http.StatusPreconditionFailed)
			fmt.Fprint(w, "<Error><Code>PreconditionFailed</Code><Message>changed</Message></Error>")
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(object)-from))
		if from > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(object[from:min(len(object), from+most)])
	}))
	t.Cleanup(server.Close)
	return server
}

// A body that is cut is continued where it ended.
func TestCutBodyIsContinued(t *testing.T) {
	object := bytes.Repeat([]byte("0123456789abcdef"), 40_000)
	server := cuts(t, object, 100_000, func(int64) string { return `"one"` })
	got, err := io.ReadAll(connected(t, server.URL).Open(t.Context(), Object{Key: "a"}))
	if err != nil || !bytes.Equal(got, object) {
		t.Errorf("%d bytes, %v; want the %d of the object", len(got), err, len(object))
	}
}

// An object that is replaced between two requests is not put together of both.
func TestReplacedObjectIsRefused(t *testing.T) {
	object := make([]byte, 300_000)
	server := cuts(t, object, 100_000, func(n int64) string { return fmt.Sprintf(`"%d"`, n/2) })
	got, err := io.ReadAll(connected(t, server.URL).Open(t.Context(), Object{Key: "a"}))
	if err == nil || !strings.Contains(err.Error(), "replaced while it was read") || len(got) != 100_000 {
		t.Errorf("%d bytes, %v; want 100000 and that it was replaced", len(got), err)
	}
}

// A body that ends at once each time is given up.
func TestBodyWithoutProgressIsGivenUp(t *testing.T) {
	server := cuts(t, make([]byte, 10), 0, func(int64) string { return `"one"` })
	if _, err := io.ReadAll(connected(t, server.URL).Open(t.Context(), Object{Key: "a"})); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v, want an unexpected EOF", err)
	}
}

// answers are what S3 says to one request after the other.
type answers struct {
	status []int
	bodies []string
	header http.Header
	asked  []string
	signed []string
}

func (a *answers) Do(r *http.Request) (*http.Response, error) {
	n := min(len(a.asked), len(a.status)-1)
	a.asked, a.signed = append(a.asked, r.URL.String()), append(a.signed, r.Header.Get("Authorization"))
	return &http.Response{StatusCode: a.status[n], Header: a.header, Body: io.NopCloser(strings.NewReader(a.bodies[n]))}, nil
}

const denied = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"

// What S3 cannot answer now is asked again, after pauses that double, and what it refuses is not.
func TestRefusalsAreRepeatedIfTheyMayPass(t *testing.T) {
	for _, c := range []struct {
		status []int
		bodies []string
		waits  time.Duration
		says   string
	}{
		{[]int{503, 500, 200}, []string{"", "x", "<ListBucketResult/>"}, 600 * time.Millisecond, "<nil>"},
		{[]int{403}, []string{denied}, 0, "list the objects: S3 answers AccessDenied: Access Denied"},
		{[]int{503}, []string{""}, 25400 * time.Millisecond, "list the objects: S3 answers with status 503 Service Unavailable"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s3 := &answers{status: c.status, bodies: c.bodies}
			client := &Client{bucket: "logs", region: "us-east-1", http: s3, signer: signer(), credentials: someone}
			began := time.Now()
			_, err := client.List(t.Context(), "")
			if says := fmt.Sprint(err); time.Since(began) != c.waits || says != c.says {
				t.Errorf("%v after %v, want %q after %v", err, time.Since(began), c.says, c.waits)
			}
		})
	}
}

var someone = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "").Value, nil
})

// A bucket of another region is asked there. Keys are percent-encoded, and a name with a dot is no host.
func TestBucketIsAskedInItsRegion(t *testing.T) {
	s3 := &answers{status: []int{301, 200}, bodies: []string{denied,
		"<ListBucketResult><Contents><Key>a b/ü+.log</Key><Size>7</Size></Contents>" +
			"<Contents><Key>folder/</Key><Size>0</Size></Contents></ListBucketResult>"}, header: http.Header{"X-Amz-Bucket-Region": {"eu-west-1"}}}
	client := &Client{bucket: "logs", region: "us-east-1", http: s3, signer: signer(), credentials: someone}
	objects, err := client.List(t.Context(), "a b")
	if err != nil || len(objects) != 1 || objects[0].Key != "a b/ü+.log" {
		t.Fatalf("%+v, %v; want the object with bytes alone", objects, err)
	}
	if _, err := client.Head(t.Context(), objects[0], 10); err != nil {
		t.Fatal(err)
	}
	client.bucket, client.region = "my.logs", "cn-north-1"
	if _, err := client.Head(t.Context(), Object{Key: "x"}, 10); err != nil {
		t.Fatal(err)
	}
	want := []string{"https://logs.s3.us-east-1.amazonaws.com/?list-type=2&prefix=a%20b",
		"https://logs.s3.eu-west-1.amazonaws.com/?list-type=2&prefix=a%20b",
		"https://logs.s3.eu-west-1.amazonaws.com/a%20b/%C3%BC%2B.log", "https://s3.cn-north-1.amazonaws.com.cn/my.logs/x"}
	if got := strings.Join(s3.asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Without credentials nothing is sent.
func TestCredentialsAreNeeded(t *testing.T) {
	s3 := &answers{}
	client := &Client{bucket: "logs", region: "us-east-1", http: s3, signer: signer()}
	if _, err := client.List(t.Context(), ""); !errors.Is(err, errCredentials) || len(s3.asked) > 0 {
		t.Errorf("%v after %d requests, want %v and none", err, len(s3.asked), errCredentials)
	}
}

// Requests have the signatures that botocore's S3SigV4Auth makes of the same keys, time and addresses.
func TestSignaturesAreThoseOfS3(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // It is 2000-01-01T00:00:00Z.
		s3 := &answers{status: []int{200}, bodies: []string{"<ListBucketResult/>"}}
		client := &Client{bucket: "logs", region: "us-east-1", http: s3, signer: signer(), credentials: someone}
		if _, err := client.Head(t.Context(), Object{Key: "a b/ü+.log"}, 10); err != nil {
			t.Fatal(err)
		}
		if _, err := client.List(t.Context(), "a b/"); err != nil {
			t.Fatal(err)
		}
		const of = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20000101/us-east-1/s3/aws4_request, SignedHeaders=host;"
		want := []string{
			of + "range;x-amz-content-sha256;x-amz-date, Signature=1b7501046f988e61a08d010da7b45b926ff3ef0a82a2a73cda82700dbd9d759a",
			of + "x-amz-content-sha256;x-amz-date, Signature=95b8eaf1eef26703b9a6cc613626f526154ff76a03bee6eae14f731283cc5680",
		}
		if !slices.Equal(s3.signed, want) {
			t.Errorf("signed\n%s\nwant\n%s", strings.Join(s3.signed, "\n"), strings.Join(want, "\n"))
		}
	})
}
