package files

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/bucket"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
)

const bucketScheme = "s3://"

const (
	// headsAtOnce is how many objects' first bytes are asked for at once: a request takes some 30 ms.
	headsAtOnce = 16
	// headsBytes is how much of them is kept: they are looked at several times. Those of more objects are asked for each time.
	headsBytes = 64 << 20
)

// bucketInputs are the objects of s3://BUCKET/PREFIX, and their bytes.
func bucketInputs(ctx context.Context, name string) (inputs []produce.Input, total int64, err error) {
	where, prefix, _ := strings.Cut(strings.TrimPrefix(name, bucketScheme), "/")
	if where == "" {
		return nil, 0, command.Usagef("write s3://BUCKET/PREFIX")
	}
	client, err := bucket.Connect(ctx, where)
	if err != nil {
		return nil, 0, err
	}
	objects, err := client.List(ctx, prefix)
	if err != nil {
		return nil, 0, err
	}
	if len(objects) == 0 {
		return nil, 0, errors.New("no key in the bucket begins so, or all of its objects are empty")
	}
	heads := make([][]byte, len(objects))
	var kept atomic.Int64
	var asking errgroup.Group
	asking.SetLimit(headsAtOnce)
	for i, o := range objects {
		total += o.Bytes
		asking.Go(func() error {
			if kept.Load() > headsBytes {
				return nil
			}
			head, err := client.Head(ctx, o, produce.HeadBytes)
			if err == nil { // If not, it is an error when the object is opened.
				heads[i] = head
				kept.Add(int64(len(head)))
			}
			return context.Cause(ctx)
		})
		inputs = append(inputs, produce.Input{
			Name: bucketScheme + where + "/" + o.Key, ModTime: o.Modified,
			Open: func() (io.ReadCloser, error) { return client.Open(ctx, o), nil },
			Head: func() ([]byte, error) {
				if heads[i] != nil {
					return heads[i], nil
				}
				return client.Head(ctx, o, produce.HeadBytes)
			},
		})
	}
	return inputs, total, asking.Wait()
}
