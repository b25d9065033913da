// Package localtable is what tables on one machine do as DynamoDB does: it checks requests, applies writes to items, encodes items
// and cursors, and counts units. It stores nothing.
package localtable

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// What DynamoDB refuses is refused here in the same places, so a pipeline that runs on one machine
// runs on DynamoDB too.

func checkKey(k sinks.Key) error {
	return errors.Join(checkKeyText(sinks.AttrPK, k.PK, sinks.MaxPartitionKey), checkKeyText(sinks.AttrSK, k.SK, sinks.MaxSortKey))
}

func checkKeyText(name, s string, limit int) error {
	switch {
	case s == "":
		return fmt.Errorf("key attribute %s is empty: a key has 1 to %d bytes", name, limit)
	case len(s) > limit:
		return fmt.Errorf("key attribute %s has %d bytes, %.40q...: a key has 1 to %d bytes", name, len(s), s, limit)
	case !utf8.ValidString(s):
		return fmt.Errorf("key attribute %s = %.40q is not valid UTF-8: escape it", name, s)
	}
	return nil
}

// checkItem checks a whole item but for its size.
func checkItem(it sinks.Item) error {
	for _, name := range []string{sinks.AttrPK, sinks.AttrSK} {
		if it[name].Kind() != sinks.String {
			return fmt.Errorf("key attribute %s is missing or no string: an item needs both", name)
		}
	}
	if err := checkKey(it.Key()); err != nil {
		return err
	}
	for name, v := range it {
		if err := checkValue(name, v); err != nil {
			return err
		}
	}
	return nil
}

// checkValue checks an attribute, of which those that are keys in GSI1 are strings of a key's length.
func checkValue(name string, v sinks.Value) error {
	if name == "" || !utf8.ValidString(name) {
		return fmt.Errorf("attribute name %q is empty or not valid UTF-8", name)
	}
	limit := 0
	switch name {
	case sinks.AttrGSI1PK:
		limit = sinks.MaxPartitionKey
	case sinks.AttrGSI1SK:
		limit = sinks.MaxSortKey
	}
	if limit > 0 {
		if v.Kind() != sinks.String {
			return fmt.Errorf("index key attribute %s is no string", name)
		}
		return checkKeyText(name, v.Str(), limit)
	}
	switch v.Kind() {
	case sinks.String:
		if !utf8.ValidString(v.Str()) {
			return fmt.Errorf("attribute %s = %.40q is not valid UTF-8: store it as binary", name, v.Str())
		}
	case sinks.Number:
		return checkNumber(name, v.Num())
	case sinks.Binary:
	case sinks.List:
		for i, s := range v.Strings() {
			if !utf8.ValidString(s) {
				return fmt.Errorf("attribute %s: element %d, %.40q, is not valid UTF-8", name, i, s)
			}
		}
	default:
		return fmt.Errorf("attribute %s has no value: leave it out, or remove it", name)
	}
	return nil
}

// tooWide is 10^38, the least number of more than 38 digits.
var tooWide = func() int128.Int {
	n, err := int128.Parse("1" + strings.Repeat("0", 38))
	if err != nil {
		panic(err)
	}
	return n
}()

// checkNumber also catches a sum that wrapped around: two numbers of at most 38 digits add up to less than
// 2*10^38, and 2^128 less than that is below -10^38.
func checkNumber(name string, n int128.Int) error {
	if n.Compare(tooWide) < 0 && n.Compare(tooWide.Neg()) > 0 {
		return nil
	}
	return fmt.Errorf("attribute %s = %s has more than 38 digits", name, n)
}

func checkSize(it sinks.Item) (size int, err error) {
	size = it.Size()
	if size > sinks.MaxItemBytes {
		k := it.Key()
		return size, fmt.Errorf("%w: %s / %s would have %d bytes, at most %d fit", sinks.ErrTooLarge, k.PK, k.SK, size, sinks.MaxItemBytes)
	}
	return size, nil
}

// CheckUpdate checks what can be known of an update before its item is read.
func CheckUpdate(u sinks.Update) error {
	if err := checkKey(u.Key); err != nil {
		return err
	}
	names := make(map[string]bool, len(u.Add)+len(u.Set)+len(u.Remove))
	once := func(name string) error {
		switch {
		case name == sinks.AttrPK || name == sinks.AttrSK:
			return fmt.Errorf("attribute %s is the item's key: it cannot be updated", name)
		case names[name]:
			return fmt.Errorf("attribute %s is named twice in one update", name)
		}
		names[name] = true
		return nil
	}
	for _, a := range u.Add {
		if a.Value.Kind() != sinks.Number {
			return fmt.Errorf("attribute %s: only a number can be added", a.Name)
		}
		if err := errors.Join(once(a.Name), checkValue(a.Name, a.Value)); err != nil {
			return err
		}
	}
	for _, a := range u.Set {
		if err := errors.Join(once(a.Name), checkValue(a.Name, a.Value)); err != nil {
			return err
		}
	}
	for _, name := range u.Remove {
		if err := once(name); err != nil {
			return err
		}
	}
	return checkConds(u.If)
}

func checkConds(conds []sinks.Cond) error {
	for _, c := range conds {
		switch c.Op {
		case sinks.Absent, sinks.Present:
		case sinks.Equal:
			if c.Value.Kind() == sinks.None {
				return fmt.Errorf("condition on %s: Equal needs a value", c.Attr)
			}
		case sinks.AbsentOrLess:
			if c.Value.Kind() != sinks.Number {
				return fmt.Errorf("condition on %s: AbsentOrLess needs a number", c.Attr)
			}
		default:
			return fmt.Errorf("condition on %s: unknown comparison %d", c.Attr, c.Op)
		}
	}
	return nil
}

// CheckPut checks an item to put, and its conditions.
func CheckPut(p sinks.Put) error {
	if err := errors.Join(checkItem(p.Item), checkConds(p.If)); err != nil {
		return err
	}
	_, err := checkSize(p.Item)
	return err
}

// CheckDelete checks the key to delete, and its conditions.
func CheckDelete(d sinks.Delete) error { return errors.Join(checkKey(d.Key), checkConds(d.If)) }

// CheckBatchGet checks the keys of a batch to read.
func CheckBatchGet(keys []sinks.Key) error {
	if len(keys) > sinks.MaxBatchGet {
		return fmt.Errorf("a batch has %d keys at most: split it", sinks.MaxBatchGet)
	}
	seen := make(map[sinks.Key]bool, len(keys))
	for _, k := range keys {
		if err := checkKey(k); err != nil {
			return err
		}
		if seen[k] {
			return fmt.Errorf("key %s / %s is in the batch twice", k.PK, k.SK)
		}
		seen[k] = true
	}
	return nil
}

// CheckQuery checks a query, and reads its cursor; nil: the query begins at the start.
func CheckQuery(q sinks.Query) (Cursor, error) {
	switch {
	case q.Index > sinks.GSI1:
		return nil, fmt.Errorf("there is no index %d", q.Index)
	case q.Index != sinks.Base && q.Consistent:
		return nil, errors.New("an index has no strong reads: leave Consistent out")
	case q.Prefix != "" && (q.From != "" || q.To != ""):
		return nil, errors.New("a query goes by a prefix or by bounds: leave one of them out")
	case q.Limit < 0:
		return nil, fmt.Errorf("limit %d is negative: 0 asks for as many as fit", q.Limit)
	}
	if err := checkKeyText(sinks.AttrPK, q.PK, sinks.MaxPartitionKey); err != nil || q.After == "" {
		return nil, err
	}
	return readCursor(q)
}
