package layers

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

// TestAPIIsAsListed holds the exported declarations of the packages that Go programs may import against testdata/api.txt, so that a
// change of the API is seen in review. With -update it rewrites the list.
func TestAPIIsAsListed(t *testing.T) {
	var lines []string
	packages := loaded(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if strings.HasPrefix(name, "pipeline/") && name != "pipeline/telemetry" || name == "docs" || name == "sinks/sinktest" {
			continue
		}
		p := packages[name]
		qualify := func(other *types.Package) string {
			if other == p {
				return ""
			}
			return other.Name()
		}
		for _, declared := range p.Scope().Names() {
			object := p.Scope().Lookup(declared)
			if !object.Exported() {
				continue
			}
			of, isType := object.(*types.TypeName)
			if !isType {
				lines = append(lines, name+": "+types.ObjectString(object, qualify))
				continue
			}
			if fields, ok := of.Type().Underlying().(*types.Struct); ok && !of.IsAlias() {
				lines = append(lines, name+": type "+declared+" struct")
				for f := range fields.Fields() {
					if f.Exported() {
						lines = append(lines, name+": "+declared+"."+f.Name()+" "+types.TypeString(f.Type(), qualify))
					}
				}
			} else {
				lines = append(lines, name+": "+types.ObjectString(object, qualify))
			}
			for m := range types.NewMethodSet(types.NewPointer(object.Type())).Methods() {
				if m.Obj().Exported() && m.Obj().Pkg() == p {
					lines = append(lines, name+": "+types.SelectionString(m, qualify))
				}
			}
		}
	}
	golden.Check(t, "testdata/api.txt", strings.Join(lines, "\n")+"\n")
}
