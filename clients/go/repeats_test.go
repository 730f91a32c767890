package gateway

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
)

// repeatCase is one of those that the clients of all languages run.
type repeatCase struct {
	Says    string
	Call    string
	Repeats *bool
	Answers []json.RawMessage
	Pauses  []json.RawMessage
	Ends    string
}

func TestRepeats(t *testing.T) {
	text, err := os.ReadFile("../repeat-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []repeatCase
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err, len(cases))
	}
	for _, each := range cases {
		t.Run(each.Says, func(t *testing.T) { runRepeatCase(t, each) })
	}
}

func runRepeatCase(t *testing.T, each repeatCase) {
	repeats := DefaultRepeats
	if each.Repeats != nil {
		repeats = Repeats{Attempts: 1}
	}
	s := openStage(t, repeats, readAnswers(t, each.Answers)...)
	if ends := describeEnd(s.call(each.Call)); ends != each.Ends {
		t.Error("ends with", ends)
	}
	if len(s.asked) != len(each.Answers) || len(s.pauses) != len(each.Pauses) {
		t.Fatal(len(s.asked), "requests,", s.pauses)
	}
	if _, unkeyed := s.keys()[""]; len(s.keys()) != 1 || unkeyed == (each.Call == "send") {
		t.Error("keys", s.keys())
	}
	for n, pause := range s.pauses {
		if least, most := readPause(t, each.Pauses[n]); pause.Seconds() < least || pause.Seconds() > most {
			t.Error("pause", n, pause)
		}
	}
}

func (s *stage) call(name string) error {
	var err error
	switch name {
	case "send":
		_, err = s.send()
	case "status":
		_, err = s.GetStatus(ctx)
	default:
		_, err = s.Connect(ctx, ConnectRequest{})
	}
	return err
}

func describeEnd(err error) string {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	if err != nil {
		return "unreachable"
	}
	return "answer"
}

func readAnswers(t *testing.T, raw []json.RawMessage) (answers []answer) {
	t.Helper()
	for _, each := range raw {
		if string(each) == `"broken"` {
			answers = append(answers, broken)
			continue
		}
		var read struct {
			Status                  int
			Error, Text, RetryAfter string
			Cut                     bool
		}
		if err := json.Unmarshal(each, &read); err != nil {
			t.Fatal(err)
		}
		body := read.Text
		if read.Error != "" {
			body = `{"error":"` + read.Error + `"}`
		} else if body == "" {
			body = `{}`
		}
		answers = append(answers, answer{read.Status, body, read.RetryAfter, read.Cut})
	}
	return answers
}

// readPause reads seconds, or the least and the most.
func readPause(t *testing.T, raw json.RawMessage) (least, most float64) {
	t.Helper()
	var limits []float64
	if json.Unmarshal(raw, &limits) == nil {
		return limits[0], limits[1]
	}
	if err := json.Unmarshal(raw, &least); err != nil {
		t.Fatal(err)
	}
	return least, least
}
