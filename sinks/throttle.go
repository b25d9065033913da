package sinks

import (
	"slices"
	"strings"
	"sync"
)

// ThrottleError says why a request was refused for lack of capacity. It wraps ErrThrottled.
type ThrottleError struct {
	Reasons []string // as DynamoDB names them: TableWriteProvisionedThroughputExceeded, TableWriteKeyRangeThroughputExceeded, ...
}

func (e *ThrottleError) Error() string {
	return "throttled: " + strings.Join(e.Reasons, ", ")
}

func (e *ThrottleError) Unwrap() error { return ErrThrottled }

// HotKey reports whether the key itself is at its limit, rather than the table or the account:
// then only writers of that key should slow down.
func (e *ThrottleError) HotKey() bool {
	return slices.ContainsFunc(e.Reasons, func(r string) bool { return strings.Contains(r, "KeyRange") })
}

// ThrottleReasons are the reasons that a table gives, as DynamoDB names them, the codes of errors without a reason among them. The caller
// does not change them. Source: "Understanding DynamoDB throttling", Amazon DynamoDB Developer Guide.
func ThrottleReasons() []string { return throttleReasons() }

var throttleReasons = sync.OnceValue(func() []string {
	reasons := []string{"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", ReasonUnprocessed}
	for _, of := range []string{"Table", "Index"} {
		for _, doing := range []string{"Read", "Write"} {
			for _, limit := range []string{"ProvisionedThroughput", "KeyRangeThroughput", "MaxOnDemandThroughput", "AccountLimit"} {
				reasons = append(reasons, of+doing+limit+"Exceeded")
			}
		}
	}
	return reasons
})

// ReasonUnprocessed is of items and keys that a batch left over.
const ReasonUnprocessed = "UnprocessedItems"
