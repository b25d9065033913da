package tables

import (
	"fmt"

	"github.com/footfall/footfall/sinks/dynamo"
)

// cloudFormation returns a CloudFormation template.
func cloudFormation(r dynamo.Requests) (any, error) {
	all, err := resources(r, func(suffix string) any {
		if suffix == "" {
			return object{"Fn::GetAtt": []string{tableID, "Arn"}}
		}
		return object{"Fn::Sub": "${" + tableID + ".Arn}" + suffix}
	})
	if err != nil {
		return nil, err
	}
	parts, outputs := make(object), make(object)
	for _, part := range all {
		p := object{"Type": part.kind, "Properties": part.properties}
		if part.after != "" {
			p["DependsOn"] = part.after
		}
		switch part.kind {
		case "AWS::DynamoDB::Table":
			p["DeletionPolicy"], p["UpdateReplacePolicy"] = "Retain", "Retain"
			if stream, ok := part.properties["StreamSpecification"].(object); ok {
				delete(stream, "StreamEnabled") // A stream that is specified is on.
			}
		case "AWS::CloudWatch::Alarm":
			part.properties["AlarmActions"] = object{"Fn::If": []any{"HasAlarmTopic", []any{object{"Ref": "AlarmTopic"}},
				object{"Ref": "AWS::NoValue"}}}
		case "AWS::IAM::ManagedPolicy":
			outputs[part.id] = object{"Value": object{"Ref": part.id}}
		}
		parts[part.id] = p
	}
	return object{
		"AWSTemplateFormatVersion": "2010-09-09",
		"Description":              fmt.Sprintf("Table %s of footfall", *r.Create.TableName),
		"Parameters": object{"AlarmTopic": object{"Type": "String", "Default": "",
			"Description": "ARN of the SNS topic that alarms notify; empty: none"}},
		"Conditions": object{"HasAlarmTopic": object{"Fn::Not": []any{object{"Fn::Equals": []any{object{"Ref": "AlarmTopic"}, ""}}}}},
		"Resources":  parts,
		"Outputs":    outputs,
	}, nil
}
