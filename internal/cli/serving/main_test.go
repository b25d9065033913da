package serving_test

import (
	"testing"

	"github.com/footfall/footfall/internal/cli"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/serving"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Execute, cli.Main, serving.CloseChromium) }
