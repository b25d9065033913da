package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/golden"
)

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Errorf("Validate of the default: %v", err)
	}
	loaded, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	loaded.origins = nil
	if !reflect.DeepEqual(loaded, c) {
		t.Errorf("Load of nothing = %+v, want the default %+v", loaded, c)
	}
}

func TestEachRuleSaysWhatToDo(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/bad: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			_, err := Load(Sources{File: file})
			if err == nil {
				t.Fatal("no error")
			}
			golden.Check(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
		})
	}
}

func TestFileSetsEveryField(t *testing.T) {
	c, err := Load(Sources{File: "testdata/full.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	d := Default()
	defaults := d.fields()
	for i, f := range c.fields() {
		other := f.path == "kafka.sasl.passwordFile" || strings.HasPrefix(f.path, "kafka.sasl.oauth.") ||
			f.path == "visitorHashKeyFile" || f.path == "sites.alertKey" || f.path == "event.timeUnit" // Another one is set in its place.
		if !other && reflect.DeepEqual(f.value.Interface(), defaults[i].value.Interface()) {
			t.Errorf("%s has its default %v", f.path, f.value)
		}
	}
	if c.Kafka.SASL.Password != "12345" || c.AllowedLateness != Off || c.Retention.Raw != Never || len(c.NonInteractiveEvents) != 0 {
		t.Errorf("password %q, lateness %v, retention %v, non-interactive %q", c.Kafka.SASL.Password, c.AllowedLateness,
			c.Retention.Raw, c.NonInteractiveEvents)
	}
}

func TestPrintedConfigurationMasksSecrets(t *testing.T) {
	c, err := Load(Sources{File: "testdata/full.yaml", Env: []string{"FOOTFALL_KAFKA_TOPIC=clicks"},
		Over: []Value{{"kafka.group", "nightly", "--kafka-group"}}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"12345", "000102030405060708090a0b0c0d0e0f"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the secret %s is printed", secret)
		}
	}
	golden.Check(t, "testdata/full.printed", string(text))
}

// TestPrintedURLsMaskSecrets: also of a configuration that is refused.
func TestPrintedURLsMaskSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"https://login.example.com/token":                 "https://login.example.com/token",
		"https://login.example.com/token?key=s3cret&a=b":  "https://login.example.com/token?********",
		"https://me:s3cret@login.example.com/token?a=b":   "********@login.example.com/token?********",
		"https://me:s3?cret@login.example.com/token?key=": "********",
	} {
		var c Config
		c.Kafka.SASL.OAuth.TokenEndpoint = url
		if text, err := c.YAML(); err != nil || !strings.Contains(string(text), "tokenEndpoint: '"+want+"'\n") &&
			!strings.Contains(string(text), "tokenEndpoint: "+want+"\n") {
			t.Errorf("%s is printed in\n%s, %v, want %s", url, text, err, want)
		}
	}
}

func TestListsHaveNoEmptyEntries(t *testing.T) {
	const empty = "has an empty entry: leave it out, with its comma"
	for _, c := range []struct {
		text string
		want []string
		says string // the fault; "": none
	}{
		{"ping, scroll", []string{"ping", "scroll"}, ""},
		{"", nil, ""},
		{",,", nil, empty},
		{"ping, ,", nil, empty},
		{"ping,", nil, empty},
		{" ", nil, empty},
	} {
		over := func(path string) []Value { return []Value{{path, c.text, "--flag"}} }
		got, err := Load(Sources{Over: over("nonInteractiveEvents")})
		if c.says == "" && (err != nil || !reflect.DeepEqual(got.NonInteractiveEvents, c.want)) {
			t.Errorf("%q: %q, %v; want %q", c.text, got.NonInteractiveEvents, err, c.want)
		}
		if c.says != "" {
			for _, path := range []string{"nonInteractiveEvents", "kafka.brokers"} {
				if _, err := Load(Sources{Over: over(path)}); err == nil || !strings.Contains(err.Error(), path+" (--flag): ") ||
					!strings.Contains(err.Error(), c.says) {
					t.Errorf("%s of %q: %v, want it to say %q", path, c.text, err, c.says)
				}
			}
		}
	}
	if c, err := Load(Sources{Env: []string{"FOOTFALL_NON_INTERACTIVE_EVENTS="}}); err != nil || !reflect.DeepEqual(c.NonInteractiveEvents,
		Default().NonInteractiveEvents) {
		t.Errorf("a variable that is set to nothing: %q, %v; want the default", c.NonInteractiveEvents, err)
	}
}

func TestPrintedConfigurationLoadsAsItself(t *testing.T) {
	c, err := Load(Sources{File: "testdata/full.yaml", Env: []string{"FOOTFALL_NON_INTERACTIVE_EVENTS=ping,null,12,a: b"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Kafka.SASL.Password, c.Event.Registry.Password, c.VisitorHashKey = "", "", "" // What is masked does not come back.
	c.Kafka.SASL.PasswordFile = "testdata/full.yaml"
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "printed.yaml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := Load(Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	c.origins, again.origins = nil, nil
	if !reflect.DeepEqual(again, c) {
		t.Errorf("printed and loaded: %+v\nwant %+v", again, c)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "footfall.yaml")
	text := "kafka: {brokers: [file:1], topic: file, group: file}\nintervals:\n  stats: 2m\nlog:\nhttp:\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{
		File: file,
		Env: []string{"HOME=/", "FOOTFALL_KAFKA_BROKERS=env:1, env:2", "FOOTFALL_KAFKA_TOPIC=env", "FOOTFALL_KAFKA_GROUP=",
			"FOOTFALL_RAW_EVENTS=false"},
		Over: []Value{{"kafka.topic", "dev", "dev.json"}, {"kafka.topic", "flag", "--topic"}, {"allowedLateness", "off", "--allowed-lateness"},
			{"retention.session", "never", "--retention-session"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Kafka.Brokers; !reflect.DeepEqual(got, []string{"env:1", "env:2"}) {
		t.Errorf("brokers %q, want those of the environment", got)
	}
	if c.Kafka.Topic != "flag" || c.Kafka.Group != "file" || c.Intervals.Stats != 2*time.Minute || c.RawEvents != RawOff ||
		c.AllowedLateness != Off ||
		c.Retention.Session != Never {
		t.Errorf("topic %q, group %q, stats %v, raw events %v, lateness %v; want flag, file, 2m, false, off",
			c.Kafka.Topic, c.Kafka.Group, c.Intervals.Stats, c.RawEvents, c.AllowedLateness)
	}
}

// Sessions must be kept for what may still come of them, rounded up to days.
func TestSessionsAreKeptAsLongAsEventsMayBeOfThem(t *testing.T) {
	for _, c := range []struct {
		name     string
		lateness Lateness
		gap      Gap
		least    Days
	}{
		{"the defaults", Default().AllowedLateness, Default().Visits.Gap, 3},
		{"no lateness, and no visits", 0, NoVisits, 1},
		{"to the hour", Lateness(59 * time.Hour), Gap(time.Hour), 3},
		{"a millisecond more", Lateness(59*time.Hour + time.Millisecond), Gap(time.Hour), 4},
		{"any lateness", Off, Gap(time.Hour), Never},
		{"a century", Lateness(maxDays * day), NoVisits, Never},
		{"more than a century", Lateness(2_500_000 * time.Hour), Gap(time.Hour), Never},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Default()
			config.AllowedLateness, config.Visits.Gap = c.lateness, c.gap
			if got := config.LeastSessionDays(); got != c.least {
				t.Errorf("least %v days, want %v", got, c.least)
			}
			short := c.least - 1
			if c.least == Never {
				short = maxDays
			}
			for days, valid := range map[Days]bool{Never: true, c.least: true, short: false} {
				config.Retention.Session = days
				if err := config.Validate(); (err == nil) != valid {
					t.Errorf("%v days: %v", days, err)
				}
			}
		})
	}
}

func TestUnknownVariablesAreNamed(t *testing.T) {
	for _, c := range []struct{ name, env, want string }{
		{"a typo", "FOOTFALL_KAFKA_BROKER=a:1", "FOOTFALL_KAFKA_BROKER: no such variable: did you mean FOOTFALL_KAFKA_BROKERS?"},
		{"like nothing", "FOOTFALL_X=1", "FOOTFALL_X: no such variable: remove it"},
		{"a bad value", "FOOTFALL_HTTP=80", `http (FOOTFALL_HTTP): "80" is not an address (missing port in address): ` +
			"write it as in :8080 or 127.0.0.1:8080, or leave it empty"},
		{"the tests' own", "FOOTFALL_TEST_REQUIRE_DOCKER=1", ""},
		{"the file's name", "FOOTFALL_CONFIG=footfall.yaml", ""},
		{"a Kubernetes service called footfall", "FOOTFALL_PORT=tcp://10.0.0.1:80", ""},
		{"its port", "FOOTFALL_PORT_80_TCP_ADDR=10.0.0.1", ""},
		{"a Kubernetes service called footfall-kafka", "FOOTFALL_KAFKA_SERVICE_HOST=10.0.0.1", ""},
		{"somebody else's", "TABLE=mysql", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(Sources{Env: []string{c.env}})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.env, got, c.want)
			}
		})
	}
}

func TestMissingFileIsNamed(t *testing.T) {
	_, err := Load(Sources{File: "testdata/none.yaml"})
	if err == nil || !strings.Contains(err.Error(), "testdata/none.yaml") {
		t.Errorf("Load of a file that is not there = %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, []byte("# nothing\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Sources{File: empty}); err != nil {
		t.Errorf("Load of a file of comments = %v", err)
	}
}

func TestEveryFieldHasAVariableAndHelp(t *testing.T) {
	seen := make(map[string]string)
	for _, f := range Fields() {
		if f.Help == "" {
			t.Errorf("%s has no help", f.Path)
		}
		if f.Secret != (f.Flag == "") {
			t.Errorf("%s: secret %v, flag %q: secrets and only they have no flag", f.Path, f.Secret, f.Flag)
		}
		for _, name := range []string{f.Env, f.Flag} {
			if other, ok := seen[name]; ok && name != "" {
				t.Errorf("%s and %s are both set by %s", f.Path, other, name)
			}
			seen[name] = f.Path
		}
		if foreign.MatchString(f.Env) {
			t.Errorf("%s is set by %s, which is taken for somebody else's", f.Path, f.Env)
		}
	}
	for env, path := range map[string]string{
		"FOOTFALL_KAFKA_BROKERS": "kafka.brokers", "FOOTFALL_KAFKA_TOPIC": "kafka.topic", "FOOTFALL_KAFKA_GROUP": "kafka.group",
		"FOOTFALL_TABLE": "table", "FOOTFALL_HTTP": "http", "FOOTFALL_VISITOR_HASH_KEY": "visitorHashKey",
		"FOOTFALL_KAFKA_GROUP_INSTANCE_ID": "kafka.groupInstanceId", "FOOTFALL_KAFKA_SASL_PASSWORD_FILE": "kafka.sasl.passwordFile",
	} {
		if seen[env] != path {
			t.Errorf("%s sets %q, want %s", env, seen[env], path)
		}
	}
}

func FuzzFile(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, "testdata/full.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	name := filepath.Join(f.TempDir(), "fuzz.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Sources{File: name})
		if err != nil {
			return
		}
		c.Kafka.SASL, c.VisitorHashKey = SASL{}, "" // What is masked does not come back.
		printed, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, printed, 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := Load(Sources{File: name})
		if err != nil {
			t.Fatalf("what was printed does not load: %v\n%s", err, printed)
		}
		c.origins, again.origins = nil, nil
		if !reflect.DeepEqual(again, c) && (len(c.NonInteractiveEvents) > 0 || len(again.NonInteractiveEvents) > 0) {
			t.Errorf("printed and loaded: %+v\nwant %+v", again, c)
		}
	})
}

// TestHashKeyOfAFile: the key is that of the file, which may end in a line break, and is masked where the configuration is printed.
func TestHashKeyOfAFile(t *testing.T) {
	const key = "000102030405060708090a0b0c0d0e0f"
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{Env: []string{"FOOTFALL_VISITOR_HASH_KEY_FILE=" + file}})
	if err != nil || c.VisitorHashKey != key {
		t.Errorf("Load = key %q, %v", c.VisitorHashKey, err)
	}
	if text, err := c.YAML(); err != nil || strings.Contains(string(text), key) || !strings.Contains(string(text), "# "+file) {
		t.Errorf("printed as\n%s, %v", text, err)
	}
}

// TestSecretsAreThoseOfEverySource: a secret that another source replaces is one, too, and a file's content is; their names are not.
func TestSecretsAreThoseOfEverySource(t *testing.T) {
	dir := t.TempDir()
	key, file := filepath.Join(dir, "key"), filepath.Join(dir, "footfall.yaml")
	for name, text := range map[string]string{key: "of a file\r\n", file: "kafka: {sasl: {password: of a yaml, passwordFile: " + key + "}}"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := Secrets(Sources{File: file, Env: []string{"FOOTFALL_KAFKA_SASL_PASSWORD=of the environment"},
		Over: []Value{{Path: "kafka.sasl.oauth.clientSecret", Text: "of a flag"}, {Path: "kafka.sasl.oauth.tokenFile", Text: dir},
			{Path: "kafka.sasl.oauth.tokenEndpoint", Text: "https://idp.example/token?key=of-a-url"}}})
	slices.Sort(got)
	want := []string{"key=of-a-url", "of a file", "of a flag", "of a yaml", "of the environment"}
	if got := slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("Secrets = %q, want %q", got, want)
	}
}
