package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// TestKubernetesTakesEachObject of each set of values, in the oldest version that the chart names, the newest, and one between.
func TestKubernetesTakesEachObject(t *testing.T) {
	slow.Test(t)
	const tool = "kubernetes-validate" // of PyPI
	testenv.RequireTools(t, tool)
	dir := t.TempDir()
	var files []string
	objects := 0
	for set := range sets(t) {
		var text strings.Builder
		for _, o := range render(t, set) {
			if !strings.Contains(o["apiVersion"].(string), ".sh/") && !strings.Contains(o["apiVersion"].(string), "coreos") {
				one, err := yaml.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&text, "---\n%s", one)
				objects++
			}
		}
		file := filepath.Join(dir, set+".yaml")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	// One field is misspelled, so the tool does look.
	text, err := os.ReadFile(files[0])
	wrong := filepath.Join(dir, "wrong.yaml")
	if err == nil {
		err = os.WriteFile(wrong, []byte(strings.ReplaceAll(string(text), "serviceName:", "servicName:")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"1.28", "1.33", "1.37"} {
		ask := []string{"--strict", "--kubernetes-version", version}
		out, err := exec.CommandContext(t.Context(), tool, append(ask, files...)...).CombinedOutput()
		if passed := strings.Count(string(out), " passed for resource "); err != nil || passed != objects {
			t.Errorf("%s: %v, %d of %d objects passed:\n%s", version, err, passed, objects, out)
		}
		if out, err := exec.CommandContext(t.Context(), tool, append(ask, wrong)...).CombinedOutput(); err == nil {
			t.Errorf("%s: a misspelled field passed:\n%s", version, out)
		}
	}
}

// TestOperatorsTakeTheirObjects: objects of KEDA and of Prometheus, by the definitions of their Go modules.
func TestOperatorsTakeTheirObjects(t *testing.T) {
	slow.Test(t)
	definitions := make(map[string]*jsonschema.Schema) // by version and kind
	define(t, definitions, "github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases/keda.sh_scaledobjects.yaml",
		"config/crd/bases/keda.sh_triggerauthentications.yaml")
	const monitoring = "example/prometheus-operator-crd/monitoring.coreos.com_"
	define(t, definitions, "github.com/prometheus-operator/prometheus-operator@v0.85.0", monitoring+"servicemonitors.yaml",
		monitoring+"prometheusrules.yaml")
	seen := make(map[any]int)
	for set := range sets(t) {
		for _, o := range render(t, set) {
			definition := definitions[o["apiVersion"].(string)+" "+o["kind"].(string)]
			if definition == nil {
				continue
			}
			seen[o["kind"]]++
			if err := definition.Validate(plain(t, o)); err != nil {
				t.Errorf("%s: %s: %v", set, o.name(), err)
			}
			at[object](o, "spec")["misspelled"] = true
			if definition.Validate(plain(t, o)) == nil {
				t.Errorf("%s: %s passes with a misspelled field", set, o.name())
			}
		}
	}
	if len(seen) != len(definitions) {
		t.Errorf("%v were checked, want one of each of %d kinds at least", seen, len(definitions))
	}
}

// define reads definitions of kinds from a Go module. Unlike Kubernetes, which drops unknown fields, they refuse these.
func define(t *testing.T, definitions map[string]*jsonschema.Schema, module string, files ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // No module needs it.
	out, err := cmd.Output()
	if err != nil && os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") != "1" {
		t.Skipf("%s: %v: %s", module, err, out)
	}
	var got struct{ Dir string }
	if err != nil || json.Unmarshal(out, &got) != nil {
		t.Fatalf("%s: %v: %s", module, err, out)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(got.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var definition object
		if err := yaml.Unmarshal(text, &definition); err != nil {
			t.Fatal(err)
		}
		version := at[object](definition, "spec", "versions", 0)
		schema := at[object](version, "schema", "openAPIV3Schema")
		closed(schema)
		c := jsonschema.NewCompiler()
		if err := c.AddResource(file, plain(t, schema)); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%v/%v %v", at[string](definition, "spec", "group"), version["name"], at[string](definition, "spec", "names", "kind"))
		definitions[name] = compiled
	}
}

// closed makes each object of a definition refuse fields that it does not list.
func closed(schema object) {
	if properties := at[object](schema, "properties"); properties != nil {
		if schema["x-kubernetes-preserve-unknown-fields"] == nil {
			schema["additionalProperties"] = false
		}
		for _, property := range properties {
			closed(property.(object))
		}
	}
	for _, part := range []string{"items", "additionalProperties"} {
		if nested := at[object](schema, part); nested != nil {
			closed(nested)
		}
	}
}

// plain returns what JSON makes of a document of YAML.
func plain(t *testing.T, o object) any {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
