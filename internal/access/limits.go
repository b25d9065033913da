package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Limits narrow what a credential allows within its sites. The zero value limits nothing.
type Limits struct {
	// The range that all answers must lie in, in days of the site's own zone: dates, or days before today, which move with it. Either
	// From, and To unless it is open, or Period.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"` // exclusive
	Period string `json:"period,omitempty"`

	// Where are filters that all answers must be under. Package query reads them. Operations whose answers cannot be put under them are
	// refused: see Need.Filtered.
	Where []Filter `json:"where,omitempty"`

	// Origins are where pages may show this one in a frame, as in https://app.example. None: no other page may.
	Origins []string `json:"origins,omitempty"`
}

// A Filter is one text, as in country=DE, with a single value that may have commas. Or it has several values, and is a dimension with an
// operator, as in country=, and then the values. In JSON it is a string or a list of strings: release 0.1.0 refuses a credential with a
// list.
type Filter []string

// MarshalJSON writes one text as a string.
func (f Filter) MarshalJSON() ([]byte, error) {
	if len(f) == 1 {
		return json.Marshal(f[0])
	}
	return json.Marshal([]string(f))
}

// UnmarshalJSON reads a string, or a list of a dimension and its values.
func (f *Filter) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		if err := json.Unmarshal(text, (*[]string)(f)); err != nil || len(*f) > 1 {
			return err
		}
		return errors.New("where: a list is a dimension with an operator, as in country=, and then its values")
	}
	*f = Filter{""}
	return json.Unmarshal(text, &(*f)[0])
}

// validate reports what is wrong with the sizes of a filter.
func (f Filter) validate() error {
	switch {
	case len(f) > 1+maxValues || len(strings.Join(f, "")) > maxTotal:
		return fmt.Errorf("filter %.32q: name at most %d values, of together %d bytes", strings.Join(f, ","), maxValues, maxTotal)
	case slices.ContainsFunc(f, func(text string) bool { return text == "" || len(text) > maxText }):
		return fmt.Errorf("filter %.32q: write 1 to %d bytes for each text, as in country=DE", strings.Join(f, ","), maxText)
	}
	return nil
}

// Ranged reports whether answers are limited to a range.
func (l Limits) Ranged() bool { return l.From != "" || l.To != "" || l.Period != "" }

// Narrow reports whether answers are limited to a range or to what passes filters.
func (l Limits) Narrow() bool { return l.Ranged() || l.Filtered() }

// Filtered reports whether answers are limited to what passes filters.
func (l Limits) Filtered() bool { return len(l.Where) > 0 }

// Limits of a credential, in numbers and bytes.
const (
	MaxSites   = 100
	maxOrigins = 20
	maxWhere   = 10
	maxValues  = 50   // of a filter
	maxTotal   = 2048 // of all values of a filter together
	maxSite    = 1024 // of a siteId
	maxText    = 256
)

// dayText matches an instant that is the beginning of a day.
var dayText = regexp.MustCompile(`^([0-9]{4}(-[0-9]{2}){0,2}|today|yesterday|now|-[1-9][0-9]{0,4}[dw])$`)

// periodText matches the name of a period.
var periodText = regexp.MustCompile(`^([0-9]{4}(-[0-9]{2}){0,2}|today|yesterday|[1-9][0-9]{0,4}d|(last-)?(week|month|year))$`)

// Validate reports what is wrong with the limits.
func (l Limits) Validate() error {
	for _, end := range []struct{ name, text string }{{"from", l.From}, {"to", l.To}} {
		if end.text != "" && !dayText.MatchString(end.text) {
			return fmt.Errorf("%s %q: write a date (2026-05-12), a month, a year, today, yesterday, or days or weeks as in -30d and -4w: a limit "+
				"is the beginning of a day", end.name, end.text)
		}
	}
	switch {
	case l.To != "" && l.From == "":
		return fmt.Errorf("to %q: name from as well", l.To)
	case l.Period != "" && (l.From != "" || l.To != ""):
		return fmt.Errorf("period %q: leave it out, or from and to: a range is named in one way", l.Period)
	case l.Period != "" && !periodText.MatchString(l.Period):
		return fmt.Errorf("period %q: choose today, yesterday, 30d or another number of days, week, month, year, last-week, last-month, "+
			"last-year, a date, a month or a year", l.Period)
	case len(l.Origins) > maxOrigins:
		return fmt.Errorf("%d origins: name at most %d", len(l.Origins), maxOrigins)
	case len(l.Where) > maxWhere:
		return fmt.Errorf("%d filters: name at most %d", len(l.Where), maxWhere)
	}
	for _, origin := range l.Origins {
		if err := CheckOrigin(origin); err != nil {
			return err
		}
	}
	for i, filter := range l.Where {
		if slices.ContainsFunc(l.Where[:i], func(o Filter) bool { return slices.Equal(o, filter) }) {
			return fmt.Errorf("filter %.32q is named twice: name it once", strings.Join(filter, ","))
		}
		if err := filter.validate(); err != nil {
			return err
		}
	}
	return nil
}

// CheckOrigin reports whether a text is an origin as browsers spell it: it goes into a header as it is.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != origin ||
		strings.ContainsAny(origin, " ;,'\"*") || strings.ToLower(origin) != origin {
		return fmt.Errorf("origin %q: write scheme, host in lower case, and port if it is not the usual one, as in https://app.example", origin)
	}
	return nil
}

// checkSites reports what is wrong with the ids of sites.
func checkSites(sites []string, all bool) error {
	switch {
	case all && len(sites) > 0:
		return errors.New("all sites and single ones are named: name one of the two")
	case !all && len(sites) == 0:
		return errors.New("no site is named: name the sites, or all of them")
	case len(sites) > MaxSites:
		return fmt.Errorf("%d sites are named: name at most %d, or all of them", len(sites), MaxSites)
	}
	for i, site := range sites {
		if site == "" || len(site) > maxSite {
			return fmt.Errorf("site %.32q: write 1 to %d bytes", site, maxSite)
		}
		if slices.Contains(sites[:i], site) {
			return fmt.Errorf("site %q is named twice: name it once", site)
		}
	}
	return nil
}

// decodeStrict reads one JSON document without fields that v does not have: an unknown limit must not be taken for none.
func decodeStrict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one document")
	}
	return nil
}
