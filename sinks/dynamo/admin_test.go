package dynamo_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

func TestRealTableIsProvisionedWithAStream(t *testing.T) {
	table, _, _ := localTable(t)
	shape := sinks.Shape{ReadCapacity: 3, WriteCapacity: 4, Stream: true}
	for range 2 {
		if err := table.Create(t.Context(), shape); err != nil {
			t.Fatalf("Create = %v", err)
		}
	}
	d, err := table.Describe(t.Context())
	if err != nil || d.Billing != "provisioned" || d.ReadCapacity != 3 || d.WriteCapacity != 4 || !d.Stream || d.Recovery ||
		d.Differences != nil {
		t.Errorf("Describe = %+v, %v", d, err)
	}
	if err := table.Create(t.Context(), sinks.Shape{ReadCapacity: 3, WriteCapacity: 4}); err != nil {
		t.Errorf("Create without a stream = %v; a stream that nobody asked for is no difference", err)
	}
	wantDifferences(t, table.Create(t.Context(), sinks.Shape{ReadCapacity: 3, WriteCapacity: 5}),
		"the table has 3 read and 4 write units; asked for are 3 and 5",
		"index GSI1 has 3 read and 4 write units; asked for are 3 and 5")
	wantDifferences(t, table.Create(t.Context(), sinks.Shape{}),
		"billing is by provisioned capacity, 3 read and 4 write units; asked for is on demand")
	if err := table.Create(t.Context(), sinks.Shape{WriteCapacity: 5}); err == nil || !strings.Contains(err.Error(), "give both") {
		t.Errorf("Create with one capacity = %v, want to be asked for both", err)
	}
}

func wantDifferences(t *testing.T, err error, want ...string) {
	t.Helper()
	shape, ok := errors.AsType[*sinks.ShapeError](err)
	if !ok {
		t.Fatalf("Create = %v, want a *ShapeError", err)
	}
	if !slices.Equal(shape.Differences, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(shape.Differences, "\n"), strings.Join(want, "\n"))
	}
}

func TestRealTableOfAnotherShapeIsNamedAndNotTouched(t *testing.T) {
	table, client, name := localTable(t)
	define := func(attr string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &attr, AttributeType: kind}
	}
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, KeySchema: key("pk", "at"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{define("pk", "S"), define("at", "N"), define("gsi1pk", "S"), define("gsi1sk", "B")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{IndexName: aws.String("GSI1"), KeySchema: key("gsi1pk", "gsi1sk"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	fixed := []string{
		"the table's keys are pk (S, HASH), at (N, RANGE); footfall needs pk (S, HASH), sk (S, RANGE)",
		"the keys of index GSI1 are gsi1pk (S, HASH), gsi1sk (B, RANGE); footfall needs gsi1pk (S, HASH), gsi1sk (S, RANGE)",
		"index GSI1 holds ALL; footfall needs KEYS_ONLY, since each write of an attribute in an index costs again",
	}
	wantDifferences(t, table.Create(t.Context(), sinks.Shape{}), fixed...)
	d, err := table.Describe(t.Context())
	if want := append(fixed, `expiry is off; footfall needs it for attribute "ttl"`); err != nil || d.TTL ||
		!slices.Equal(d.Differences, want) || !slices.Equal(d.Lasting, fixed) {
		t.Errorf("Describe = %+v, %v, want expiry still off and differences %q; the last is temporary", d, err, want)
	}
}

func TestRealExpiryByAnotherAttributeIsADifference(t *testing.T) {
	table, client, name := localTable(t)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	expire(t, client, name, "ttl", false)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Errorf("Create of a table whose first creator died before it turned expiry on = %v", err)
	}
	if d, err := table.Describe(t.Context()); err != nil || !d.TTL {
		t.Errorf("Describe = %+v, %v, want expiry on", d, err)
	}
	expire(t, client, name, "ttl", false)
	expire(t, client, name, "expires", true)
	wantDifferences(t, table.Create(t.Context(), sinks.Shape{}), `expiry is on for attribute "expires"; footfall needs it for "ttl"`)
}

func expire(t *testing.T, client *dynamodb.Client, name, attr string, on bool) {
	t.Helper()
	_, err := client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attr, Enabled: &on}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRealRecoveryThatLocalLacksIsSaidOnlyWhenAskedFor(t *testing.T) {
	table, _, _ := localTable(t)
	err := table.Create(t.Context(), sinks.Shape{Recovery: true})
	if err == nil || !strings.Contains(err.Error(), "leave recovery out") {
		t.Errorf("Create with recovery = %v, want to be told to leave it out", err)
	}
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Errorf("Create without = %v", err)
	}
}

// account is a DynamoDB whose table takes its time. Each hook runs at every call of its name, before the call
// takes effect; an error is the answer then.
type account struct {
	dynamo.Client
	table    *types.TableDescription // nil: none
	ttl      types.TimeToLiveDescription
	recovery bool
	wait     int // how many more descriptions say CREATING, or DELETING
	hook     map[string]func() error
	calls    map[string]int
}

func (a *account) call(name string) error {
	if a.calls == nil {
		a.calls = make(map[string]int)
	}
	a.calls[name]++
	if f := a.hook[name]; f != nil {
		return f()
	}
	return nil
}

func (a *account) CreateTable(_ context.Context, in *dynamodb.CreateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput,
	error) {
	if err := a.call("CreateTable"); err != nil {
		return nil, err
	}
	if a.table != nil {
		return nil, &types.ResourceInUseException{}
	}
	a.table = &types.TableDescription{TableName: in.TableName, TableStatus: types.TableStatusCreating, KeySchema: in.KeySchema,
		AttributeDefinitions: in.AttributeDefinitions, BillingModeSummary: &types.BillingModeSummary{BillingMode: in.BillingMode}}
	for _, g := range in.GlobalSecondaryIndexes {
		a.table.GlobalSecondaryIndexes = append(a.table.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
			IndexName: g.IndexName, KeySchema: g.KeySchema, Projection: g.Projection, IndexStatus: types.IndexStatusCreating})
	}
	a.wait = 3
	return &dynamodb.CreateTableOutput{}, nil
}

func (a *account) DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput,
	error) {
	if err := a.call("DescribeTable"); err != nil {
		return nil, err
	}
	if a.wait--; a.table != nil && a.wait <= 0 {
		switch a.table.TableStatus {
		case types.TableStatusDeleting:
			a.table = nil
		case types.TableStatusCreating: // The indexes are ready later than the table.
			a.table.TableStatus, a.wait = types.TableStatusActive, 2
		case types.TableStatusActive:
			for i := range a.table.GlobalSecondaryIndexes {
				a.table.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusActive
			}
		}
	}
	if a.table == nil {
		return nil, &types.ResourceNotFoundException{}
	}
	d := *a.table
	d.GlobalSecondaryIndexes = slices.Clone(d.GlobalSecondaryIndexes)
	return &dynamodb.DescribeTableOutput{Table: &d}, nil
}

func (a *account) DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput,
	error) {
	if err := a.call("DeleteTable"); err != nil {
		return nil, err
	}
	if a.table.TableStatus != types.TableStatusActive {
		return nil, &types.ResourceInUseException{}
	}
	a.table.TableStatus, a.wait = types.TableStatusDeleting, 3
	return &dynamodb.DeleteTableOutput{}, nil
}

func (a *account) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput,
	...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error) {
	d := a.ttl
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &d}, a.call("DescribeTimeToLive")
}

func (a *account) UpdateTimeToLive(_ context.Context, in *dynamodb.UpdateTimeToLiveInput,
	_ ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	if err := a.call("UpdateTimeToLive"); err != nil {
		return nil, err
	}
	a.ttl = types.TimeToLiveDescription{AttributeName: in.TimeToLiveSpecification.AttributeName,
		TimeToLiveStatus: types.TimeToLiveStatusEnabling}
	return &dynamodb.UpdateTimeToLiveOutput{}, nil
}

func (a *account) UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput,
	...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if err := a.call("UpdateContinuousBackups"); err != nil {
		return nil, err
	}
	a.recovery = true
	return &dynamodb.UpdateContinuousBackupsOutput{}, nil
}

// times answers with an error so many times and then lets pass.
func times(n int, err error) func() error {
	return func() error {
		if n--; n >= 0 {
			return err
		}
		return nil
	}
}

func TestCreateWaits(t *testing.T) {
	lost := &smithyhttp.RequestSendError{Err: io.ErrUnexpectedEOF}
	for _, c := range []struct {
		name string
		hook map[string]func() error
	}{
		{"until table and indexes are active", nil},
		{"over throttles", map[string]func() error{"CreateTable": times(2, &types.ThrottlingException{}),
			"DescribeTable": times(2, &types.ThrottlingException{})}},
		{"over lost answers", map[string]func() error{"CreateTable": times(1, lost), "DescribeTable": times(3, lost),
			"UpdateTimeToLive": times(1, lost)}},
		{"until backups can be turned on", map[string]func() error{"UpdateContinuousBackups": times(7,
			&types.ContinuousBackupsUnavailableException{})}},
		{"while the table is being changed", map[string]func() error{"UpdateTimeToLive": times(7, &types.ResourceInUseException{})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &account{hook: c.hook}
				if err := dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{Recovery: true}); err != nil {
					t.Fatalf("Create = %v", err)
				}
				if a.table == nil || a.table.TableStatus != types.TableStatusActive ||
					a.table.GlobalSecondaryIndexes[0].IndexStatus != types.IndexStatusActive || aws.ToString(a.ttl.AttributeName) != "ttl" || !a.recovery {
					t.Errorf("Create returned with the table at %+v, ttl %+v, recovery %v", a.table, a.ttl, a.recovery)
				}
			})
		})
	}
}

func TestCreateFollowsAnotherCreator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{}
		a.hook = map[string]func() error{
			"CreateTable": func() error { // The other one comes first, unseen by the description before.
				delete(a.hook, "CreateTable")
				return dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{})
			},
			"UpdateTimeToLive": func() error {
				a.ttl = types.TimeToLiveDescription{AttributeName: aws.String("ttl"), TimeToLiveStatus: types.TimeToLiveStatusEnabling}
				return &smithy.GenericAPIError{Code: "ValidationException", Message: "TimeToLive is already enabled"}
			},
		}
		if err := dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{}); err != nil || a.calls["CreateTable"] != 2 ||
			a.calls["UpdateTimeToLive"] != 1 {
			t.Errorf("Create = %v after calls %v", err, a.calls)
		}
	})
}

func TestExpiryThatCannotBeTurnedOnIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{hook: map[string]func() error{
			"UpdateTimeToLive": times(1, &smithy.GenericAPIError{Code: "ValidationException", Message: "modified multiple times"})}}
		err := dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{})
		if err == nil || !strings.Contains(err.Error(), "expiry is off") || !strings.Contains(err.Error(), "modified multiple times") {
			t.Errorf("Create = %v, want what is off and why", err)
		}
	})
}

func TestDropAndCreateWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{}
		table := dynamo.New(a, "footfall")
		create := func() {
			t.Helper()
			if err := table.Create(t.Context(), sinks.Shape{}); err != nil || a.table.TableStatus != types.TableStatusActive {
				t.Fatalf("Create = %v with the table at %+v", err, a.table)
			}
		}
		drop := func() {
			t.Helper()
			if err := table.Drop(t.Context()); err != nil || a.table != nil {
				t.Fatalf("Drop = %v with the table at %+v", err, a.table)
			}
		}
		create()
		drop()
		create()
		a.table.TableStatus, a.wait = types.TableStatusDeleting, 5 // by somebody else
		create()
		a.table.TableStatus, a.wait = types.TableStatusCreating, 5
		drop()
		create()
		a.hook = map[string]func() error{"DeleteTable": func() error { // Deleted, but the answer is lost.
			a.table = nil
			return &smithyhttp.RequestSendError{Err: io.ErrUnexpectedEOF}
		}}
		drop()
		if err := table.Drop(t.Context()); !errors.Is(err, sinks.ErrNoTable) {
			t.Errorf("Drop of nothing = %v, want ErrNoTable", err)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
		defer cancel()
		a := &account{hook: map[string]func() error{}}
		a.hook["DescribeTable"] = func() error { a.wait = 3; return nil } // CREATING for ever
		if err := dynamo.New(a, "footfall").Create(ctx, sinks.Shape{}); !errors.Is(err, enough) {
			t.Errorf("Create = %v, want the context's cause", err)
		}
	})
}

func TestUnreachableAccountIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{hook: map[string]func() error{"DescribeTable": times(1000,
			&smithyhttp.RequestSendError{Err: errors.New("connection refused")})}}
		start := time.Now()
		err := dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{})
		if !errors.Is(err, sinks.ErrUnknownOutcome) || time.Since(start) > 5*time.Second {
			t.Errorf("Create = %v after %v, want ErrUnknownOutcome after a few seconds", err, time.Since(start))
		}
	})
}

func TestCreateThatIsDeniedEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{hook: map[string]func() error{"CreateTable": times(1000, &smithy.GenericAPIError{Code: "AccessDeniedException",
			Message: "no"})}}
		if err := dynamo.New(a, "footfall").Create(t.Context(), sinks.Shape{}); !errors.Is(err, sinks.ErrDenied) || a.calls["CreateTable"] != 1 {
			t.Errorf("Create = %v after %d calls, want ErrDenied after 1", err, a.calls["CreateTable"])
		}
	})
}
