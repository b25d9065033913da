package query

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// A figure that is declared nowhere would be in JSON alone: no table, no comparison and no document would have it.
func TestEachFigureIsDeclared(t *testing.T) {
	undeclared := map[string]bool{"newVisitorsSince": true, "maxUndercount": true, "maxUndercountOfSessions": true}
	declared := make(map[string]bool)
	for _, f := range figures.Answers {
		declared[f.Name] = true
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Figures](), reflect.TypeFor[Changes](), reflect.TypeFor[FilteredFigures](),
		reflect.TypeFor[FilteredChanges]()} {
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" && !declared[name] && !undeclared[name] {
				t.Errorf("%s.%s: figure %q is not in figures.Answers", of.Name(), of.Field(i).Name, name)
			}
		}
	}
	for _, f := range figures.Answers {
		if _, ok := reflect.TypeFor[Figures]().FieldByNameFunc(func(name string) bool {
			field, _ := reflect.TypeFor[Figures]().FieldByName(name)
			json, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			return json == f.Name
		}); !ok {
			t.Errorf("figure %q has no field in Figures", f.Name)
		}
	}
}

// Every sum of a filled bucket is in its figures, and every figure that changes is in the changes.
func TestFiguresAreDerivedAndCompared(t *testing.T) {
	var now, before sitetable.Sums
	for s := range figures.AllSums {
		if !s.Decimal() {
			now.Counts[s], before.Counts[s] = 20+int64(s), 10
		}
	}
	f, b := derived.Of(&now, nil, derived.People), derived.Of(&before, nil, derived.People)
	changes := reflect.ValueOf(f.Since(b))
	byName := make(map[string]reflect.Value)
	for i := range changes.NumField() {
		byName[changes.Type().Field(i).Tag.Get("json")] = changes.Field(i)
	}
	of := reflect.ValueOf(f)
	for _, figure := range figures.FieldsOf[Figures]() {
		if figure.Kind != figures.Total || figure.Sum.Decimal() {
			continue
		}
		if n, ok := figures.Number(of.Field(figure.Index)); !ok || n != float64(20+figure.Sum) {
			t.Errorf("%s = %v (known: %t), want %d", figure.Name, n, ok, 20+figure.Sum)
		}
		if n, ok := figures.Number(byName[figure.Name].FieldByName("Absolute")); !ok || n != float64(10+figure.Sum) {
			t.Errorf("change of %s = %v (known: %t), want %d", figure.Name, n, ok, 10+figure.Sum)
		}
	}
}

// Tables and CSV have the texts of an origin in the order of the dimensions.
func TestOriginHasEachDimension(t *testing.T) {
	var want []string
	for _, d := range figures.Dimensions {
		if d.Field != "" {
			want = append(want, d.Field)
		}
	}
	var have []string
	for field := range reflect.TypeFor[Origin]().Fields() {
		have = append(have, field.Tag.Get("json"))
	}
	if !slices.Equal(have, want) {
		t.Errorf("Origin has %v, want %v", have, want)
	}
	var v state.Values
	for d := range v {
		v[d] = figures.Dimensions[d].Name
	}
	if o := originOf(&v); o.UTMSource != "utm_source" || o.EventName != "event" || o.Hostname != "hostname" || o.OS != "os" {
		t.Errorf("origin %+v, want each text to be the name of its dimension", o)
	}
}
