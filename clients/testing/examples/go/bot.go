// Package shop is a bot that answers every text of a person, each once.
package shop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.org/msgnet-gateway/gateway"
)

// Bot receives the webhooks of an instance. Secret is that with which the webhook was saved.
type Bot struct {
	Shop   *gateway.InstanceClient
	Secret string
}

func (b Bot) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := gateway.VerifyWebhook(body, request.Header, b.Secret)
	if err == nil {
		err = b.answer(request.Context(), event)
	}
	var refused *gateway.WebhookError
	switch {
	case err == nil:
		response.WriteHeader(http.StatusNoContent)
	case errors.As(err, &refused):
		response.WriteHeader(http.StatusUnauthorized)
	default:
		// What could not be answered comes again.
		response.WriteHeader(http.StatusInternalServerError)
	}
}

func (b Bot) answer(ctx context.Context, event *gateway.Event) error {
	came, ok := event.Envelope.(*gateway.MessagesEnvelope)
	if !ok || came.Message.FromMe || came.Message.IsGroup || came.Message.Late || came.Message.Text == "" {
		return nil
	}
	// The event's id as the key: an event that comes twice is answered once.
	_, err := b.Shop.SendText(ctx, gateway.SendTextRequest{
		Number: came.Message.ChatID,
		Text:   "You said: " + came.Message.Text,
	}, gateway.WithIdempotencyKey(event.EventID))
	return err
}

// Notify sends a text. An outcome that is unknown is asked for by the client, with the same key.
func (b Bot) Notify(ctx context.Context, number string, order int) (*gateway.MessageRecord, error) {
	return b.Shop.SendText(ctx, gateway.SendTextRequest{
		Number: number,
		Text:   fmt.Sprintf("Order %d is on its way", order),
	}, gateway.WithIdempotencyKey(fmt.Sprintf("order-%d", order)))
}
