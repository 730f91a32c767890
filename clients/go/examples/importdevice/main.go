// Command importdevice takes over the linked device whose credential is in a file of lines of JSON, and connects it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.org/msgnet-gateway/gateway"
)

func main() {
	ctx := context.Background()
	shop := gateway.NewInstanceClient(os.Getenv("GATEWAY"), os.Getenv("TOKEN"))
	lines, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer lines.Close()
	result, err := shop.ImportCredential(ctx, lines)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Imported.Account, result.Imported.Rows)
	// It needs no code: the device is linked already.
	if _, err := shop.Connect(ctx, gateway.ConnectRequest{}); err != nil {
		log.Fatal(err)
	}
}
