package tables

import (
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/footfall/footfall/sinks/dynamo"
)

// tableQuota is how many read and how many write units a second AWS lets a table use by default.
const tableQuota = 40_000

// alarms are about what footfall cannot repair: too little capacity, and failures of DynamoDB. Three of five minutes must be bad: footfall
// retries what fails once.
func alarms(r dynamo.Requests) (all []resource) {
	name := aws.ToString(r.Create.TableName)
	add := func(metric, description string, threshold int64, measured object) {
		p := object{"AlarmName": name + "-" + metric, "AlarmDescription": description, "ComparisonOperator": "GreaterThanThreshold",
			"Threshold": threshold, "EvaluationPeriods": 5, "DatapointsToAlarm": 3, "TreatMissingData": "notBreaching"}
		maps.Copy(p, measured)
		all = append(all, resource{id: metric + "Alarm", kind: "AWS::CloudWatch::Alarm", properties: p})
	}
	for _, a := range [][2]string{
		{"ReadThrottleEvents", "Reads of table %s or its indexes are throttled: more capacity is needed"},
		{"WriteThrottleEvents", "Writes of table %s or its indexes are throttled: more capacity is needed, or a partition key is hot"},
		{"SystemErrors", "DynamoDB answers requests to table %s with errors of its own"},
	} {
		// Of the table, its indexes and each operation: the metrics have more dimensions than the table's name.
		add(a[0], fmt.Sprintf(a[1], name), 0, object{"Metrics": []any{object{"Id": "sum", "Period": 60, "ReturnData": true,
			"Expression": fmt.Sprintf(`SELECT SUM(%s) FROM "AWS/DynamoDB" WHERE TableName = '%s'`, a[0], name)}}})
	}
	reads, writes := limits(r)
	for _, a := range []struct {
		metric, what string
		most         int64
	}{{"ConsumedReadCapacityUnits", "read", reads}, {"ConsumedWriteCapacityUnits", "write", writes}} {
		add(a.metric, fmt.Sprintf("Table %s uses more than 80 %% of %d %s units per second", name, a.most, a.what), a.most*60*8/10,
			object{"Namespace": "AWS/DynamoDB", "MetricName": a.metric, "Statistic": "Sum", "Period": 60,
				"Dimensions": []any{object{"Name": "TableName", "Value": name}}})
	}
	return all
}

// limits are how many units a second the table may use: what auto scaling or the capacity ends at, or the maximum on demand.
func limits(r dynamo.Requests) (read, write int64) {
	read, write = tableQuota, tableQuota
	if p := r.Create.ProvisionedThroughput; p != nil {
		read, write = *p.ReadCapacityUnits, *p.WriteCapacityUnits
	}
	if len(r.Targets) > 0 { // The first two are about the table.
		read, write = int64(*r.Targets[0].MaxCapacity), int64(*r.Targets[1].MaxCapacity)
	}
	if o := r.Create.OnDemandThroughput; o != nil {
		write = *o.MaxWriteRequestUnits
	}
	return read, write
}
