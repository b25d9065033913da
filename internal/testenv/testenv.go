// Package testenv gives tests a real Kafka broker and a real DynamoDB Local in containers. All packages of a run share
// them (make test, see [Share]), and the tests of one process where go test is called without it.
//
// A package that uses it hands its tests over to [Main]:
//
//	func TestMain(m *testing.M) { testenv.Main(m) }
//
// The names of such tests begin with TestReal, so that they can be left out by name (go test -skip ^TestReal).
//
// Where no Docker engine answers, or an image cannot be had, the tests that ask for a container are skipped with
// one line that says why. FOOTFALL_TEST_REQUIRE_DOCKER=1 turns that into a failure, for CI.
// FOOTFALL_TEST_KAFKA_IMAGE and FOOTFALL_TEST_DYNAMODB_IMAGE name other images.
//
// No container outlives the process that started it, however that ends: each lives only while its standard input
// is open, and this process holds the other end (see lifeline). So the reaper of testcontainers, a container of
// its own that needs another image and the Docker socket, is not used.
package testenv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// shortLived are options of a Java that ends after some minutes: the first compiler alone and the simplest collector. With its defaults
// Java spends more time on compiling for the long run than on what a package's tests ask.
const shortLived = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

const startTimeout = 10 * time.Minute // pulling an image included, on a busy machine

// errAbsent marks that there is no Docker to start a container with, or no image to start.
var errAbsent = errors.New("no container could be created")

// Main runs the tests of a package, removes the containers that they started, and exits.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a package that has to clean up behind its tests: it returns the exit code instead of exiting.
func Run(m *testing.M) (code int) {
	os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true") // The lifeline does its work. Read once, so set before all else.
	flag.Parse()
	if !testing.Verbose() {
		log.SetDefault(log.NewNoopLogger())
	}
	code = m.Run()
	if err := removeAll(); err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		code = max(code, 1)
	}
	return code
}

// A service is a container that all tests of the process share. It is started by the first test that asks.
type service[T any] struct {
	once  sync.Once
	value T
	err   error
}

// services are those that differ in their images.
type services[T any] struct {
	mu     sync.Mutex // covers byName
	byName map[string]*service[T]
}

func (s *services[T]) of(name string) *service[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byName[name]
	if one == nil {
		if s.byName == nil {
			s.byName = make(map[string]*service[T])
		}
		one = new(service[T])
		s.byName[name] = one
	}
	return one
}

// get returns the service, which its first caller starts.
func (s *service[T]) get(start func(context.Context) (T, error)) (T, error) {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		s.value, s.err = start(ctx)
	})
	return s.value, s.err
}

func (s *service[T]) of(t testing.TB, start func(context.Context) (T, error)) T {
	t.Helper()
	value, err := s.get(start)
	switch {
	case errors.Is(err, errAbsent) && os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") != "1":
		t.Skipf("needs Docker: %v", err)
	case err != nil:
		t.Fatalf("no fault of the test: Docker did not start what it needs: %v", err)
	}
	return value
}

// A lifeline ties a container to this process: it is the open connection to the container's standard input.
// The container's first process reads it and ends at its end; the engine then removes the container.
type lifeline struct {
	docker *testcontainers.DockerClient
	id     string
	input  client.HijackedResponse
}

var (
	mu    sync.Mutex // covers lines
	lines []lifeline
)

// run starts a container whose script runs in the background while the lifeline holds.
func run(ctx context.Context, image, script string, options ...testcontainers.ContainerCustomizer) (*testcontainers.DockerContainer,
	error) {
	var line lifeline
	if os.Getenv("TESTCONTAINERS_HOST_OVERRIDE") == "" && besideEngine() {
		os.Setenv("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")
	}
	// The engine's answer is asked for first: testcontainers panics where it finds none.
	docker, err := dockerClient(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: the Docker engine does not answer: %w", errAbsent, err)
	}
	options = append(options,
		// Two commands, so that the shell stays: it reaps what its children leave behind.
		testcontainers.WithEntrypoint("/bin/sh", "-c", script+"\ncat\nexit 0"),
		testcontainers.WithCmd(),
		testcontainers.WithConfigModifier(func(c *container.Config) { c.OpenStdin, c.StdinOnce = true, true }),
		testcontainers.WithHostConfigModifier(func(c *container.HostConfig) { c.AutoRemove = true }),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostCreates: []testcontainers.ContainerHook{func(ctx context.Context, c testcontainers.Container) error {
				line, err = hold(ctx, docker, c.GetContainerID())
				return err
			}},
		}),
	)
	c, err := testcontainers.Run(ctx, image, options...)
	switch {
	case err != nil && c == nil:
		return nil, fmt.Errorf("%w: image %s: %w", errAbsent, image, err)
	case err != nil:
		return nil, errors.Join(fmt.Errorf("start %s: %w", image, err), testcontainers.TerminateContainer(c))
	}
	mu.Lock()
	defer mu.Unlock()
	lines = append(lines, line)
	return c, nil
}

// besideEngine reports whether the Docker engine is a process that we see: then it publishes ports on our own host,
// even where we look like a container, which testcontainers takes for a reason to go through the bridge's gateway.
func besideEngine() bool {
	pid, err := os.ReadFile("/var/run/docker.pid")
	if err != nil {
		return false
	}
	name, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/comm")
	return err == nil && strings.TrimSpace(string(name)) == "dockerd"
}

func dockerClient(ctx context.Context) (*testcontainers.DockerClient, error) {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err = docker.Ping(ctx, client.PingOptions{})
	return docker, err
}

// hold opens the lifeline of a container that has been created and not yet started.
func hold(ctx context.Context, docker *testcontainers.DockerClient, id string) (lifeline, error) {
	// The connection must outlive ctx, which ends with the start.
	attached, err := docker.ContainerAttach(context.WithoutCancel(ctx), id, client.ContainerAttachOptions{Stream: true, Stdin: true})
	if err != nil {
		return lifeline{}, fmt.Errorf("attach to the container's standard input: %w", err)
	}
	return lifeline{docker, id, attached.HijackedResponse}, nil
}

// removeAll lets go of every lifeline and waits until the engine has removed the containers.
func removeAll() error {
	mu.Lock()
	held := lines
	lines = nil
	mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs error
	for _, l := range held {
		removed := l.docker.ContainerWait(ctx, l.id, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
		l.input.Close()
		select {
		case <-removed.Result:
		case err := <-removed.Error:
			errs = errors.Join(errs, fmt.Errorf("container %s was not removed: %w", l.id, err))
		}
	}
	return errs
}

// DynamoDBImage is the image of DynamoDB Local that is tested.
func DynamoDBImage() string {
	return image("FOOTFALL_TEST_DYNAMODB_IMAGE", "amazon/dynamodb-local:3.3.1")
}

// KafkaImage is the image of Kafka that is tested.
func KafkaImage() string { return image("FOOTFALL_TEST_KAFKA_IMAGE", "apache/kafka:4.3.1") }

// image returns the image that an environment variable names, or def.
func image(variable, def string) string {
	if name := os.Getenv(variable); name != "" {
		return name
	}
	return def
}
