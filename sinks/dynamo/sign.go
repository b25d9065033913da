package dynamo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// A signer makes signatures of version 4, those of the SDK's aws/signer/v4 for the few headers that a request of ours has. The key of a
// day is derived once. The zero value is ready for use; it is not safe for concurrent use.
type signer struct {
	secret, day string
	to          *target
	scope       string    // day, region, service
	mac         hash.Hash // with the key of secret and scope
	text        []byte
	sum         []byte
}

const timeFormat = "20060102T150405Z" // of X-Amz-Date

// signed is what a signature is about.
type signed struct {
	date        string // as timeFormat
	credentials aws.Credentials
	to          *target
	operation   string // X-Amz-Target
	body        []byte
}

const (
	contentType = "application/x-amz-json-1.0"

	algorithm        = "AWS4-HMAC-SHA256"
	signedNames      = "content-length;content-type;host;x-amz-date;x-amz-target"
	signedNamesToken = "content-length;content-type;host;x-amz-date;x-amz-security-token;x-amz-target"
)

// authorization returns the header of that name.
func (s *signer) authorization(q signed) string {
	s.prepare(q)
	names := signedNames
	if q.credentials.SessionToken != "" {
		names = signedNamesToken
	}
	b := append(append(s.text[:0], "POST\n"...), q.to.path...)
	b = strconv.AppendInt(append(b, "\n\ncontent-length:"...), int64(len(q.body)), 10)
	b = append(append(b, "\ncontent-type:"+contentType+"\nhost:"...), q.to.host...)
	b = append(append(b, "\nx-amz-date:"...), q.date...)
	if q.credentials.SessionToken != "" {
		b = append(append(b, "\nx-amz-security-token:"...), q.credentials.SessionToken...)
	}
	b = append(append(b, "\nx-amz-target:"...), q.operation...)
	b = append(append(append(b, "\n\n"...), names...), '\n')
	body := sha256.Sum256(q.body)
	canonical := sha256.Sum256(hex.AppendEncode(b, body[:]))

	b = append(append(b[:0], algorithm+"\n"...), q.date...)
	b = append(append(append(b, '\n'), s.scope...), '\n')
	s.mac.Reset()
	s.mac.Write(hex.AppendEncode(b, canonical[:]))
	s.sum = s.mac.Sum(s.sum[:0])

	b = append(append(b[:0], algorithm+" Credential="...), q.credentials.AccessKeyID...)
	b = append(append(append(b, '/'), s.scope...), ", SignedHeaders="...)
	b = append(append(b, names...), ", Signature="...)
	s.text = hex.AppendEncode(b, s.sum)
	return string(s.text)
}

// prepare derives the key, unless it has the one that is needed.
func (s *signer) prepare(q signed) {
	secret, day := q.credentials.SecretAccessKey, q.date[:len("20060102")]
	if s.secret == secret && s.day == day && s.to == q.to {
		return
	}
	key := []byte("AWS4" + secret)
	for _, part := range []string{day, q.to.region, q.to.service, "aws4_request"} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	s.secret, s.day, s.to, s.scope, s.mac = secret, day, q.to, day+q.to.scope, hmac.New(sha256.New, key)
}
