package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/footfall/footfall/internal/awsenv"
	"github.com/footfall/footfall/pipeline/wire"
)

// glue is AWS Glue: https://docs.aws.amazon.com/glue/latest/webapi/API_GetSchemaVersion.html. The SDK's own client is not used: its module is
// large, and one request is needed.
type glue struct {
	endpoint    string
	region      string
	credentials aws.CredentialsProvider
	client      *http.Client
	signer      *v4.Signer
}

// newGlue takes credentials, the endpoint and, unless it is given, the region from AWS's standard environment.
func newGlue(ctx context.Context, region string) (*glue, error) {
	cfg, err := awsenv.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("event.registry.urls: %w", err)
	}
	if region = cmp.Or(region, cfg.Region); region == "" {
		return nil, errors.New("event.registry.urls has glue:// without a region: write it, as in glue://eu-central-1, or set AWS_REGION")
	}
	endpoint, err := glueEndpoint(ctx, cfg, region)
	if err != nil {
		return nil, err
	}
	configured, ok := cfg.HTTPClient.(*awshttp.BuildableClient) // With the certificates of AWS_CA_BUNDLE.
	if !ok {
		configured = awshttp.NewBuildableClient()
	}
	return &glue{endpoint, region, cfg.Credentials, client(configured.GetTransport()), v4.NewSigner()}, nil
}

// glueEndpoint returns where requests go: to the endpoint that the AWS configuration names for Glue or for all services, or to AWS's own,
// that for FIPS 140 if the configuration asks for it.
func glueEndpoint(ctx context.Context, cfg aws.Config, region string) (string, error) {
	endpoint, fips, ignored := "", "", false
	for _, s := range cfg.ConfigSources { // The first one that has a setting decides.
		if p, ok := s.(interface {
			GetIgnoreConfiguredEndpoints(context.Context) (bool, bool, error)
		}); ok && !ignored {
			ignored, _, _ = p.GetIgnoreConfiguredEndpoints(ctx)
		}
		if p, ok := s.(interface {
			GetServiceBaseEndpoint(context.Context, string) (string, bool, error)
		}); ok && endpoint == "" {
			endpoint, _, _ = p.GetServiceBaseEndpoint(ctx, "Glue")
		}
		if p, ok := s.(interface {
			GetUseFIPSEndpoint(context.Context) (aws.FIPSEndpointState, bool, error)
		}); ok && fips == "" {
			if state, found, _ := p.GetUseFIPSEndpoint(ctx); found && state == aws.FIPSEndpointStateEnabled {
				fips = "-fips"
			}
		}
	}
	if endpoint = cmp.Or(endpoint, aws.ToString(cfg.BaseEndpoint)); endpoint == "" || ignored {
		domain := "amazonaws.com"
		if strings.HasPrefix(region, "cn-") {
			domain += ".cn"
		}
		return "https://glue" + fips + "." + region + "." + domain + "/", nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", fmt.Errorf("AWS_ENDPOINT_URL_GLUE, or the endpoint_url of the AWS configuration, is %q: write https://HOST", redacted(endpoint))
	}
	return endpoint, nil
}

// schema asks for a version of a schema. Schemas of Glue have no references.
func (g *glue) schema(ctx context.Context, id wire.ID) (s wire.Source, err error) {
	if !id.Glue {
		return s, fmt.Errorf("%w: ids of Glue are UUIDs", ErrUnknown)
	}
	var a struct {
		SchemaDefinition   *string
		DataFormat, Status string
	}
	if err := g.call(ctx, "GetSchemaVersion", map[string]string{"SchemaVersionId": id.String()}, &a); err != nil {
		return s, err
	}
	switch {
	case a.Status == "PENDING":
		return s, fmt.Errorf("%s has not checked the schema yet", g.endpoint)
	case a.Status == "FAILURE" || a.Status == "DELETING":
		return s, fmt.Errorf("%w: its status is %s", ErrUnusable, a.Status)
	case a.Status != "AVAILABLE" || a.SchemaDefinition == nil:
		return s, fmt.Errorf("%s answers with something that is no schema: is it the endpoint of AWS Glue?", g.endpoint)
	}
	s.Text = *a.SchemaDefinition
	if s.Kind, err = kindOf(a.DataFormat); err == nil {
		err = checkText(s.Text)
	}
	return s, err
}

// call sends a request of the protocol AWS JSON 1.1, and reads the answer.
func (g *glue) call(ctx context.Context, operation string, input, output any) error {
	body, err := json.Marshal(input)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.endpoint, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "AWSGlue."+operation)
	if err := g.sign(ctx, r, body); err != nil {
		return err
	}
	response, err := g.client.Do(r)
	if err != nil {
		if asked, ok := errors.AsType[*url.Error](err); ok {
			err = asked.Err
		}
		return fmt.Errorf("%s: %w", g.endpoint, err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return fmt.Errorf("%w: %s answers with more than %d bytes", ErrUnusable, g.endpoint, maxAnswer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", g.endpoint, err)
	}
	if response.StatusCode != http.StatusOK {
		return g.refused(response.StatusCode, said)
	}
	if json.Unmarshal(said, output) != nil {
		return fmt.Errorf("%s answers with something that is no schema: is it the endpoint of AWS Glue?", g.endpoint)
	}
	return nil
}

func (g *glue) sign(ctx context.Context, r *http.Request, body []byte) error {
	var keys aws.Credentials
	var err error
	if g.credentials != nil {
		keys, err = g.credentials.Retrieve(ctx)
	}
	if err != nil || !keys.HasKeys() {
		return errors.Join(errors.New("no AWS credentials for Glue: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run "+
			"under a role"), err)
	}
	sum := sha256.Sum256(body)
	return g.signer.SignHTTP(ctx, keys, r, hex.EncodeToString(sum[:]), "glue", g.region, time.Now())
}

// refused says what an answer means that is no result. Its message is not shown: that to a wrong signature may have a session token in it.
func (g *glue) refused(status int, said []byte) error {
	var e struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(said, &e) // If it is no JSON, the status says what matters.
	code := e.Type[strings.LastIndexByte(e.Type, '#')+1:]
	if code == "EntityNotFoundException" && status < 500 {
		return fmt.Errorf("%w: Glue in %s answers %s", ErrUnknown, g.region, code)
	}
	hint := ""
	if strings.HasPrefix(code, "AccessDenied") {
		hint = ": allow glue:GetSchemaVersion in the policy of these credentials"
	}
	return fmt.Errorf("%s answers %d %s %.60q%s", g.endpoint, status, http.StatusText(status), code, hint)
}
