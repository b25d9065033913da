// Package cgroup finds how much memory Linux allows the process: the limit of its container.
package cgroup

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// unlimited is where version 1 stops to spell a limit and writes the largest number of pages instead.
const unlimited = 1 << 60

// MemoryLimit returns the least memory limit of the process's control group and of those above it, in bytes; ok is false
// where there is none, as on other systems than Linux. fsys is the root of the file system, os.DirFS("/").
//
// Both versions are looked at, since a host may mount both. Inside of a container the group's own path often is that of
// the host, and not there: what is mounted as the root of the hierarchy is then the container's own group.
func MemoryLimit(fsys fs.FS) (bytes int64, ok bool) {
	list, err := fs.ReadFile(fsys, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(list)) { // hierarchy:controllers:path
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		root, file := "sys/fs/cgroup", "memory.max"
		switch {
		case f[0] == "0" && f[1] == "":
		case hasMemory(f[1]):
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			if n, limited := limitIn(fsys, path.Join(root, group, file)); limited && (!ok || n < bytes) {
				bytes, ok = n, true
			}
			if group == "/" {
				break
			}
		}
	}
	return bytes, ok
}

func hasMemory(controllers string) bool {
	for c := range strings.SplitSeq(controllers, ",") {
		if c == "memory" {
			return true
		}
	}
	return false
}

// limitIn reads the limit in a file, if there is one.
func limitIn(fsys fs.FS, name string) (n int64, limited bool) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // Version 2 spells none as max.
	return n, err == nil && 0 < n && n < unlimited
}
