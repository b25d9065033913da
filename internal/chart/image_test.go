//go:build image

package chart

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	image   = "footfall:dev"           // of ci/local-values.yaml
	network = "footfall-smoke_default" // of scripts/compose-smoke, which runs this test; ci/local-values.yaml has its names
)

// container starts the image as Kubernetes starts a pod of the chart: with its arguments, environment, files and confinement.
func container(t *testing.T, all []object, name string, pod object) (id string) {
	t.Helper()
	root := t.TempDir()
	mount(t, root, all, pod)
	command := []string{"run", "--detach", "--network", network, "--read-only", "--cap-drop", "ALL", "--user", "65532:65532",
		"--security-opt", "no-new-privileges", "--volume", root + "/etc/footfall:/etc/footfall:ro",
		"--memory", strings.TrimSuffix(at[string](pod, "containers", 0, "resources", "limits", "memory"), "i"),
		"--env", "AWS_ACCESS_KEY_ID=local", "--env", "AWS_SECRET_ACCESS_KEY=local"}
	for _, v := range env(pod) {
		command = append(command, "--env", v)
	}
	id = docker(t, append(append(command, image), args(pod)...)...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s says: %s", name, docker(t, "logs", "--tail", "30", id))
		}
		docker(t, "rm", "--force", id)
	})
	return id
}

func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Errorf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestImageRunsAsTheChartSays: the table is made, run counts into it and serve answers, without a right or a file that they may write.
// SIGTERM ends each within its grace period; the engine would kill it then, and its exit code would be 137.
func TestImageRunsAsTheChartSays(t *testing.T) {
	all := render(t, "local", "--set", "config.table=dynamodb://chart,config.kafka.group=chart")
	table := container(t, all, "table create", find(t, all, "Job/web-table").pod())
	if code := docker(t, "wait", table); code != "0" {
		t.Fatalf("table create ended with %s", code)
	}
	for _, name := range []string{"StatefulSet/web", "Deployment/web-serve"} {
		pod := find(t, all, name).pod()
		id := container(t, all, name, pod)
		until(t, id, regexp.MustCompile(`^ok`), "health", "--ready")
		if name == "StatefulSet/web" {
			until(t, id, regexp.MustCompile(`"pageViews": *[1-9]`), "query", "stats", "news.example", "--output", "json", "--config",
				"/etc/footfall/footfall.yaml")
			if log := docker(t, "logs", id); strings.Contains(log, "the memory limit of") {
				t.Errorf("the chart's limit is too low: %s", log)
			}
		}
		grace := fmt.Sprint(pod["terminationGracePeriodSeconds"])
		docker(t, "stop", "--timeout", grace, id)
		if code := docker(t, "inspect", "--format", "{{.State.ExitCode}}", id); code != "0" {
			t.Errorf("%s ended with %s within its grace period of %s s", name, code, grace)
		}
	}
}

// until asks a command of footfall in a container until its answer is as expected.
func until(t *testing.T, id string, want *regexp.Regexp, command ...string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; {
		out, err := exec.Command("docker", append([]string{"exec", id, "/footfall"}, command...)...).CombinedOutput()
		if err == nil && want.Match(out) {
			return
		}
		running := docker(t, "inspect", "--format", "{{.State.Running}}", id)
		if running != "true" || time.Now().After(deadline) {
			t.Fatalf("%v: running: %s, %v: %s", command, running, err, out)
		}
	}
}
