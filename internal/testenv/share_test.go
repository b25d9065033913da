package testenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestContainersOfARunAreStartedOnce: packages are given the same one. What Docker cannot create is absent, not failed.
func TestContainersOfARunAreStartedOnce(t *testing.T) {
	starts, image := 0, "apache/kafka:4 & more "+rand.Text() // The process remembers an image, also when the test runs again.
	socket, end, err := serve(map[string]starter{
		"broker":  func(_ context.Context, image string) (string, error) { starts++; return image + ":9092", nil },
		"absent":  func(context.Context, string) (string, error) { return "", fmt.Errorf("%w: no engine", errAbsent) },
		"damaged": func(context.Context, string) (string, error) { return "", errors.New("it does not answer") },
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if address, err := ask(t.Context(), socket, "broker", image); err != nil || address != image+":9092" {
			t.Errorf("address %q, %v", address, err)
		}
	}
	if starts != 1 {
		t.Errorf("started %d times, want once", starts)
	}
	if _, err := ask(t.Context(), socket, "absent", "x"); !errors.Is(err, errAbsent) || !strings.Contains(err.Error(), "no engine") {
		t.Errorf("without an engine: %v, want errAbsent", err)
	}
	if _, err := ask(t.Context(), socket, "damaged", "x"); err == nil || errors.Is(err, errAbsent) {
		t.Errorf("a container that does not answer: %v, want a failure", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := ask(t.Context(), socket, "broker", "x"); err == nil {
		t.Error("it answers after its end")
	}
}
