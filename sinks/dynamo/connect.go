package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/footfall/footfall/internal/awsenv"
	"github.com/footfall/footfall/sinks"
)

// ConnectOptions say how Connect makes a client. The zero value serves.
type ConnectOptions struct {
	// Concurrency is how many requests may be in flight at once, DefaultConcurrency by default. So many connections are kept
	// open when idle: the SDK's own 10 make a busy client reconnect all the time, at a millisecond of TLS each.
	Concurrency int

	// AttemptTimeout is how long one request may take, from connecting to the last byte of the answer; 3 s by
	// default. DynamoDB answers in milliseconds; what takes longer is better repeated on another connection.
	AttemptTimeout time.Duration

	// Config are further options of the SDK's configuration, over what the environment says.
	Config []func(*config.LoadOptions) error
}

// Defaults of ConnectOptions.
const (
	DefaultConcurrency    = 256
	defaultAttemptTimeout = 3 * time.Second
)

// ErrNoRegion reports that neither the environment nor a profile names an AWS region.
var ErrNoRegion = errors.New("no AWS region: set AWS_REGION, or region in the profile (for DynamoDB Local any will do, as in " +
	"AWS_REGION=us-east-1)")

// Connect makes a client for Table from AWS's standard environment: variables (AWS_ENDPOINT_URL_DYNAMODB among
// them), profiles and roles. It sends nothing to DynamoDB, but makes sure that there are a region and credentials;
// where there are none the error wraps [sinks.ErrDenied] or says what to set.
//
// The client sends each request once. The SDK's retries are off, since they would hide throttles from the layer
// that adapts to them, and stop early under many of them: one layer retries, and it is that of Table's callers.
func Connect(ctx context.Context, o ConnectOptions) (*dynamodb.Client, error) {
	cfg, err := awsenv.Load(ctx, o.Config...)
	if err != nil {
		return nil, err
	}
	if cfg.Region == "" {
		return nil, ErrNoRegion
	}
	credentials := taggedCredentials{cfg.Credentials}
	if _, err := credentials.Retrieve(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("find AWS credentials: %w: %w", context.Cause(ctx), err)
		}
		return nil, fmt.Errorf("%w: %w: %s", sinks.ErrDenied, err, hintCredentials)
	}
	transport := httpClient(cfg, o)
	return dynamodb.NewFromConfig(cfg, func(d *dynamodb.Options) {
		d.HTTPClient = transport
		d.Credentials = credentials
		d.Retryer = aws.NopRetryer{}
		d.RetryMaxAttempts = 1
		// All it logs is a checksum that is wrong on each error of DynamoDB Local, which sends none with errors.
		d.Logger = logging.Nop{}
	}), nil
}

// httpClient makes the HTTP client of a configuration, which trusts the authorities of AWS_CA_BUNDLE, for many requests at once.
func httpClient(cfg aws.Config, o ConnectOptions) *awshttp.BuildableClient {
	idle, timeout := o.Concurrency, o.AttemptTimeout
	if idle <= 0 {
		idle = DefaultConcurrency
	}
	if timeout <= 0 {
		timeout = defaultAttemptTimeout
	}
	client, ok := cfg.HTTPClient.(*awshttp.BuildableClient)
	if !ok {
		client = awshttp.NewBuildableClient()
	}
	return client.WithTimeout(timeout).
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = timeout }).
		WithTransportOptions(func(tr *http.Transport) {
			tr.MaxIdleConns = 0 // No limit over all hosts: there is one.
			tr.MaxIdleConnsPerHost = idle
			tr.TLSHandshakeTimeout = timeout
		})
}

// taggedCredentials makes failures to get credentials tell themselves from all others. It does not cache: what it
// wraps does.
type taggedCredentials struct{ aws.CredentialsProvider }

// Invalidate has credentials that are cached made again.
func (p taggedCredentials) Invalidate() {
	if cache, ok := p.CredentialsProvider.(*aws.CredentialsCache); ok {
		cache.Invalidate()
	}
}

func (p taggedCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	if p.CredentialsProvider == nil {
		return aws.Credentials{}, &credentialsError{errors.New("none are configured")}
	}
	c, err := p.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return c, &credentialsError{err}
	}
	return c, nil
}

// Scaling is what Alter calls of AWS Application Auto Scaling, which moves the capacities of provisioned tables.
type Scaling interface {
	DescribeScalableTargets(context.Context, *autoscaling.DescribeScalableTargetsInput,
		...func(*autoscaling.Options)) (*autoscaling.DescribeScalableTargetsOutput, error)
	RegisterScalableTarget(context.Context, *autoscaling.RegisterScalableTargetInput,
		...func(*autoscaling.Options)) (*autoscaling.RegisterScalableTargetOutput, error)
	DeregisterScalableTarget(context.Context, *autoscaling.DeregisterScalableTargetInput,
		...func(*autoscaling.Options)) (*autoscaling.DeregisterScalableTargetOutput, error)
	DescribeScalingPolicies(context.Context, *autoscaling.DescribeScalingPoliciesInput,
		...func(*autoscaling.Options)) (*autoscaling.DescribeScalingPoliciesOutput, error)
	PutScalingPolicy(context.Context, *autoscaling.PutScalingPolicyInput, ...func(*autoscaling.Options)) (*autoscaling.PutScalingPolicyOutput,
		error)
}

// errNoScaling says that there is no auto scaling where the table is.
var errNoScaling = errors.New("no auto scaling")

// ConnectScaling makes a client from AWS's standard environment. A DynamoDB at an endpoint of its own, as DynamoDB Local is, has
// no auto scaling beside it unless AWS_ENDPOINT_URL_APPLICATION_AUTO_SCALING names one: AWS's own does not
// have the table.
func ConnectScaling(ctx context.Context) (Scaling, error) {
	cfg, err := awsenv.Load(ctx)
	if err != nil {
		return nil, err
	}
	client := autoscaling.NewFromConfig(cfg, func(o *autoscaling.Options) {
		o.Retryer = aws.NopRetryer{} // One layer retries: poll.
	})
	if own := dynamodb.NewFromConfig(cfg).Options().BaseEndpoint; own != nil && client.Options().BaseEndpoint == nil {
		return nil, fmt.Errorf("%w beside the DynamoDB at %s: set AWS_ENDPOINT_URL_APPLICATION_AUTO_SCALING if there is one", errNoScaling, *own)
	}
	return client, nil
}
