package dynamo

import (
	"context"
	"errors"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// ErrNoDate reports an answer without a date.
var ErrNoDate = errors.New("the answer has no date")

// ServerTime returns what time it is where the table is, in whole seconds: the date of an answer.
func (t *Table) ServerTime(ctx context.Context) (time.Time, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return time.Time{}, err
	}
	at, ok := awsmiddleware.GetServerTime(out.ResultMetadata)
	if !ok {
		return time.Time{}, ErrNoDate
	}
	return at, nil
}
