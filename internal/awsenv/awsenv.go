// Package awsenv loads the configuration of AWS's SDK from its standard environment, for all clients in the same way.
package awsenv

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// renewBefore is how long before their end credentials are renewed. By itself the SDK does that for containers alone, and uses others up
// to their last moment: they end on their way, or earlier by the clock of AWS. STS grants no less than 15 minutes.
const renewBefore = time.Minute

// Load loads the configuration, with options over what the environment says.
func Load(ctx context.Context, options ...func(*config.LoadOptions) error) (aws.Config, error) {
	early := config.WithCredentialsCacheOptions(func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = max(o.ExpiryWindow, renewBefore) })
	c, err := config.LoadDefaultConfig(ctx, append([]func(*config.LoadOptions) error{early}, options...)...)
	if err != nil {
		return c, fmt.Errorf("load the AWS configuration: %w", err)
	}
	return c, nil
}
