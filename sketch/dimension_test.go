package sketch

import (
	"strings"
	"testing"
)

func TestDimensionsKeepTheirNumbersAndNames(t *testing.T) {
	want := "hostname page referrer channel utm_source utm_medium utm_campaign utm_content utm_term " +
		"country region city device browser os event"
	var names []string
	for i, d := range Dimensions() {
		names = append(names, d.String())
		if back, err := ParseDimension(d.String()); int(d) != i || back != d || err != nil {
			t.Errorf("dimension %d is %d, and parses as %d, error %v", i, d, back, err)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("dimensions %s, want %s", got, want)
	}
	for _, name := range []string{"", "Page", "utm", "dimension 16", Dimension(16).String()} {
		if d, err := ParseDimension(name); err == nil || !strings.Contains(err.Error(), ", utm_term, ") {
			t.Errorf("%q parses as %s, error %v: it should name what there is", name, d, err)
		}
	}
}

// Items that were written before a dimension was added are read as they were.
func TestStoredNumbersOfDimensionsStay(t *testing.T) {
	for i, name := range strings.Fields("hostname page referrer channel utm_source utm_medium utm_campaign utm_content utm_term country " +
		"region city device browser os event") {
		if d, err := ParseDimension(name); err != nil || d.stored() != byte(i) {
			t.Errorf("%s has number %d, error %v, want %d", name, d.stored(), err, i)
		}
	}
	for n := range uint64(MaxProperty) {
		if d := PropertyDimension(n + 1); d.stored() != 16+byte(n) {
			t.Errorf("property %d has number %d", n+1, d.stored())
		}
	}
	for d := range allDimensions {
		if back := dimensionOf(d.stored()); back != d {
			t.Errorf("%s comes back as %s", d, back)
		}
	}
	if d := dimensionOf(byte(allDimensions)); d != allDimensions {
		t.Errorf("the first free number is %s", d)
	}
}
