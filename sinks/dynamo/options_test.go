package dynamo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// recorder is DynamoDB's administration of one table over HTTP: it keeps what each request asks for, and describes the table so.
type recorder struct {
	t        *testing.T
	table    object
	requests []string // operation and the members that options set
	deaf     bool     // it takes requests that change the table, and changes nothing
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	var body object
	if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
		r.t.Error(err)
	}
	answer := object{}
	switch operation {
	case "DescribeTable":
		if r.table == nil {
			w.WriteHeader(http.StatusBadRequest)
			answer = object{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}
			break
		}
		answer["Table"] = r.table
	case "DescribeTimeToLive":
		answer["TimeToLiveDescription"] = object{"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
	case "CreateTable", "UpdateTable":
		r.note(operation, body)
		if !r.deaf || operation == "CreateTable" {
			r.take(body)
		}
	case "DeleteTable":
		if r.table["DeletionProtectionEnabled"] == true {
			w.WriteHeader(http.StatusBadRequest)
			answer = object{"__type": "com.amazon.coral.validate#ValidationException", "message": "protected against deletion"}
			break
		}
		r.table = nil
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		r.t.Error(err)
	}
}

var optionMembers = []string{"WarmThroughput", "OnDemandThroughput", "DeletionProtectionEnabled", "TableClass"}

func (r *recorder) note(operation string, body object) {
	asked := object{}
	for _, name := range optionMembers {
		if v, ok := body[name]; ok {
			asked[name] = v
		}
	}
	indexes, _ := body["GlobalSecondaryIndexes"].([]any)
	updates, _ := body["GlobalSecondaryIndexUpdates"].([]any)
	for _, u := range updates {
		indexes = append(indexes, u.(object)["Update"])
	}
	for _, index := range indexes {
		for _, name := range optionMembers {
			if v, ok := index.(object)[name]; ok {
				asked[index.(object)["IndexName"].(string)+"."+name] = v
			}
		}
	}
	text, err := json.Marshal(asked) // Sorts the members.
	if err != nil {
		r.t.Error(err)
	}
	r.requests = append(r.requests, operation+" "+string(text))
}

// take makes the table, or changes it, as a request says.
func (r *recorder) take(body object) {
	if r.table == nil {
		r.table = maps.Clone(body)
	}
	r.table["TableStatus"] = "ACTIVE"
	if class, ok := body["TableClass"]; ok {
		r.table["TableClassSummary"] = object{"TableClass": class}
	}
	if mode, ok := body["BillingMode"]; ok {
		r.table["BillingModeSummary"] = object{"BillingMode": mode}
	}
	for _, name := range optionMembers[:3] {
		if v, ok := body[name]; ok {
			r.table[name] = v
		}
	}
	indexes := r.table["GlobalSecondaryIndexes"].([]any)
	for _, index := range indexes {
		index.(object)["IndexStatus"] = "ACTIVE"
	}
	updates, _ := body["GlobalSecondaryIndexUpdates"].([]any)
	for _, u := range updates {
		update := u.(object)["Update"].(object)
		for _, index := range indexes {
			if index.(object)["IndexName"] == update["IndexName"] {
				maps.Copy(index.(object), update)
			}
		}
	}
}

// wants fails unless these were the requests since the last call.
func (r *recorder) wants(what string, want ...string) {
	r.t.Helper()
	if !reflect.DeepEqual(r.requests, want) {
		r.t.Errorf("%s: the table was asked\n%s\nwant\n%s", what, strings.Join(r.requests, "\n"), strings.Join(want, "\n"))
	}
	r.requests = nil
}

// Per index, in the order of JSON's members.
const (
	mostOfIndexes = `"%s.OnDemandThroughput":{"MaxWriteRequestUnits":30000}`
	warmOfIndexes = `"%s.WarmThroughput":{"WriteUnitsPerSecond":12000}`
)

var allOptions = sinks.Options{WarmWriteUnits: 12_000, MaxWriteUnits: 30_000, DeletionProtection: aws.Bool(true),
	Class: sinks.ClassInfrequentAccess}

func wantOptions(t *testing.T, table *dynamo.Table, want sinks.Options) {
	t.Helper()
	if d, err := table.Describe(t.Context()); err != nil || !reflect.DeepEqual(d.Options, want) {
		t.Errorf("Describe = %+v, %v, want options %+v", d, err, want)
	}
}

func TestNewTableHasItsOptions(t *testing.T) {
	r := &recorder{t: t}
	table := table(t, serve(t, r.ServeHTTP), dynamo.ConnectOptions{})
	for range 2 {
		if err := table.Create(t.Context(), sinks.Shape{Options: allOptions}); err != nil {
			t.Fatalf("Create = %v", err)
		}
	}
	r.wants("created twice", `CreateTable {"DeletionProtectionEnabled":true,`+
		fmt.Sprintf(mostOfIndexes+","+warmOfIndexes, "GSI1", "GSI1")+
		`,"OnDemandThroughput":{"MaxWriteRequestUnits":30000},"TableClass":"STANDARD_INFREQUENT_ACCESS",`+
		`"WarmThroughput":{"WriteUnitsPerSecond":12000}}`)
	wantOptions(t, table, allOptions)
	if err := table.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "--deletion-protection=false") {
		t.Errorf("Drop of a protected table = %v, want the flag that permits it", err)
	}
	wantAltered(t, table, sinks.Change{Options: sinks.Options{DeletionProtection: aws.Bool(false)}}, "deletion protection: off")
	if err := table.Drop(t.Context()); err != nil {
		t.Errorf("Drop = %v", err)
	}
}

// TestEachOptionIsChangedOnce: Alter and Create give a table that has no options those that are asked for, a request each, and a second
// call finds nothing left to do.
func TestEachOptionIsChangedOnce(t *testing.T) {
	for name, change := range map[string]func(*dynamo.Table) error{
		"Alter": func(table *dynamo.Table) error {
			_, err := table.Alter(t.Context(), sinks.Change{Options: allOptions})
			return err
		},
		"Create": func(table *dynamo.Table) error { return table.Create(t.Context(), sinks.Shape{Options: allOptions}) },
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{t: t}
			table := table(t, serve(t, r.ServeHTTP), dynamo.ConnectOptions{})
			if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
				t.Fatal(err)
			}
			r.wants("created", `CreateTable {}`)
			for range 2 {
				if err := change(table); err != nil {
					t.Fatal(err)
				}
			}
			r.wants("changed twice", `UpdateTable {"DeletionProtectionEnabled":true}`, `UpdateTable {"TableClass":"STANDARD_INFREQUENT_ACCESS"}`,
				`UpdateTable {"WarmThroughput":{"WriteUnitsPerSecond":12000}}`, `UpdateTable {`+fmt.Sprintf(warmOfIndexes, "GSI1")+`}`,
				`UpdateTable {"OnDemandThroughput":{"MaxWriteRequestUnits":30000}}`,
				`UpdateTable {`+fmt.Sprintf(mostOfIndexes, "GSI1")+`}`)
			wantOptions(t, table, allOptions)
			lower := sinks.Change{Options: sinks.Options{WarmWriteUnits: 5_000, MaxWriteUnits: sinks.Unlimited, Class: sinks.ClassStandard}}
			wantAltered(t, table, lower, "table class: standard", "on-demand maximum: none of the table",
				"on-demand maximum: none of index GSI1")
		})
	}
}

// TestOptionThatTheStoreIgnoresIsSaid: a store that takes the request and changes nothing does not have the option.
func TestOptionThatTheStoreIgnoresIsSaid(t *testing.T) {
	r := &recorder{t: t, deaf: true}
	table := table(t, serve(t, r.ServeHTTP), dynamo.ConnectOptions{})
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	done, err := table.Alter(t.Context(), sinks.Change{Options: allOptions})
	if err != nil || done.Done != nil || len(done.Without) != 4 {
		t.Errorf("Alter = %+v, %v, want all four left out", done, err)
	}
	err = table.Create(t.Context(), sinks.Shape{Options: allOptions})
	if err == nil || !strings.Contains(err.Error(), "leave the option out") {
		t.Errorf("Create = %v, want to be advised to leave them out", err)
	}
}

func TestContradictingOptionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		shape sinks.Shape
		want  string
	}{
		{sinks.Shape{Options: sinks.Options{WarmWriteUnits: 3_999}}, "--warm-write-units 3999: choose 4000 or more"},
		{sinks.Shape{Options: sinks.Options{MaxWriteUnits: -2}}, "--max-write-units -2: choose 1 or more, or -1"},
		{sinks.Shape{Options: sinks.Options{WarmWriteUnits: 4_000, MaxWriteUnits: 3_000}}, "is above --max-write-units 3000"},
		{sinks.Shape{ReadCapacity: 1, WriteCapacity: 1, Options: sinks.Options{MaxWriteUnits: 5}}, "is for billing on demand"},
		{sinks.Shape{Options: sinks.Options{Class: "cold"}}, `--table-class "cold": choose standard or infrequent-access`},
	} {
		if err := c.shape.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.shape, err, c.want)
		}
		change := sinks.Change{ReadCapacity: c.shape.ReadCapacity, WriteCapacity: c.shape.WriteCapacity, Options: c.shape.Options}
		if err := change.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", change, err, c.want)
		}
	}
}

// TestRealTableTakesOptions: DynamoDB Local has deletion protection, and Alter says that it has no classes and no warm throughput. A
// maximum makes it fail with status 500.
func TestRealTableTakesOptions(t *testing.T) {
	table, _, _ := localTable(t)
	asked := allOptions
	asked.MaxWriteUnits = 0
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"deletion protection: on"}, nil} {
		done, err := table.Alter(t.Context(), sinks.Change{Options: asked})
		if err != nil || !slices.Equal(done.Done, want) || len(done.Without) != 2 {
			t.Errorf("Alter, time %d = %+v, %v, want %q done and two left out", i+1, done, err, want)
		}
	}
	if err := table.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "--deletion-protection=false") {
		t.Errorf("Drop of a protected table = %v, want the flag that permits it", err)
	}
	wantAltered(t, table, sinks.Change{Options: sinks.Options{DeletionProtection: aws.Bool(false)}}, "deletion protection: off")
}
