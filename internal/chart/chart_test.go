// Package chart tests the Helm chart in deploy/helm with Helm itself, which tools/helm.mod names.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

func TestMain(m *testing.M) {
	defer os.RemoveAll(filepath.Dir(chart))
	os.Exit(testenv.Run(m))
}

// chart is a copy of deploy/helm. The go command sees which files of this module a test reads, and not what Helm reads.
var chart = func() string {
	dir, err := os.MkdirTemp("", "chart")
	if err == nil {
		dir = filepath.Join(dir, "footfall")
		err = os.CopyFS(dir, os.DirFS("../../deploy/helm"))
	}
	if err != nil {
		panic(err)
	}
	return dir
}()

// program builds Helm, once in the build cache, and returns its path.
var program = sync.OnceValues(func() (string, error) {
	cmd := exec.Command("go", "tool", "-n", "-modfile=../../tools/helm.mod", "helm")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("go tool -modfile=tools/helm.mod helm: %w: %s", err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
})

// helm runs Helm and returns what it prints, and its error with what it says. To compile Helm takes minutes, once.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	slow.Test(t)
	path, err := program()
	if err != nil && os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(chart), "KUBECONFIG=")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("helm %s: %w: %s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}

// sets are the files of values, by name.
func sets(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(chart + "/ci/*-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range files {
		all[strings.TrimSuffix(filepath.Base(f), "-values.yaml")] = f
	}
	if len(all) < 8 {
		t.Fatalf("%d sets of values, want 8", len(all))
	}
	return all
}

// render returns the objects that the chart makes of a set of values.
func render(t *testing.T, set string, args ...string) []object {
	t.Helper()
	text, err := helm(t, append([]string{"template", "web", chart, "--namespace", "stats", "--values", sets(t)[set]}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

func decode(t *testing.T, text string) (all []object) {
	t.Helper()
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if o != nil {
			all = append(all, o)
		}
	}
}

// object is a document of YAML, or a part of one.
type object map[string]any

// at returns what is at a path of names and indices; nil: nothing.
func at[T any](o object, path ...any) (value T) {
	var v any = o
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, ok := v.(object)
			if !ok {
				return value
			}
			v = m[s]
		case int:
			list, ok := v.([]any)
			if !ok || s >= len(list) {
				return value
			}
			v = list[s]
		}
	}
	value, _ = v.(T)
	return value
}

func (o object) name() string { return at[string](o, "kind") + "/" + at[string](o, "metadata", "name") }

// pod is the template of a workload's pods; nil: it is none.
func (o object) pod() object { return at[object](o, "spec", "template", "spec") }

// find returns the object of a kind and name.
func find(t *testing.T, all []object, name string) object {
	t.Helper()
	var names []string
	for _, o := range all {
		if names = append(names, o.name()); o.name() == name {
			return o
		}
	}
	t.Fatalf("no %s among %v", name, names)
	return nil
}

// env are the variables of a pod's container, as a process has them. Names of pods and values of Secrets are made up.
func env(pod object) (vars []string) {
	for _, v := range at[[]any](pod, "containers", 0, "env") {
		variable := v.(object)
		value, ok := variable["value"].(string)
		switch {
		case ok:
		case at[string](variable, "valueFrom", "fieldRef", "fieldPath") == "metadata.name":
			value = "web-0"
		case at[object](variable, "valueFrom", "secretKeyRef") != nil:
			value = strings.Repeat("0f", 16)
		}
		vars = append(vars, variable["name"].(string)+"="+value)
	}
	return vars
}

// args are the arguments of a pod's container.
func args(pod object) (words []string) {
	for _, w := range at[[]any](pod, "containers", 0, "args") {
		words = append(words, fmt.Sprint(w))
	}
	return words
}
