// What a caller writes over the client that oapi-codegen makes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"example/caller/tidings"
)

func main() {
	ctx := context.Background()
	client, err := tidings.NewClientWithResponses(os.Getenv("TIDINGS_URL"),
		tidings.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("X-Application-Id", os.Getenv("TIDINGS_APPLICATION"))
			request.Header.Set("X-API-Key", os.Getenv("TIDINGS_KEY"))
			return nil
		}))
	check(err)

	now := time.Now().UnixMilli()
	user, name := "ada", "viewed"
	var message tidings.IngestMessage
	check(message.FromActionMessage(tidings.ActionMessage{
		Id: fmt.Sprintf("oapi-codegen-%d", now), Time: now, CustomName: &name, Type: "action",
	}))
	submitted, err := client.SubmitMessagesWithResponse(ctx, nil, tidings.IngestEnvelope{
		CustomUserId: &user, Messages: []tidings.IngestMessage{message},
	})
	check(err)
	pushed, err := client.SendWithResponse(ctx, nil, sms([]string{user}))
	check(err)
	refused, err := client.SendWithResponse(ctx, nil, sms([]string{}))
	check(err)

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"submitted": submitted.JSON200,
		"pushed":    pushed.JSON200,
		"refused":   refused.ApplicationproblemJSON400.Code,
	}))
}

func sms(recipients []string) tidings.PushRequest {
	var push tidings.PushRequest
	check(push.FromPushSms(tidings.PushSms{
		Channel: "SMS", Recipients: &recipients, Message: &tidings.SmsMessage{Body: "Hello"},
	}))
	return push
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
