package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/engine"
)

// configuration is what a container of the chart is configured with, by its arguments, files and environment.
func configuration(t *testing.T, all []object, pod object) (config.Config, error) {
	t.Helper()
	root := t.TempDir()
	mount(t, root, all, pod)
	vars := env(pod)
	for i, v := range vars {
		vars[i] = strings.Replace(v, "=/etc/", "="+root+"/etc/", 1)
	}
	words := strings.Fields(strings.ReplaceAll(strings.Join(args(pod), " "), "=", " "))
	at := slices.Index(words, "--config")
	if at < 0 {
		t.Fatalf("no --config in %v", words)
	}
	return config.Load(config.Sources{File: root + words[at+1], Env: vars})
}

// mount writes what a pod's container finds in its volumes, below root.
func mount(t *testing.T, root string, all []object, pod object) {
	t.Helper()
	files := make(map[string]map[string]string) // by volume and name
	for _, v := range at[[]any](pod, "volumes") {
		volume := v.(object)
		content := make(map[string]string)
		if name := at[string](volume, "configMap", "name"); name != "" {
			for file, text := range at[object](find(t, all, "ConfigMap/"+name), "data") {
				content[file] = text.(string)
			}
		}
		for _, item := range at[[]any](volume, "secret", "items") {
			content[item.(object)["path"].(string)] = "secret"
		}
		if file := at[string](volume, "projected", "sources", 0, "serviceAccountToken", "path"); file != "" {
			content[file] = "token"
		}
		if len(content) == 0 { // all keys of a Secret of TLS
			content = map[string]string{"ca.crt": "", "tls.crt": "", "tls.key": ""}
		}
		files[volume["name"].(string)] = content
	}
	for _, m := range at[[]any](pod, "containers", 0, "volumeMounts") {
		dir := root + m.(object)["mountPath"].(string)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files[m.(object)["name"].(string)] {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSetsOfValues: the chart is valid, its pods are confined, and footfall takes the configuration that they get.
func TestSetsOfValues(t *testing.T) {
	for set, file := range sets(t) {
		t.Run(set, func(t *testing.T) {
			if _, err := helm(t, "lint", "--strict", chart, "--values", file); err != nil {
				t.Error(err)
			}
			all := render(t, set)
			for _, o := range all {
				if o["kind"] == "Secret" {
					t.Errorf("%s is in the chart: Secrets exist", o.name())
				}
				pod := o.pod()
				if pod == nil {
					continue
				}
				confined(t, o.name(), pod)
				if o["kind"] == "Job" {
					continue
				}
				if _, err := configuration(t, all, pod); err != nil {
					t.Errorf("%s: footfall refuses its configuration: %v", o.name(), err)
				}
			}
		})
	}
}

// TestReadmeHasValues that the chart takes.
func TestReadmeHasValues(t *testing.T) {
	readme, err := os.ReadFile("../../deploy/helm/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```yaml\n")
	values, _, found := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil || !found {
		t.Fatalf("no values in the README: %v", err)
	}
	if _, err := helm(t, "lint", "--strict", chart, "--values", file); err != nil {
		t.Error(err)
	}
}

func confined(t *testing.T, name string, pod object) {
	t.Helper()
	want := object{"readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false, "capabilities": object{"drop": []any{"ALL"}}}
	if got := at[object](pod, "containers", 0, "securityContext"); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: securityContext of the container is %v, want %v", name, got, want)
	}
	want = object{"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532,
		"seccompProfile": object{"type": "RuntimeDefault"}}
	if got := at[object](pod, "securityContext"); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: securityContext of the pod is %v, want %v", name, got, want)
	}
	for _, field := range []string{"automountServiceAccountToken", "enableServiceLinks"} {
		if pod[field] != false {
			t.Errorf("%s: %s is %v, want false", name, field, pod[field])
		}
	}
	if at[string](pod, "containers", 0, "resources", "limits", "memory") == "" {
		t.Errorf("%s has no memory limit", name)
	}
}

// TestMembersAreStatic: a pod's name is its member of the group, and pods start at the same time.
func TestMembersAreStatic(t *testing.T) {
	all := render(t, "default")
	set := find(t, all, "StatefulSet/web")
	c, err := configuration(t, all, set.pod())
	if err != nil || c.Kafka.GroupInstanceID != "web-0" {
		t.Errorf("kafka.groupInstanceId is %q, %v, want the pod's name", c.Kafka.GroupInstanceID, err)
	}
	if got := at[string](set, "spec", "podManagementPolicy"); got != "Parallel" {
		t.Errorf("podManagementPolicy is %s", got)
	}
	if got := at[int](find(t, all, "PodDisruptionBudget/web"), "spec", "maxUnavailable"); got != 1 {
		t.Errorf("maxUnavailable is %d, want 1", got)
	}
}

// TestDrainFitsTheGracePeriod: the default leaves five seconds after the longest drain, and what is shorter is refused.
func TestDrainFitsTheGracePeriod(t *testing.T) {
	source, err := os.ReadFile("../../pipeline/drain.go")
	if err != nil {
		t.Fatal(err)
	}
	bound := regexp.MustCompile(`drainAll += (\d+) \* time.Second`).FindSubmatch(source)
	if bound == nil {
		t.Fatal("drain.go has no drainAll")
	}
	seconds, _ := strconv.Atoi(string(bound[1]))
	pod := find(t, render(t, "default"), "StatefulSet/web").pod()
	if grace := at[int](pod, "terminationGracePeriodSeconds"); seconds != 35 || grace < seconds+5 {
		t.Errorf("a drain takes %d s, validate.yaml says 35; the grace period is %d s", seconds, grace)
	}
}

// TestMemoryIsComputed: the limit is what footfall run asks for with all partitions, where its heap has 90 % of it; the request is what
// a member needs while one other is gone.
func TestMemoryIsComputed(t *testing.T) {
	for set, of := range map[string]struct{ partitions, held int64 }{
		"default": {8, 8}, "eks": {64, 13}, "keda": {24, 24}, "monitoring": {1, 1}, "tuned": {256, 18},
	} {
		t.Run(set, func(t *testing.T) {
			all := render(t, set, "--set", "run.resources.limits.memory=,run.resources.requests.memory=")
			pod := find(t, all, "StatefulSet/web").pod()
			c, err := configuration(t, all, pod)
			if err != nil {
				t.Fatal(err)
			}
			for what, want := range map[string]int64{
				"limits":   (engine.MemoryCeiling(c, of.partitions)*10 + 8) / 9,
				"requests": engine.MemoryCeiling(c, of.held),
			} {
				got := at[string](pod, "containers", 0, "resources", what, "memory")
				n, err := strconv.ParseInt(strings.TrimSuffix(got, "Mi"), 10, 64)
				// The window of duplicates has a whole number of positions.
				if least := (want + 1<<20 - 1) >> 20; err != nil || n < least || n > least+1 {
					t.Errorf("%s are %s, want %d Mi", what, got, least)
				}
			}
		})
	}
}

// TestScaler: replicas follow the lag within the partitions; brokers that do not answer change nothing.
func TestScaler(t *testing.T) {
	// As footfall plan --keda prints them.
	values := filepath.Join(t.TempDir(), "scaling.yaml")
	var text strings.Builder
	workload := capacity.DefaultWorkload()
	workload.Partitions = 24
	err := capacity.PrintScaling(&text, capacity.Plan{Workload: &workload, Members: &capacity.Members{LagThreshold: 240_000}})
	if err == nil {
		err = os.WriteFile(values, []byte(text.String()), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := render(t, "keda", "--values", values)
	spec := at[object](find(t, all, "ScaledObject/web"), "spec")
	want := object{"failureThreshold": 3, "replicas": 2, "behavior": "currentReplicasIfHigher"}
	if got := at[object](spec, "fallback"); !reflect.DeepEqual(got, want) {
		t.Errorf("fallback is %v, want %v", got, want)
	}
	if least, most := at[int](spec, "minReplicaCount"), at[int](spec, "maxReplicaCount"); least != 2 || most != 24 {
		t.Errorf("replicas are %d to %d, want 2 to 24", least, most)
	}
	want = object{"bootstrapServers": "kafka:9093", "consumerGroup": "clicks", "topic": "clicks", "lagThreshold": "240000",
		"offsetResetPolicy": "earliest", "allowIdleConsumers": "false", "scaleToZeroOnInvalidOffset": "false", "sasl": "scram_sha512",
		"tls": "enable"}
	if got := at[object](spec, "triggers", 0, "metadata"); !reflect.DeepEqual(got, want) {
		t.Errorf("trigger is %v, want %v", got, want)
	}
	down := at[object](spec, "advanced", "horizontalPodAutoscalerConfig", "behavior", "scaleDown")
	want = object{"stabilizationWindowSeconds": 1800, "policies": []any{object{"type": "Pods", "value": 1, "periodSeconds": 600}}}
	if !reflect.DeepEqual(down, want) {
		t.Errorf("scaleDown is %v, want %v", down, want)
	}
	if replicas, ok := at[object](find(t, all, "StatefulSet/web"), "spec")["replicas"]; ok {
		t.Errorf("the StatefulSet has %v replicas, which the scaler decides", replicas)
	}
}

// TestScalerLogsIn as the members do.
func TestScalerLogsIn(t *testing.T) {
	variable := func(parameter, name string) object {
		return object{"parameter": parameter, "name": "FOOTFALL_KAFKA_SASL_" + name, "containerName": "footfall"}
	}
	for set, want := range map[string]struct{ trigger, auth object }{
		"eks": {object{"sasl": "oauthbearer", "saslTokenProvider": "aws_msk_iam", "awsRegion": "eu-central-1", "tls": "enable"},
			object{"podIdentity": object{"provider": "aws", "identityOwner": "workload"}}},
		"oauth": {object{"sasl": "oauthbearer", "tls": "enable"},
			object{"env": []any{variable("username", "OAUTH_CLIENT_ID"), variable("oauthExtensions", "OAUTH_EXTENSIONS"),
				variable("scopes", "OAUTH_SCOPE"), variable("oauthTokenEndpointUri", "OAUTH_TOKEN_ENDPOINT")},
				"secretTargetRef": []any{object{"parameter": "password", "name": "kafka-client", "key": "secret"}}}},
	} {
		all := render(t, set)
		trigger := at[object](find(t, all, "ScaledObject/web"), "spec", "triggers", 0, "metadata")
		for name := range trigger {
			if want.trigger[name] == nil && !strings.HasPrefix(name, "sasl") && name != "awsRegion" {
				delete(trigger, name)
			}
		}
		if auth := at[object](find(t, all, "TriggerAuthentication/web"), "spec"); !reflect.DeepEqual(trigger, want.trigger) ||
			!reflect.DeepEqual(auth, want.auth) {
			t.Errorf("%s: trigger %v with\n%v, want %v with\n%v", set, trigger, auth, want.trigger, want.auth)
		}
		set := env(find(t, all, "StatefulSet/web").pod())
		for _, v := range at[[]any](want.auth, "env") {
			name := v.(object)["name"].(string) + "="
			if !slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name) && s != name }) {
				t.Errorf("members have no %s, which KEDA reads there: %v", name, set)
			}
		}
	}
}

// TestTokenOfTheServiceAccount: Kubernetes writes it for the brokers, and footfall reads it.
func TestTokenOfTheServiceAccount(t *testing.T) {
	all := render(t, "token")
	pod := find(t, all, "StatefulSet/web").pod()
	c, err := configuration(t, all, pod)
	if err != nil || !strings.HasSuffix(c.Kafka.SASL.OAuth.TokenFile, "/etc/footfall-secrets/kafka-token/token") {
		t.Errorf("footfall reads the token %q, %v", c.Kafka.SASL.OAuth.TokenFile, err)
	}
	if !strings.Contains(fmt.Sprint(pod["volumes"]), "serviceAccountToken:map[audience:kafka expirationSeconds:3600 path:token]") {
		t.Errorf("volumes are %v", pod["volumes"])
	}
}

// TestSecretsAreFiles: what is secret comes from Secrets, as files where footfall reads one, and the scaler uses the same.
func TestSecretsAreFiles(t *testing.T) {
	all := render(t, "keda", "--set", "secrets.kafkaTLS.clientCertificate=true,secrets.visitorHashKey.name=visitors")
	pod := find(t, all, "StatefulSet/web").pod()
	c, err := configuration(t, all, pod)
	if err != nil {
		t.Fatal(err)
	}
	mounted := make(map[string]string) // by volume
	for _, m := range at[[]any](pod, "containers", 0, "volumeMounts") {
		mounted[m.(object)["name"].(string)] = m.(object)["mountPath"].(string)
	}
	for name, file := range map[string]string{"kafka-password/password": c.Kafka.SASL.PasswordFile, "kafka-tls/ca.crt": c.Kafka.TLS.CA,
		"kafka-tls/tls.crt": c.Kafka.TLS.Cert, "kafka-tls/tls.key": c.Kafka.TLS.Key} {
		volume, base, _ := strings.Cut(name, "/")
		if want := mounted[volume] + "/" + base; !strings.HasSuffix(file, want) {
			t.Errorf("footfall reads %q, want %q", file, want)
		}
	}
	if c.Kafka.SASL.Password != "" || c.VisitorHashKey == "" {
		t.Errorf("password %q, visitor key %q; want none and one", c.Kafka.SASL.Password, c.VisitorHashKey)
	}
	auth := at[object](find(t, all, "TriggerAuthentication/web"), "spec")
	if !strings.Contains(fmt.Sprint(auth), "FOOTFALL_KAFKA_SASL_USERNAME") || len(at[[]any](auth, "secretTargetRef")) != 4 {
		t.Errorf("TriggerAuthentication is %v, want a username and four secrets", auth)
	}
	serve := args(find(t, render(t, "embed"), "Deployment/analytics-serve").pod())
	for _, want := range []string{"serve", "--require-token", "--embed-keys=/etc/footfall-secrets/embed-keys/keys.yml",
		"--public-url=https://stats.example:8443", "--max-connections=512"} {
		if !slices.Contains(serve, want) {
			t.Errorf("serve has no %s: %v", want, serve)
		}
	}
}

// TestPackageHasAlertsAndDashboard: the package, in which no link would be followed, makes them of its files.
func TestPackageHasAlertsAndDashboard(t *testing.T) {
	out := t.TempDir()
	if _, err := helm(t, "package", chart, "--destination", out); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(out + "/footfall-*.tgz")
	if err != nil || len(files) != 1 {
		t.Fatalf("packages %v, %v", files, err)
	}
	text, err := helm(t, "template", "web", files[0], "--values", sets(t)["monitoring"])
	if err != nil {
		t.Fatal(err)
	}
	all := decode(t, text)
	read := func(name string) []byte {
		data, err := os.ReadFile(chart + "/files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var alerts object
	if err := yaml.Unmarshal(read("alerts.yml"), &alerts); err != nil {
		t.Fatal(err)
	}
	if got := at[object](find(t, all, "PrometheusRule/web"), "spec"); !reflect.DeepEqual(got, alerts) {
		t.Errorf("the rule is %v, want %v", got, alerts)
	}
	var got, want any
	dashboard := at[string](find(t, all, "ConfigMap/web-dashboard"), "data", "footfall.json")
	if err := json.Unmarshal([]byte(dashboard), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read("grafana.json"), &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the dashboard differs from files/grafana.json: %v", err)
	}
}

// TestVersionIsThatOfTheChangelog: the chart runs the image of its own release.
func TestVersionIsThatOfTheChangelog(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		Version    string `yaml:"version"`
		AppVersion string `yaml:"appVersion"`
	}
	text, err := os.ReadFile("../../deploy/helm/Chart.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &about)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(changes)
	if err != nil || newest == nil || about.Version != string(newest[1]) || about.AppVersion != about.Version {
		t.Errorf("the chart is of %+v, the changelog of %s: %v", about, newest, err)
	}
}
