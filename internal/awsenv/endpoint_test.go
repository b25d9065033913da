package awsenv_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/footfall/footfall/internal/awsenv"
)

// Endpoints are those that the SDK's generated clients find, by https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html.
func TestEndpoints(t *testing.T) {
	const profile = "[default]\nservices = own\n[services own]\nglue =\n  endpoint_url = https://profile.example\n"
	for _, c := range []struct {
		name        string
		profile     string
		environment map[string]string
		region      string
		want, own   string
	}{
		{"none", "", nil, "eu-central-1", "", "https://glue.eu-central-1.amazonaws.com"},
		{"China", "", nil, "cn-north-1", "", "https://glue.cn-north-1.amazonaws.com.cn"},
		{"FIPS 140", "", map[string]string{"AWS_USE_FIPS_ENDPOINT": "true"}, "us-east-1", "", "https://glue-fips.us-east-1.amazonaws.com"},
		{"FIPS 140, in the profile", "[default]\nuse_fips_endpoint = true\n", nil, "us-east-1", "", "https://glue-fips.us-east-1.amazonaws.com"},
		{"FIPS 140, but not here", "[default]\nuse_fips_endpoint = true\n", map[string]string{"AWS_USE_FIPS_ENDPOINT": "false"}, "us-east-1", "",
			"https://glue.us-east-1.amazonaws.com"},
		{"of the service", profile, map[string]string{"AWS_ENDPOINT_URL_GLUE": "https://glue.example", "AWS_ENDPOINT_URL": "https://all.example"},
			"us-east-1", "https://glue.example", "https://glue.us-east-1.amazonaws.com"},
		{"of all services", "", map[string]string{"AWS_ENDPOINT_URL": "https://all.example"}, "us-east-1", "https://all.example",
			"https://glue.us-east-1.amazonaws.com"},
		{"of another service", "", map[string]string{"AWS_ENDPOINT_URL_S3": "https://s3.example"}, "us-east-1", "",
			"https://glue.us-east-1.amazonaws.com"},
		{"of the profile", profile, nil, "us-east-1", "https://profile.example", "https://glue.us-east-1.amazonaws.com"},
		{"ignored", profile, map[string]string{"AWS_ENDPOINT_URL": "https://all.example", "AWS_ENDPOINT_URL_GLUE": "https://glue.example",
			"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, "us-east-1", "", "https://glue.us-east-1.amazonaws.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(file, []byte(c.profile), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_GLUE", "AWS_USE_FIPS_ENDPOINT",
				"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_SHARED_CREDENTIALS_FILE"} {
				t.Setenv(name, "")
			}
			t.Setenv("AWS_CONFIG_FILE", file)
			for name, value := range c.environment {
				t.Setenv(name, value)
			}
			cfg, err := awsenv.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := awsenv.Endpoint(t.Context(), cfg, "Glue"); got != c.want {
				t.Errorf("the endpoint is %q, want %q", got, c.want)
			}
			if got := awsenv.OwnEndpoint(t.Context(), cfg, "glue", c.region); got != c.own {
				t.Errorf("AWS's own is %q, want %q", got, c.own)
			}
		})
	}
}
