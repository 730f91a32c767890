package shop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"
)

// A lab is the laboratory in a test. `npx msgnet-gateway lab` starts it, before the tests.
type lab struct {
	t            *testing.T
	url          string
	BaseURL      string
	SimulatorURL string
	Receiver     struct{ Secret string }
}

type instance struct{ ID, Token, Number string }

type story struct {
	Messages []string
	From, To string
}

type deliveries struct {
	Judgement struct{ WrongSignatures, RefusedByProgram int }
	Received  []struct {
		Envelope struct {
			Message struct{ MessageID string }
			Event   struct{ MessageIDs []string }
		}
		IsRepeated bool
		Program    int
	}
}

func openLab(t *testing.T) *lab {
	l := &lab{t: t, url: os.Getenv("MSGNET_LAB")}
	if l.url == "" {
		l.url = "http://127.0.0.1:8786/lab"
	}
	l.call("GET", l.url, nil, l)
	return l
}

// call reads the answer into it, unless it is nil.
func (l *lab) call(method, url string, body any, answer any) {
	l.t.Helper()
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			l.t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, &sent)
	if err != nil {
		l.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		l.t.Fatalf("%s %s answered %s", method, url, response.Status)
	}
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *lab) createInstance() (created instance) {
	l.call("POST", l.url+"/instances", nil, &created)
	return created
}

func (l *lab) createPhone(name string) string {
	var created struct{ Number string }
	l.call("POST", l.url+"/phones", map[string]string{"name": name}, &created)
	return created.Number
}

func (l *lab) write(from, to, text string) {
	l.call("POST", l.SimulatorURL+"/messages", map[string]string{"from": from, "to": to, "text": text}, nil)
}

func (l *lab) readTexts(number string) (texts []string) {
	var inbox struct{ Messages []struct{ Text string } }
	l.call("GET", l.SimulatorURL+"/phones/"+number+"/inbox", nil, &inbox)
	for _, message := range inbox.Messages {
		texts = append(texts, message.Text)
	}
	return texts
}

func (l *lab) forwardTo(program string, of instance) {
	l.call("POST", l.url+"/receiver", map[string]string{"forwardTo": program, "instance": of.ID}, nil)
}

func (l *lab) received(of instance) (got deliveries) {
	l.call("GET", l.url+"/receiver?instance="+of.ID, nil, &got)
	return got
}

func (l *lab) play(name string, to instance) (played story) {
	l.call("POST", l.url+"/stories", map[string]string{"story": name, "instance": to.ID}, &played)
	return played
}

func (l *lab) waitUntil(condition func() bool) {
	l.t.Helper()
	for ends := time.Now().Add(60 * time.Second); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(ends) {
			l.t.Fatal("waited in vain")
		}
	}
}
