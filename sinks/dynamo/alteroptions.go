package dynamo

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// An optionStep returns what is left to do about an option of a table, and the request that does it; nil: nothing.
type optionStep func(*types.TableDescription) (said string, request *dynamodb.UpdateTableInput)

// prepare gives the table, and then its indexes, the options that are asked for and that they have not. Each takes a request of its own:
// DynamoDB takes the class, for one, with nothing beside it.
func (a *alteration) prepare(ctx context.Context) error {
	for _, step := range []optionStep{a.protect, a.reclass} {
		if _, err := a.settle(ctx, step); err != nil {
			return err
		}
	}
	for _, option := range []func(index string) optionStep{a.warmUp, a.limit} {
		for _, index := range indexes {
			if has, err := a.settle(ctx, option(index.name)); err != nil {
				return err
			} else if !has {
				break // Nor have its indexes. DynamoDB Local fails if it is asked about them.
			}
		}
	}
	return nil
}

// settle does a step, and reports whether the store has the option. DynamoDB Local ignores the members of options that it has not, and
// refuses a request that has no others since there is nothing to update.
func (a *alteration) settle(ctx context.Context, step optionStep) (has bool, err error) {
	d, err := a.still(ctx)
	if err != nil {
		return false, err
	}
	said, request := step(d)
	if request == nil {
		return true, nil
	}
	before := a.Done
	err = a.do(ctx, said, request)
	if hasCode(err, "ValidationException") && strings.Contains(err.Error(), "Nothing to update") {
		a.Without = append(a.Without, said+": this DynamoDB does not have it")
		return false, nil
	}
	if err != nil || a.Dry {
		return true, err
	}
	if d, err = a.still(ctx); err != nil {
		return false, err
	}
	if _, again := step(d); again != nil {
		a.Done = before
		a.Without = append(a.Without, said+": this DynamoDB does not have it")
		return false, nil
	}
	return true, nil
}

func (a *alteration) protect(d *types.TableDescription) (said string, _ *dynamodb.UpdateTableInput) {
	if a.DeletionProtection == nil || aws.ToBool(d.DeletionProtectionEnabled) == *a.DeletionProtection {
		return "", nil
	}
	said = "deletion protection: off"
	if *a.DeletionProtection {
		said = "deletion protection: on"
	}
	return said, &dynamodb.UpdateTableInput{DeletionProtectionEnabled: a.DeletionProtection}
}

func (a *alteration) reclass(d *types.TableDescription) (said string, _ *dynamodb.UpdateTableInput) {
	if a.Class == "" || a.Class == class(d) {
		return "", nil
	}
	return "table class: " + string(a.Class), &dynamodb.UpdateTableInput{TableClass: classes[a.Class]}
}

// warmUp is about the table, or about an index.
func (a *alteration) warmUp(index string) optionStep {
	return func(d *types.TableDescription) (said string, _ *dynamodb.UpdateTableInput) {
		have, what := int64(0), "the table"
		if index == "" && d.WarmThroughput != nil {
			have = aws.ToInt64(d.WarmThroughput.WriteUnitsPerSecond)
		}
		if index != "" {
			what = "index " + index
			g, ok := findIndex(d, index)
			if !ok {
				return "", nil
			}
			if g.WarmThroughput != nil {
				have = aws.ToInt64(g.WarmThroughput.WriteUnitsPerSecond)
			}
		}
		if have >= a.WarmWriteUnits {
			return "", nil
		}
		said = fmt.Sprintf("warm throughput: %d write units a second of %s", a.WarmWriteUnits, what)
		if index == "" {
			return said, &dynamodb.UpdateTableInput{WarmThroughput: warm(a.Options)}
		}
		return said, updateIndex(types.UpdateGlobalSecondaryIndexAction{IndexName: &index, WarmThroughput: warm(a.Options)})
	}
}

// limit is about the table, or about an index.
func (a *alteration) limit(index string) optionStep {
	return func(d *types.TableDescription) (said string, _ *dynamodb.UpdateTableInput) {
		have, what := maximum(d.OnDemandThroughput), "the table"
		if index != "" {
			what = "index " + index
			g, ok := findIndex(d, index)
			if !ok {
				return "", nil
			}
			have = maximum(g.OnDemandThroughput)
		}
		if a.MaxWriteUnits == 0 || have == a.MaxWriteUnits {
			return "", nil
		}
		said = fmt.Sprintf("on-demand maximum: %d write units a second of %s", a.MaxWriteUnits, what)
		if a.MaxWriteUnits == sinks.Unlimited {
			said = "on-demand maximum: none of " + what
		}
		if index == "" {
			return said, &dynamodb.UpdateTableInput{OnDemandThroughput: most(a.Options)}
		}
		return said, updateIndex(types.UpdateGlobalSecondaryIndexAction{IndexName: &index, OnDemandThroughput: most(a.Options)})
	}
}

func updateIndex(action types.UpdateGlobalSecondaryIndexAction) *dynamodb.UpdateTableInput {
	return &dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Update: &action}}}
}
