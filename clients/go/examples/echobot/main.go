// Command echobot answers every text of a person with the same text, each once.
package main

import (
	"context"
	"errors"
	"log"
	"os"
	"time"

	"example.org/msgnet-gateway/gateway"
)

func main() {
	ctx := context.Background()
	shop := gateway.NewInstanceClient(os.Getenv("GATEWAY"), os.Getenv("TOKEN"))
	// A program that keeps the last seq goes on there after a restart.
	events := shop.StreamAfter(0)
	for events.Next(ctx) {
		event := events.Event()
		came, ok := event.Envelope.(*gateway.MessagesEnvelope)
		if !ok || came.Message.FromMe || came.Message.IsGroup || came.Message.Text == "" {
			continue
		}
		// The event's id as the key: an event that is handled twice is answered once.
		sent, err := answer(ctx, shop, gateway.SendTextRequest{
			Number: came.Message.ChatID,
			Text:   "You said: " + came.Message.Text,
		}, event.EventID)
		if err != nil {
			log.Printf("%d: not answered, %v", event.Seq, err)
			continue
		}
		log.Printf("%d: answered with %s", event.Seq, sent.MessageID)
	}
	log.Fatal(events.Err())
}

// answer asks a gateway that is away again, with the same key.
func answer(
	ctx context.Context, shop *gateway.InstanceClient, text gateway.SendTextRequest, key string,
) (*gateway.MessageRecord, error) {
	for {
		sent, err := shop.SendText(ctx, text, gateway.WithIdempotencyKey(key))
		var unreachable *gateway.UnreachableError
		if !errors.As(err, &unreachable) || ctx.Err() != nil {
			return sent, err
		}
		time.Sleep(2 * time.Second)
	}
}
