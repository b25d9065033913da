package links

import (
	"net/url"
	"slices"

	"github.com/footfall/footfall/query"
)

// BackParam has the range, the comparison and the filters that a list of sessions, or a session, leads back to, as a query string. The list
// has its own range: it would lack recent sessions if it took that of the page before.
const BackParam = "back"

// comparedParams are the parameters of Address.compared.
var comparedParams = []string{"from", "to", "period", "tz", "compare", WhereParam, SegmentParam, MaxEventsParam}

// ParseBack reads a value of BackParam. ok is false if it is not one.
func ParseBack(value string) (_ url.Values, ok bool) {
	values, err := url.ParseQuery(value)
	if err != nil {
		return nil, false
	}
	for name, all := range values {
		if !slices.Contains(comparedParams, name) || len(all) > 1 && name != WhereParam || slices.Contains(all, "") {
			return nil, false
		}
	}
	_, err = query.ParseConditions(values[WhereParam])
	return values, err == nil
}

// came are the values of the page that a page of sessions leads back to; nil: its address has none.
func (a Address) came() url.Values {
	if value := a.Values[BackParam]; value != "" {
		values, _ := ParseBack(value)
		return values
	}
	return nil
}

// WithBack adds to the values of a page of sessions what leads back to this page, unless that is the default.
func (a Address) WithBack(values url.Values) url.Values {
	came := a.Values[BackParam]
	if came == "" && !a.OfSessions {
		if came = a.Compared().Encode(); came == (url.Values{"from": {DefaultFrom}}).Encode() {
			came = ""
		}
	}
	if came != "" {
		values.Set(BackParam, came)
	}
	return values
}

// Home is the address of the site's page that a page of sessions leads back to.
func (a Address) Home() string {
	return To(a.Base+SitePath(a.Site), a.came())
}

// Origin is the address with the filters of the page that it leads back to: under them its list of sessions is shown.
func (a Address) Origin() Address {
	own, err := query.ParseConditions(a.came()[WhereParam])
	if err != nil {
		return a
	}
	a.Segment, a.Segmented = a.BackSegment(), a.BackSegmented
	a.Where = slices.Concat(a.Locked, a.BackSegmented, a.Own(own))
	return a
}

// BackSegment is the segment of the page that it leads back to; "": none.
func (a Address) BackSegment() string { return a.came().Get(SegmentParam) }
