package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

const (
	onDemand   = "on-demand"
	byCapacity = "provisioned"
)

// billing returns the mode. A table that was never on demand has no summary of its mode.
func billing(d *types.TableDescription) string {
	if b := d.BillingModeSummary; b != nil && b.BillingMode == types.BillingModePayPerRequest {
		return onDemand
	}
	return byCapacity
}

func provisioned(s sinks.Shape) bool { return s.ReadCapacity != 0 || s.WriteCapacity != 0 }

func capacity(p *types.ProvisionedThroughputDescription) (read, write int64) {
	if p == nil {
		return 0, 0
	}
	return aws.ToInt64(p.ReadCapacityUnits), aws.ToInt64(p.WriteCapacityUnits)
}

func streams(d *types.TableDescription) bool {
	s := d.StreamSpecification
	return s != nil && aws.ToBool(s.StreamEnabled) && s.StreamViewType == types.StreamViewTypeNewAndOldImages
}

// withOptions sets what is asked for of a new table.
func withOptions(in *dynamodb.CreateTableInput, o sinks.Options) {
	in.DeletionProtectionEnabled = o.DeletionProtection
	in.TableClass = classes[o.Class]
	if o.WarmWriteUnits > 0 {
		in.WarmThroughput = warm(o)
	}
	if o.MaxWriteUnits > 0 {
		in.OnDemandThroughput = most(o)
	}
	for i := range in.GlobalSecondaryIndexes {
		in.GlobalSecondaryIndexes[i].WarmThroughput, in.GlobalSecondaryIndexes[i].OnDemandThroughput = in.WarmThroughput, in.OnDemandThroughput
	}
}

var classes = map[sinks.TableClass]types.TableClass{
	sinks.ClassStandard:         types.TableClassStandard,
	sinks.ClassInfrequentAccess: types.TableClassStandardInfrequentAccess,
}

// class returns the class of a table. DynamoDB describes none of a table that always was a standard one.
func class(d *types.TableDescription) sinks.TableClass {
	if s := d.TableClassSummary; s != nil && s.TableClass == types.TableClassStandardInfrequentAccess {
		return sinks.ClassInfrequentAccess
	}
	return sinks.ClassStandard
}

func warm(o sinks.Options) *types.WarmThroughput {
	return &types.WarmThroughput{WriteUnitsPerSecond: &o.WarmWriteUnits}
}

func most(o sinks.Options) *types.OnDemandThroughput {
	return &types.OnDemandThroughput{MaxWriteRequestUnits: &o.MaxWriteUnits}
}

// maximum returns the write units a second that a table or index takes at most; Unlimited where it has no maximum.
func maximum(t *types.OnDemandThroughput) int64 {
	if t == nil || aws.ToInt64(t.MaxWriteRequestUnits) <= 0 {
		return sinks.Unlimited
	}
	return *t.MaxWriteRequestUnits
}

// options returns those that a table has.
func options(d *types.TableDescription) sinks.Options {
	o := sinks.Options{DeletionProtection: aws.Bool(aws.ToBool(d.DeletionProtectionEnabled)), Class: class(d)}
	if d.WarmThroughput != nil {
		o.WarmWriteUnits = aws.ToInt64(d.WarmThroughput.WriteUnitsPerSecond)
	}
	if billing(d) == onDemand {
		o.MaxWriteUnits = maximum(d.OnDemandThroughput)
	}
	return o
}
