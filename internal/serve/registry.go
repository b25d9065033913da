package serve

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// registry keeps the schemas of the types of answers. Huma's own says of a struct that may be null that it is always there; this one says
// that it may be null. Types of equal names are an error.
type registry struct {
	schemas map[string]*huma.Schema
	types   map[string]reflect.Type
}

const schemaPrefix = "#/components/schemas/"

func newRegistry() *registry {
	return &registry{map[string]*huma.Schema{}, map[string]reflect.Type{}}
}

// Schema returns a reference to a struct, and the schema itself of any other type.
func (r *registry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	base := t
	for base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	if base.Kind() != reflect.Struct || base == reflect.TypeFor[time.Time]() {
		return huma.SchemaFromType(r, t)
	}
	name := schemaName(base, hint)
	switch known, ok := r.types[name]; {
	case !ok:
		r.types[name], r.schemas[name] = base, &huma.Schema{} // The type may hold itself.
		*r.schemas[name] = *huma.SchemaFromType(r, base)
		if base != reflect.TypeFor[NewAnnotation]() { // What is sent has no unknown fields.
			r.schemas[name].AdditionalProperties = nil // A later release may add figures.
		}
	case known != base:
		panic(fmt.Sprintf("two types are named %s: %v and %v", name, known, base))
	}
	if !allowRef {
		return r.schemas[name]
	}
	ref := &huma.Schema{Ref: schemaPrefix + name}
	if t.Kind() == reflect.Pointer {
		return &huma.Schema{AnyOf: []*huma.Schema{ref, {Type: "null"}}}
	}
	return ref
}

// schemaName names a type. Changes of figures that may be unknown have a name of their own.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if strings.Contains(t.Name(), "[*") {
		return "Known" + name
	}
	return name
}

// SchemaFromRef returns the schema that a reference leads to.
func (r *registry) SchemaFromRef(ref string) *huma.Schema {
	return r.schemas[strings.TrimPrefix(ref, schemaPrefix)]
}

// TypeFromRef returns the type that a reference leads to.
func (r *registry) TypeFromRef(ref string) reflect.Type {
	return r.types[strings.TrimPrefix(ref, schemaPrefix)]
}

// Map returns all schemas by name.
func (r *registry) Map() map[string]*huma.Schema { return r.schemas }

// RegisterTypeAlias is not supported: no type has another's schema.
func (r *registry) RegisterTypeAlias(t, _ reflect.Type) {
	panic(fmt.Sprintf("no alias of %v can be registered", t))
}

// MarshalJSON writes the schemas by name.
func (r *registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.schemas) }
