// Package command has what all commands share: their streams, the flags of the configuration, refused flags, exit codes, and how answers
// are printed on a terminal, in a pipe or through a pager.
package command

import (
	"io"
)

// App is what every subcommand shares.
type App struct {
	In       io.Reader
	Out, Err io.Writer

	Drain func() // what the first signal does: end the command's context; nil: nothing
}

// BeginDrain does what the first signal does: the command's context ends, and the next signal ends the process.
func (a *App) BeginDrain() {
	if a.Drain != nil {
		a.Drain()
	}
}
