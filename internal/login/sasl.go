// Package login authenticates connections to the brokers with passwords, tokens or AWS credentials. Others may replace them while the
// process runs.
package login

import (
	"context"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/awsenv"
	"github.com/footfall/footfall/internal/secret"
)

// Mechanism returns how connections authenticate; nil: they do not. Secrets and tokens are asked for with each connection, and whenever a
// broker wants a connection to authenticate again, before it would end it (KIP-368).
func Mechanism(s config.SASL) (sasl.Mechanism, error) {
	password := secret.New(s.Password, "kafka.sasl.passwordFile", s.PasswordFile)
	if _, err := password.Read(); err != nil {
		return nil, err
	}
	switch strings.ToUpper(s.Mechanism) {
	case config.Plain:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			p, err := password.Read()
			return plain.Auth{User: s.Username, Pass: p}, err
		}), nil
	case config.ScramSHA256:
		return scram.Sha256(func(context.Context) (scram.Auth, error) {
			p, err := password.Read()
			return scram.Auth{User: s.Username, Pass: p}, err
		}), nil
	case config.ScramSHA512:
		return scram.Sha512(func(context.Context) (scram.Auth, error) {
			p, err := password.Read()
			return scram.Auth{User: s.Username, Pass: p}, err
		}), nil
	case config.OAuthBearer:
		t, err := newTokens(s.OAuth)
		return bearer{oauth.Oauth(t.auth)}, err
	case config.AWSMSKIAM:
		return mskIAM()
	}
	return nil, nil
}

// mskIAM authenticates with what the AWS SDK finds: variables, files, a web identity, roles of a container or an instance. They are renewed
// before they expire. The region is that in the broker's name, or else AWS_REGION.
func mskIAM() (sasl.Mechanism, error) {
	c, err := awsenv.Load(context.Background())
	if err != nil {
		return nil, err
	}
	return aws.ManagedStreamingIAM(func(ctx context.Context) (aws.Auth, error) {
		found, err := c.Credentials.Retrieve(ctx)
		if err != nil {
			return aws.Auth{}, &Error{"find AWS credentials for kafka.sasl.mechanism AWS_MSK_IAM", err, false}
		}
		return aws.Auth{AccessKey: found.AccessKeyID, SecretKey: found.SecretAccessKey, SessionToken: found.SessionToken}, nil
	}), nil
}

// Error reports that there is nothing to authenticate with. No broker was asked.
type Error struct {
	what    string
	err     error
	refused bool
}

func (e *Error) Error() string { return e.what + ": " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Refused reports whether asking again is in vain: the identity is not accepted.
func (e *Error) Refused() bool { return e.refused }

// Temporary is the opposite: clients of Kafka ask again then.
func (e *Error) Temporary() bool { return !e.refused }

// Timeout makes it a net.Error, as other failures to connect are.
func (e *Error) Timeout() bool { return false }
