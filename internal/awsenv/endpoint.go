package awsenv

import (
	"cmp"
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// settings are what the SDK's generated clients ask of the environment, and of a profile.
type settings interface {
	GetIgnoreConfiguredEndpoints(ctx context.Context) (ignore, found bool, err error)
	GetServiceBaseEndpoint(ctx context.Context, service string) (endpoint string, found bool, err error)
	GetUseFIPSEndpoint(ctx context.Context) (state aws.FIPSEndpointState, found bool, err error)
}

// Endpoint returns the endpoint that is configured for a service, by its id in the SDK, or for all services; "": AWS's own.
func Endpoint(ctx context.Context, cfg aws.Config, service string) (endpoint string) {
	for _, source := range cfg.ConfigSources {
		if s, ok := source.(settings); ok {
			if ignore, _, _ := s.GetIgnoreConfiguredEndpoints(ctx); ignore {
				return ""
			}
			of, _, _ := s.GetServiceBaseEndpoint(ctx, service)
			endpoint = cmp.Or(endpoint, of)
		}
	}
	return cmp.Or(endpoint, aws.ToString(cfg.BaseEndpoint))
}

// OwnEndpoint returns AWS's endpoint of a service in a region, by the name of its hosts. If the configuration says so, it is for FIPS 140.
func OwnEndpoint(ctx context.Context, cfg aws.Config, service, region string) string {
	fips, domain := aws.FIPSEndpointStateUnset, "amazonaws.com"
	for _, source := range cfg.ConfigSources {
		if s, ok := source.(settings); ok {
			of, _, _ := s.GetUseFIPSEndpoint(ctx)
			fips = cmp.Or(fips, of)
		}
	}
	if fips == aws.FIPSEndpointStateEnabled {
		service += "-fips"
	}
	if strings.HasPrefix(region, "cn-") {
		domain += ".cn"
	}
	return "https://" + service + "." + region + "." + domain
}
