package dynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/tableid"
)

func TestIdentity(t *testing.T) {
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	throttled := &types.ThrottlingException{}
	for _, c := range []struct {
		name  string
		table *types.TableDescription
		err   error
		want  tableid.Identity
		fails bool
	}{
		{name: "a table", table: &types.TableDescription{TableId: aws.String("1")}, want: tableid.Identity{ID: "1"}},
		{name: "a restored table", table: &types.TableDescription{TableId: aws.String("2"), RestoreSummary: &types.RestoreSummary{}},
			want: tableid.Identity{ID: "2", Restored: true}},
		{name: "DynamoDB Local", table: &types.TableDescription{}},
		{name: "no permission", err: denied},
		{name: "no table", err: &types.ResourceNotFoundException{}},
		{name: "no answer", err: throttled, fails: true},
	} {
		a := &account{table: c.table}
		if c.err != nil {
			a.hook = map[string]func() error{"DescribeTable": times(1, c.err)}
		}
		if id, err := dynamo.New(a, "footfall").Identity(t.Context()); id != c.want || (err != nil) != c.fails {
			t.Errorf("%s: Identity = %+v, %v, want %+v", c.name, id, err, c.want)
		}
	}
}
