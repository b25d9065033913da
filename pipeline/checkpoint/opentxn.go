package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// errNoTransaction reports that no transaction is open where one was.
var errNoTransaction = errors.New("the broker names no open transaction")

// askTransaction bounds how long brokers are asked whose a transaction is.
const askTransaction = 10 * time.Second

// OpenTransaction is a transaction that is open in a partition.
type OpenTransaction struct {
	ProducerID      int64  `json:"producerId"`
	ProducerEpoch   int16  `json:"producerEpoch"`
	TransactionalID string `json:"transactionalId,omitempty"` // empty where the brokers do not say: it takes Describe on the id
	FirstOffset     int64  `json:"firstOffset"`
}

// FindOpenTransaction returns the open transaction with the lowest first offset of a partition, which is the one that holds
// it up. Its transactional id is left out if the brokers do not name it.
func FindOpenTransaction(ctx context.Context, admin *kadm.Client, topic string, partition int32) (OpenTransaction, error) {
	ctx, cancel := context.WithTimeout(ctx, askTransaction)
	defer cancel()
	var set kadm.TopicsSet
	set.Add(topic, partition)
	described, err := admin.DescribeProducers(ctx, set)
	part := described[topic].Partitions[partition]
	if err = errors.Join(err, part.Err); err != nil {
		return OpenTransaction{}, fmt.Errorf("partition %d: describe its producers: %w", partition, err)
	}
	first := OpenTransaction{FirstOffset: -1}
	for _, d := range part.ActiveProducers {
		if d.CurrentTxnStartOffset >= 0 && (first.FirstOffset < 0 || d.CurrentTxnStartOffset < first.FirstOffset) {
			first = OpenTransaction{ProducerID: d.ProducerID, ProducerEpoch: d.ProducerEpoch, FirstOffset: d.CurrentTxnStartOffset}
		}
	}
	if first.FirstOffset < 0 {
		return OpenTransaction{}, errNoTransaction
	}
	if listed, err := admin.ListTransactions(ctx, []int64{first.ProducerID}, nil); err == nil {
		for _, t := range listed {
			first.TransactionalID = t.TxnID
		}
	}
	return first, nil
}
