// Sends events over HTTP, with Go's standard library only.
// Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... go run http.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	eventsPerRequest = 1000 // 10,000 and 16 MiB at most
	tries            = 5
)

type event map[string]any

// sampleEvents returns an event of each type. Give each event an id that stays the same when you send it again: then Mailhook delivers it once.
func sampleEvents(account string) []event {
	now := time.Now().Unix()
	mail := event{"account": account, "module": "transactional_email", "messageId": "m-2026-000123", "time": now}
	campaign := event{"account": account, "module": "campaign", "campaign": "aBcDeFgHiJ", "email": "anna@example.com", "timestamp": now}
	url := "https://shop.example.com/sale"
	events := []event{
		with(mail, event{"name": "open", "ip": "192.0.2.1"}),
		with(mail, event{"name": "click", "ip": "192.0.2.1", "userAgent": "Mozilla/5.0", "url": url}),
		with(mail, event{"name": "bounce", "type": "hard", "reason": "550 5.1.1 no such user"}),
		with(campaign, event{"event": "open"}),
		with(campaign, event{"event": "click", "url": url}),
		with(campaign, event{"event": "unsubscribe"}),
	}
	for number, one := range events {
		one["id"] = fmt.Sprintf("tracker-7-%d-%d", now, number)
	}
	return events
}

func with(common, more event) event {
	all := event{}
	for _, fields := range []event{common, more} {
		for name, value := range fields {
			all[name] = value
		}
	}
	return all
}

// send works as every event has an id: a request without an answer can be sent again as it was.
func send(events []event) error {
	for start := 0; start < len(events); start += eventsPerRequest {
		body, err := json.Marshal(events[start:min(start+eventsPerRequest, len(events))])
		if err != nil {
			return err
		}
		if err := post(body); err != nil {
			return err
		}
	}
	return nil
}

func post(body []byte) error {
	client := http.Client{Timeout: 30 * time.Second}
	for try := 1; ; try++ {
		request, err := http.NewRequest("POST", os.Getenv("MAILHOOK_URL")+"/v3/events", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PRODUCER_TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		wait := time.Duration(250<<try) * time.Millisecond
		reply, err := client.Do(request)
		if err == nil {
			text, _ := io.ReadAll(reply.Body)
			reply.Body.Close()
			if reply.StatusCode == http.StatusAccepted {
				return nil
			}
			// A 4xx names the faulty events. It refuses all of the request, and comes again when you repeat it.
			err = fmt.Errorf("Mailhook answered %d: %s", reply.StatusCode, text)
			if reply.StatusCode != http.StatusTooManyRequests && reply.StatusCode != http.StatusServiceUnavailable {
				return err
			}
			if seconds, failure := strconv.Atoi(reply.Header.Get("Retry-After")); failure == nil {
				wait = time.Duration(seconds) * time.Second
			}
		}
		if try == tries {
			return err
		}
		time.Sleep(wait)
	}
}

func main() {
	events := sampleEvents(os.Getenv("ACCOUNT"))
	if err := send(events); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(events), "accepted")
}
