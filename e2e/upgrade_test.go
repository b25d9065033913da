//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
)

// TestUpgradeFromTheFormerRelease: a group of three passes from the former release, as it was built from its commit, to this one, back, and
// forward again, under load, by drains, kill -9 and freezes. Then the upgrade is finalized. Both releases recount and answer the same
// before, all partitions are owned after each change, and the former release is refused afterwards.
func TestUpgradeFromTheFormerRelease(t *testing.T) {
	slow.Test(t)
	former := buildFormer(t)
	onStages(t, func(t *testing.T, s *stage) {
		const partitions = 6
		s.topic = testenv.Topic(t, s.brokers, partitions, nil)
		for name, value := range map[string]string{"KAFKA_TOPIC": s.topic, "KAFKA_GROUP": s.topic, "KAFKA_GROUP_PROTOCOL": "consumer",
			"INTERVALS_STATS": "1s", "INTERVALS_REALTIME": "400ms"} {
			s.set("FOOTFALL_"+name, value)
		}
		u := &upgraded{stage: s, t: t, former: former, partitions: partitions}
		u.by(former, "table", "create")
		for range 3 {
			u.members = append(u.members, u.startMember(former))
		}
		u.load()
		for _, release := range []string{program, former, program} {
			u.roll(release)
			u.agree()
		}
		u.add(former)
		out, errs, code := execute(t, s.env, "upgrade", "finalize")
		if code == 0 || !strings.Contains(errs, "owned by members of a release before "+sinks.FormatRelease(sinks.LastFormat)) {
			t.Errorf("finalize beside a member of the former release: exit code %d\n%s%s", code, out, errs)
		}
		u.remove()
		u.agree()

		u.members[0].signal(syscall.SIGSTOP)
		s.execute(t, "upgrade", "finalize")
		u.members[0].signal(syscall.SIGCONT)
		for _, args := range [][]string{{"run"}, {"query", "sites"}} {
			p := u.start(former, args...)
			eventually(t, "the former release ends", p.ended)
			if p.code() == 0 || !strings.Contains(p.errors.String(), "run "+sinks.FormatRelease(sinks.LastFormat)+" or a later release") {
				t.Errorf("the former release, %v: exit code %d\n%s", args, p.code(), p.errors.String())
			}
		}
		eventually(t, "every lane has flushed in the new format", func() bool {
			var state struct{ Unchanged, Lanes int }
			s.answer(t, &state, "upgrade", "status")
			return state.Lanes == 2*partitions && state.Unchanged == 0
		})
		u.producer.drain()
		v := s.verify(t)
		sent, want := acknowledged(t, u.ledgers)
		if got := s.counted(t); v.Records != sent || !maps.Equal(got, want) {
			t.Errorf("%d records and events by site %v; %d records and %v were acknowledged", v.Records, got, sent, want)
		}
		for _, m := range u.members {
			m.drain()
		}
		t.Logf("%d records in %d stages; %d of %d members killed in the middle of a flush; %d items compared", sent, u.agreed, u.open, u.killed,
			v.ComparedCount)
	})
}

// TestDirectoryOfDevPassesBetweenReleases: what footfall dev keeps in a directory passes to this release, back and forward, as it is
// stopped and started, until it is finalized.
func TestDirectoryOfDevPassesBetweenReleases(t *testing.T) {
	slow.Test(t)
	u := &upgraded{stage: &stage{}, t: t, former: buildFormer(t)}
	dir := t.TempDir()
	dev := []string{"dev", "--data", dir, "--plain", "--for", "5s", "--listen", "off", "--rate", "100"}
	recounted := int64(0)
	for _, release := range []string{u.former, program, u.former, program} {
		u.by(release, dev...)
		for _, by := range []string{u.former, program} {
			var v verified
			if err := json.Unmarshal([]byte(u.by(by, "verify", "--data", dir, "--output", "json")), &v); err != nil {
				t.Fatal(err)
			}
			if v.DifferenceCount != 0 || v.UnsettledCount != 0 || by == u.former && v.Records <= recounted {
				t.Errorf("%s verify says %+v after %d records", by, v, recounted)
			}
			recounted = v.Records
		}
	}
	u.by(program, "upgrade", "finalize", "--data", dir)
	p := u.start(u.former, dev...)
	eventually(t, "the former release ends", p.ended)
	if p.code() == 0 || !strings.Contains(p.errors.String(), "run "+sinks.FormatRelease(sinks.LastFormat)+" or a later release") {
		t.Errorf("the former release: exit code %d\n%s", p.code(), p.errors.String())
	}
	u.by(program, dev...)
	u.by(program, "verify", "--data", dir)
}

// buildFormer builds the last release of the former format, once, from its commit, which the file releases names.
func buildFormer(t *testing.T) (former string) {
	t.Helper()
	list, err := os.ReadFile("../releases")
	if err != nil {
		t.Fatal(err)
	}
	var release, commit string
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, sinks.FormatRelease(sinks.LastFormat)+" ") {
			break
		}
		if version, of, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			release, commit = version, of
		}
	}
	if commit == "" {
		t.Fatalf("the file releases has none before %s", sinks.FormatRelease(sinks.LastFormat))
	}
	former = program + "-" + release
	if _, err := os.Stat(former); err == nil {
		return former
	}
	build := exec.CommandContext(t.Context(), "sh", "-c", `git archive "$1" | tar -x -C "$2" && cd "$2" && go build -ldflags=-w -o "$3" ./cmd/footfall`,
		"sh", commit, t.TempDir(), former)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build release %s of commit %s, for which the whole history must be there: %v\n%s", release, commit, err, out)
	}
	return former
}

// upgraded is a group under load whose members are of one release or the other.
type upgraded struct {
	*stage
	t          *testing.T
	former     string // its program
	partitions int
	members    []*process
	addrs      map[*process]string
	producer   *process
	ledgers    []string

	agreed, killed, open int // stages in which the releases agreed; members that were killed, and of them in the middle of a flush
}

// start runs a release's program.
func (u *upgraded) start(release string, args ...string) *process {
	u.t.Helper()
	cmd := exec.Command(release, args...)
	cmd.Env = append(plainEnvironment(), u.env...)
	return startCommand(u.t, filepath.Base(release)+" "+args[0], cmd)
}

// by runs a command of a release to its end, and returns what it printed.
func (u *upgraded) by(release string, args ...string) string {
	u.t.Helper()
	p := u.start(release, args...)
	eventually(u.t, strings.Join(p.cmd.Args, " ")+" ends", p.ended)
	if p.code() != 0 {
		u.t.Fatalf("%v: exit code %d\n%s", p.cmd.Args, p.code(), p.errors.String())
	}
	return p.out.String()
}

func (u *upgraded) startMember(release string) *process {
	u.t.Helper()
	addr := freeAddress(u.t)
	p := u.start(release, "run", "--http", addr)
	if u.addrs == nil {
		u.addrs = make(map[*process]string)
	}
	u.addrs[p] = addr
	return p
}

func (u *upgraded) load() {
	u.t.Helper()
	ledger := filepath.Join(u.t.TempDir(), "ledger")
	u.ledgers = append(u.ledgers, ledger)
	u.producer = u.stage.start(u.t, "producer", "produce", "--rate", fmt.Sprint(u.rate), "--sites", "5", "--buckets", "8", "--ledger", ledger)
	u.awaitOwners()
}

// awaitOwners waits until the members own all partitions, and each owns some.
func (u *upgraded) awaitOwners() {
	u.t.Helper()
	poll(u.t, nowAndThen, "the members own all partitions", func() bool {
		owned := 0
		for _, m := range u.members {
			m.running()
			scraped, err := scrape(u.addrs[m])
			if err != nil || scraped["footfall_partitions"] == 0 {
				return false
			}
			owned += int(scraped["footfall_partitions"])
		}
		return owned == u.partitions
	})
}

// add lets a member of a release join, and waits until it owns partitions.
func (u *upgraded) add(release string) {
	u.t.Helper()
	u.members = append(u.members, u.startMember(release))
	u.awaitOwners()
}

// remove drains the member that joined last.
func (u *upgraded) remove() {
	u.t.Helper()
	last := len(u.members) - 1
	u.members[last].drain()
	u.members = u.members[:last]
	u.awaitOwners()
}

// roll replaces the members by those of a release: one drains, one is killed in the middle of a flush, and one is frozen until others
// have taken its partitions over, and wakes up.
func (u *upgraded) roll(release string) {
	u.t.Helper()
	u.members[0].drain()
	u.members[0] = u.startMember(release)
	u.awaitOwners()

	eventually(u.t, "a flush is open", func() bool { return len(open(u.chains(u.t))) > 0 })
	u.members[1].kill()
	u.killed++
	if len(open(u.chains(u.t))) > 0 {
		u.open++
	}
	u.members[1] = u.startMember(release)
	u.awaitOwners()

	frozen := u.members[2]
	frozen.signal(syscall.SIGSTOP)
	u.members[2] = u.startMember(release)
	u.awaitOwners()
	frozen.signal(syscall.SIGCONT)
	frozen.drain()
	u.awaitOwners()
}

// agree has both releases recount what there is and answer, without load, and puts the group under load again.
func (u *upgraded) agree() {
	u.t.Helper()
	u.producer.drain()
	var compared [2]int64
	for i, release := range []string{u.former, program} {
		var v verified
		if err := json.Unmarshal([]byte(u.by(release, "verify", "--wait", (patience*2/3).String(), "--output", "json")), &v); err != nil {
			u.t.Fatal(err)
		}
		if compared[i] = v.ComparedCount; v.DifferenceCount != 0 || v.ComparedCount == 0 || v.UnsettledCount != 0 {
			u.t.Fatalf("%s verify says %+v", release, v)
		}
	}
	if compared[0] != compared[1] {
		u.t.Errorf("the former release compared %d items, this one %d", compared[0], compared[1])
	}
	for _, site := range u.sites(u.t) {
		var answers [2]string
		for i, release := range []string{u.former, program} {
			answers[i] = u.by(release, "query", "stats", site, "--from", "-2d", "--to", "2100-01-01", "--by", "day", "--output", "csv")
		}
		if answers[0] != answers[1] {
			u.t.Errorf("%s: the former release answers\n%s\nand this one\n%s", site, answers[0], answers[1])
		}
	}
	u.agreed++
	u.load()
}
