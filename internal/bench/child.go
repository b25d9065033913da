package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// What this program works against runs in processes of their own, so that their CPU is not counted: the program
// starts itself with a role, reads an address from the child's first line, and ends it by closing its input.

// child is a process in a role.
type child struct {
	cmd  *exec.Cmd
	hold io.Closer // the child's standard input
	addr string
}

// startChild starts this program in a role, with arguments, and waits for the address it listens on.
func startChild(role string, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{"-role", role}, args...)...)
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, hold: hold}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s process: no address: %w", role, err), c.end())
	}
	c.addr = strings.TrimSpace(line)
	return c, nil
}

// end closes the child's input and waits for it.
func (c *child) end() error {
	return errors.Join(c.hold.Close(), c.cmd.Wait())
}

// serve is the child's side: it tells the address and returns when the parent has closed the input or is gone.
func serve(addr string) error {
	if _, err := fmt.Println(addr); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
