package embedded

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestBrokerTellsItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	here := kgo.SeedBrokers(b.Addr())
	for _, same := range []string{dir, link, dir + "/../data"} {
		for range 2 {
			if err := CheckServed(t.Context(), same, here); err != nil {
				t.Errorf("CheckServed(%s) = %v, want nil: the broker keeps it", same, err)
			}
		}
	}
	other := t.TempDir()
	if err := os.CopyFS(filepath.Join(other, "copy"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, another := range []string{other, filepath.Join(other, "copy")} {
		if err := CheckServed(t.Context(), another, here); !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "of directory "+dir) {
			t.Errorf("CheckServed(%s) = %v, want ErrNotServed and %s", another, err, dir)
		}
	}
	if err := b.CreateTopic("events", 2); err != nil {
		t.Fatal(err)
	}
	all, err := kadm.NewClient(client(t, b.Addr())).DescribeAllLogDirs(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	partitions := 0
	all.Each(func(d kadm.DescribedLogDir) { d.Topics.Each(func(kadm.DescribedLogDirPartition) { partitions++ }) })
	if partitions != 2 {
		t.Errorf("who asks for the log directories of all partitions hears of %d, want 2", partitions)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CheckServed(t.Context(), dir, here); !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("CheckServed of a closed broker = %v, want ErrNotServed", err)
	}
}

func TestAnotherProgramsBrokerIsNotOurs(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	err = CheckServed(t.Context(), t.TempDir(), kgo.SeedBrokers(cluster.ListenAddrs()...))
	if !errors.Is(err, ErrNotServed) || !strings.Contains(err.Error(), "another program's broker") {
		t.Errorf("CheckServed = %v, want ErrNotServed", err)
	}
}

// Fresh directories that are made while others' brokers are down do not all take the same port.
func TestFreshDirectoriesSpreadOverPorts(t *testing.T) {
	ports := make(map[string]bool)
	const directories = 10
	for range directories {
		b, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		ports[port] = true
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(ports) < 2 {
		t.Errorf("%d fresh directories, one after the other, all took the same port", directories)
	}
}
