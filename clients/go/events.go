package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Event is what happened to an instance, as it is posted to webhooks and streamed.
type Event struct {
	EventType  string `json:"EventType"`
	EventID    string `json:"eventId"`
	Seq        int64  `json:"seq"`
	InstanceID string `json:"instanceId"`
	// Envelope is a pointer to the type of this event, such as *MessagesEnvelope: a type switch
	// tells which. It is nil for an event that a later version of the gateway added.
	Envelope any `json:"-"`
	// Raw is the event as it came.
	Raw json.RawMessage `json:"-"`
}

func parseEvent(raw []byte) (*Event, error) {
	event := &Event{Raw: append(json.RawMessage(nil), raw...)}
	if err := json.Unmarshal(raw, event); err != nil {
		return nil, err
	}
	if event.Envelope = newEnvelope(event.EventType); event.Envelope == nil {
		return event, nil
	}
	return event, json.Unmarshal(raw, event.Envelope)
}

// Stream is the events of an instance as they happen. One that breaks is opened again after the
// last event, without a gap or a repeat, until the context ends or the gateway refuses it.
type Stream struct {
	sender *sender
	last   int64
	known  bool
	lines  *lineReader
	failed int
	event  *Event
	err    error
}

// Stream goes on from now.
func (c *InstanceClient) Stream() *Stream {
	return &Stream{sender: c.sender}
}

// StreamAfter goes on after the seq of the last event that was handled.
func (c *InstanceClient) StreamAfter(seq int64) *Stream {
	return &Stream{sender: c.sender, last: seq, known: true}
}

// Next waits for the next event, and returns false once the stream has ended.
func (s *Stream) Next(ctx context.Context) bool {
	for s.err == nil {
		event, err := s.read(ctx)
		if err == nil {
			s.event, s.failed = event, 0
			// What is not stored has the number 0.
			if event.Seq > 0 {
				s.last = event.Seq
			}
			return true
		}
		s.Close()
		if ctx.Err() != nil {
			s.err = ctx.Err()
		} else if isFinal(err) {
			s.err = err
		} else if s.err = s.sender.pause(ctx, ruleStreamPause.lengthen(s.failed)); s.err == nil {
			s.failed++
		}
	}
	return false
}

// Event returns the present event.
func (s *Stream) Event() *Event {
	return s.event
}

// Err returns what ended the stream.
func (s *Stream) Err() error {
	return s.err
}

// Close ends the connection. Next opens it again.
func (s *Stream) Close() {
	if s.lines != nil {
		s.lines.close()
		s.lines = nil
	}
}

func isFinal(err error) bool {
	var refusal *Error
	var unreachable *UnreachableError
	if errors.As(err, &refusal) {
		return refusal.Status < ruleStreamMinStatus && !contains(ruleStreamStatuses, refusal.Status)
	}
	return !errors.As(err, &unreachable)
}

func (s *Stream) read(ctx context.Context) (*Event, error) {
	if !s.known {
		if err := s.findLast(ctx); err != nil {
			return nil, err
		}
	}
	if s.lines == nil {
		header := map[string]string{"Last-Event-ID": strconv.FormatInt(s.last, 10)}
		lines, err := s.sender.openLines(ctx, "/v1/events/stream", header)
		if err != nil {
			return nil, err
		}
		s.lines = lines
	}
	for {
		line, err := s.lines.read()
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(line, "data:") {
			return parseEvent([]byte(line[len("data:"):]))
		}
	}
}

func (s *Stream) findLast(ctx context.Context) error {
	newest := ListEventsRequest{Limit: Ptr(int64(1)), Payload: Ptr(false)}
	page, err := (&instanceRoutes{s.sender}).ListEvents(ctx, newest)
	if err != nil {
		return err
	}
	if len(page.Events) > 0 {
		s.last = page.Events[0].Seq
	}
	s.known = true
	return nil
}

// ExportInstance goes through everything that is stored of an instance. It is complete only if
// there is no error.
func (c *AdminClient) ExportInstance(id string) *Iterator[json.RawMessage] {
	var lines *lineReader
	return newIterator(func(ctx context.Context) (records []json.RawMessage, more bool, err error) {
		if lines == nil {
			if lines, err = c.sender.openLines(ctx, insert("/v1/instances/{id}/export", id), nil); err != nil {
				return nil, false, err
			}
		}
		line, err := lines.read()
		var record struct{ Type string }
		if err == nil {
			err = json.Unmarshal([]byte(line), &record)
		}
		if err == nil && record.Type == "error" {
			err = &UnreachableError{Route: "export", Cause: errBrokenOff}
		}
		if err != nil || record.Type == "end" {
			lines.close()
		}
		if err != nil {
			return nil, false, err
		}
		return []json.RawMessage{json.RawMessage(line)}, record.Type != "end", nil
	})
}

// lineReader reads an answer that goes on.
type lineReader struct {
	path     string
	response *http.Response
	buffered *bufio.Reader
	silence  *time.Timer
	cancel   context.CancelFunc
}

func (s *sender) openLines(ctx context.Context, path string, header map[string]string) (*lineReader, error) {
	ctx, cancel := context.WithCancel(ctx)
	request, err := s.newRequest(ctx, call{method: http.MethodGet, path: path}, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	request.Header.Set("Accept", "*/*;profile=contract")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	// The client's timeout is for a whole answer, and this one has no end.
	client := s.client
	client.Timeout = 0
	silence := time.AfterFunc(ruleStreamMaxSilence, cancel)
	response, err := client.Do(request)
	if err != nil {
		cancel()
		return nil, &UnreachableError{Route: "GET " + path, Cause: err}
	}
	lines := &lineReader{path, response, bufio.NewReader(response.Body), silence, cancel}
	if response.StatusCode < 300 {
		return lines, nil
	}
	defer lines.close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, &UnreachableError{Route: "GET " + path, Cause: err}
	}
	return nil, readError(response, text, "")
}

func (l *lineReader) read() (string, error) {
	line, err := l.buffered.ReadString('\n')
	l.silence.Reset(ruleStreamMaxSilence)
	if err == io.EOF {
		err = errBrokenOff
	}
	if err != nil {
		return "", &UnreachableError{Route: "GET " + l.path, Cause: err}
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (l *lineReader) close() {
	l.silence.Stop()
	l.cancel()
	l.response.Body.Close()
}
