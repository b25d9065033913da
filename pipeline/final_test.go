package pipeline_test

var ()
