// Command inbox keeps what an instance tells it, and sends by what it knows: GATEWAY=… TOKEN=… SECRET=… PORT=3000 go run inbox.go
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"

	"example.org/msgnet-gateway/gateway"
)

type message struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	MayAnswer bool   `json:"mayAnswer"`
	// DisappearsAfter is in milliseconds, 0 for never.
	DisappearsAfter int64 `json:"disappearsAfter"`
}

// book is what is true after all events.
type book struct {
	Messages  []message           `json:"messages"`
	Reactions map[string]string   `json:"reactions"`
	Votes     map[string][]string `json:"votes"`
	States    map[string]string   `json:"states"`
	Left      []string            `json:"left"`
	Ended     string              `json:"ended"`
	Repeated  int                 `json:"repeated"`
	Missing   int64               `json:"missing"`
	newTexts  map[string]string
}

type order struct{ Number, Text, File, SendAt, Key string }

type outcome struct {
	Status    int    `json:"status"`
	Error     string `json:"error,omitempty"`
	MessageID string `json:"messageid,omitempty"`
}

type inbox struct {
	shop *gateway.InstanceClient
	lock sync.Mutex
	// deliveries are as they came. A program keeps them in its database, and answers 2xx when they are there.
	deliveries []*gateway.Event
}

// readBook takes each event once and in the order of seq, in whichever order they came.
func (i *inbox) readBook() *book {
	i.lock.Lock()
	defer i.lock.Unlock()
	var events []*gateway.Event
	seen := map[string]bool{}
	for _, event := range i.deliveries {
		if !seen[event.EventID] {
			seen[event.EventID] = true
			events = append(events, event)
		}
	}
	sort.Slice(events, func(one, other int) bool { return events[one].Seq < events[other].Seq })
	b := &book{
		Reactions: map[string]string{}, Votes: map[string][]string{}, States: map[string]string{}, Left: []string{},
		newTexts: map[string]string{}, Repeated: len(i.deliveries) - len(events),
	}
	for _, event := range events {
		b.note(event)
	}
	if len(events) > 0 {
		b.Missing = events[len(events)-1].Seq - events[0].Seq + 1 - int64(len(events))
	}
	kept := []message{}
	for _, each := range b.Messages {
		if text, ok := b.newTexts[each.ID]; ok {
			each.Text = text
		}
		if b.States[each.ID] != "Deleted" {
			kept = append(kept, each)
		}
	}
	b.Messages = kept
	return b
}

func (b *book) note(event *gateway.Event) {
	switch came := event.Envelope.(type) {
	case *gateway.MessagesEnvelope:
		b.noteMessage(came.Message)
	case *gateway.MessagesEditEnvelope:
		// Its message may come later.
		if came.Event.Unreadable == nil || !*came.Event.Unreadable {
			b.newTexts[came.Event.MessageID] = came.Event.Text
		}
	case *gateway.MessagesUpdateEnvelope:
		for _, id := range came.Event.MessageIDs {
			if came.State == "Voted" {
				b.Votes[id+" "+came.Event.Sender] = came.Event.Vote
			} else {
				b.States[id] = came.State
			}
		}
	case *gateway.GroupsEnvelope:
		for _, left := range came.Event.Leave {
			if strings.Contains(left, came.Owner) {
				b.Left = append(b.Left, came.Event.JID)
			}
		}
	case *gateway.ConnectionEnvelope:
		b.Ended = ""
		reason := came.Instance.LastDisconnectReason
		if came.Instance.Status == "disconnected" && (reason == "logged_out" || reason == "replaced" || reason == "banned") {
			b.Ended = reason
		}
	}
}

func (b *book) noteMessage(came gateway.MessageRecord) {
	// One of a person to a message: the newest. An empty text takes it back.
	if came.Reaction != "" {
		b.Reactions[came.Reaction+" "+came.Sender] = came.Text
		return
	}
	kept := message{ID: came.MessageID, Text: came.Text, MayAnswer: !came.FromMe && !came.Late}
	if gone, ok := came.Content["disappearsAt"].(float64); ok {
		kept.DisappearsAfter = int64(gone) - came.MessageTimestamp
	}
	b.Messages = append(b.Messages, kept)
}

// send has a key of the caller's: what has no answer is asked for again by the client, with the same key.
func (i *inbox) send(ctx context.Context, o order) outcome {
	b := i.readBook()
	if b.Ended != "" {
		return outcome{Error: b.Ended}
	}
	for _, left := range b.Left {
		if left == o.Number {
			return outcome{Error: "left"}
		}
	}
	sent, err := i.call(ctx, o, o.Key)
	var refused *gateway.Error
	if errors.As(err, &refused) && refused.Code == "media_unavailable" {
		// Certainly without effect: with another key it is tried anew.
		sent, err = i.call(ctx, o, o.Key+"-anew")
	}
	if errors.As(err, &refused) {
		return outcome{Status: refused.Status, Error: refused.Code}
	}
	if err != nil {
		return outcome{Error: err.Error()}
	}
	return outcome{Status: http.StatusOK, MessageID: sent.MessageID}
}

func (i *inbox) call(ctx context.Context, o order, key string) (*gateway.MessageRecord, error) {
	if o.File != "" {
		file := gateway.SendMediaRequest{Number: o.Number, Type: "document", File: o.File, DocName: gateway.Ptr("prices.txt")}
		return i.shop.SendMedia(ctx, file, gateway.WithIdempotencyKey(key))
	}
	text := gateway.SendTextRequest{Number: o.Number, Text: o.Text}
	if o.SendAt != "" {
		text.SendAt = &o.SendAt
	}
	return i.shop.SendText(ctx, text, gateway.WithIdempotencyKey(key))
}

func (i *inbox) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	if request.Method == http.MethodGet {
		reply(response, i.readBook())
		return
	}
	if request.URL.Path == "/send" {
		var o order
		if err := json.Unmarshal(body, &o); err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		reply(response, i.send(request.Context(), o))
		return
	}
	event, err := gateway.VerifyWebhook(body, request.Header, os.Getenv("SECRET"))
	if err != nil {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	i.lock.Lock()
	i.deliveries = append(i.deliveries, event)
	i.lock.Unlock()
	response.WriteHeader(http.StatusNoContent)
}

func reply(response http.ResponseWriter, answer any) {
	if err := json.NewEncoder(response).Encode(answer); err != nil {
		log.Print(err)
	}
}

func main() {
	shop := gateway.NewInstanceClient(os.Getenv("GATEWAY"), os.Getenv("TOKEN"))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), &inbox{shop: shop}))
}
