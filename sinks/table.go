package sinks

import (
	"context"
	"errors"
)

// Table is a store of items under a partition key and a sort key. It has as few verbs as the flush protocol
// needs. All methods are safe for concurrent use, and none of them retries: one layer retries, package retry with the
// policy of the caller, and it decides by the errors below.
//
// Every verb is linearizable for one item; no verb is atomic over several. Where an error wraps
// [ErrUnknownOutcome] the write may have happened, may happen a little later, or may never happen:
// the caller repeats it, and the condition in it makes the repetition harmless.
type Table interface {
	// Update changes one item, creating it if absent, when all conditions of u hold. A condition that does not
	// hold is an answer, not an error: Result.Refused is set, nothing was written, and Result.Item is the item
	// as it stands. Repeating an Update that carries no condition on what it changes applies it twice.
	Update(ctx context.Context, u Update) (Result, error)

	// Put replaces one whole item when all conditions hold; with none, always. Repeating an unconditional Put
	// with the same item changes nothing. A refusal is answered as by Update.
	Put(ctx context.Context, p Put) (Result, error)

	// Delete removes one item when all conditions hold. Deleting an absent item is not an error.
	Delete(ctx context.Context, d Delete) (Result, error)

	// BatchPut replaces up to MaxBatchPut whole items, no key twice, no name twice in an item, in no order and without
	// atomicity. It names the keys that the store did not take; the others are durable. On an error any of them may be
	// durable. Repeating it with the same items changes nothing.
	BatchPut(ctx context.Context, items []Attrs) (BatchResult, error)

	// BatchGet reads up to MaxBatchGet items, no key twice. Absent items are left out. It names the keys
	// that the store did not get to; ask for those again.
	BatchGet(ctx context.Context, g BatchGet) (BatchResult, error)

	// Query reads the items of one partition key of the table or of an index, in the order of their sort keys,
	// a page at a time. Items that have expired may still be among them: the reader filters.
	Query(ctx context.Context, q Query) (Page, error)
}

// Limits of a store that callers must respect; they are DynamoDB's.
const (
	MaxBatchPut     = 25
	MaxBatchGet     = 100
	MaxItemBytes    = 400 << 10 // names and values of one item, by Item.Size
	MaxPartitionKey = 2048      // bytes
	MaxSortKey      = 1024      // bytes
)

// Update is a change of one item. Add and Set name different attributes, none of them a key.
type Update struct {
	Key    Key
	Add    []Attr   // numbers, added to what is there; an absent attribute or item counts as 0
	Set    []Attr   // replaced
	Remove []string // removed
	If     []Cond   // all must hold; none: unconditional
	Return bool     // answer with the item as it is after the update
}

// Put is a whole item, with its key as the attributes "pk" and "sk".
type Put struct {
	Item Item
	If   []Cond
}

// Delete names an item to remove.
type Delete struct {
	Key Key
	If  []Cond
}

// Cond is a condition on one attribute of the item that is about to be written.
type Cond struct {
	Attr  string
	Op    Op
	Value Value // not used by Absent and Present
}

// Op is how a condition compares.
type Op uint8

// The conditions the protocol needs. Absent on the attribute "pk" means that the item does not exist.
const (
	Absent       Op = iota + 1 // the attribute does not exist
	Present                    // the attribute exists
	Equal                      // the attribute exists and equals Value
	AbsentOrLess               // the attribute does not exist, or is a number less than Value
)

// Result answers Update, Put and Delete.
type Result struct {
	Refused bool    // a condition did not hold; nothing was written
	Item    Item    // when refused, the item as it stands, nil if absent; else, if asked for, the item after the update
	Units   float64 // write units consumed, indexes included; a refusal consumes too
}

// BatchResult answers BatchPut and BatchGet.
type BatchResult struct {
	Items map[Key]Item // BatchGet: what was found
	Left  []Key        // what the store did not get to, in no order
	Units float64      // write units (BatchPut) or read units (BatchGet) consumed
}

// BatchGet names items to read.
type BatchGet struct {
	Keys       []Key
	Consistent bool // a strong read: sees every write that was answered before it began
}

// Index is what a Query runs on.
type Index uint8

// The table and its index. The index holds keys only: its items carry pk, sk and the index's own two
// attributes; read the rest with BatchGet.
const (
	Base Index = iota
	GSI1
)

// Query selects items of one partition key by their sort keys: either those that begin with Prefix, or those
// from From to To, both included, where an empty bound is open.
type Query struct {
	Index      Index
	PK         string
	Prefix     string
	From, To   string
	Desc       bool
	Limit      int    // items a page at most; 0: as many as the store gives
	After      string // Page.Next of the page before; "" begins at the start
	Consistent bool   // a strong read; not on an index
}

// Page is an answer to Query.
type Page struct {
	Items []Item
	Next  string // pass as Query.After for the next page; "" when there is none
	Units float64
}

// Errors that a store's methods wrap. Any other error means that the request itself is at fault or the store is
// broken: repeating it does not help.
var (
	// ErrThrottled: refused for lack of capacity, nothing was written; repeat it later. See ThrottleError.
	ErrThrottled = errors.New("throttled")
	// ErrUnknownOutcome: the store answered late, not at all, or with a server error; a write may have happened.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrTooLarge: the item would pass MaxItemBytes; nothing was written.
	ErrTooLarge = errors.New("item too large")
	// ErrNoTable: the table does not exist.
	ErrNoTable = errors.New("table does not exist")
	// ErrDenied: the credentials are missing, expired or not allowed to do this.
	ErrDenied = errors.New("access denied")
)

// Retryable reports whether the same request may succeed later, unchanged.
func Retryable(err error) bool {
	return errors.Is(err, ErrThrottled) || errors.Is(err, ErrUnknownOutcome)
}
