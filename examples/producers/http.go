// Sends events over HTTP, with Go's standard library only.
// Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... go run http.go
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	eventsPerRequest = 1000 // 10,000 and 16 MiB at most
	tries            = 5
	longestWaitS     = 30
)

type event map[string]any

//go:embed types.json
var typesOfEvents []byte

// sampleEvents returns an event of each type, of a message and of a campaign. Give each event an id that stays the same
// when you send it again: then Mailhook delivers it once.
func sampleEvents(account string) []event {
	var types []struct {
		Type    string
		Modules []string
		Fields  event
	}
	if err := json.Unmarshal(typesOfEvents, &types); err != nil {
		log.Fatal(err)
	}
	now := time.Now().Unix()
	common := event{
		"account": account, "email": "anna@example.com",
		"metadata": event{"order": "4711"}, "tags": []string{"receipt"},
	}
	events := []event{}
	for _, one := range types {
		for _, module := range one.Modules {
			own := event{"module": module, "name": one.Type, "messageId": "m-2026-000123", "time": now}
			if module == "campaign" {
				own = event{"module": module, "event": one.Type, "campaign": "aBcDeFgHiJ", "timestamp": now}
			}
			events = append(events, with(with(common, own), one.Fields))
		}
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
		if err := post(events[start:min(start+eventsPerRequest, len(events))]); err != nil {
			return err
		}
	}
	return nil
}

func post(events []event) error {
	body, err := json.Marshal(events)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 30 * time.Second}
	for try := 1; ; try++ {
		request, err := http.NewRequest("POST", os.Getenv("MAILHOOK_URL")+"/v3/events", bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PRODUCER_TOKEN"))
		request.Header.Set("Content-Type", "application/json")
		wait := time.Duration(250<<try) * time.Millisecond
		mayPass := true
		reply, failure := client.Do(request)
		if failure == nil {
			text, _ := io.ReadAll(reply.Body)
			reply.Body.Close()
			var said struct{ Accepted int }
			// Proxies and bot protections send 2xx too. Only Mailhook says how many events it accepted.
			if reply.StatusCode == 202 && json.Unmarshal(text, &said) == nil && said.Accepted == len(events) {
				return nil
			}
			// A 4xx names the faulty events. It refuses all of the request, and comes again when you repeat it.
			failure = fmt.Errorf("Mailhook answered %d: %.1000s", reply.StatusCode, text)
			status := reply.StatusCode
			mayPass = status < 300 || status >= 500 || slices.Contains([]int{408, 425, 429}, status)
			wait = max(wait, askedWait(reply.Header.Values("Retry-After")))
		}
		if !mayPass || try == tries {
			return failure
		}
		time.Sleep(wait)
	}
}

// askedWait returns the longest wait that Retry-After asks for, in numbers or as a date, or 0.
func askedWait(values []string) time.Duration {
	longest := 0.0
	for _, value := range values {
		if date, err := http.ParseTime(value); err == nil {
			longest = max(longest, time.Until(date).Seconds())
			continue
		}
		for _, number := range strings.Split(value, ",") {
			if seconds, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && seconds > longest {
				longest = seconds
			}
		}
	}
	return time.Duration(math.Ceil(min(longest, longestWaitS))) * time.Second
}

func main() {
	events := sampleEvents(os.Getenv("ACCOUNT"))
	if err := send(events); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(events), "accepted")
}
