package testpipeline

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Damages are the ways in which an attribute is damaged.
var Damages = map[string]func(sinks.Value) sinks.Value{
	"truncated": func(v sinks.Value) sinks.Value { return sinks.Bytes(v.Bytes()[:len(v.Bytes())/2]) },
	"checksum": func(v sinks.Value) sinks.Value {
		b := bytes.Clone(v.Bytes())
		b[len(b)-1] ^= 1
		return sinks.Bytes(b)
	},
	"garbage": func(sinks.Value) sinks.Value { return sinks.Bytes(bytes.Repeat([]byte{0xa5, 0x17}, 40)) },
	"type":    func(sinks.Value) sinks.Value { return sinks.Str("no such thing") },
	"missing": func(sinks.Value) sinks.Value { return sinks.Value{} },
}

// Acceptance is an operator's consent to the gap of a step.
func (w *World) Acceptance(partition int32, lane string, step int64) checkpoint.Acceptance {
	return checkpoint.Acceptance{Kafka: w.Kafka(), Topic: w.Topic, Table: w.Table, Partition: partition, Lane: lane, Step: step}
}

// ParkedPartitions is how many partitions of a process are parked.
func ParkedPartitions(m *pipeline.Metrics) (n int) {
	series := make(chan prometheus.Metric, 1<<10)
	m.Parked.Collect(series)
	close(series)
	for s := range series {
		var value dto.Metric
		if err := s.Write(&value); err != nil {
			panic(err)
		}
		n += int(value.GetGauge().GetValue())
	}
	return n
}

// Rotten is in the value of a record that a disk has damaged: what a client that reads through a decayed network reads has
// another byte there, so that its batch's checksum is wrong.
var Rotten = []byte("rotten")

// Decayed are the ways to reach the broker through which rotten bytes come out damaged, as long as damage is set.
func (w *World) Decayed(damage *atomic.Bool, dial func(context.Context, string, string) (net.Conn, error)) []kgo.Opt {
	return []kgo.Opt{kgo.SeedBrokers(w.Cluster.ListenAddrs()...), kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn,
		error) {
		c, err := dial(ctx, network, host)
		return &decay{Conn: c, damage: damage}, err
	})}
}

// decay reads a whole response before it hands out a byte of it.
type decay struct {
	net.Conn
	damage *atomic.Bool
	rest   []byte
}

func (d *decay) Read(b []byte) (int, error) {
	if len(d.rest) == 0 {
		size := make([]byte, 4)
		if _, err := io.ReadFull(d.Conn, size); err != nil {
			return 0, err
		}
		d.rest = make([]byte, 4+binary.BigEndian.Uint32(size))
		copy(d.rest, size)
		if _, err := io.ReadFull(d.Conn, d.rest[4:]); err != nil {
			return 0, err
		}
		if i := bytes.Index(d.rest, Rotten); i >= 0 && d.damage.Load() {
			d.rest[i]++
		}
	}
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// Unparking is an operator's decision that a parked partition continues.
func (w *World) Unparking(partition int32) checkpoint.Unparking {
	return checkpoint.Unparking{Kafka: w.Kafka(), Topic: w.Topic, Table: w.Table, Partition: partition}
}
