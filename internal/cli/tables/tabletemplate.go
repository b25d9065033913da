package tables

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// templates write the requests that make a table in the words of other tools.
var templates = map[string]func(dynamo.Requests) (any, error){
	"cloudformation": cloudFormation, "terraform-json": terraform,
}

// templateFlags are the flags of footfall table template.
type templateFlags struct {
	format  string
	shape   sinks.Shape
	options optionFlags
	scaling sinks.Change
	tags    map[string]string
}

func newTableTemplateCommand(a *command.App) *cobra.Command {
	var t templateFlags
	cmd := &cobra.Command{
		Use:   "template",
		Short: "Print the table as a template of CloudFormation or Terraform",
		Long: `Print a template of the table that footfall table create makes with the same flags. It also has the auto scaling of footfall table
update, the IAM policies of docs/iam.md, and alarms: throttled reads and writes, errors of DynamoDB, and reads and writes above 80 % of
what the table may use. On demand without --max-write-units, that is AWS's default quota of 40,000 units per second. The command connects
to nothing.

CloudFormation keeps the table when the stack is deleted; Terraform refuses to destroy it. Alarms notify the SNS topic of the parameter
AlarmTopic, or the ARNs of the variable alarm_actions. CloudFormation requires the capability CAPABILITY_IAM. A CDK app includes the
CloudFormation template with CfnInclude.`,
		Example: `  footfall table template --recovery --deletion-protection >footfall.json
  footfall table template --format terraform-json --tag team=web >footfall.tf.json
  footfall table template --read-capacity 10 --write-capacity 100 --max-read-capacity 200 --max-write-capacity 2000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(a, cmd) },
	}
	cmd.Flags().StringVar(&t.format, "format", "cloudformation", "format: cloudformation, terraform-json")
	command.Complete(cmd, "format", "cloudformation", "terraform-json")
	t.options.addShape(cmd, &t.shape)
	addScaling(cmd, &t.scaling)
	cmd.Flags().StringToStringVar(&t.tags, "tag", nil, "tags of the table, as in team=web,env=live")
	return cmd
}

func (t *templateFlags) run(a *command.App, cmd *cobra.Command) error {
	write := templates[t.format]
	if write == nil {
		return command.Usagef("--format %q: choose cloudformation or terraform-json", t.format)
	}
	if err := t.options.readShape(cmd, &t.shape); err != nil {
		return command.Usagef("%w", err)
	}
	t.scaling.ReadCapacity, t.scaling.WriteCapacity = t.shape.ReadCapacity, t.shape.WriteCapacity
	if err := checkChange(cmd, t.scaling); err != nil {
		return command.Usagef("%w", err)
	}
	c, err := a.Config(cmd)
	if err != nil {
		return err
	}
	name, ok := strings.CutPrefix(c.Table, "dynamodb://")
	if !ok {
		return command.Usagef("--table %s is not in DynamoDB: name it as dynamodb://NAME", c.Table)
	}
	requests := dynamo.NewRequests(name, t.shape, t.scaling)
	for _, key := range slices.Sorted(maps.Keys(t.tags)) {
		requests.Create.Tags = append(requests.Create.Tags, types.Tag{Key: &key, Value: aws.String(t.tags[key])})
	}
	template, err := write(requests)
	if err != nil {
		return err
	}
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(template)
}
