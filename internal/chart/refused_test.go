package chart

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/config"
)

// TestContradictionsAreRefused, with a message that names the values and what to do.
func TestContradictionsAreRefused(t *testing.T) {
	for _, c := range []struct{ set, values, want string }{
		{"default", "run.replicas=9", "run.replicas is 9, and the topic has 8 partitions: members above that count nothing. Lower run.replicas"},
		{"default", "run.terminationGracePeriodSeconds=35", "run.terminationGracePeriodSeconds is 35, and a drain takes up to 35 s: set 40"},
		{"default", "run.resources.limits.memory=500Mi", "run.resources.limits.memory is 500Mi, and the ceilings of config.limits, " +
			"config.duplicates and partitions take 552Mi: raise it"},
		{"default", "config.limits.memoryBytes=4294967296,run.resources.limits.memory=4G", "is 4G, and the ceilings"},
		{"default", "run.resources.requests.memory=1Gi", "run.resources.requests.memory is 1Gi, and the limit is 552Mi: lower it"},
		{"embed", "serve.resources.requests.memory=2Gi", "serve.resources.requests.memory is 2Gi, and the limit is 1Gi: lower it"},
		{"keda", "autoscaling.maxReplicas=25", "autoscaling.maxReplicas is 25, and the topic has 24 partitions"},
		{"keda", "autoscaling.maxReplicas=1", "autoscaling.minReplicas is 2, more than autoscaling.maxReplicas, 1: lower it"},
		{"keda", "autoscaling.lagThreshold=null", "autoscaling.lagThreshold is not set: set what `footfall plan --keda` prints"},
		{"keda", "autoscaling.minReplicas=0", "at '/autoscaling/minReplicas': minimum: got 0, want 1"},
		{"keda", "autoscaling.scaleDownSeconds=10", "at '/autoscaling/scaleDownSeconds': minimum: got 10, want 600"},
		{"keda", "secrets.kafkaPassword.name=", "config.kafka.sasl.mechanism is SCRAM-SHA-512, and secrets.kafkaPassword.name is empty: name"},
		{"eks", "env.AWS_REGION=", "env.AWS_REGION is not set: KEDA logs in at MSK with it"},
		{"oauth", "config.kafka.sasl.oauth.audience=kafka", "KEDA takes no token of a ServiceAccount and asks for no audience: turn it off"},
		{"token", "autoscaling.enabled=true", "KEDA takes no token of a ServiceAccount"},
		{"token", "config.kafka.sasl.mechanism=PLAIN", "secrets.kafkaToken.audience is kafka: it needs config.kafka.sasl.mechanism OAUTHBEARER"},
		{"oauth", "secrets.kafkaToken.audience=kafka", "and secrets.kafkaPassword.name must be empty"},
		{"token", "secrets.kafkaToken.expirationSeconds=60", "at '/secrets/kafkaToken/expirationSeconds': minimum: got 60, want 600"},
		{"default", "secrets.kafkaPassword.name=kafka", "secrets.kafkaPassword.name is kafka, and config.kafka.sasl.mechanism is empty: set"},
		{"default", "secrets.kafkaTLS.name=kafka", "secrets.kafkaTLS.name is kafka, and config.kafka.tls.enabled is not true: set it"},
		{"mtls", "secrets.kafkaTLS.name=", "secrets.kafkaTLS.clientCertificate is true, and secrets.kafkaTLS.name is empty: name the Secret"},
		{"default", "serve.enabled=true", "serve.publicUrl is empty, and serve.enabled is true: set the address"},
		{"default", "serve.ingress.enabled=true", "serve.ingress.enabled is true, and serve.enabled is false: set it to true"},
		{"eks", "serve.publicUrl=http://stats.example", `serve.ingress.tlsSecret is stats-example, and serve.publicUrl is "http://stats.example"`},
		{"default", "config.table=sqlite:///data/footfall.db", "at '/config/table': 'sqlite:///data/footfall.db' does not match pattern"},
		{"default", "env.FOOTFALL_TABLE=other", "invalid propertyName 'FOOTFALL_TABLE'"},
		{"default", "run.replica=3", "at '/run': additional properties 'replica' not allowed"},
		{"default", "config.kafka.borkers=a:1", "at '/config/kafka': additional properties 'borkers' not allowed"},
		{"default", "config.http=:8080", "at '/config': additional properties 'http' not allowed"},
		{"default", "config.kafka.sasl.password=x", "at '/config/kafka/sasl': additional properties 'password' not allowed"},
		{"default", "partitions=null", "at '': missing property 'partitions'"},
		{"default", "image.repository=", "at '/image/repository': minLength: got 0, want 1"},
	} {
		t.Run(c.values, func(t *testing.T) {
			_, err := helm(t, "template", "web", chart, "--values", sets(t)[c.set], "--set", c.values)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s with %s: %v; want %q", c.set, c.values, err, c.want)
			}
		})
	}
}

// schema is values.schema.json.
func schema(t *testing.T) (s object) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/helm/values.schema.json")
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryObjectIsClosed: an object of the schema has the keys that it lists, or texts by names of the user's own.
func TestEveryObjectIsClosed(t *testing.T) {
	objects := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			if x["type"] == "object" {
				objects++
				texts, _ := x["additionalProperties"].(map[string]any)
				if x["additionalProperties"] != false && texts["type"] != "string" && path != "/properties/global" {
					t.Errorf("%s allows any key", path)
				}
			}
			for k, v := range x {
				walk(path+"/"+k, v)
			}
		case []any:
			for _, v := range x {
				walk(path, v)
			}
		}
	}
	walk("", map[string]any(schema(t)))
	if objects < 30 {
		t.Errorf("the schema has %d objects only", objects)
	}
}

// TestSchemaHasEveryKey: config takes the keys of the configuration file, without secrets and what the chart sets.
func TestSchemaHasEveryKey(t *testing.T) {
	ours := []string{"http", "kafka.groupInstanceId", "kafka.sasl.passwordFile", "kafka.sasl.oauth.clientSecretFile",
		"kafka.sasl.oauth.tokenFile", "kafka.tls.ca", "kafka.tls.cert", "kafka.tls.key", "visitorHashKeyFile"}
	var want, got []string
	for _, f := range config.Fields() {
		if !f.Secret && !slices.Contains(ours, f.Path) {
			want = append(want, f.Path)
		}
	}
	var walk func(prefix string, v map[string]any)
	walk = func(prefix string, v map[string]any) {
		for name, key := range v["properties"].(map[string]any) {
			if key := key.(map[string]any); key["properties"] != nil {
				walk(prefix+name+".", key)
			} else {
				got = append(got, prefix+name)
			}
		}
	}
	walk("", schema(t)["properties"].(map[string]any)["config"].(map[string]any))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("config of values.schema.json has\n%v, want\n%v", got, want)
	}
}
