package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// createInput describes the table that footfall needs, in the shape that was chosen. The indexes hold keys only:
// an index that held more would cost a write for each of its attributes that a flush changes.
func createInput(name string, s sinks.Shape) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{TableName: &name, KeySchema: keySchema(sinks.Base), BillingMode: types.BillingModePayPerRequest}
	capacity := func() *types.ProvisionedThroughput { return nil }
	if provisioned(s) {
		in.BillingMode = types.BillingModeProvisioned
		capacity = func() *types.ProvisionedThroughput {
			return &types.ProvisionedThroughput{ReadCapacityUnits: &s.ReadCapacity, WriteCapacityUnits: &s.WriteCapacity}
		}
	}
	in.ProvisionedThroughput = capacity()
	for i, index := range indexes {
		for _, attr := range []string{index.pk, index.sk} {
			in.AttributeDefinitions = append(in.AttributeDefinitions,
				types.AttributeDefinition{AttributeName: &attr, AttributeType: types.ScalarAttributeTypeS})
		}
		if index.name == "" {
			continue
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &index.name, KeySchema: keySchema(sinks.Index(i)), ProvisionedThroughput: capacity(),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		})
	}
	if s.Stream {
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		}
	}
	withOptions(in, s.Options)
	return in
}

// fixedDifferences says in what a table is not as footfall needs it, whatever its owner chose: its keys and indexes.
func fixedDifferences(d *types.TableDescription) []string {
	return append(lastingDifferences(d), missingIndexes(d)...)
}

// missingIndexes says which indexes a table does not have.
func missingIndexes(d *types.TableDescription) (diff []string) {
	for i, index := range indexes {
		if _, ok := findIndex(d, index.name); !ok && index.name != "" {
			diff = append(diff, fmt.Sprintf("index %s is missing; footfall needs it on %s", index.name, spellKeys(keySchema(sinks.Index(i)), nil)))
		}
	}
	return diff
}

// lastingDifferences are those that no update of the table takes away.
func lastingDifferences(d *types.TableDescription) (diff []string) {
	kinds := make(map[string]types.ScalarAttributeType)
	for _, a := range d.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = a.AttributeType
	}
	schema := func(what string, have []types.KeySchemaElement, i sinks.Index) {
		if h, w := spellKeys(have, kinds), spellKeys(keySchema(i), nil); h != w {
			diff = append(diff, fmt.Sprintf("%s are %s; footfall needs %s", what, h, w))
		}
	}
	schema("the table's keys", d.KeySchema, sinks.Base)
	for i, index := range indexes {
		have, ok := findIndex(d, index.name)
		if !ok {
			continue
		}
		schema("the keys of index "+index.name, have.KeySchema, sinks.Index(i))
		if p := have.Projection; p == nil || p.ProjectionType != types.ProjectionTypeKeysOnly {
			diff = append(diff, fmt.Sprintf("index %s holds %s; footfall needs KEYS_ONLY, since each write of an attribute in an index costs again",
				index.name, projection(p)))
		}
	}
	return diff
}

// ttlDifference says what a table's expiry lacks; "" when it is on, or being turned on, for our attribute.
func ttlDifference(d *types.TimeToLiveDescription) string {
	on := expires(d)
	switch {
	case on && aws.ToString(d.AttributeName) == sinks.AttrTTL:
		return ""
	case on:
		return fmt.Sprintf("expiry is on for attribute %q; footfall needs it for %q", aws.ToString(d.AttributeName), sinks.AttrTTL)
	}
	return fmt.Sprintf("expiry is off; footfall needs it for attribute %q", sinks.AttrTTL)
}

// expires reports whether a table's items expire, by whatever attribute.
func expires(d *types.TimeToLiveDescription) bool {
	return d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling)
}

// chosenDifferences says in what a table differs from the shape that is asked for. A stream or recovery that
// nobody asked for is no difference: footfall can do with them. Recovery that is missing is none either, since
// Create turns it on.
func chosenDifferences(d *types.TableDescription, s sinks.Shape) (diff []string) {
	switch have := billing(d); {
	case have == onDemand && provisioned(s):
		diff = append(diff, fmt.Sprintf("billing is on demand; asked for is provisioned capacity of %d read and %d write units", s.ReadCapacity,
			s.WriteCapacity))
	case have == byCapacity && !provisioned(s):
		r, w := capacity(d.ProvisionedThroughput)
		diff = append(diff, fmt.Sprintf("billing is by provisioned capacity, %d read and %d write units; asked for is on demand", r, w))
	case have == byCapacity:
		compare := func(what string, p *types.ProvisionedThroughputDescription) {
			if r, w := capacity(p); r != s.ReadCapacity || w != s.WriteCapacity {
				diff = append(diff, fmt.Sprintf("%s has %d read and %d write units; asked for are %d and %d", what, r, w, s.ReadCapacity,
					s.WriteCapacity))
			}
		}
		compare("the table", d.ProvisionedThroughput)
		for _, index := range indexes {
			if have, ok := findIndex(d, index.name); ok {
				compare("index "+index.name, have.ProvisionedThroughput)
			}
		}
	}
	if s.Stream && !streams(d) {
		diff = append(diff, "the stream of new and old images is off; asked for is on")
	}
	return diff
}
