package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/testcontainers/testcontainers-go/log"
)

// sharedBy names the Unix socket of the process that starts containers for a run of several packages, see [Share].
const sharedBy = "FOOTFALL_TEST_SERVICES"

// A starter starts a container and returns its address.
type starter func(ctx context.Context, image string) (address string, err error)

// starters start what packages can share.
var starters = map[string]starter{
	"dynamodb": startDynamoDB,
	"kafka": func(ctx context.Context, image string) (string, error) {
		b, err := startKafka(ctx, image)
		if err != nil {
			return "", err
		}
		return b.Addr, nil
	},
}

var addresses services[string] // of what was started or asked for, by "SERVICE IMAGE"

// address returns the address of a container that is shared with the packages of the same run or, without such a run, with the tests of
// this process.
func address(t testing.TB, service, image string) string {
	t.Helper()
	return addresses.of(service+" "+image).of(t, func(ctx context.Context) (string, error) {
		if socket := os.Getenv(sharedBy); socket != "" {
			return ask(ctx, socket, service, image)
		}
		return starters[service](ctx, image)
	})
}

// Share starts containers for the test processes of one run of several packages: one of each image, when the first test asks for it, or at
// once (early), so that the first tests do not wait. The processes are given env. The containers end with stop, or with this process.
func Share(early bool) (env string, stop func() error, err error) {
	os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true") // As in Run.
	log.SetDefault(log.NewNoopLogger())
	socket, end, err := serve(starters)
	if err != nil {
		return "", nil, err
	}
	var starting sync.WaitGroup
	if early {
		for service, image := range map[string]string{"dynamodb": DynamoDBImage(), "kafka": KafkaImage()} {
			starting.Go(func() { shared(service, image) }) // The tests that ask for it are given its error.
		}
	}
	return sharedBy + "=" + socket, func() error {
		starting.Wait()
		return errors.Join(end(), removeAll())
	}, nil
}

// shared returns the address of a container that this process starts for others.
func shared(service, image string) (address string, err error) {
	return addresses.of(service + " " + image).get(func(ctx context.Context) (string, error) { return starters[service](ctx, image) })
}

// serve answers requests for addresses on a Unix socket, until end.
func serve(starters map[string]starter) (socket string, end func() error, err error) {
	dir, err := os.MkdirTemp("", "footfall-services-")
	if err != nil {
		return "", nil, err
	}
	socket = filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	mux := http.NewServeMux()
	for service, start := range starters {
		mux.HandleFunc("GET /"+service, answer(func(image string) (string, error) {
			return addresses.of(service + " " + image).get(func(ctx context.Context) (string, error) { return start(ctx, image) })
		}))
	}
	server := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return socket, func() error {
		err := server.Close()
		if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
		return errors.Join(err, os.RemoveAll(dir))
	}, nil
}

// answer serves the address of a container, or why there is none.
func answer(start func(image string) (address string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address, err := start(r.FormValue("image"))
		switch {
		case errors.Is(err, errAbsent):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			io.WriteString(w, address)
		}
	}
}

// ask asks the process of [Share] for the address of a container.
func ask(ctx context.Context, socket, service, image string) (address string, err error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://services/"+service+"?image="+url.QueryEscape(image), nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%s=%s: %w", sharedBy, socket, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return "", err
	case response.StatusCode == http.StatusNotFound:
		return "", fmt.Errorf("%w: %s", errAbsent, text)
	case response.StatusCode != http.StatusOK:
		return "", errors.New(string(text))
	}
	return string(text), nil
}
