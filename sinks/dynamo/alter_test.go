package dynamo_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	scalingtypes "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// wantAltered fails unless Alter does these steps and no others.
func wantAltered(t *testing.T, table *dynamo.Table, c sinks.Change, want ...string) {
	t.Helper()
	if a, err := table.Alter(t.Context(), c); err != nil || !slices.Equal(a.Done, want) {
		t.Errorf("Alter %+v = %v\n%s\nwant\n%s", c, err, strings.Join(a.Done, "\n"), strings.Join(want, "\n"))
	}
}

func TestRealAlterAddsWhatIsMissing(t *testing.T) {
	slow.Test(t) // It starts a DynamoDB Local of its own.
	table, client, name := tableAt(t, testenv.OwnDynamoDB(t))
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("sk"),
			KeyType: types.KeyTypeRange}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"},
			{AttributeName: aws.String("sk"), AttributeType: "S"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	old := sinks.Item{"pk": sinks.Str("P"), "sk": sinks.Str("S"), sinks.AttrGSI1PK: sinks.Str("V"), sinks.AttrGSI1SK: sinks.Str("1")}
	if _, err := table.Put(t.Context(), sinks.Put{Item: old}); err != nil {
		t.Fatal(err)
	}
	steps := []string{"index GSI1: made, and filled from the items that are there",
		`expiry: on, by attribute "ttl"`}
	wantAltered(t, table, sinks.Change{Dry: true}, steps...)
	if d, err := table.Describe(t.Context()); err != nil || len(d.Differences) != 2 || d.Lasting != nil {
		t.Errorf("Describe after a dry run = %+v, %v, want both differences, and none that lasts", d, err)
	}
	wantAltered(t, table, sinks.Change{}, steps...)
	wantAltered(t, table, sinks.Change{})
	if d, err := table.Describe(t.Context()); err != nil || d.Differences != nil || !d.TTL {
		t.Errorf("Describe = %+v, %v, want no differences", d, err)
	}
	if p, err := table.Query(t.Context(), sinks.Query{Index: sinks.GSI1, PK: "V"}); err != nil || len(p.Items) != 1 {
		t.Errorf("the item that was there before the index: %+v, %v", p, err)
	}
}

func TestRealAlterMovesBetweenBillings(t *testing.T) {
	table, _, _ := localTable(t)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	provisioned := sinks.Change{ReadCapacity: 3, WriteCapacity: 4}
	wantAltered(t, table, provisioned, "billing: provisioned, 3 read and 4 write units a second of the table and of each index")
	wantAltered(t, table, provisioned)
	if d, err := table.Describe(t.Context()); err != nil || d.Billing != "provisioned" || d.ReadCapacity != 3 || d.WriteCapacity != 4 {
		t.Errorf("Describe = %+v, %v", d, err)
	}
	wantAltered(t, table, sinks.Change{ReadCapacity: 3, WriteCapacity: 6},
		"capacity: 3 read and 6 write units a second of the table, index GSI1")
	if err := table.Create(t.Context(), sinks.Shape{ReadCapacity: 3, WriteCapacity: 6}); err != nil {
		t.Errorf("Create of the shape that Alter made = %v", err)
	}
	a, err := table.Alter(t.Context(), sinks.Change{ReadCapacity: 3, WriteCapacity: 6, MaxReadCapacity: 30, MaxWriteCapacity: 60})
	if err != nil || a.Done != nil || len(a.Without) != 1 || !strings.Contains(a.Without[0], "there is no auto scaling") {
		t.Errorf("Alter with auto scaling where there is none = %+v, %v", a, err)
	}
	wantAltered(t, table, sinks.Change{OnDemand: true}, "billing: on demand")
	wantAltered(t, table, sinks.Change{OnDemand: true})
	if d, err := table.Describe(t.Context()); err != nil || d.Billing != "on-demand" {
		t.Errorf("Describe = %+v, %v", d, err)
	}
}

// TestRealTableMayHaveOtherIndexes: an index of another program or of an earlier footfall stays, and provisioned capacity is for it too,
// since DynamoDB asks for it.
func TestRealTableMayHaveOtherIndexes(t *testing.T) {
	slow.Test(t) // It starts a DynamoDB Local of its own.
	table, client, name := tableAt(t, testenv.OwnDynamoDB(t))
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	action := &types.CreateGlobalSecondaryIndexAction{IndexName: aws.String("GSI2"), KeySchema: []types.KeySchemaElement{
		{AttributeName: aws.String("gsi2pk"), KeyType: types.KeyTypeHash}},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}}
	if _, err := client.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &name,
		AttributeDefinitions:        []types.AttributeDefinition{{AttributeName: aws.String("gsi2pk"), AttributeType: "S"}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: action}}}); err != nil {
		t.Fatal(err)
	}
	wantAltered(t, table, sinks.Change{})
	wantAltered(t, table, sinks.Change{ReadCapacity: 3, WriteCapacity: 4},
		"billing: provisioned, 3 read and 4 write units a second of the table and of each index")
	if err := table.Create(t.Context(), sinks.Shape{ReadCapacity: 3, WriteCapacity: 4}); err != nil {
		t.Errorf("Create of a table with an index more = %v", err)
	}
	if d, err := table.Describe(t.Context()); err != nil || d.Differences != nil || !slices.Equal(d.Indexes, []string{"GSI1"}) {
		t.Errorf("Describe = %+v, %v, want index GSI1 and no differences", d, err)
	}
}

func TestRealAlterLeavesWhatItCannotChange(t *testing.T) {
	table, client, name := localTable(t)
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: "S"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := table.Alter(t.Context(), sinks.Change{ReadCapacity: 1, WriteCapacity: 1})
	wantDifferences(t, err, "the table's keys are id (S, HASH); footfall needs pk (S, HASH), sk (S, RANGE)")
	if d, err := table.Describe(t.Context()); err != nil || a.Done != nil || d.Billing != "on-demand" || d.Indexes != nil {
		t.Errorf("after the refusal: %+v, %+v, %v", a, d, err)
	}
}

func (a *account) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput,
	error) {
	if err := a.call("UpdateTable"); err != nil {
		return nil, err
	}
	a.table.TableStatus, a.wait = types.TableStatusCreating, 3 // As UPDATING.
	if in.BillingMode != "" {
		a.table.BillingModeSummary = &types.BillingModeSummary{BillingMode: in.BillingMode}
	}
	described := func(p *types.ProvisionedThroughput) *types.ProvisionedThroughputDescription {
		return &types.ProvisionedThroughputDescription{ReadCapacityUnits: aws.Int64(*p.ReadCapacityUnits),
			WriteCapacityUnits: aws.Int64(*p.WriteCapacityUnits)}
	}
	if in.ProvisionedThroughput != nil {
		a.table.ProvisionedThroughput = described(in.ProvisionedThroughput)
	}
	for _, u := range in.GlobalSecondaryIndexUpdates {
		if c := u.Create; c != nil {
			a.table.GlobalSecondaryIndexes = append(a.table.GlobalSecondaryIndexes, types.GlobalSecondaryIndexDescription{
				IndexName: c.IndexName, IndexStatus: types.IndexStatusActive, KeySchema: c.KeySchema, Projection: c.Projection})
			a.table.AttributeDefinitions = append(a.table.AttributeDefinitions, in.AttributeDefinitions...)
		}
		for i := range a.table.GlobalSecondaryIndexes {
			if g := &a.table.GlobalSecondaryIndexes[i]; u.Update != nil && *g.IndexName == *u.Update.IndexName {
				g.ProvisionedThroughput = described(u.Update.ProvisionedThroughput)
			}
		}
	}
	return &dynamodb.UpdateTableOutput{}, nil
}

// scaler is auto scaling that remembers.
type scaler struct {
	dynamo.Scaling
	targets  map[string]scalingtypes.ScalableTarget
	policies map[string]scalingtypes.ScalingPolicy
	fail     error // of RegisterScalableTarget, once three are registered
}

func scalerKey(resource *string, d scalingtypes.ScalableDimension) string {
	return *resource + " " + string(d)
}

func (s *scaler) DescribeScalableTargets(_ context.Context, in *autoscaling.DescribeScalableTargetsInput,
	_ ...func(*autoscaling.Options)) (*autoscaling.DescribeScalableTargetsOutput, error) {
	out := new(autoscaling.DescribeScalableTargetsOutput)
	if have, ok := s.targets[scalerKey(&in.ResourceIds[0], in.ScalableDimension)]; ok {
		out.ScalableTargets = append(out.ScalableTargets, have)
	}
	return out, nil
}

func (s *scaler) RegisterScalableTarget(_ context.Context, in *autoscaling.RegisterScalableTargetInput,
	_ ...func(*autoscaling.Options)) (*autoscaling.RegisterScalableTargetOutput, error) {
	if s.fail != nil && len(s.targets) == 3 {
		return nil, s.fail
	}
	s.targets[scalerKey(in.ResourceId, in.ScalableDimension)] = scalingtypes.ScalableTarget{MinCapacity: in.MinCapacity,
		MaxCapacity: in.MaxCapacity}
	return &autoscaling.RegisterScalableTargetOutput{}, nil
}

func (s *scaler) DeregisterScalableTarget(_ context.Context, in *autoscaling.DeregisterScalableTargetInput,
	_ ...func(*autoscaling.Options)) (*autoscaling.DeregisterScalableTargetOutput, error) {
	delete(s.targets, scalerKey(in.ResourceId, in.ScalableDimension))
	delete(s.policies, scalerKey(in.ResourceId, in.ScalableDimension))
	return &autoscaling.DeregisterScalableTargetOutput{}, nil
}

func (s *scaler) DescribeScalingPolicies(_ context.Context, in *autoscaling.DescribeScalingPoliciesInput,
	_ ...func(*autoscaling.Options)) (*autoscaling.DescribeScalingPoliciesOutput, error) {
	out := new(autoscaling.DescribeScalingPoliciesOutput)
	if have, ok := s.policies[scalerKey(in.ResourceId, in.ScalableDimension)]; ok {
		out.ScalingPolicies = append(out.ScalingPolicies, have)
	}
	return out, nil
}

func (s *scaler) PutScalingPolicy(_ context.Context, in *autoscaling.PutScalingPolicyInput,
	_ ...func(*autoscaling.Options)) (*autoscaling.PutScalingPolicyOutput, error) {
	s.policies[scalerKey(in.ResourceId, in.ScalableDimension)] = scalingtypes.ScalingPolicy{PolicyName: in.PolicyName,
		TargetTrackingScalingPolicyConfiguration: in.TargetTrackingScalingPolicyConfiguration}
	return &autoscaling.PutScalingPolicyOutput{}, nil
}

// scalableTable is a table on demand with auto scaling beside it.
func scalableTable(t *testing.T) (*dynamo.Table, *account, *scaler) {
	a := &account{hook: make(map[string]func() error)}
	s := &scaler{targets: make(map[string]scalingtypes.ScalableTarget), policies: make(map[string]scalingtypes.ScalingPolicy)}
	table := dynamo.New(a, "t").WithScaling(func(context.Context) (dynamo.Scaling, error) { return s, nil })
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	return table, a, s
}

var scaledChange = sinks.Change{ReadCapacity: 5, WriteCapacity: 10, MaxReadCapacity: 50, MaxWriteCapacity: 100}

// TestAlterMakesAMissingIndex: as TestRealAlterAddsWhatIsMissing, but for what the index is filled with.
func TestAlterMakesAMissingIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, a, _ := scalableTable(t)
		whole := a.table.GlobalSecondaryIndexes[0]
		a.table.GlobalSecondaryIndexes, a.table.AttributeDefinitions = nil, a.table.AttributeDefinitions[:2] // pk and sk
		step := "index GSI1: made, and filled from the items that are there"
		wantAltered(t, table, sinks.Change{Dry: true}, step)
		if a.table.GlobalSecondaryIndexes != nil {
			t.Error("a dry run has made an index")
		}
		wantAltered(t, table, sinks.Change{}, step)
		made := a.table.GlobalSecondaryIndexes[0]
		if *made.IndexName != *whole.IndexName || !reflect.DeepEqual(made.KeySchema, whole.KeySchema) ||
			made.Projection.ProjectionType != whole.Projection.ProjectionType {
			t.Errorf("index %+v, want it as Create makes it, %+v", made, whole)
		}
		wantAltered(t, table, sinks.Change{})
	})
}

func TestAlterRegistersAutoScaling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _, s := scalableTable(t)
		done, err := table.Alter(t.Context(), scaledChange)
		if err != nil || len(done.Done) != 1+8 || done.Without != nil { // The table and its index, reads and writes: a range and an aim each.
			t.Fatalf("Alter = %q, %v", done.Done, err)
		}
		for _, want := range []string{"auto scaling of writes of the table: from 10 to 100 units a second",
			"auto scaling of reads of index GSI1: aims at 70 %"} {
			if !slices.Contains(done.Done, want) {
				t.Errorf("%q is missing from %q", want, done.Done)
			}
		}
		have := s.targets["table/t/index/GSI1 dynamodb:index:WriteCapacityUnits"]
		if len(s.targets) != 4 || len(s.policies) != 4 || aws.ToInt32(have.MinCapacity) != 10 || aws.ToInt32(have.MaxCapacity) != 100 {
			t.Errorf("targets %+v, policies %+v", s.targets, s.policies)
		}
		wantAltered(t, table, scaledChange)
		higher := scaledChange
		higher.Utilization, higher.MaxReadCapacity = 50, 60
		if done, err := table.Alter(t.Context(), higher); err != nil || len(done.Done) != 2+4 { // Ranges of reads, and all aims.
			t.Errorf("Alter to other targets = %q, %v", done.Done, err)
		}
	})
}

// TestAlterLeavesCapacitiesThatAutoScalingHasMoved: those within its range are where they should be.
func TestAlterLeavesCapacitiesThatAutoScalingHasMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, a, _ := scalableTable(t)
		if _, err := table.Alter(t.Context(), scaledChange); err != nil {
			t.Fatal(err)
		}
		*a.table.ProvisionedThroughput.WriteCapacityUnits = 77
		wantAltered(t, table, scaledChange)
		done, err := table.Alter(t.Context(), sinks.Change{ReadCapacity: 5, WriteCapacity: 10})
		if err != nil || len(done.Done) != 5 || done.Done[4] != "capacity: 5 read and 10 write units a second of the table" {
			t.Errorf("Alter to fixed capacities = %q, %v, want four targets removed first", done.Done, err)
		}
	})
}

func TestAlterToOnDemandRemovesAutoScaling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, _, s := scalableTable(t)
		if _, err := table.Alter(t.Context(), scaledChange); err != nil {
			t.Fatal(err)
		}
		done, err := table.Alter(t.Context(), sinks.Change{OnDemand: true})
		if err != nil || len(done.Done) != 5 || done.Done[4] != "billing: on demand" || len(s.targets) != 0 {
			t.Errorf("Alter = %q, %v; left %v", done.Done, err, s.targets)
		}
		wantAltered(t, table, sinks.Change{OnDemand: true})
	})
}

// TestAlterGoesOnWhereItWasCutShort: another that failed half way has done a part, and says so.
func TestAlterGoesOnWhereItWasCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, a, s := scalableTable(t)
		a.hook["UpdateTable"] = times(2, &types.ResourceInUseException{}) // Somebody else changes it.
		s.fail = errors.New("cut short")
		done, err := table.Alter(t.Context(), scaledChange)
		if err == nil || !strings.Contains(err.Error(), "cut short") || len(done.Done) != 1+6 {
			t.Fatalf("Alter = %q, %v, want the billing and three of four targets with their aims", done.Done, err)
		}
		if a.calls["UpdateTable"] != 3 {
			t.Errorf("%d calls of UpdateTable, want 2 that are refused and one", a.calls["UpdateTable"])
		}
		s.fail = nil
		if done, err := table.Alter(t.Context(), scaledChange); err != nil || len(done.Done) != 2 {
			t.Errorf("Alter again = %q, %v, want what was left", done.Done, err)
		}
	})
}
