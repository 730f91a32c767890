package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Asks for the contract's own words, even if the operator has chosen others.
const acceptContract = "application/json;profile=contract"

// sender sends what one credential asks for.
type sender struct {
	baseURL    string
	credential map[string]string
	client     http.Client
	repeats    Repeats
	pause      func(context.Context, time.Duration) error
}

func newSender(baseURL string, credential map[string]string, settings []Setting) *sender {
	s := &sender{
		baseURL:    strings.TrimRight(baseURL, "/"),
		credential: credential,
		client:     http.Client{Timeout: 2 * time.Minute},
		repeats:    DefaultRepeats,
		pause:      pauseFor,
	}
	for _, change := range settings {
		change(s)
	}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// call is one request of a route.
type call struct {
	method, path   string
	body, query    any
	keyed, reading bool
	// lines are sent as they are read, in place of a body. They can be read once.
	lines io.Reader
}

// send returns the parsed answer. Every repeat has the same key and the same bytes.
func send[T any](ctx context.Context, s *sender, c call, options []Option) (answer T, err error) {
	var chosen choices
	for _, choose := range options {
		choose(&chosen)
	}
	if !c.keyed {
		chosen.key = ""
	} else if chosen.key == "" {
		if chosen.key, err = newKey(); err != nil {
			return answer, err
		}
	}
	var body []byte
	if c.body != nil {
		if body, err = json.Marshal(listFields(c.body)); err != nil {
			return answer, err
		}
	}
	text, err := s.sendRepeatedly(ctx, c, chosen, body)
	if err != nil {
		return answer, err
	}
	if err = json.Unmarshal(text, &answer); err != nil {
		return answer, fmt.Errorf("%s %s: %w", c.method, c.path, err)
	}
	return answer, nil
}

func (s *sender) sendRepeatedly(ctx context.Context, c call, chosen choices, body []byte) ([]byte, error) {
	tries := attempts{repeats: s.repeats, keyed: c.keyed, reading: c.reading}
	for {
		text, err := s.sendOnce(ctx, c, chosen, body)
		if err == nil || ctx.Err() != nil {
			return text, err
		}
		pause, again := tries.nextPause(err)
		if !again || c.lines != nil {
			return nil, err
		}
		if s.pause(ctx, pause) != nil {
			return nil, err
		}
	}
}

func (s *sender) sendOnce(ctx context.Context, c call, chosen choices, body []byte) ([]byte, error) {
	request, err := s.newRequest(ctx, c, body)
	if err != nil {
		return nil, err
	}
	setHeader(request, "Idempotency-Key", chosen.key)
	setHeader(request, "X-Request-Id", chosen.requestID)
	if chosen.waitSeconds > 0 {
		setHeader(request, "Prefer", "wait="+strconv.Itoa(chosen.waitSeconds))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, &UnreachableError{c.method + " " + c.path, chosen.key, err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, &UnreachableError{c.method + " " + c.path, chosen.key, err}
	}
	if response.StatusCode >= 300 {
		return nil, readError(response, text, chosen.key)
	}
	// A success that is no JSON is none of the gateway.
	if !json.Valid(text) {
		return nil, &UnreachableError{c.method + " " + c.path, chosen.key, errBrokenOff}
	}
	return text, nil
}

func (s *sender) newRequest(ctx context.Context, c call, body []byte) (*http.Request, error) {
	address := s.baseURL + c.path
	if query := formatQuery(c.query); query != "" {
		address += "?" + query
	}
	var content io.Reader = bytes.NewReader(body)
	if c.lines != nil {
		// Who opened them closes them.
		content = io.NopCloser(c.lines)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, address, content)
	if err != nil {
		return nil, err
	}
	for name, value := range s.credential {
		request.Header.Set(name, value)
	}
	request.Header.Set("Accept", acceptContract)
	if c.lines != nil {
		request.Header.Set("Content-Type", "application/x-ndjson")
	} else if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, nil
}

func setHeader(request *http.Request, name, value string) {
	if value != "" {
		request.Header.Set(name, value)
	}
}

func newKey() (string, error) {
	var key [16]byte
	_, err := rand.Read(key[:])
	return hex.EncodeToString(key[:]), err
}

// listFields returns what was passed: all but the optional fields that are nil. An empty list is
// passed, because it may say something else than none.
func listFields(request any) map[string]any {
	fields := map[string]any{}
	value := reflect.ValueOf(request)
	for n := 0; n < value.NumField(); n++ {
		name, rest, _ := strings.Cut(value.Type().Field(n).Tag.Get("json"), ",")
		field := value.Field(n)
		if rest == "omitempty" && field.IsNil() {
			continue
		}
		fields[name] = field.Interface()
	}
	return fields
}

func formatQuery(request any) string {
	if request == nil {
		return ""
	}
	query := url.Values{}
	for name, value := range listFields(request) {
		query.Set(name, fmt.Sprint(reflect.Indirect(reflect.ValueOf(value)).Interface()))
	}
	return query.Encode()
}

// insert puts ids into the places of a path.
func insert(path string, ids ...string) string {
	parts := strings.Split(path, "/")
	for n, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[n], ids = url.PathEscape(ids[0]), ids[1:]
		}
	}
	return strings.Join(parts, "/")
}
