package registry

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/footfall/footfall/internal/awsenv"
	"github.com/footfall/footfall/pipeline/wire"
)

// glue is AWS Glue in a region. The SDK's own client of Glue is not used: it is a large module, for one request.
type glue struct {
	endpoint    string
	region      string
	credentials aws.CredentialsProvider
	client      *http.Client
	signer      *v4.Signer
}

// newGlue takes the credentials, the endpoint and, unless it is given, the region from AWS's standard environment.
func newGlue(ctx context.Context, region string) (*glue, error) {
	cfg, err := awsenv.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("event.registry.urls: %w", err)
	}
	if region = cmp.Or(region, cfg.Region); region == "" {
		return nil, errors.New("event.registry.urls has glue:// without a region: write it, as in glue://eu-central-1, or set AWS_REGION")
	}
	client, ok := cfg.HTTPClient.(*awshttp.BuildableClient) // It trusts the certificates of AWS_CA_BUNDLE.
	if !ok {
		client = awshttp.NewBuildableClient()
	}
	endpoint := cmp.Or(awsenv.Endpoint(ctx, cfg, "Glue"), awsenv.OwnEndpoint(ctx, cfg, "glue", region))
	return &glue{endpoint, region, cfg.Credentials, httpClient(client.GetTransport()), v4.NewSigner()}, nil
}

// schema asks for a version of a schema. Schemas of Glue have no references.
// https://docs.aws.amazon.com/glue/latest/webapi/API_GetSchemaVersion.html
func (g *glue) schema(ctx context.Context, id wire.ID) (s wire.Source, err error) {
	if !id.Glue {
		return s, fmt.Errorf("%w: ids of Glue are UUIDs", ErrUnknown)
	}
	said, err := g.post(ctx, "GetSchemaVersion", fmt.Appendf(nil, `{"SchemaVersionId":%q}`, id))
	if err != nil {
		return s, err
	}
	var a struct {
		SchemaDefinition *string
		DataFormat       wire.Kind
		Status           string
	}
	switch err := json.Unmarshal(said, &a); {
	case err == nil && (a.Status == "FAILURE" || a.Status == "DELETING"):
		return s, fmt.Errorf("%w: its status is %s", ErrUnusable, a.Status)
	case err == nil && a.Status == "PENDING":
		return s, fmt.Errorf("%s is still checking the schema: its status is PENDING", g.endpoint)
	case err != nil || a.Status != "AVAILABLE" || a.SchemaDefinition == nil:
		return s, fmt.Errorf("the answer of %s is not a schema: check that it is an endpoint of AWS Glue", g.endpoint)
	}
	return usable(a.DataFormat, *a.SchemaDefinition)
}

// post sends a request of the protocol AWS JSON 1.1, and returns the result.
func (g *glue) post(ctx context.Context, operation string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "AWSGlue."+operation)
	keys, err := g.credentials.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("no AWS credentials for Glue: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: %w", err)
	}
	sum := sha256.Sum256(body)
	if err := g.signer.SignHTTP(ctx, keys, r, hex.EncodeToString(sum[:]), "glue", g.region, time.Now()); err != nil {
		return nil, err
	}
	response, err := g.client.Do(r)
	if err != nil {
		return nil, unanswered(g.endpoint, err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		return nil, g.refused(response.StatusCode, said)
	}
	return said, unanswered(g.endpoint, err)
}

// refused says what Glue answers instead of a result. The message is left out: to a wrong signature it may contain a session token.
func (g *glue) refused(status int, said []byte) error {
	var e struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(said, &e) // Without a type, the status is all there is.
	code, hint := e.Type[strings.LastIndexByte(e.Type, '#')+1:], ""
	switch code {
	case "EntityNotFoundException":
		return fmt.Errorf("%w: Glue in %s answers %s", ErrUnknown, g.region, code)
	case "AccessDeniedException":
		hint = ": allow glue:GetSchemaVersion in the policy of the credentials"
	case "ExpiredTokenException":
		if cache, ok := g.credentials.(*aws.CredentialsCache); ok {
			cache.Invalidate() // They were revoked, or expired early by the clock of AWS.
		}
	}
	return fmt.Errorf("%s answers %d %s %.60q%s", g.endpoint, status, http.StatusText(status), code, hint)
}
