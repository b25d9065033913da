package verified

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Result is what a recount has found.
type Result struct {
	Site     string    // "": all sites
	At       time.Time // when it began, to the millisecond: all records before that were recounted
	From, To time.Time // the range of event time; zero: open
	Zone     string    // that the range was named in, by its IANA name
	Topic    string

	Records     int64            // that were recounted
	Compared    map[string]int64 // items, by kind
	LeftOut     map[string]int64 // items that could not be compared, by reason
	NotCompared int64            // of those, how many figures may need: they have not expired, and are not erased
	Differences int64
	Unsettled   int64 // items that changed at every read
	Behind      int64 // partitions of which not all records could be compared
	ExitCode    int   // of footfall verify
	Generation  int   // of items that were compared: 1 or more
	Bound       Bound // the closed months of which every item equalled the recount
}

// Exit codes of footfall verify that say that the range was compared.
const (
	exitEqual     = 0
	exitDifferent = 1
)

// Conclusive reports whether the recount says something of the whole range: whether it is equal, or not.
func (r Result) Conclusive() bool {
	return (r.ExitCode == exitEqual || r.ExitCode == exitDifferent) && r.Behind == 0 && r.Unsettled == 0 &&
		r.NotCompared == 0
}

// Item is the item of the result.
func (r Result) Item(keys sinks.Keys) sinks.Item {
	at := r.At.UnixMilli()
	key := keys.Verification(r.Site, at)
	it := sinks.Item{
		sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEntity: sinks.Str(sinks.EntityVerification), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		sinks.AttrVerifiedAt: sinks.Int(at), sinks.AttrTimeZone: sinks.Str(r.Zone), sinks.AttrTopicName: sinks.Str(r.Topic),
		sinks.AttrRecords: sinks.Int(r.Records), sinks.AttrCompared: counts(r.Compared), sinks.AttrLeftOut: counts(r.LeftOut),
		sinks.AttrNotCompared: sinks.Int(r.NotCompared), sinks.AttrDifferences: sinks.Int(r.Differences),
		sinks.AttrUnsettled: sinks.Int(r.Unsettled), sinks.AttrBehind: sinks.Int(r.Behind),
		sinks.AttrExitCode: sinks.Int(int64(r.ExitCode)), sinks.AttrTTL: sinks.Int(expiry(at)),
	}
	if r.Site != "" {
		it[sinks.AttrSiteID] = sinks.Str(r.Site)
	}
	if len(r.Bound.Months) > 0 {
		text, err := json.Marshal(r.Bound)
		if err != nil {
			panic(err) // Strings marshal.
		}
		it[sinks.AttrBound] = sinks.Str(string(text))
	}
	if r.Generation > 1 {
		it[sinks.AttrGeneration] = sinks.Int(int64(r.Generation))
	}
	for name, end := range map[string]time.Time{sinks.AttrRangeFrom: r.From, sinks.AttrRangeTo: r.To} {
		if !end.IsZero() {
			it[name] = sinks.Int(end.UnixMilli())
		}
	}
	return it
}

// expiry is when a result expires, in seconds since the epoch.
func expiry(atMs int64) int64 { return atMs/1000 + sinks.VerificationDays*86_400 }

func counts(n map[string]int64) sinks.Value {
	if n == nil {
		n = map[string]int64{}
	}
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // Numbers marshal.
	}
	return sinks.Str(string(text))
}

// Read reads the item of a result. One that does not fit its key, or that no recount can have made, is an error.
func Read(it sinks.Item) (r Result, err error) {
	r = Result{Site: it[sinks.AttrSiteID].Str(), At: instant(it[sinks.AttrVerifiedAt]), From: instant(it[sinks.AttrRangeFrom]),
		To: instant(it[sinks.AttrRangeTo]), Zone: it[sinks.AttrTimeZone].Str(), Topic: it[sinks.AttrTopicName].Str(),
		Records: it[sinks.AttrRecords].Int(), NotCompared: it[sinks.AttrNotCompared].Int(), Differences: it[sinks.AttrDifferences].Int(),
		Unsettled: it[sinks.AttrUnsettled].Int(),
		Behind:    it[sinks.AttrBehind].Int(), ExitCode: int(it[sinks.AttrExitCode].Int()),
		Generation: max(1, int(it[sinks.AttrGeneration].Int()))}
	compared, leftOut := it[sinks.AttrCompared], it[sinks.AttrLeftOut]
	if err = json.Unmarshal([]byte(compared.Str()), &r.Compared); err == nil {
		err = json.Unmarshal([]byte(leftOut.Str()), &r.LeftOut)
	}
	if text := it[sinks.AttrBound].Str(); err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &r.Bound)
	}
	if err == nil {
		err = r.check(it)
	}
	if err != nil {
		return Result{}, fmt.Errorf("verification %s: %w; footfall verify --record writes a new one", it.Key().SK, err)
	}
	return r, nil
}

// check reports what cannot be in the result of an item.
func (r Result) check(it sinks.Item) error {
	for _, name := range []string{sinks.AttrVerifiedAt, sinks.AttrRecords, sinks.AttrNotCompared, sinks.AttrDifferences,
		sinks.AttrUnsettled, sinks.AttrBehind,
		sinks.AttrExitCode} {
		if v := it[name]; v.Kind() != sinks.Number || v.Int() < 0 {
			return fmt.Errorf("attribute %s must be a number of 0 or more", name)
		}
	}
	if !r.From.IsZero() && !r.To.IsZero() && !r.From.Before(r.To) {
		return fmt.Errorf("the range from %v to %v is empty", r.From, r.To)
	}
	if _, err := time.LoadLocation(r.Zone); err != nil || r.Zone == "" || r.Zone == "Local" {
		return fmt.Errorf("%q is no time zone", r.Zone)
	}
	for _, of := range []map[string]int64{r.Compared, r.LeftOut} {
		for what, n := range of {
			if n < 0 {
				return fmt.Errorf("%d items of %q", n, what)
			}
		}
	}
	switch compared := total(r.Compared); {
	case r.ExitCode > 5 || r.ExitCode == 2:
		return fmt.Errorf("%d is no exit code of footfall verify", r.ExitCode)
	case r.NotCompared > total(r.LeftOut):
		return fmt.Errorf("%d items not compared of %d left out", r.NotCompared, total(r.LeftOut))
	case (r.Differences > 0) != (r.ExitCode == exitDifferent):
		return fmt.Errorf("%d differences and the exit code %d", r.Differences, r.ExitCode)
	case r.ExitCode == exitEqual && (compared == 0 || r.Unsettled > 0):
		return fmt.Errorf("%d items compared, %d unsettled and the exit code 0", compared, r.Unsettled)
	}
	return nil
}

func total(n map[string]int64) (sum int64) {
	for _, of := range n {
		sum += of
	}
	return sum
}

func instant(v sinks.Value) time.Time {
	if v.Kind() != sinks.Number {
		return time.Time{}
	}
	return time.UnixMilli(v.Int()).UTC()
}

// Write keeps a result of the generation of keys. Repeating it writes the same.
func Write(ctx context.Context, table sinks.Table, keys sinks.Keys, r Result) error {
	r.Generation = max(1, keys.Generation)
	if _, err := table.Put(ctx, sinks.Put{Item: r.Item(keys)}); err != nil {
		return fmt.Errorf("record the result: %w", err)
	}
	return nil
}
