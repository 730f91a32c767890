// Command echobot answers every text of a person with the same text, each once.
package main

import (
	"context"
	"log"
	"os"

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
		sent, err := shop.SendText(ctx, gateway.SendTextRequest{
			Number: came.Message.ChatID,
			Text:   "You said: " + came.Message.Text,
		}, gateway.WithIdempotencyKey(event.EventID))
		if err != nil {
			log.Printf("%d: not answered, %v", event.Seq, err)
			continue
		}
		log.Printf("%d: answered with %s", event.Seq, sent.MessageID)
	}
	log.Fatal(events.Err())
}
