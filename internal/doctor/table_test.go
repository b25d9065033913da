package doctor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// account is a DynamoDB that answers each action with a fixed text; one with a __type is an error.
type account map[string]string

const (
	denied  = `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"not authorized"}`
	refused = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}`
	unknown = `{"__type":"com.amazonaws.dynamodb.v20120810#UnknownOperationException","message":""}`
	absent  = `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}`
)

// healthyAccount has a table as footfall creates it, with recovery and protection.
func healthyAccount() account {
	return account{
		"DescribeTable": `{"Table":{"TableName":"footfall","TableStatus":"ACTIVE","DeletionProtectionEnabled":true,` +
			`"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"KeySchema":` + schema("pk", "sk") + `,"AttributeDefinitions":[` +
			attribute("pk") + "," + attribute("sk") + "," + attribute("gsi1pk") + "," + attribute("gsi1sk") +
			`],"GlobalSecondaryIndexes":[` + index("GSI1", "gsi1pk", "gsi1sk") + `]}}`,
		"DescribeTimeToLive":        `{"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"ENABLED"}}`,
		"DescribeContinuousBackups": backups("ENABLED"),
		"DescribeLimits": `{"AccountMaxReadCapacityUnits":80000,"AccountMaxWriteCapacityUnits":80000,"TableMaxReadCapacityUnits":40000,` +
			`"TableMaxWriteCapacityUnits":40000}`,
		"BatchGetItem": `{"Responses":{}}`, "Query": `{"Items":[],"Count":0}`, "BatchWriteItem": `{}`,
		"UpdateItem": refused, "PutItem": refused, "DeleteItem": refused,
	}
}

func schema(hash, sort string) string {
	return fmt.Sprintf(`[{"AttributeName":%q,"KeyType":"HASH"},{"AttributeName":%q,"KeyType":"RANGE"}]`, hash, sort)
}

func attribute(name string) string {
	return fmt.Sprintf(`{"AttributeName":%q,"AttributeType":"S"}`, name)
}

func index(name, hash, sort string) string {
	return fmt.Sprintf(`{"IndexName":%q,"IndexStatus":"ACTIVE","Projection":{"ProjectionType":"KEYS_ONLY"},"KeySchema":%s}`, name,
		schema(hash, sort))
}

func backups(recovery string) string {
	return `{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":` +
		`{"PointInTimeRecoveryStatus":"` + recovery + `"}}}`
}

// examine examines the table of the account, without brokers.
func (a account) examine(t *testing.T, role doctor.Role) *doctor.Report {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		if strings.Contains(action, "Query") && a["QueryIndex"] != "" {
			var asked struct{ IndexName string }
			if err := json.NewDecoder(r.Body).Decode(&asked); err == nil && asked.IndexName != "" {
				action = "QueryIndex"
			}
		}
		body := a[action]
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
		if strings.Contains(body, `"__type"`) {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	for name, value := range testenv.AWSEnv(server.URL) {
		t.Setenv(name, value)
	}
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "footfall")
	return doctor.Examine(t.Context(), doctor.Options{Config: config.Default(), KafkaError: errors.New("no brokers"), Table: table,
		Admin:    table,
		Settings: checkpoint.DefaultSettings(), Role: role, Outage: time.Hour})
}

// TestTableOfAnAccount: each fault of a table is found, with the command that mends it, and what is denied is said to be unchecked.
func TestTableOfAnAccount(t *testing.T) {
	for _, check := range []string{"table", "table.shape", "table.expiry", "table.recovery", "table.protection", "table.permissions",
		"table.quotas", "clock.table"} {
		want(t, healthyAccount().examine(t, doctor.RoleRun), check, doctor.OK, "", "")
	}
	replaced := func(action, from, to string) func(account) {
		return func(a account) { a[action] = strings.Replace(a[action], from, to, 1) }
	}
	answers := func(action, answer string) func(account) { return func(a account) { a[action] = answer } }
	for _, c := range []struct {
		name          string
		change        func(account)
		check         string
		severity      doctor.Severity
		says, command string
	}{
		{"no table", answers("DescribeTable", absent), "table", doctor.Error, "does not exist",
			"footfall table create --table dynamodb://footfall"},
		{"denied", answers("DescribeTable", denied), "table", doctor.Error, "check the AWS credentials", ""},
		{"not active", replaced("DescribeTable", `"ACTIVE"`, `"ARCHIVED"`), "table", doctor.Error, "is ARCHIVED", ""},
		{"changing", replaced("DescribeTable", `"ACTIVE"`, `"UPDATING"`), "table", doctor.Warning, "being changed", ""},
		{"no index", replaced("DescribeTable", index("GSI1", "gsi1pk", "gsi1sk"), ""), "table.shape", doctor.Error, "index GSI1 is missing",
			"footfall table update --table dynamodb://footfall"},
		{"other keys", replaced("DescribeTable", schema("pk", "sk"), schema("pk", "at")), "table.shape", doctor.Error, "no update changes this",
			"footfall table create"},
		{"no expiry", answers("DescribeTimeToLive", `{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}`), "table.shape", doctor.Error,
			"expiry is off", "footfall table update --table dynamodb://footfall"},
		{"other expiry", replaced("DescribeTimeToLive", `"ttl"`, `"expires"`), "table.shape", doctor.Error, `on for attribute "expires"`,
			"aws dynamodb update-time-to-live --table-name footfall --time-to-live-specification Enabled=false,AttributeName=expires"},
		{"expiry denied", answers("DescribeTimeToLive", denied), "table.expiry", doctor.Unchecked, "not authorized", ""},
		{"no recovery", answers("DescribeContinuousBackups", backups("DISABLED")), "table.recovery", doctor.Warning, "recovery is off",
			"update-continuous-backups --table-name footfall"},
		{"recovery unknown", answers("DescribeContinuousBackups", unknown), "table.recovery", doctor.Unchecked, "DynamoDB Local does not", ""},
		{"recovery denied", answers("DescribeContinuousBackups", denied), "table.recovery", doctor.Unchecked, "not authorized", ""},
		{"not protected", replaced("DescribeTable", `Enabled":true`, `Enabled":false`), "table.protection", doctor.Warning, "one command deletes",
			"footfall table update --deletion-protection"},
		{"quotas denied", answers("DescribeLimits", denied), "table.quotas", doctor.Unchecked, "not authorized", ""},
		{"small quota", replaced("DescribeTable", `"BillingModeSummary"`,
			`"OnDemandThroughput":{"MaxWriteRequestUnits":50000,"MaxReadRequestUnits":50000},"BillingModeSummary"`), "table.quotas", doctor.Warning,
			"set to 50000 write units", ""},
		{"writes denied", answers("UpdateItem", denied), "table.permissions", doctor.Error, "may not UpdateItem: ", ""},
		{"batches denied", answers("BatchWriteItem", denied), "table.permissions", doctor.Error, "may not BatchWriteItem", ""},
		{"a condition that holds", answers("PutItem", `{}`), "table.permissions", doctor.Unchecked, "conditions cannot hold", ""},
	} {
		a := healthyAccount()
		c.change(a)
		r := a.examine(t, doctor.RoleRun)
		t.Log(c.name)
		want(t, r, c.check, c.severity, c.says, c.command)
	}
}

// TestTableOfOtherKeysIsNotAskedForItems: the faulty shape is one error, whatever requests would answer.
func TestTableOfOtherKeysIsNotAskedForItems(t *testing.T) {
	a := healthyAccount()
	a["DescribeTable"] = strings.Replace(a["DescribeTable"], schema("pk", "sk"), schema("pk", "at"), 1)
	a["Query"], a["BatchGetItem"], a["UpdateItem"] = denied, denied, denied
	r := a.examine(t, doctor.RoleRun)
	want(t, r, "table.permissions", doctor.Unchecked, "the table's shape is another: see table.shape", "")
	for _, f := range r.Findings {
		if f.Severity == doctor.Error && f.Check != "table.shape" && f.Check != "brokers" {
			t.Errorf("%s: %s", f.Check, f.Found)
		}
	}
}

// TestRolesAreTried: a role is asked for what it does, and nothing else.
func TestRolesAreTried(t *testing.T) {
	a := healthyAccount()
	a["UpdateItem"], a["PutItem"], a["DeleteItem"], a["BatchWriteItem"] = denied, denied, denied, denied
	want(t, a.examine(t, doctor.RoleQuery), "table.permissions", doctor.OK, "BatchGetItem, Query, Query on index GSI1",
		"")
	want(t, a.examine(t, doctor.RoleServe), "table.permissions", doctor.Error, "may not UpdateItem on tokens, PutItem of "+
		"annotations, DeleteItem of annotations: ", "")
	want(t, a.examine(t, doctor.RoleAdmin), "table.permissions", doctor.Error, "may not UpdateItem, PutItem, DeleteItem: ", "")
	a = healthyAccount()
	a["QueryIndex"] = denied
	want(t, a.examine(t, doctor.RoleRun), "table.permissions", doctor.OK,
		"BatchGetItem, Query, UpdateItem, PutItem, DeleteItem, BatchWriteItem", "")
	want(t, a.examine(t, doctor.RoleQuery), "table.permissions", doctor.Error, "may not Query on index GSI1", "")
}

// TestRealGroups: members of either protocol are told apart by real brokers.
func TestRealGroups(t *testing.T) {
	brokers := testenv.Kafka(t)
	name := testenv.Topic(t, brokers, 2, nil)
	seeds := []kgo.Opt{kgo.SeedBrokers(brokers), kgo.DefaultProduceTopic(name)}
	producer := testworld.Client(t, seeds)
	if err := producer.ProduceSync(t.Context(), &kgo.Record{Value: []byte("{}")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	for protocol, o := range map[string][]kgo.Opt{"classic": {kgo.Balancers(kgo.CooperativeStickyBalancer())},
		"consumer": {kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer())}} {
		c := config.Default()
		c.Kafka.Brokers, c.Kafka.Topic, c.Kafka.Group, c.Kafka.GroupProtocol = []string{brokers}, name, name+"-"+protocol, protocol
		member, err := kgo.NewClient(append(append(seeds[:1:1], o...), kgo.ClientID(c.Kafka.ClientID), kgo.ConsumerGroup(c.Kafka.Group),
			kgo.ConsumeTopics(name),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
		if err != nil {
			t.Fatal(err)
		}
		if f := member.PollFetches(t.Context()); f.NumRecords() != 1 { // It has its partitions.
			t.Fatal(f.Err())
		}
		r := doctor.Examine(t.Context(), doctor.Options{Config: c, Kafka: seeds[:1], Failed: name + ".failed", Table: nil,
			TableError: errors.New("no table"), Settings: checkpoint.DefaultSettings(), Role: doctor.RoleRun, Outage: time.Hour})
		want(t, r, "group", doctor.OK, "has 1 member, protocol "+protocol, "")
		want(t, r, "group.permissions", doctor.OK, "", "")
		want(t, r, "group.protocol", doctor.OK, "group protocol "+protocol, "")
		want(t, r, "group.partitions", doctor.OK, "all 2 partitions", "")
		if strings.Contains(fmt.Sprint(r), "group.members") {
			t.Errorf("%+v: want no member with another client id", r)
		}
		member.Close()
	}
}

// TestRealOldBroker: a broker of Kafka 3 is good enough, apart from the group protocol that it does not have.
func TestRealOldBroker(t *testing.T) {
	slow.Test(t) // It starts another broker.
	if !testenv.HasOldKafka() {
		t.Skip("FOOTFALL_TEST_KAFKA_OLD_IMAGE is not set")
	}
	brokers := testenv.OldKafka(t)
	c := config.Default()
	c.Kafka.Brokers, c.Kafka.Topic = []string{brokers}, testenv.Topic(t, brokers, 1, nil)
	r := doctor.Examine(t.Context(), doctor.Options{Config: c, Kafka: []kgo.Opt{kgo.SeedBrokers(brokers)}, Failed: c.Kafka.Topic + ".failed",
		TableError: errors.New("no table"), Settings: checkpoint.DefaultSettings(), Role: doctor.RoleRun, Outage: time.Hour})
	want(t, r, "brokers.version", doctor.OK, "Kafka v3.", "")
	want(t, r, "topic.permissions", doctor.OK, "", "")
	want(t, r, "group", doctor.Warning, "no members", "")
	want(t, r, "clock.brokers", doctor.OK, "", "")
	if r.Errors != 1 { // That of the table.
		t.Errorf("%+v", r.Findings)
	}
}

// TestRealServices: a new topic of real Kafka and a new table of DynamoDB Local have no errors, and what DynamoDB Local does not have is
// unchecked.
func TestRealServices(t *testing.T) {
	testenv.SetAWS(t)
	brokers := testenv.Kafka(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	name := testenv.UniqueName(t)
	table := dynamo.New(client, name)
	c := config.Default()
	c.Kafka.Brokers, c.Kafka.Group, c.Table = []string{brokers}, name, "dynamodb://"+name
	c.Kafka.Topic = testenv.Topic(t, brokers, 2, map[string]string{"retention.ms": "3600000"})
	o := doctor.Options{Config: c, Kafka: []kgo.Opt{kgo.SeedBrokers(brokers)}, Failed: c.Kafka.Topic + ".failed", Table: table, Admin: table,
		Settings: checkpoint.DefaultSettings(), Role: doctor.RoleRun, Outage: 72 * time.Hour}
	want(t, doctor.Examine(t.Context(), o), "table", doctor.Error, "does not exist", "footfall table create")
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	producer, err := kgo.NewClient(kgo.SeedBrokers(brokers), kgo.DefaultProduceTopic(c.Kafka.Topic))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	event := fmt.Appendf(nil, `{"siteId":"s","type":"page_view","timestamp":%d,"sessionId":"s"}`, time.Now().UnixMilli())
	if err := producer.ProduceSync(t.Context(), &kgo.Record{Value: event}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	r := doctor.Examine(t.Context(), o)
	for _, f := range r.Findings {
		t.Logf("%s %s: %s", f.Severity, f.Check, f.Line())
	}
	if r.Errors > 0 {
		t.Errorf("%d errors", r.Errors)
	}
	for _, w := range []struct {
		check    string
		severity doctor.Severity
		says     string
	}{
		{"brokers.version", doctor.OK, "Kafka v"}, {"topic.permissions", doctor.OK, ""}, {"topic.retention", doctor.Warning, "kept for 1h"},
		{"topic.durability", doctor.Warning, "replication factor 1"}, {"topic.timestamps", doctor.Warning, "is unlimited"},
		{"topic.keys", doctor.Warning, "1 of the last 1 records"}, {"failed-topic", doctor.OK, "run creates it"},
		{"group", doctor.Warning, "no members"}, {"table.recovery", doctor.Unchecked, "DynamoDB Local"}, {"table.shape", doctor.OK, ""},
		{"table.permissions", doctor.OK, "BatchWriteItem"}, {"clock.brokers", doctor.OK, ""}, {"clock.table", doctor.OK, ""},
	} {
		want(t, r, w.check, w.severity, w.says, "")
	}
}
