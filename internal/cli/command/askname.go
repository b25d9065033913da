package command

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// AskForName has the user enter the name of what is to be deleted, or one of the other spellings in also. The question begins with does, as
// in "deletes table T"; what is "table". Any other input is an error.
func (a *App) AskForName(does, what, name string, also ...string) error {
	fmt.Fprintf(a.Err, "This %s. Enter its name, %s, to do it: ", does, name)
	line, err := bufio.NewReader(a.In).ReadString('\n')
	switch entered := strings.TrimSpace(line); {
	case entered == name, entered != "" && slices.Contains(also, entered):
		return nil
	case entered == "" && err != nil:
		return errors.New("no name was entered: nothing was deleted")
	default:
		return fmt.Errorf("%q is not the %s's name: nothing was deleted", entered, what)
	}
}
