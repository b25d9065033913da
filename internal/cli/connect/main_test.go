package connect_test

import (
	"testing"

	"github.com/footfall/footfall/internal/cli"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
)

func TestMain(m *testing.M) {
	connect.AskAWS()
	clitest.Main(m, cli.Execute, cli.Main)
}
