package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/footfall/footfall/sketch"
)

// sizes prints what a sketch of so many visitors takes in memory and in an item.
func sizes(context.Context, options) error {
	fmt.Println("Sketches: bytes by visitors of a (site, bucket)")
	fmt.Println("  method: growth of the heap over many sketches of random hashes, after garbage collection; bytes as encoded for the item")
	fmt.Println()
	fmt.Printf("  %-28s | %8s | %10s | %10s\n", "", "visitors", "in memory", "in an item")
	for _, n := range []int{10, 1024, 100_000} {
		memory, bytes, err := sketchSize(sketch.NewHour, n)
		if err != nil {
			return err
		}
		fmt.Printf("  %-28s | %8d | %10.0f | %10.0f\n", "uniques of an hour", n, memory, bytes)
	}
	for _, n := range []int{10, 128, 1000} {
		memory, bytes, err := sketchSize(sketch.NewMinute, n)
		if err != nil {
			return err
		}
		fmt.Printf("  %-28s | %8d | %10.0f | %10.0f\n", "uniques of a realtime minute", n, memory, bytes)
	}
	fmt.Println("  goals for an hour: 400 bytes in memory at 10 visitors, 17 KB above 1,024")
	fmt.Println()
	return nil
}

// sketchSize returns the mean bytes of a sketch with n distinct hashes, in memory and encoded.
func sketchSize(empty func() *sketch.Uniques, n int) (memory, encoded float64, err error) {
	count := max(8, min(2000, 1_000_000/n))
	list := make([]*sketch.Uniques, count)
	rng := rand.New(rand.NewPCG(5, 6))
	before := liveBytes()
	for i := range list {
		list[i] = empty()
		for range n {
			list[i].Add(rng.Uint64())
		}
	}
	memory = float64(liveBytes()-before) / float64(count)
	for _, u := range list {
		b, err := u.AppendBinary(nil)
		if err != nil {
			return 0, 0, err
		}
		encoded += float64(len(b)) / float64(count)
	}
	return memory, encoded, nil
}

// liveBytes returns the bytes that live objects take.
func liveBytes() int64 {
	runtime.GC()
	runtime.GC() // What the first one's finalizers let go.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
