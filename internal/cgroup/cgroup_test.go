package cgroup

import (
	"testing"
	"testing/fstest"
)

func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64 // 0: none
	}{
		{"no Linux", nil, 0},
		{"version 2, in a container", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 536870912},
		{"version 2, the path is the host's", map[string]string{
			"proc/self/cgroup": "0::/kubepods/pod1/abc\n", "sys/fs/cgroup/memory.max": "1048576\n"}, 1048576},
		{"version 2, no limit", map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		{"version 2, a slice above has less", map[string]string{
			"proc/self/cgroup": "0::/system.slice/footfall.service\n", "sys/fs/cgroup/system.slice/memory.max": "100000000\n",
			"sys/fs/cgroup/system.slice/footfall.service/memory.max": "200000000\n"}, 100000000},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpuacct,cpu:/docker/abc\n4:memory:/docker/abc\n0::/\n",
			"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes":     "300000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":                "9223372036854771712\n",
			"sys/fs/cgroup/cpuacct/docker/abc/memory.limit_in_bytes":    "1\n",
			"sys/fs/cgroup/memory/docker/other/memory.limit_in_bytes":   "1\n",
			"sys/fs/cgroup/memory/docker/abc/sub/memory.limit_in_bytes": "1\n"}, 300000000},
		{"version 1, in a container", map[string]string{
			"proc/self/cgroup": "4:memory:/docker/abc\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "300000000\n"}, 300000000},
		{"version 1, no limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		{"what is no list", map[string]string{"proc/self/cgroup": "memory\n\n0:\n"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := make(fstest.MapFS)
			for name, text := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got, ok := MemoryLimit(fsys); got != c.want || ok != (c.want != 0) {
				t.Errorf("MemoryLimit = %d, %v, want %d", got, ok, c.want)
			}
		})
	}
}
