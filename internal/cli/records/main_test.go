package records_test

import (
	"testing"

	"github.com/footfall/footfall/internal/cli"
	"github.com/footfall/footfall/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Execute, cli.Main) }
