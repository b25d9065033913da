package registry_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/wire"
)

// awsEnvironment leaves nothing of AWS's environment but keys.
func awsEnvironment(t *testing.T) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": hidden,
		"AWS_SESSION_TOKEN": "token",
		"AWS_REGION":        "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none,
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_GLUE": "", "AWS_USE_FIPS_ENDPOINT": "", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
}

// version7 is the answer of https://docs.aws.amazon.com/glue/latest/webapi/API_GetSchemaVersion.html.
func version7(format, status, definition string) string {
	return fmt.Sprintf(`{"CreatedTime":"2026-01-02T03:04:05.678Z","DataFormat":%q,"SchemaArn":"arn:aws:glue:eu-central-1:1:schema/r/s",`+
		`"SchemaDefinition":%q,"SchemaVersionId":%q,"Status":%q,"VersionNumber":7}`, format, definition, uuid, status)
}

const uuid = "b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63"

var glueID = wire.Glue([16]byte{0xb7, 0xb4, 0xa7, 0xf0, 0x9c, 0x96, 0x4e, 0x4a, 0xa6, 0x87, 0xfb, 0x5d, 0xe9, 0xef, 0x0c, 0x63})

func TestGlueAnswersAreOfThreeClasses(t *testing.T) {
	awsEnvironment(t)
	const schemaOf, awsJSON = `{"type":"string"}`, "application/x-amz-json-1.1"
	refused := func(status int, code string) reply {
		return reply{status: status, body: fmt.Sprintf(`{"__type":%q,"Message":"It should have been x-amz-security-token:token"}`, code)}
	}
	for _, c := range []struct {
		name string
		reply
		want class
	}{
		{"Avro", reply{body: version7("AVRO", "AVAILABLE", schemaOf)}, found},
		{"Protobuf", reply{body: version7("PROTOBUF", "AVAILABLE", schemaOf)}, found},
		{"JSON", reply{body: version7("JSON", "AVAILABLE", schemaOf)}, found},
		{"unknown kind", reply{body: version7("THRIFT", "AVAILABLE", schemaOf)}, unusable},
		{"too large", reply{body: version7("AVRO", "AVAILABLE", strings.Repeat("x", 1<<20+1))}, unusable},
		{"more than is read", reply{body: version7("AVRO", "AVAILABLE", strings.Repeat("x", 9<<20))}, unusable},
		{"incompatible", reply{body: version7("AVRO", "FAILURE", schemaOf)}, unusable},
		{"being deleted", reply{body: version7("AVRO", "DELETING", schemaOf)}, unusable},
		{"being checked", reply{body: version7("AVRO", "PENDING", schemaOf)}, unclear},
		{"no such version", refused(400, "EntityNotFoundException"), unknown},
		{"no such version, with a namespace", refused(400, "com.amazonaws.glue#EntityNotFoundException"), unknown},
		{"no permission", refused(400, "AccessDeniedException"), unclear},
		{"expired", refused(400, "ExpiredTokenException"), unclear},
		{"wrong signature", refused(400, "InvalidSignatureException"), unclear},
		{"throttled", refused(400, "ThrottlingException"), unclear},
		{"internal error", refused(500, "InternalServiceException"), unclear},
		{"404 of a proxy", reply{status: 404, content: "text/html", body: html}, unclear},
		{"200 of a proxy", reply{content: "text/html", body: html}, unclear},
		{"cut", reply{body: `{"SchemaDefinition":"x`}, unclear},
		{"no schema", reply{body: `{"Status":"AVAILABLE","DataFormat":"AVRO"}`}, unclear},
		{"no status", reply{body: `{"SchemaDefinition":"x","DataFormat":"AVRO"}`}, unclear},
		{"empty", reply{body: `{}`}, unclear},
		{"endless HTML", reply{content: "text/html", body: strings.Repeat(html, 1000), endless: true}, unclear},
		{"redirect to another host", reply{status: 307, to: "http://other.example/"}, unclear},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.content == "" {
				c.content = awsJSON
			}
			f := newFake(t, map[string]reply{"/": c.reply})
			t.Setenv("AWS_ENDPOINT_URL_GLUE", f.URL)
			got, err := newClient(t, registry.Options{URLs: []string{"glue://eu-central-1"}}).Schema(t.Context(), glueID)
			if classOf(err) != c.want || err == nil && (got.Text != schemaOf || !strings.EqualFold(string(got.Kind), c.name)) {
				t.Errorf("%+.40v, %v; want %s", got, err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), "token:") || strings.Contains(err.Error(), hidden)) {
				t.Errorf("%q shows a secret", err)
			}
		})
	}
}

// Requests are those of the protocol AWS JSON 1.1, signed for Glue in the region of the URL, or of the environment.
func TestGlueIsAskedWithASignature(t *testing.T) {
	awsEnvironment(t)
	t.Setenv("AWS_REGION", "us-east-1")
	var header http.Header
	var body []byte
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, version7("AVRO", "AVAILABLE", "x"))
	}))
	t.Cleanup(f.Close)
	t.Setenv("AWS_ENDPOINT_URL_GLUE", f.URL)
	for url, region := range map[string]string{"glue://eu-central-1": "eu-central-1", "glue://": "us-east-1"} {
		if _, err := newClient(t, registry.Options{URLs: []string{url}}).Schema(t.Context(), glueID); err != nil {
			t.Fatal(err)
		}
		if string(body) != `{"SchemaVersionId":"`+uuid+`"}` || header.Get("X-Amz-Target") != "AWSGlue.GetSchemaVersion" ||
			header.Get("Content-Type") != "application/x-amz-json-1.1" || header.Get("X-Amz-Security-Token") != "token" {
			t.Errorf("%s was sent with %v", body, header)
		}
		got := header.Get("Authorization")
		if !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") || !strings.Contains(got, "/"+region+"/glue/aws4_request,") {
			t.Errorf("%s: the signature is %s", url, got)
		}
	}
}

func TestGlueNeedsARegionAndCredentials(t *testing.T) {
	awsEnvironment(t)
	if _, err := registry.New(registry.Options{URLs: []string{"glue://"}}); err == nil || !strings.Contains(err.Error(), "set AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
	c := newClient(t, registry.Options{URLs: []string{"glue://eu-central-1"}})
	if _, err := c.Schema(t.Context(), seven); !errors.Is(err, registry.ErrUnknown) {
		t.Errorf("a number at Glue: %v, want it unknown", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	_, err := newClient(t, registry.Options{URLs: []string{"glue://eu-central-1"}}).Schema(t.Context(), glueID)
	if classOf(err) != unclear || !strings.Contains(err.Error(), "set AWS_PROFILE") {
		t.Errorf("without credentials: %v", err)
	}
}
