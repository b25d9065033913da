package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// TestExpiredCredentialsAreRenewed: credentials that AWS takes for expired before they are, by its clock or because they were revoked, are
// made again, and each request that meets that may be repeated. Where the new ones are the same, that is the end.
func TestExpiredCredentialsAreRenewed(t *testing.T) {
	onClients(t, func(t *testing.T, table opener) {
		for latest, want := range map[int64]error{2: sinks.ErrUnknownOutcome, 1: sinks.ErrDenied} {
			old := make(chan struct{}) // closed: all requests with the first credentials have come
			var come, made atomic.Int64
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Amz-Security-Token") != "token 1" {
					fmt.Fprint(w, "{}")
					return
				}
				if come.Add(1) == 8 {
					close(old)
				}
				<-old
				fails("ExpiredTokenException", "The security token included in the request is expired", "")(w, r)
			})
			table := table(t, s, dynamo.ConnectOptions{AttemptTimeout: time.Hour, Config: []func(*config.LoadOptions) error{
				config.WithCredentialsProvider(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
					return aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret", CanExpire: true, Expires: time.Now().Add(time.Hour),
						SessionToken: fmt.Sprint("token ", min(made.Add(1), latest))}, nil
				}))}})
			var all sync.WaitGroup
			for n := range 8 {
				all.Go(func() {
					var err error
					if n%2 == 0 {
						_, err = table.Update(t.Context(), guarded)
					} else {
						_, err = table.Query(t.Context(), sinks.Query{PK: "p"})
					}
					if !errors.Is(err, want) {
						t.Errorf("with credentials that have expired: %v, want %v", err, want)
					}
				})
			}
			all.Wait()
			if _, err := table.Update(t.Context(), guarded); latest == 2 && err != nil || latest == 1 && !errors.Is(err, want) {
				t.Errorf("afterwards: %v", err)
			}
		}
	})
}

func TestConnectSaysWhatIsMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent/config")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials")
	if _, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{}); err == nil || !strings.Contains(err.Error(), "set AWS_REGION") {
		t.Errorf("Connect without a region = %v, want to be told to set AWS_REGION", err)
	}
	t.Setenv("AWS_REGION", "eu-west-1")
	_, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if !errors.Is(err, sinks.ErrDenied) || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("Connect without credentials = %v, want ErrDenied and to be told what to set", err)
	}
}

func TestConnectUsesTheEndpointOfTheEnvironment(t *testing.T) {
	s := serve(t, says(200, "{}"))
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": s.URL, "AWS_REGION": "eu-west-1",
		"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_MAX_ATTEMPTS": "7"} {
		t.Setenv(name, value)
	}
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "footfall")
	for i, table := range []sinks.Table{table, dynamo.NewDirect(table, client)} {
		if _, err := table.Update(t.Context(), guarded); err != nil || s.requests.Load() != int64(i+1) {
			t.Errorf("%T: Update = %v after %d requests to the endpoint, want 1 each", table, err, s.requests.Load())
		}
	}
}

func TestCredentialsThatCannotBeRenewedAreDenied(t *testing.T) {
	s := serve(t, says(200, "{}"))
	var gone atomic.Bool
	fading := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		if gone.Load() {
			return aws.Credentials{}, errors.New("the role is gone")
		}
		// Expired when made, so that every request asks again.
		return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b", CanExpire: true, Expires: time.Now().Add(-time.Hour)}, nil
	})
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{Config: []func(*config.LoadOptions) error{
		config.WithRegion("eu-west-1"), config.WithBaseEndpoint(s.URL), config.WithCredentialsProvider(fading)}})
	if err != nil {
		t.Fatal(err)
	}
	gone.Store(true)
	table := dynamo.New(client, "footfall")
	for _, table := range []sinks.Table{table, dynamo.NewDirect(table, client)} {
		_, err = table.Update(t.Context(), guarded)
		if !errors.Is(err, sinks.ErrDenied) || !strings.Contains(err.Error(), "the role is gone") || s.requests.Load() != 0 {
			t.Errorf("%T: Update = %v after %d requests, want ErrDenied and none", table, err, s.requests.Load())
		}
	}
}
