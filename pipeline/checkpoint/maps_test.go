package checkpoint

import (
	"fmt"
	"strings"
	"testing"
)

// TestNextMaps: what a step has named holds up to where the lanes have begun, and the configured mapping from there on.
func TestNextMaps(t *testing.T) {
	read := func(text string) (m Maps) { // As in 0=a 100=b.
		for f := range strings.FieldsSeq(text) {
			var s MapSpan
			if _, err := fmt.Sscanf(f, "%d=%s", &s.From, &s.Map); err != nil {
				t.Fatal(err)
			}
			s.Map = strings.Trim(s.Map, "-")
			m = append(m, s)
		}
		return m
	}
	type at struct {
		maps string
		to   int64
	}
	for _, c := range []struct {
		what         string
		own, scripts []at
		start        int64
		configured   string
		want         string
	}{
		{"a fresh chain", nil, nil, 0, "a", "0=a"},
		{"never any", []at{{"", 70}, {"", 90}}, nil, 0, "", ""},
		{"the first", []at{{"", 70}, {"", 90}}, nil, 0, "a", "90=a"},
		{"the same", []at{{"0=a", 70}, {"0=a", 90}}, nil, 0, "a", "0=a"},
		{"another", []at{{"0=a", 70}, {"0=a", 90}}, nil, 0, "b", "0=a 90=b"},
		{"none any more", []at{{"0=a", 90}}, nil, 0, "", "0=a 90=-"},
		{"one lane has begun it", []at{{"0=a", 70}, {"0=a 80=b", 90}}, nil, 0, "b", "0=a 80=b"},
		{"the other one names what never began", []at{{"0=a 80=c 90=d", 70}, {"0=a 80=b", 90}}, nil, 0, "b", "0=a 80=b"},
		{"named, and never begun", []at{{"0=a 90=b", 90}}, nil, 0, "c", "0=a 90=c"},
		{"back to what was, and never begun", []at{{"0=a 90=b", 90}}, nil, 0, "a", "0=a"},
		{"a log that was cut short", []at{{"0=a 100=b", 90}}, nil, 0, "b", "0=a 90=b"},
		{"what the log has lost", []at{{"0=a 50=b 80=c", 90}}, nil, 50, "c", "50=b 80=c"},
		{"plain ones are left", []at{{"0=a 50=-", 90}}, nil, 50, "", ""},
		{"a rebuild begins", nil, []at{{"0=a 50=b", 90}, {"0=a 50=b", 95}}, 0, "c", "0=a 50=b 95=c"},
		{"a rebuild continues", []at{{"0=a 50=b 95=c", 110}}, []at{{"0=a 50=b", 120}}, 0, "c", "0=a 50=b 95=c 110=b 120=c"},
		{"a rebuild is beyond its script", []at{{"0=a 50=b 95=c", 110}}, []at{{"0=a 50=b", 100}}, 0, "c", "0=a 50=b 95=c"},
	} {
		recorded := func(list []at) (all []Mapped) {
			for _, x := range list {
				all = append(all, Mapped{Maps: read(x.maps), To: x.to})
			}
			return all
		}
		if got, want := NextMaps(recorded(c.own), recorded(c.scripts), c.start, c.configured), read(c.want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", c.what, got, want)
		}
	}
	if got, want := read("0=a 50=b 80=c").PlainBelow(60), read("60=b 80=c"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("PlainBelow = %v, want %v", got, want)
	}
}

// TestSettingsNameMaps: former releases spell settings without maps in the same way, and refuse the fold version of settings with maps.
func TestSettingsNameMaps(t *testing.T) {
	s := DefaultSettings()
	if text := s.String(); strings.Contains(text, "maps") || !strings.Contains(text, `"fold":12,`) {
		t.Errorf("settings without maps: %s", text)
	}
	s.Maps = Maps{{5, `{"v":1,"set":["siteId=s","type=t","visitorId=v"],"map":["timestamp=at"]}`}}
	text := s.String()
	back, err := ParseSettings(text)
	if err != nil || back.String() != text || back.Fold != s.Fold || !strings.Contains(text, `"fold":1012,`) {
		t.Errorf("settings with maps: %v, %s", err, text)
	}
	for _, bad := range []string{strings.Replace(text, "1012", "12", 1), strings.Replace(text, "1012", "1013", 1),
		strings.Replace(text, `\"v\":1`, `\"v\":2`, 1), strings.Replace(text, `"maps"`, `"others"`, 1)} {
		if _, err := ParseSettings(bad); err == nil {
			t.Errorf("no error: %s", bad)
		}
	}
	moved := inAnotherTopic(strings.Replace(text, `"from":5`, `"from":7`, 1))
	if !strings.Contains(moved, `"from":0`) || inAnotherTopic(DefaultSettings().String()) != DefaultSettings().String() {
		t.Errorf("in another topic: %s", moved)
	}
}
