package tables

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	autoscaling "github.com/aws/aws-sdk-go-v2/service/applicationautoscaling"

	"github.com/footfall/footfall/docs"
	"github.com/footfall/footfall/sinks/dynamo"
)

type object = map[string]any

// A resource of a template, in the words of CloudFormation. These are the words of the requests to AWS too.
type resource struct {
	id, kind   string
	properties object
	after      string // id of a resource that must be there before, and is not named in properties; "": none
}

const tableID = "Table"

// resources are all that a template has. arn returns how it writes the table's ARN followed by a suffix.
func resources(r dynamo.Requests, arn func(suffix string) any) (all []resource, err error) {
	table, err := properties(r.Create, r.Expiry, r.Recovery)
	if err != nil {
		return nil, err
	}
	all = append(all, resource{id: tableID, kind: "AWS::DynamoDB::Table", properties: table})
	for i, target := range r.Targets {
		p, err := properties(target)
		if err != nil {
			return nil, err
		}
		policy, err := properties(r.Policies[i])
		if err != nil {
			return nil, err
		}
		id := scaledID(target)
		all = append(all, resource{id, "AWS::ApplicationAutoScaling::ScalableTarget", p, tableID},
			resource{id + "Policy", "AWS::ApplicationAutoScaling::ScalingPolicy", policy, id})
	}
	policies, err := policyResources(arn)
	return append(append(all, alarms(r)...), policies...), err
}

// properties returns the members of requests that are set.
func properties(requests ...any) (object, error) {
	all := make(object)
	for _, request := range requests {
		b, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		var members object // stays empty for a request that is not made
		if err := json.Unmarshal(b, &members); err != nil {
			return nil, err
		}
		for name, value := range members {
			if value = set(value); value != nil {
				all[name] = value
			}
		}
	}
	return all, nil
}

// set returns a value without members that are not set; nil: nothing is.
func set(value any) any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = set(v[i])
		}
	case object:
		for name, member := range v {
			if v[name] = set(member); v[name] == nil {
				delete(v, name)
			}
		}
	}
	return value
}

// scaledID is TableRead or GSI1Write, say.
func scaledID(target *autoscaling.RegisterScalableTargetInput) string {
	of, what := tableID, "Read"
	if _, index, ok := strings.Cut(*target.ResourceId, "/index/"); ok {
		of = index
	}
	if strings.HasSuffix(string(target.ScalableDimension), "WriteCapacityUnits") {
		what = "Write"
	}
	return of + what + "Scaling"
}

// placeholder is the table's ARN in docs/iam.
const placeholder = "arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"

// policyResources are the policies of docs/iam for the table.
func policyResources(arn func(suffix string) any) (all []resource, err error) {
	files, err := fs.Glob(docs.Policies, "iam/*.json")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := docs.Policies.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var document struct {
			Version   string
			Statement []object
		}
		if err := json.Unmarshal(b, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, statement := range document.Statement {
			if suffix, ok := strings.CutPrefix(statement["Resource"].(string), placeholder); ok {
				statement["Resource"] = arn(suffix)
			}
		}
		role := strings.TrimSuffix(path.Base(file), ".json")
		all = append(all, resource{id: strings.ToUpper(role[:1]) + role[1:] + "Policy", kind: "AWS::IAM::ManagedPolicy", properties: object{
			"Description": "What the role " + role + " of footfall needs", "PolicyDocument": document}})
	}
	return all, nil
}
