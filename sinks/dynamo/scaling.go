package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"
	"github.com/aws/aws-sdk-go-v2/service/applicationautoscaling/types"

	"github.com/footfall/footfall/sinks"
)

// A dimension is what auto scaling moves: the read or the write capacity of the table or of an index.
type dimension struct {
	resource  string
	dimension types.ScalableDimension
	metric    types.MetricType
	least     int64
	most      int64
}

func (d dimension) String() string {
	_, what, _ := strings.Cut(string(d.dimension), ":")
	name := "the table"
	if _, index, ok := strings.Cut(d.resource, "/index/"); ok {
		name = "index " + index
	}
	if strings.HasSuffix(what, "ReadCapacityUnits") {
		return "reads of " + name
	}
	return "writes of " + name
}

func dimensions(name string, c sinks.Change) (all []dimension) {
	table := "table/" + name
	for _, index := range indexes {
		read, write := types.ScalableDimensionDynamoDBTableReadCapacityUnits, types.ScalableDimensionDynamoDBTableWriteCapacityUnits
		resource := table
		if index.name != "" {
			read, write = types.ScalableDimensionDynamoDBIndexReadCapacityUnits, types.ScalableDimensionDynamoDBIndexWriteCapacityUnits
			resource += "/index/" + index.name
		}
		all = append(all, dimension{resource, read, types.MetricTypeDynamoDBReadCapacityUtilization, c.ReadCapacity, c.MaxReadCapacity},
			dimension{resource, write, types.MetricTypeDynamoDBWriteCapacityUtilization, c.WriteCapacity, c.MaxWriteCapacity})
	}
	return all
}

// register is the request that has auto scaling move the dimension.
func (d dimension) register() *autoscaling.RegisterScalableTargetInput {
	return &autoscaling.RegisterScalableTargetInput{
		ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension,
		MinCapacity: aws.Int32(int32(d.least)), MaxCapacity: aws.Int32(int32(d.most))}
}

// policyName is a name that DynamoDB's console gives it too.
func (d dimension) policyName() string { return fmt.Sprintf("%s:%s", d.metric, d.resource) }

// policy is the request that sets the utilisation which auto scaling aims at.
func (d dimension) policy(percent float64) *autoscaling.PutScalingPolicyInput {
	return &autoscaling.PutScalingPolicyInput{
		PolicyName: aws.String(d.policyName()), PolicyType: types.PolicyTypeTargetTrackingScaling,
		ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension,
		TargetTrackingScalingPolicyConfiguration: &types.TargetTrackingScalingPolicyConfiguration{TargetValue: &percent,
			PredefinedMetricSpecification: &types.PredefinedMetricSpecification{PredefinedMetricType: d.metric}},
	}
}

func utilization(c sinks.Change) float64 {
	if c.Utilization == 0 {
		return sinks.DefaultUtilization
	}
	return float64(c.Utilization)
}

func scaled(c sinks.Change) bool { return c.MaxWriteCapacity > 0 }

// connect returns the client of auto scaling; nil where there is none, which is said if it was asked for.
func (a *alteration) connect(ctx context.Context) (Scaling, error) {
	err := errNoScaling
	var s Scaling
	if a.scaling != nil {
		s, err = a.scaling(ctx)
	}
	if errors.Is(err, errNoScaling) {
		if scaled(a.Change) && len(a.Without) == 0 {
			a.Without = append(a.Without, fmt.Sprintf("auto scaling: there is %v; capacities stay as they are", err))
		}
		return nil, nil
	}
	return s, err
}

// unscale removes auto scaling where the billing that is asked for has none: it would move capacities that are to stay.
func (a *alteration) unscale(ctx context.Context) error {
	if scaled(a.Change) || !a.OnDemand && a.WriteCapacity == 0 {
		return nil
	}
	s, err := a.connect(ctx)
	if s == nil || err != nil {
		return err
	}
	for _, d := range dimensions(a.name, a.Change) {
		have, err := a.target(ctx, s, d)
		if err != nil {
			return err
		}
		if have == nil {
			continue
		}
		err = a.ask(ctx, "auto scaling of "+d.String()+": removed", func() error {
			_, err := s.DeregisterScalableTarget(ctx, &autoscaling.DeregisterScalableTargetInput{
				ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension})
			if is[*types.ObjectNotFoundException](err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scale registers what auto scaling is to move, and its targets.
func (a *alteration) scale(ctx context.Context) error {
	if !scaled(a.Change) {
		return nil
	}
	s, err := a.connect(ctx)
	if s == nil || err != nil {
		return err
	}
	percent := utilization(a.Change)
	for _, d := range dimensions(a.name, a.Change) {
		have, err := a.target(ctx, s, d)
		if err != nil {
			return err
		}
		if have == nil || int64(aws.ToInt32(have.MinCapacity)) != d.least || int64(aws.ToInt32(have.MaxCapacity)) != d.most {
			err := a.ask(ctx, fmt.Sprintf("auto scaling of %s: from %d to %d units a second", d, d.least, d.most), func() error {
				_, err := s.RegisterScalableTarget(ctx, d.register())
				return err
			})
			if err != nil {
				return err
			}
		}
		if err := a.aim(ctx, s, d, percent); err != nil {
			return err
		}
	}
	return nil
}

// aim sets the utilisation that auto scaling aims at.
func (a *alteration) aim(ctx context.Context, s Scaling, d dimension, percent float64) error {
	var have *types.TargetTrackingScalingPolicyConfiguration
	if err := a.poll(ctx, func() (bool, error) {
		out, err := s.DescribeScalingPolicies(ctx, &autoscaling.DescribeScalingPoliciesInput{
			ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension})
		if err == nil {
			for _, p := range out.ScalingPolicies {
				if aws.ToString(p.PolicyName) == d.policyName() {
					have = p.TargetTrackingScalingPolicyConfiguration
				}
			}
		}
		return err == nil, err
	}); err != nil {
		return fmt.Errorf("auto scaling of %s: %w", d, err)
	}
	if have != nil && aws.ToFloat64(have.TargetValue) == percent {
		return nil
	}
	return a.ask(ctx, fmt.Sprintf("auto scaling of %s: aims at %g %%", d, percent), func() error {
		_, err := s.PutScalingPolicy(ctx, d.policy(percent))
		return err
	})
}

// target returns what auto scaling knows of a dimension, nil: nothing.
func (a *alteration) target(ctx context.Context, s Scaling, d dimension) (have *types.ScalableTarget, err error) {
	err = a.poll(ctx, func() (bool, error) {
		out, err := s.DescribeScalableTargets(ctx, &autoscaling.DescribeScalableTargetsInput{
			ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceIds: []string{d.resource}, ScalableDimension: d.dimension})
		if err == nil && len(out.ScalableTargets) > 0 {
			have = &out.ScalableTargets[0]
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("auto scaling of %s: %w", d, err)
	}
	return have, nil
}
