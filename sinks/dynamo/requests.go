package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// Requests make a table. Other tools that make tables, such as CloudFormation, can be given their members.
type Requests struct {
	Create   *dynamodb.CreateTableInput
	Expiry   *dynamodb.UpdateTimeToLiveInput
	Recovery *dynamodb.UpdateContinuousBackupsInput     // nil: off
	Targets  []*autoscaling.RegisterScalableTargetInput // none: no auto scaling
	Policies []*autoscaling.PutScalingPolicyInput       // one of each target, in the same order
}

// NewRequests returns the requests that [Table.Create] makes for a shape, and [Table.Alter] for the auto scaling of a change. Both must be
// valid and have the same capacities.
func NewRequests(name string, s sinks.Shape, c sinks.Change) Requests {
	r := Requests{Create: createInput(name, s), Expiry: expiryInput(name)}
	if s.Recovery {
		r.Recovery = recoveryInput(name)
	}
	if !scaled(c) {
		return r
	}
	for _, d := range dimensions(name, c) {
		r.Targets = append(r.Targets, d.register())
		r.Policies = append(r.Policies, d.policy(utilization(c)))
	}
	return r
}

func expiryInput(name string) *dynamodb.UpdateTimeToLiveInput {
	return &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(sinks.AttrTTL), Enabled: aws.Bool(true)}}
}

func recoveryInput(name string) *dynamodb.UpdateContinuousBackupsInput {
	return &dynamodb.UpdateContinuousBackupsInput{TableName: &name,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}}
}
