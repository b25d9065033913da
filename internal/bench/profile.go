package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
)

// profiled does work under the profiles that the flags name; if they name none, it does not do it.
func (o options) profiled(work func() error) error {
	if o.profile == "" && o.allocs == "" {
		return nil
	}
	stopCPU, err := profileCPU(o.profile)
	if err != nil {
		return err
	}
	stopAllocs, err := profileAllocs(o.allocs)
	if err != nil {
		return errors.Join(err, stopCPU())
	}
	return errors.Join(work(), stopCPU(), stopAllocs())
}

// profileCPU begins a CPU profile, which stop writes to a file.
func profileCPU(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// sampledBytes is the number of allocated bytes between two samples. It is less than the default, to show small allocations.
const sampledBytes = 16 << 10

// profileAllocs begins a profile of allocations, which stop writes to a file. Before it begins none is sampled, see main.
func profileAllocs(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	runtime.MemProfileRate = sampledBytes
	return func() error {
		runtime.GC() // The profile is as of the last collection.
		return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
	}, nil
}
