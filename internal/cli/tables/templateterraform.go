package tables

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"unicode"

	"github.com/footfall/footfall/sinks/dynamo"
)

// terraformTypes are Terraform's names of resources.
var terraformTypes = map[string]string{
	"AWS::DynamoDB::Table":                        "aws_dynamodb_table",
	"AWS::ApplicationAutoScaling::ScalableTarget": "aws_appautoscaling_target",
	"AWS::ApplicationAutoScaling::ScalingPolicy":  "aws_appautoscaling_policy",
	"AWS::CloudWatch::Alarm":                      "aws_cloudwatch_metric_alarm",
	"AWS::IAM::ManagedPolicy":                     "aws_iam_policy",
}

// terraformNames are Terraform's names of properties where they are not CloudFormation's names with underscores.
var terraformNames = map[string]string{
	"AttributeDefinitions": "attribute", "GlobalSecondaryIndexes": "global_secondary_index", "Metrics": "metric_query",
	"IndexName": "name", "TableName": "name", "PolicyName": "name", "AttributeType": "type",
	"ReadCapacityUnits": "read_capacity", "WriteCapacityUnits": "write_capacity",
	"TimeToLiveSpecification": "ttl", "PointInTimeRecoverySpecification": "point_in_time_recovery", "PointInTimeRecoveryEnabled": "enabled",
}

// terraform returns a configuration in Terraform's JSON syntax.
func terraform(r dynamo.Requests) (any, error) {
	table := terraformTypes["AWS::DynamoDB::Table"] + "." + underscored(tableID)
	all, err := resources(r, func(suffix string) any { return "${" + table + ".arn}" + suffix })
	if err != nil {
		return nil, err
	}
	parts, outputs, kinds := make(object), make(object), make(map[string]string)
	for _, part := range all {
		kind, label := terraformTypes[part.kind], underscored(part.id)
		kinds[part.id] = kind
		var p object
		switch part.kind {
		case "AWS::IAM::ManagedPolicy":
			var document bytes.Buffer
			e := json.NewEncoder(&document)
			e.SetEscapeHTML(false)
			if err := e.Encode(part.properties["PolicyDocument"]); err != nil {
				return nil, err
			}
			p = object{"name_prefix": "footfall-" + strings.TrimSuffix(label, "_policy") + "-", "description": part.properties["Description"],
				"policy": strings.TrimSpace(document.String())}
			outputs[label] = object{"value": "${" + kind + "." + label + ".arn}"}
		default:
			p = terraformWords(part.properties)
		}
		switch {
		case part.after != "":
			p["depends_on"] = []string{kinds[part.after] + "." + underscored(part.after)}
		case part.id == tableID:
			p["lifecycle"] = lifecycle(r)
		case part.kind == "AWS::CloudWatch::Alarm":
			p["alarm_actions"] = "${var.alarm_actions}"
		}
		if parts[kind] == nil {
			parts[kind] = make(object)
		}
		parts[kind].(object)[label] = p
	}
	return object{
		"resource": parts,
		"output":   outputs,
		"variable": object{"alarm_actions": object{"type": "list(string)", "default": []any{},
			"description": "ARNs that alarms notify, such as an SNS topic"}},
	}, nil
}

// lifecycle keeps the table, and leaves capacities to auto scaling.
func lifecycle(r dynamo.Requests) object {
	l := object{"prevent_destroy": true}
	if len(r.Targets) > 0 {
		l["ignore_changes"] = []string{"read_capacity", "write_capacity", "global_secondary_index"}
	}
	return l
}

// terraformWords returns properties by the names and in the forms that Terraform has for them.
func terraformWords(properties object) object {
	p := make(object)
	for property, value := range properties {
		name := underscored(property)
		if other, ok := terraformNames[property]; ok {
			name = other
		}
		switch property {
		case "KeySchema":
			for _, key := range value.([]any) {
				p[strings.ToLower(key.(object)["KeyType"].(string))+"_key"] = key.(object)["AttributeName"]
			}
		case "AttributeDefinitions":
			var attributes []any
			for _, a := range value.([]any) {
				attributes = append(attributes, object{"name": a.(object)["AttributeName"], "type": a.(object)["AttributeType"]})
			}
			p[name] = attributes
		case "Tags", "Dimensions":
			pairs := make(object)
			for _, pair := range value.([]any) {
				key, ok := pair.(object)["Key"].(string)
				if !ok {
					key = pair.(object)["Name"].(string)
				}
				pairs[key] = pair.(object)["Value"]
			}
			p[name] = pairs
		case "Projection", "ProvisionedThroughput", "StreamSpecification": // Their members belong to the table or index.
			maps.Copy(p, terraformWords(value.(object)))
		default:
			p[name] = terraformValue(value)
		}
	}
	return p
}

func terraformValue(value any) any {
	switch v := value.(type) {
	case object:
		return terraformWords(v)
	case []any:
		var all []any
		for _, one := range v {
			all = append(all, terraformValue(one))
		}
		return all
	}
	return value
}

// underscored writes ReadCapacity as read_capacity.
func underscored(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
