package dynamo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/footfall/footfall/sinks"
)

// answered reports whether DynamoDB itself refused the request, so that nothing was written.
func answered(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorFault() != smithy.FaultServer && status(err) < 500
}

// status returns the HTTP status of the answer, 0 where there was none.
func status(err error) int {
	if r, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return r.HTTPStatusCode()
	}
	return 0
}

// meaningOf returns what the user can do about err, and the error of package sinks that it stands for. No meaning
// (nil) is a request at fault, which repeating does not cure.
func meaningOf(err error) (hint string, meaning error) {
	if _, ok := errors.AsType[*credentialsError](err); ok {
		return hintCredentials, sinks.ErrDenied
	}
	if answered(err) {
		api, _ := errors.AsType[smithy.APIError](err)
		if hint, meaning = meaningOfCode(api.ErrorCode(), api.ErrorMessage()); meaning == sinks.ErrThrottled {
			return "", throttleError(err, api.ErrorCode())
		} else if meaning != nil {
			return hint, meaning
		}
	}
	switch s := status(err); {
	case s == http.StatusTooManyRequests:
		return "", &sinks.ThrottleError{Reasons: []string{"status 429"}}
	case s >= 500, s == http.StatusRequestTimeout:
		return "", sinks.ErrUnknownOutcome
	case s >= 200 && s < 300:
		return "", sinks.ErrUnknownOutcome // Done, but the answer was cut short or damaged.
	case lost(err):
		return "", sinks.ErrUnknownOutcome
	}
	return "", nil
}

// lost reports whether a request got no whole answer: the connection could not be made or broke, time ran out, or the answer was damaged.
func lost(err error) bool {
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorFault() == smithy.FaultServer {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, errDamaged)
}

const (
	hintCredentials = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run under a role (for DynamoDB Local any will do)"
	hintKey         = "the access key or its secret is wrong, or belongs to another endpoint: look at AWS_PROFILE, AWS_ACCESS_KEY_ID and " +
		"AWS_SECRET_ACCESS_KEY"
	hintExpired = "the session has expired: sign in again (aws sso login), or set a fresh AWS_SESSION_TOKEN"
	hintPolicy  = "allow the action on this table and its indexes in the policy of these credentials"
	hintTable   = "make it with 'footfall table create', or look at the table's name, AWS_REGION and AWS_ENDPOINT_URL_DYNAMODB"
	hintClock   = "the request arrived late, or this machine's clock is wrong"
)

// meaningOfCode knows the error codes of DynamoDB and of AWS in front of it. TransactionConflict and
// ReplicatedWriteConflict mean that another writer was at the same item: nothing was written, and later it will be,
// which is what a throttle means to the caller. A signature that has expired was that of a request which lay about
// for 5 minutes; the next one is signed afresh, by a clock that the SDK has corrected from the answer.
func meaningOfCode(code, message string) (hint string, meaning error) {
	switch code {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
		"Throttling", "ThrottledException", "RequestThrottled", "RequestThrottledException", "TooManyRequestsException",
		"TransactionConflictException", "TransactionInProgressException", "ReplicatedWriteConflictException":
		return "", sinks.ErrThrottled
	case "ResourceNotFoundException", "TableNotFoundException":
		return hintTable, sinks.ErrNoTable
	case "InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed":
		if code[0] == 'R' || strings.Contains(message, "Signature expired") || strings.Contains(message, "Signature not yet current") {
			return hintClock, sinks.ErrUnknownOutcome
		}
		return hintKey, sinks.ErrDenied
	case "UnrecognizedClientException", "InvalidClientTokenId", "IncompleteSignature", "IncompleteSignatureException",
		"InvalidAccessKeyId", "AuthFailure":
		return hintKey, sinks.ErrDenied
	case "ExpiredTokenException", "ExpiredToken":
		return hintExpired, sinks.ErrDenied
	case "AccessDeniedException", "AccessDenied", "UnauthorizedOperation", "OptInRequired", "KMSAccessDeniedException":
		return hintPolicy, sinks.ErrDenied
	case "MissingAuthenticationToken", "MissingAuthenticationTokenException":
		return hintCredentials, sinks.ErrDenied
	case "ValidationException":
		if tooLarge(message) {
			return "", sinks.ErrTooLarge
		}
	}
	return "", nil
}

// renewed reports whether there are other credentials by now than those that a request was refused with, because they have expired: by
// the clock of AWS, or because they were revoked. Those of the environment or a file of keys stay the same.
func (t *Table) renewed(ctx context.Context, refused error) bool {
	r, ok := errors.AsType[*smithyhttp.ResponseError](refused)
	cache, cached := t.credentials.(interface{ Invalidate() })
	if !ok || !cached || r.Response.Request == nil {
		return false
	}
	other := func() bool {
		c, err := t.credentials.Retrieve(ctx)
		return err == nil && c.SessionToken != r.Response.Request.Header.Get("X-Amz-Security-Token")
	}
	if other() { // Another request has had them renewed.
		return true
	}
	cache.Invalidate()
	return other()
}

// tooLarge knows how DynamoDB says that an item would pass 400 KB; it has no code of its own for that. The service
// says "Item size has exceeded the maximum allowed size" of a new item and "Item size to update has exceeded the
// maximum allowed size" of a grown one.
func tooLarge(message string) bool {
	return strings.Contains(message, "Item size") && strings.Contains(message, "exceeded the maximum allowed size")
}

// errDamaged reports an answer that is not as it was sent.
var errDamaged = errors.New("the answer was damaged on its way")

// is reports whether err is an error of the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func hasCode(err error, code string) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == code
}

// throttleError collects the reasons that DynamoDB gave; the code stands in where it gave none.
func throttleError(err error, code string) *sinks.ThrottleError {
	var given []types.ThrottlingReason
	if e, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); ok {
		given = e.ThrottlingReasons
	} else if e, ok := errors.AsType[*types.ThrottlingException](err); ok {
		given = e.ThrottlingReasons
	} else if e, ok := errors.AsType[*types.RequestLimitExceeded](err); ok {
		given = e.ThrottlingReasons
	}
	var t sinks.ThrottleError
	for _, r := range given {
		if r.Reason != nil {
			t.Reasons = append(t.Reasons, aws.ToString(r.Reason))
		}
	}
	if t.Reasons == nil {
		t.Reasons = []string{code}
	}
	return &t
}

// credentialsError marks that no credentials could be had, so that no request was sent.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "no usable AWS credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }
