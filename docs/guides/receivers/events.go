// A receiver of version 2, in every shape, with Go's standard library only.
// Start it with: WEBHOOK_SECRETS="whsec_..." go run events.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const toleranceSeconds = 300

type event struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Event   string `json:"event"`
	Hash    string `json:"hash"` // only in the shape batch
}

type acknowledgement struct {
	Hash   string `json:"hash"`
	Status bool   `json:"status"`
}

// Your database, with a unique index of the ids.
var (
	store = map[string]event{}
	mutex sync.Mutex
)

func main() {
	secrets := strings.Fields(os.Getenv("WEBHOOK_SECRETS"))
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		if len(secrets) > 0 && !isFromMailhook(request.Header, body, secrets) {
			answer(response, 401, map[string]string{"error": "The signature is wrong."})
			return
		}
		events, err := eventsIn(body)
		if err != nil {
			answer(response, 400, map[string]string{"error": "The body must be events of version 2."})
			return
		}
		// Only the shape batch has hashes and needs this reply. The other shapes need no body.
		acknowledgements := []acknowledgement{}
		mutex.Lock()
		defer mutex.Unlock()
		for _, one := range events {
			if _, isKnown := store[one.ID]; !isKnown {
				store[one.ID] = one
			}
			if one.Hash != "" {
				acknowledgements = append(acknowledgements, acknowledgement{one.Hash, true})
			}
		}
		answer(response, 200, acknowledgements)
		fmt.Println(len(store), "events stored")
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

func eventsIn(body []byte) ([]event, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		body = []byte("[" + string(body) + "]")
	}
	var events []event
	if err := json.Unmarshal(body, &events); err != nil {
		return nil, err
	}
	for _, one := range events {
		if one.Version != 2 {
			return nil, fmt.Errorf("version %d", one.Version)
		}
	}
	return events, nil
}

func answer(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(body)
}

// isFromMailhook takes the body exactly as it came, before any parsing.
func isFromMailhook(headers http.Header, body []byte, secrets []string) bool {
	id, timestamp := headers.Get("Webhook-Id"), headers.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Now().Unix() - seconds; err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		right := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Fields(headers.Get("Webhook-Signature")) {
			if hmac.Equal([]byte(right), []byte(given)) {
				return true
			}
		}
	}
	return false
}
