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

func (a *alteration) dimensions() (all []dimension) {
	table := "table/" + a.name
	for _, index := range indexes {
		read, write := types.ScalableDimensionDynamoDBTableReadCapacityUnits, types.ScalableDimensionDynamoDBTableWriteCapacityUnits
		resource := table
		if index.name != "" {
			read, write = types.ScalableDimensionDynamoDBIndexReadCapacityUnits, types.ScalableDimensionDynamoDBIndexWriteCapacityUnits
			resource += "/index/" + index.name
		}
		all = append(all, dimension{resource, read, types.MetricTypeDynamoDBReadCapacityUtilization, a.ReadCapacity, a.MaxReadCapacity},
			dimension{resource, write, types.MetricTypeDynamoDBWriteCapacityUtilization, a.WriteCapacity, a.MaxWriteCapacity})
	}
	return all
}

func (a *alteration) scaled() bool { return a.MaxWriteCapacity > 0 }

// connect returns the client of auto scaling; nil where there is none, which is said if it was asked for.
func (a *alteration) connect(ctx context.Context) (Scaling, error) {
	err := errNoScaling
	var s Scaling
	if a.scaling != nil {
		s, err = a.scaling(ctx)
	}
	if errors.Is(err, errNoScaling) {
		if a.scaled() && len(a.Without) == 0 {
			a.Without = append(a.Without, fmt.Sprintf("auto scaling: there is %v; capacities stay as they are", err))
		}
		return nil, nil
	}
	return s, err
}

// unscale removes auto scaling where the billing that is asked for has none: it would move capacities that are to stay.
func (a *alteration) unscale(ctx context.Context) error {
	if a.scaled() || !a.OnDemand && a.WriteCapacity == 0 {
		return nil
	}
	s, err := a.connect(ctx)
	if s == nil || err != nil {
		return err
	}
	for _, d := range a.dimensions() {
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
	if !a.scaled() {
		return nil
	}
	s, err := a.connect(ctx)
	if s == nil || err != nil {
		return err
	}
	percent := float64(a.Utilization)
	if percent == 0 {
		percent = sinks.DefaultUtilization
	}
	for _, d := range a.dimensions() {
		have, err := a.target(ctx, s, d)
		if err != nil {
			return err
		}
		if have == nil || int64(aws.ToInt32(have.MinCapacity)) != d.least || int64(aws.ToInt32(have.MaxCapacity)) != d.most {
			err := a.ask(ctx, fmt.Sprintf("auto scaling of %s: from %d to %d units a second", d, d.least, d.most), func() error {
				_, err := s.RegisterScalableTarget(ctx, &autoscaling.RegisterScalableTargetInput{
					ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension,
					MinCapacity: aws.Int32(int32(d.least)), MaxCapacity: aws.Int32(int32(d.most))})
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

// aim sets the utilisation that auto scaling aims at, under a name that DynamoDB's console gives it too.
func (a *alteration) aim(ctx context.Context, s Scaling, d dimension, percent float64) error {
	name := fmt.Sprintf("%s:%s", d.metric, d.resource)
	var have *types.TargetTrackingScalingPolicyConfiguration
	if err := a.poll(ctx, func() (bool, error) {
		out, err := s.DescribeScalingPolicies(ctx, &autoscaling.DescribeScalingPoliciesInput{
			ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension})
		if err == nil {
			for _, p := range out.ScalingPolicies {
				if aws.ToString(p.PolicyName) == name {
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
		_, err := s.PutScalingPolicy(ctx, &autoscaling.PutScalingPolicyInput{
			PolicyName: &name, PolicyType: types.PolicyTypeTargetTrackingScaling,
			ServiceNamespace: types.ServiceNamespaceDynamodb, ResourceId: &d.resource, ScalableDimension: d.dimension,
			TargetTrackingScalingPolicyConfiguration: &types.TargetTrackingScalingPolicyConfiguration{TargetValue: &percent,
				PredefinedMetricSpecification: &types.PredefinedMetricSpecification{PredefinedMetricType: d.metric}},
		})
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
