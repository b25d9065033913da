// Package embedded is a Kafka broker in this process that keeps its topics in a directory: franz-go's kfake with a
// lock, a port that stays the same, and topics that never expire. Any Kafka client on this machine can publish to
// it and read from it. It is for development: one node, no replication, and what the operating system has not yet
// written is lost with the power (not with the process).
//
// The directory:
//
//	lock     held by the process that has the directory open; the process's id is in it until it closes the directory
//	port     the port on 127.0.0.1, in decimal
//	kafka/   kfake's own files
package embedded

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
)

// ErrLocked reports that another process has the directory open. The error that wraps it names the directory, the
// process and what to do.
var ErrLocked = errors.New("in use by another process")

// A fresh directory takes one of these ports: they are below the range from which systems draw the ports of outgoing
// connections, so that nobody takes one by chance while the broker is down. It takes the first free one from where its
// path says. There are so many that it seldom takes the port of a directory whose broker is down, as tests that run at once would. When
// tries in a row are taken the system chooses.
const (
	firstPort = 19092
	lastPort  = 32_000
	tries     = 100
)

// Broker is a running broker. Its methods are safe for concurrent use.
type Broker struct {
	cluster *kfake.Cluster
	addr    string
	lock    *os.File
}

// Open starts the broker of a directory, which is made if absent, and returns when clients can connect. Topics,
// records and committed offsets are those of the last time, whether that was closed or killed; transactions that were
// open when it was killed are aborted. A directory that is open already, here or in another process, is ErrLocked.
func Open(dir string) (*Broker, error) {
	b, err := open(dir, start)
	if err != nil {
		return nil, err
	}
	if err := b.rememberPort(dir); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// OpenAnywhere is Open on any free port, which is not remembered: for a look into a directory that nobody else is to
// find meanwhile, and whose own port may be taken.
func OpenAnywhere(dir string) (*Broker, error) {
	return open(dir, func(dir string) (*kfake.Cluster, error) { return listen(dir, 0) })
}

func open(dir string, start func(dir string) (*kfake.Cluster, error)) (_ *Broker, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = advise(dir, err) }()
	if err := makePrivate(dir); err != nil {
		return nil, err
	}
	lock, closed, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	if !closed {
		if err := recoverFromCrash(dir); err != nil {
			lock.Close()
			return nil, err
		}
	}
	cluster, err := start(dir)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &Broker{cluster: cluster, addr: cluster.ListenAddrs()[0], lock: lock}, nil
}

// makePrivate makes the directory for this user alone, and takes it from others where an earlier release made it: its
// files hold what visitors did. Files that the broker makes in it are out of reach of others, whatever their own modes.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// advise adds to an error what to do about a directory in which nothing can be written.
func advise(dir string, err error) error {
	if isUnwritable(err) {
		return fmt.Errorf("%w: let this user write in %s, or use another directory", err, dir)
	}
	return err
}

func isUnwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// start starts kfake on the directory's port, or on a fresh one.
func start(dir string) (*kfake.Cluster, error) {
	port, err := rememberedPort(dir)
	if err != nil {
		return nil, err
	}
	if port != 0 {
		cluster, err := listen(dir, port)
		if isListenError(err) {
			return nil, fmt.Errorf("start the broker of %s on its port: %w: end what uses the port, or delete %s "+
				"to have another one chosen", dir, err, filepath.Join(dir, "port"))
		}
		return cluster, err
	}
	const ports = lastPort - firstPort + 1
	path := fnv.New32a()
	path.Write([]byte(dir))
	for i := range tries {
		port := firstPort + (int(path.Sum32()%ports)+i)%ports
		if cluster, err := listen(dir, port); err == nil || !isListenError(err) {
			return cluster, err
		}
	}
	return listen(dir, 0)
}

func listen(dir string, port int) (*kfake.Cluster, error) {
	files := filepath.Join(dir, "kafka")
	cluster, err := kfake.NewCluster(
		kfake.Ports(port),
		kfake.DataDir(files),
		kfake.ClusterID("footfall-embedded"),
		kfake.WithLogger(logger{}),
	)
	switch {
	case isListenError(err), isUnwritable(err):
		return nil, fmt.Errorf("embedded broker: %w", err)
	case err != nil:
		return nil, fmt.Errorf("embedded broker: read %s: %w: restore it from a copy, or use another directory", files, err)
	}
	tellDirectory(cluster, dir)
	return cluster, nil
}

func isListenError(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "listen"
}

func rememberedPort(dir string) (int, error) {
	name := filepath.Join(dir, "port")
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("%s: %q is not a port: delete the file to have one chosen", name, text)
	}
	return int(port), nil
}

// rememberPort writes the port down for the next start, so that other programs' configuration stays right.
func (b *Broker) rememberPort(dir string) error {
	_, port, err := net.SplitHostPort(b.addr)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "port")
	if old, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(old)) == port {
		return nil
	}
	return replaceFile(name, []byte(port+"\n"))
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, text []byte) error {
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Addr is where clients connect, host:port. It is the same at each start.
func (b *Broker) Addr() string { return b.addr }

// CreateTopic makes a topic whose records never expire, as its own retention settings say. A topic that exists is
// left as it is.
func (b *Broker) CreateTopic(name string, partitions int32) error {
	configs := map[string]string{"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete"}
	err := b.cluster.CreateTopic(name, partitions, configs)
	if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
		return fmt.Errorf("embedded broker: create topic %q: %w", name, err)
	}
	return nil
}

// Close stops the broker, writes its state down and lets the directory go. A second call does nothing.
func (b *Broker) Close() error {
	b.cluster.Close()
	err := b.lock.Truncate(0) // Closed in order: the next start has nothing to recover from.
	if err := errors.Join(err, b.lock.Close()); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// lockDir takes the directory for this process. The system lets go of it when the process ends, however it ends; closed
// says that the last one closed it in order, or that there was none.
func lockDir(dir string) (f *os.File, closed bool, err error) {
	name := filepath.Join(dir, "lock")
	if f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := lockFile(f); err != nil {
		if !errors.Is(err, errWouldBlock) {
			return nil, false, fmt.Errorf("lock %s: %w", name, err)
		}
		owner := "a process"
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
			owner = "process " + strings.TrimSpace(string(text))
		}
		return nil, false, fmt.Errorf("directory %s: %w (%s): stop that one, or use another directory", dir, ErrLocked, owner)
	}
	last, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	id := fmt.Appendln(nil, os.Getpid())
	if _, err := f.WriteAt(id, 0); err != nil { // Before the rest goes: the file is not to be empty while this process may be killed.
		return nil, false, err
	}
	if err := f.Truncate(int64(len(id))); err != nil {
		return nil, false, err
	}
	return f, last.Size() == 0, nil
}

// logger passes kfake's errors on: a disk that refuses to keep a topic, above all.
type logger struct{}

func (logger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelError {
		// Cause: The broker of `footfall dev` cannot keep its files: the disk is full, or the folder may not be written. Remedy: Free space or
		// permit writing, then start `footfall dev` again.
		slog.Error("embedded broker: " + fmt.Sprintf(format, args...))
	}
}
