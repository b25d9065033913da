package analyze

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/testenv"
)

// put makes a bucket, or an object in it.
func put(t *testing.T, address string, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s: %s", address, response.Status)
	}
}

// packed is a text in gzip.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The objects of a bucket are counted, of several pages of its list, packed or not. One that is cut is named, and stops no other.
func TestAnalyzeReadsABucket(t *testing.T) {
	address := testenv.S3(t) + "/logs"
	put(t, address, nil)
	const objects = 1003 // A page has 1,000.
	hour := time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC)
	line := func(n int) string {
		return fmt.Sprintf(`192.0.2.%d - - [%s] "GET /page-%d HTTP/1.1" 200 512 "-" "%s"`+"\n", n%250, clf(hour.Add(time.Duration(n)*time.Second)),
			n%7, firefox)
	}
	for n := range objects {
		body := []byte(line(n))
		if n%2 == 0 {
			body = packed(t, line(n))
		}
		put(t, fmt.Sprintf("%s/alb%%20logs/2026/05/12/%04d.log", address, n), body)
	}
	put(t, address+"/other/1.log", []byte(line(1)))
	put(t, address+"/alb%20logs/folder/", nil)

	all := analyzed(t, "s3://logs/alb logs/", "--set", "siteId=shop.example", "--include-bots")
	if all.Counted != objects || all.Refused != 0 || len(all.Broken) != 0 || all.Sites[0].Stats.Totals.PageViews != objects {
		t.Errorf("%d counted, %d refused, %v, %+v; want the lines of %d objects", all.Counted, all.Refused, all.Broken,
			all.Sites[0].Stats.Totals, objects)
	}
	code, _, errs := clitest.Footfall(t, "produce", "--from-file", "s3://logs/other/", "--set", "siteId=shop.example", "--dry-run")
	if code != 0 {
		t.Errorf("produce: exit code %d, %s", code, errs)
	}

	whole := packed(t, strings.Repeat(line(5), 2000))
	put(t, address+"/broken/a.log.gz", whole[:len(whole)/2])
	put(t, address+"/broken/b.log", []byte(line(1)))
	code, _, errs = clitest.Footfall(t, "analyze", "s3://logs/broken/", "--set", "siteId=shop.example")
	want := "s3://logs/broken/a.log.gz: read after line "
	if code != 1 || !strings.Contains(errs, want) || !strings.Contains(errs, "incomplete copy") {
		t.Errorf("a cut object: exit code %d, %s; want 1 and %q", code, errs, want)
	}
}

// What cannot be read of a bucket is said with the remedy.
func TestAnalyzeSaysWhatABucketLacks(t *testing.T) {
	address := testenv.S3(t)
	put(t, address+"/logs", nil)
	put(t, address+"/logs/a.log", []byte("x\n"))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"s3://logs/none"}, 1, "s3://logs/none: no key in the bucket begins so"},
		{[]string{"s3://absent/x"}, 1, "s3://absent/x: list the objects: S3 answers NoSuchBucket: "},
		{[]string{"s3://"}, command.CodeUsage, "write s3://BUCKET/PREFIX"},
		{[]string{"s3://logs/a", "s3://logs/"}, command.CodeUsage, "s3://logs/a.log is named twice: its lines would count twice"},
	} {
		if code, _, errs := clitest.Footfall(t, append([]string{"analyze"}, c.args...)...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit code %d, %q, want %d, %q", c.args, code, errs, c.code, c.says)
		}
	}
}
