package dynamo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A signer makes signatures of version 4, those of the SDK's aws/signer/v4 for the few headers that a request of ours has. Safe for
// concurrent use. The key of a day is derived once: that is half of a signature's work.
type signer struct{ key atomic.Pointer[signingKey] }

// signingKey is the key of a secret, a day, a region and a service.
type signingKey struct {
	secret, scope string
	key           []byte
}

// Formats of times in signatures.
const (
	signingTime = "20060102T150405Z"
	signingDay  = "20060102"
)

// signed is what the signature is about.
type signed struct {
	at          time.Time // UTC
	credentials aws.Credentials
	to          *target
	operation   string // X-Amz-Target
	body        []byte
}

// authorization returns the header of that name.
func (s *signer) authorization(q signed) string {
	var buffer [1024]byte
	scope := q.at.Format(signingDay) + q.to.scope
	names := signedNames
	if q.credentials.SessionToken != "" {
		names = signedNamesToken
	}

	b := append(buffer[:0], "POST\n"...)
	b = append(append(b, q.to.path...), "\n\ncontent-length:"...)
	b = strconv.AppendInt(b, int64(len(q.body)), 10)
	b = append(append(b, "\ncontent-type:"+contentType+"\nhost:"...), q.to.host...)
	b = q.at.AppendFormat(append(b, "\nx-amz-date:"...), signingTime)
	if q.credentials.SessionToken != "" {
		b = append(append(b, "\nx-amz-security-token:"...), q.credentials.SessionToken...)
	}
	b = append(append(b, "\nx-amz-target:"...), q.operation...)
	b = append(append(append(b, "\n\n"...), names...), '\n')
	sum := sha256.Sum256(q.body)
	b = hex.AppendEncode(b, sum[:])
	sum = sha256.Sum256(b)

	b = append(b[:0], "AWS4-HMAC-SHA256\n"...)
	b = q.at.AppendFormat(b, signingTime)
	b = append(append(append(b, '\n'), scope...), '\n')
	b = hex.AppendEncode(b, sum[:])
	signature := mac(s.keyOf(q.credentials.SecretAccessKey, scope, q), b)

	b = append(append(b[:0], "AWS4-HMAC-SHA256 Credential="...), q.credentials.AccessKeyID...)
	b = append(append(append(b, '/'), scope...), ", SignedHeaders="...)
	b = append(append(b, names...), ", Signature="...)
	return string(hex.AppendEncode(b, signature))
}

const (
	signedNames      = "content-length;content-type;host;x-amz-date;x-amz-target"
	signedNamesToken = "content-length;content-type;host;x-amz-date;x-amz-security-token;x-amz-target"
)

func (s *signer) keyOf(secret, scope string, q signed) []byte {
	if k := s.key.Load(); k != nil && k.secret == secret && k.scope == scope {
		return k.key
	}
	key := []byte("AWS4" + secret)
	for _, part := range []string{q.at.Format(signingDay), q.to.region, q.to.service, "aws4_request"} {
		key = mac(key, []byte(part))
	}
	s.key.Store(&signingKey{secret, scope, key})
	return key
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
