package command

import (
	"strings"
	"testing"
)

// TestNameIsAskedFor: what is deleted on a terminal is deleted only after its name was entered.
func TestNameIsAskedFor(t *testing.T) {
	for entered, says := range map[string]string{
		"shop\n": "", " shop": "", "dynamodb://shop\n": "",
		"": "no name was entered: nothing was deleted", "\n": `"" is not the table's name`,
		"sho\n": `"sho" is not the table's name: nothing was deleted`, "yes\nshop\n": `"yes" is not the table's name`,
	} {
		var asked strings.Builder
		a := &App{In: strings.NewReader(entered), Err: &asked}
		err := a.AskForName("deletes table dynamodb://shop and all it holds", "table", "shop", "dynamodb://shop")
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q entered: %v, want %q", entered, err, says)
		}
		if !strings.Contains(asked.String(), "This deletes table dynamodb://shop and all it holds. Enter its name, shop,") {
			t.Errorf("it asks %q", asked.String())
		}
	}
}
