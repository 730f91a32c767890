package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// answer is what the stub gives; without a status the connection breaks after the request was read.
type answer struct {
	status     int
	body       string
	retryAfter string
	// The body breaks off.
	cut bool
}

type asked struct {
	path   string
	header http.Header
	body   map[string]any
	text   string
	length int64
}

// stage is a gateway that answers to order, and a client whose pauses are remembered.
type stage struct {
	*InstanceClient
	url    string
	asked  []asked
	pauses []time.Duration
}

func openStage(t *testing.T, repeats Repeats, answers ...answer) *stage {
	t.Helper()
	s := &stage{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		request := asked{path: r.URL.RequestURI(), header: r.Header, text: string(text), length: r.ContentLength}
		_ = json.Unmarshal(text, &request.body)
		s.asked = append(s.asked, request)
		now := answers[0]
		answers = answers[1:]
		if now.status == 0 {
			panic(http.ErrAbortHandler)
		}
		if now.retryAfter != "" {
			w.Header().Set("Retry-After", now.retryAfter)
		}
		if now.cut {
			w.Header().Set("Content-Length", "99")
		}
		w.WriteHeader(now.status)
		_, _ = io.WriteString(w, now.body)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	// A connection of its own for each request: the transport repeats nothing by itself.
	single := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	s.InstanceClient = NewInstanceClient(server.URL, "mgi_one", WithRepeats(repeats),
		WithHTTPClient(single), withPause(func(_ context.Context, pause time.Duration) error {
			s.pauses = append(s.pauses, pause)
			return nil
		}))
	return s
}

func (s *stage) send(options ...Option) (*MessageRecord, error) {
	text := SendTextRequest{Number: "5511999999999", Text: "Olá"}
	return s.SendText(context.Background(), text, options...)
}

func (s *stage) keys() map[string]bool {
	keys := map[string]bool{}
	for _, request := range s.asked {
		keys[request.header.Get("Idempotency-Key")] = true
	}
	return keys
}

var (
	ctx     = context.Background()
	broken  = answer{}
	sent    = answer{status: 200, body: `{"messageid":"3EB0","status":"Sent"}`}
	unknown = answer{status: 504, body: `{"error":"outcome_unknown","messageid":"3EB0"}`}
)

func TestRequestHasCredentialKeyAndWhatWasPassed(t *testing.T) {
	s := openStage(t, DefaultRepeats, sent)
	record, err := s.send(WithIdempotencyKey("order-7"), WithWait(5))
	if err != nil || record.MessageID != "3EB0" {
		t.Fatal(record, err)
	}
	request := s.asked[0]
	passed := map[string]any{"number": "5511999999999", "text": "Olá"}
	if request.path != "/send/text" || !reflect.DeepEqual(request.body, passed) {
		t.Error(request.path, request.body)
	}
	for name, value := range map[string]string{"token": "mgi_one", "idempotency-key": "order-7", "prefer": "wait=5"} {
		if request.header.Get(name) != value {
			t.Error(name, request.header.Get(name))
		}
	}
}

// lineByLine counts how often it is read, and gives a line at a time.
type lineByLine struct {
	lines []string
	reads int
}

func (l *lineByLine) Read(into []byte) (int, error) {
	if l.reads++; l.reads > len(l.lines) {
		return 0, io.EOF
	}
	return copy(into, l.lines[l.reads-1]), nil
}

func TestACredentialIsSentLineByLineAsItIsRead(t *testing.T) {
	imported := answer{status: 200, body: `{"imported":{"account":"5511@s.msgnet.net","rows":1,"kinds":{"creds":1}}}`}
	s := openStage(t, DefaultRepeats, imported)
	lines := &lineByLine{lines: []string{"{\"format\":\"baileys\"}\n", "{\"kind\":\"creds\"}\n", "{\"end\":true,\"rows\":1}\n"}}
	result, err := s.ImportCredential(ctx, lines)
	if err != nil || result.Imported.Rows != 1 {
		t.Fatal(result, err)
	}
	request := s.asked[0]
	if request.path != "/instance/import" || request.text != strings.Join(lines.lines, "") || request.length != -1 {
		t.Error(request)
	}
	for name, value := range map[string]string{"token": "mgi_one", "content-type": "application/x-ndjson", "idempotency-key": ""} {
		if request.header.Get(name) != value {
			t.Error(name, request.header.Get(name))
		}
	}
}

func TestARefusedCredentialIsNotSentAgain(t *testing.T) {
	s := openStage(t, DefaultRepeats, answer{status: 503, body: `{"error":"worker_full"}`, retryAfter: "1"})
	_, err := s.ImportCredential(ctx, strings.NewReader("{\"format\":\"baileys\"}\n"))
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != CodeWorkerFull {
		t.Fatal(err)
	}
	if len(s.asked) != 1 || len(s.pauses) != 0 {
		t.Error(s.asked, s.pauses)
	}
}

func TestOutcomeThatStaysUnknownNamesMessageAndKey(t *testing.T) {
	s := openStage(t, Repeats{Attempts: 1}, unknown)
	_, err := s.send(WithIdempotencyKey("order-8"))
	var refused *Error
	if !errors.As(err, &refused) || !refused.OutcomeUnknown() {
		t.Fatal(err)
	}
	if refused.MessageID != "3EB0" || refused.IdempotencyKey != "order-8" {
		t.Error(refused)
	}
}

func TestAnEndedContextEndsTheRepeats(t *testing.T) {
	s := openStage(t, DefaultRepeats, sent)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.SendText(ended, SendTextRequest{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnEmptyListIsPassed(t *testing.T) {
	passed := listFields(SendTextRequest{Number: "1", Text: "x", Mentions: []string{}})
	if list, ok := passed["mentions"].([]string); !ok || len(list) != 0 || len(passed) != 3 {
		t.Error(passed)
	}
}

func TestPagesAreGoneThrough(t *testing.T) {
	first := answer{status: 200, body: `{"messages":[{"messageid":"a"}],"hasMore":true,"nextOffset":1}`}
	last := answer{status: 200, body: `{"messages":[{"messageid":"b"}],"hasMore":false,"nextOffset":2}`}
	s := openStage(t, DefaultRepeats, first, last)
	seen := ""
	messages := s.IterateMessages(FindMessagesRequest{ChatID: Ptr("1@g.us")})
	for messages.Next(ctx) {
		seen += messages.Value().MessageID
	}
	if messages.Err() != nil || seen != "ab" || s.asked[1].body["offset"] != 1.0 {
		t.Error(messages.Err(), seen, s.asked[1].body)
	}
}

func TestAStreamGoesOnAfterTheLastEvent(t *testing.T) {
	newest := answer{status: 200, body: `{"events":[{"seq":3}]}`}
	lines := answer{status: 200, body: ": welcome\n\nid: 4\ndata: {\"EventType\":\"messages\",\"seq\":4,\"message\":{\"text\":\"Olá\"}}\n\ndata: {\"seq\":0}\n\n"}
	s := openStage(t, DefaultRepeats, newest, lines, broken, answer{status: 200, body: "data: {\"seq\":5}\n\n"})
	stream := s.Stream()
	var seen []int64
	for len(seen) < 3 && stream.Next(ctx) {
		seen = append(seen, stream.Event().Seq)
		if message, ok := stream.Event().Envelope.(*MessagesEnvelope); ok && message.Message.Text != "Olá" {
			t.Error(message)
		}
	}
	var after []string
	for _, request := range s.asked {
		after = append(after, request.header.Get("Last-Event-ID"))
	}
	if !reflect.DeepEqual(seen, []int64{4, 0, 5}) || !reflect.DeepEqual(after, []string{"", "3", "4", "4"}) {
		t.Error(seen, after, stream.Err())
	}
}

func TestAnExportThatBreaksOffIsAnError(t *testing.T) {
	s := openStage(t, DefaultRepeats, answer{status: 200, body: "{\"type\":\"call\"}\n"})
	lines := NewAdminClient(s.url, "mga_one").ExportInstance("a/b")
	if !lines.Next(ctx) || lines.Next(ctx) || lines.Err() == nil {
		t.Error(lines.Err())
	}
	if s.asked[0].path != "/v1/instances/a%2Fb/export" {
		t.Error(s.asked[0].path)
	}
}
