package dynamo

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// indexes says how the table and its index are called and which attributes are their keys.
var indexes = [...]struct{ name, pk, sk string }{
	sinks.Base: {"", sinks.AttrPK, sinks.AttrSK},
	sinks.GSI1: {"GSI1", sinks.AttrGSI1PK, sinks.AttrGSI1SK},
}

func keySchema(i sinks.Index) []types.KeySchemaElement {
	index := indexes[i]
	return []types.KeySchemaElement{
		{AttributeName: &index.pk, KeyType: types.KeyTypeHash},
		{AttributeName: &index.sk, KeyType: types.KeyTypeRange},
	}
}

func findIndex(d *types.TableDescription, name string) (types.GlobalSecondaryIndexDescription, bool) {
	i := slices.IndexFunc(d.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool {
		return aws.ToString(g.IndexName) == name
	})
	if i < 0 {
		return types.GlobalSecondaryIndexDescription{}, false
	}
	return d.GlobalSecondaryIndexes[i], true
}

// spellKeys writes keys for people: pk (S, HASH), sk (S, RANGE). Without kinds all are strings.
func spellKeys(keys []types.KeySchemaElement, kinds map[string]types.ScalarAttributeType) (s string) {
	for i, k := range keys {
		if i > 0 {
			s += ", "
		}
		kind := types.ScalarAttributeTypeS
		if kinds != nil {
			kind = kinds[aws.ToString(k.AttributeName)]
		}
		s += fmt.Sprintf("%s (%s, %s)", aws.ToString(k.AttributeName), kind, k.KeyType)
	}
	return s
}

func projection(p *types.Projection) types.ProjectionType {
	if p == nil {
		return "nothing"
	}
	return p.ProjectionType
}
