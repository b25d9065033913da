package tables

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// template is what footfall table template prints.
func template(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := clitest.Footfall(t, append([]string{"table", "template", "--table", "dynamodb://footfall"}, args...)...)
	if code != 0 {
		t.Fatalf("%q: exit code %d, %s", args, code, errs)
	}
	return out
}

func indented(t *testing.T, value any) string {
	t.Helper()
	return string(clitest.Must(json.MarshalIndent(value, "", "  "))) + "\n"
}

// The policies have files of their own in docs/iam: here is how each format has one of them.
func TestTemplatesAreThoseCommitted(t *testing.T) {
	for _, c := range []struct {
		format, flags string
		policies      func(object) object
	}{
		{"cloudformation", "--max-write-units 30000", func(o object) object { return o["Resources"].(object) }},
		{"terraform-json", "--read-capacity 10 --write-capacity 100 --max-read-capacity 20 --max-write-capacity 200 --recovery " +
			"--dynamodb-stream --warm-write-units 12000 --deletion-protection --table-class infrequent-access --tag team=web,env=live",
			func(o object) object { return o["resource"].(object)["aws_iam_policy"].(object) }},
	} {
		out := template(t, append(strings.Fields(c.flags), "--format", c.format)...)
		var all object
		if err := json.Unmarshal([]byte(out), &all); err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		maps.DeleteFunc(c.policies(all), func(id string, _ any) bool {
			return slices.Contains([]string{"adminpolicy", "querypolicy", "servepolicy"}, strings.ToLower(strings.ReplaceAll(id, "_", "")))
		})
		golden.Check(t, filepath.Join("testdata", "template-"+c.format+".json"), indented(t, all))
		for _, left := range []string{"REGION", "ACCOUNT", "table/TABLE"} {
			if strings.Contains(out, left) {
				t.Errorf("%s: %s has no value", c.format, left)
			}
		}
	}
}

// leaves are the values of a document, by their path.
func leaves(value any, at string, to map[string]string) map[string]string {
	switch v := value.(type) {
	case nil:
	case object:
		for name, member := range v {
			leaves(member, at+"."+name, to)
		}
	case []any:
		for i, member := range v {
			leaves(member, fmt.Sprintf("%s[%d]", at, i), to)
		}
	case string:
		if v != "" {
			to[at] = v
		}
	default:
		to[at] = fmt.Sprint(v)
	}
	return to
}

func parsed(t *testing.T, document any) (all object) {
	t.Helper()
	if err := json.Unmarshal(clitest.Must(json.Marshal(document)), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever the requests of table create and table update set is in the templates, with every flag given.
func TestTemplatesHaveAllThatRequestsSet(t *testing.T) {
	protected := true
	s := sinks.Shape{ReadCapacity: 11, WriteCapacity: 12, Recovery: true, Stream: true, Options: sinks.Options{
		WarmWriteUnits: 13, MaxWriteUnits: 14, DeletionProtection: &protected, Class: sinks.ClassInfrequentAccess}}
	for _, v := range []any{s, s.Options} {
		for i := range reflect.TypeOf(v).NumField() {
			if reflect.ValueOf(v).Field(i).IsZero() {
				t.Errorf("the test leaves %T.%s out", v, reflect.TypeOf(v).Field(i).Name)
			}
		}
	}
	r := dynamo.NewRequests("footfall", s, sinks.Change{ReadCapacity: 11, WriteCapacity: 12, MaxReadCapacity: 21, MaxWriteCapacity: 22})
	cloud, terra := parsed(t, clitest.Must(cloudFormation(r))), parsed(t, clitest.Must(terraform(r)))
	check := func(id string, requests ...any) {
		t.Helper()
		want := make(map[string]string)
		for _, request := range requests {
			leaves(parsed(t, request), "", want)
		}
		has := leaves(cloud["Resources"].(object)[id].(object)["Properties"], "", make(map[string]string))
		for path, value := range want {
			if has[path] != value && path != ".StreamSpecification.StreamEnabled" {
				t.Errorf("CloudFormation: %s%s is %q, want %q", id, path, has[path], value)
			}
		}
		// Terraform has other paths, and names keys by their members.
		maps.DeleteFunc(want, func(path, _ string) bool { return strings.HasSuffix(path, ".KeyType") })
		for kind, all := range terra["resource"].(object) {
			if p, ok := all.(object)[underscored(id)].(object); ok && kind != "aws_iam_policy" {
				delete(p, "lifecycle")
				delete(p, "depends_on")
				values := slices.Sorted(maps.Values(leaves(p, "", make(map[string]string))))
				if wanted := slices.Sorted(maps.Values(want)); !slices.Equal(values, wanted) {
					t.Errorf("Terraform: %s has the values\n%q, want\n%q", id, values, wanted)
				}
				return
			}
		}
		t.Errorf("Terraform: no %s", id)
	}
	check("Table", r.Create, r.Expiry, r.Recovery)
	for i, id := range []string{"TableRead", "TableWrite", "GSI1Read", "GSI1Write"} {
		check(id+"Scaling", r.Targets[i])
		check(id+"ScalingPolicy", r.Policies[i])
	}
}

func TestAlarmsAreAtFourFifthsOfTheLimit(t *testing.T) {
	for _, c := range []struct {
		args        []string
		read, write float64 // per minute
	}{
		{nil, 40_000 * 48, 40_000 * 48},
		{[]string{"--max-write-units", "30000"}, 40_000 * 48, 30_000 * 48},
		{[]string{"--max-write-units", "-1"}, 40_000 * 48, 40_000 * 48},
		{[]string{"--read-capacity", "10", "--write-capacity", "100"}, 10 * 48, 100 * 48},
		{[]string{"--read-capacity", "10", "--write-capacity", "100", "--max-read-capacity", "20", "--max-write-capacity", "200"},
			20 * 48, 200 * 48},
	} {
		var all struct {
			Resources map[string]struct{ Properties struct{ Threshold float64 } }
		}
		if err := json.Unmarshal([]byte(template(t, c.args...)), &all); err != nil {
			t.Fatal(err)
		}
		read := all.Resources["ConsumedReadCapacityUnitsAlarm"].Properties.Threshold
		write := all.Resources["ConsumedWriteCapacityUnitsAlarm"].Properties.Threshold
		if read != c.read || write != c.write {
			t.Errorf("%q: thresholds %v and %v, want %v and %v", c.args, read, write, c.read, c.write)
		}
	}
}

func TestTemplateRefusesWrongUsage(t *testing.T) {
	clitest.Refused(t, "table template",
		clitest.WrongUsage{Args: "--format yaml", Says: `--format "yaml": choose cloudformation or terraform-json`},
		clitest.WrongUsage{Args: "--table sqlite://f.db", Says: "--table sqlite://f.db is not in DynamoDB: name it as dynamodb://NAME"},
		clitest.WrongUsage{Args: "--read-capacity 5", Says: "give both"},
		clitest.WrongUsage{Args: "--max-read-capacity 5 --max-write-capacity 5", Says: "auto scaling begins at"},
		clitest.WrongUsage{Args: "--tag team", Says: "team must be formatted as key=value"})
}

// A table that CloudFormation has made is as footfall wants it. moto makes neither expiry, recovery nor auto scaling of a stack, so these
// are requested with what the template has about them.
func TestTemplateMakesTheTable(t *testing.T) {
	slow.Test(t)
	testenv.RequireTools(t, "cfn-lint")
	endpoint := testenv.Moto(t)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
	t.Setenv("AWS_ENDPOINT_URL_APPLICATION_AUTO_SCALING", endpoint)
	capacity := []string{"--read-capacity", "10", "--write-capacity", "100"}
	options := []string{"--deletion-protection", "--recovery"}
	scaling := []string{"--max-read-capacity", "200", "--max-write-capacity", "2000", "--utilization", "60"}
	for _, c := range []struct {
		name                string
		create, update, all []string
	}{
		{"ondemand", nil, nil, nil},
		{"scaled", slices.Concat(capacity, options, []string{"--dynamodb-stream"}), slices.Concat(capacity, options[:1], scaling),
			slices.Concat(capacity, options, []string{"--dynamodb-stream"}, scaling)},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := []string{"--table", "dynamodb://" + c.name}
			run := func(wants string, args ...string) {
				t.Helper()
				code, out, errs := clitest.Footfall(t, slices.Concat([]string{"table"}, args, table)...)
				if code != 0 || !strings.Contains(out, wants) {
					t.Errorf("%q: exit code %d, %s, want %q in\n%s", args, code, errs, wants, out)
				}
			}
			text := template(t, append(c.all, table...)...)
			lint(t, text)
			deploy(t, endpoint, c.name, text)
			run(`"differences": [`+"\n    \"expiry is off; footfall needs it for attribute \\\"ttl\\\"\"\n  ]", "describe", "--output", "json")
			add(t, text)
			run(`"differences": []`, "describe", "--output", "json")
			run("already exists and is ready", append([]string{"create"}, c.create...)...)
			run("there is nothing to do", append([]string{"update", "--dry-run"}, c.update...)...)
		})
	}
	lint(t, template(t, "--warm-write-units", "12000", "--max-write-units", "30000", "--table-class", "infrequent-access", "--tag", "a=b"))
}

func lint(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "template.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "cfn-lint", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("cfn-lint: %v\n%s", err, out)
	}
}

// deploy has CloudFormation make a stack.
func deploy(t *testing.T, endpoint, name, text string) {
	t.Helper()
	ask := func(form url.Values) string {
		t.Helper()
		r := clitest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(form.Encode())))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/cloudformation/aws4_request")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return string(clitest.Must(io.ReadAll(response.Body)))
	}
	made := ask(url.Values{"Action": {"CreateStack"}, "StackName": {name}, "TemplateBody": {text},
		"Capabilities.member.1": {"CAPABILITY_IAM"}})
	stack := ask(url.Values{"Action": {"DescribeStacks"}, "StackName": {name}})
	if !strings.Contains(stack, "CREATE_COMPLETE") || strings.Count(stack, "<OutputValue>arn:aws:iam::") != 4 {
		t.Fatalf("CreateStack: %s\nDescribeStacks, which must have the policies of four roles: %s", made, stack)
	}
}

// add asks for what a template has and moto leaves out.
func add(t *testing.T, text string) {
	t.Helper()
	var stack struct {
		Resources map[string]struct {
			Type       string
			Properties json.RawMessage
		}
	}
	read := func(text []byte, to any) {
		t.Helper()
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatal(err)
		}
	}
	read([]byte(text), &stack)
	client := clitest.Must(dynamo.Connect(t.Context(), dynamo.ConnectOptions{}))
	scaling := clitest.Must(dynamo.ConnectScaling(t.Context()))
	for _, id := range slices.Sorted(maps.Keys(stack.Resources)) { // A target is before its policy.
		part := stack.Resources[id]
		switch part.Type {
		case "AWS::DynamoDB::Table":
			var expiry dynamodb.UpdateTimeToLiveInput
			var recovery dynamodb.UpdateContinuousBackupsInput
			read(part.Properties, &expiry)
			read(part.Properties, &recovery)
			clitest.Must(client.UpdateTimeToLive(t.Context(), &expiry))
			if recovery.PointInTimeRecoverySpecification != nil {
				clitest.Must(client.UpdateContinuousBackups(t.Context(), &recovery))
			}
		case "AWS::ApplicationAutoScaling::ScalableTarget":
			var target applicationautoscaling.RegisterScalableTargetInput
			read(part.Properties, &target)
			clitest.Must(scaling.RegisterScalableTarget(t.Context(), &target))
		case "AWS::ApplicationAutoScaling::ScalingPolicy":
			var policy applicationautoscaling.PutScalingPolicyInput
			read(part.Properties, &policy)
			clitest.Must(scaling.PutScalingPolicy(t.Context(), &policy))
		}
	}
}
