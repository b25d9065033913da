package testenv

import (
	"bufio"
	"os/exec"
	"regexp"
	"testing"
)

// S3 starts a moto server, has the SDK use it for S3, and returns its address.
func S3(t *testing.T) (endpoint string) {
	t.Helper()
	endpoint = Moto(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", endpoint)
	return endpoint
}

// Moto starts a moto server (pip install 'moto[server]'), which has services of AWS, gives the SDK credentials, and returns its address.
func Moto(t *testing.T) (endpoint string) {
	t.Helper()
	RequireTools(t, "moto_server")
	server := exec.CommandContext(t.Context(), "moto_server", "-H", "127.0.0.1", "-p", "0")
	said, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if m := regexp.MustCompile(`http://[0-9.]+:\d+`).FindString(lines.Text()); m != "" {
			endpoint = m
			break
		}
	}
	ended := make(chan error, 1)
	go func() {
		for lines.Scan() { // A full pipe would stop it.
		}
		ended <- server.Wait()
	}()
	t.Cleanup(func() { // The test's context is over.
		_ = server.Process.Kill()
		<-ended
	})
	if endpoint == "" {
		t.Fatalf("moto_server does not say where it listens: %v", lines.Err())
	}
	for name, value := range AWSEnv("") {
		t.Setenv(name, value)
	}
	return endpoint
}
