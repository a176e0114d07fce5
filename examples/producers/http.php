<?php
// Sends events over HTTP, with nothing but PHP itself.
// Start it with: MAILHOOK_URL=... PRODUCER_TOKEN=... ACCOUNT=... php http.php

const EVENTS_PER_REQUEST = 1000; // 10,000 and 16 MiB at most
const TRIES = 5;
const LONGEST_WAIT_S = 30;

/**
 * An event of each type, of a message and of a campaign. Give each event an id that stays the same when you send it
 * again: then Mailhook delivers it once.
 */
function sample_events(string $account): array
{
    $now = time();
    $common = [
        'account' => $account,
        'email' => 'anna@example.com',
        'metadata' => ['order' => '4711'],
        'tags' => ['receipt'],
    ];
    $events = [];
    foreach (json_decode(file_get_contents(__DIR__ . '/types.json'), true) as $one) {
        foreach ($one['modules'] as $module) {
            $own = $module === 'campaign'
                ? ['event' => $one['type'], 'campaign' => 'aBcDeFgHiJ', 'timestamp' => $now]
                : ['name' => $one['type'], 'messageId' => 'm-2026-000123', 'time' => $now];
            $events[] = [...$common, 'module' => $module, ...$own, ...$one['fields']];
        }
    }
    foreach ($events as $number => &$event) {
        $event['id'] = "tracker-7-$now-$number";
    }
    return $events;
}

/** Every event has an id, so a request without an answer can be sent again as it was. */
function send(array $events): void
{
    foreach (array_chunk($events, EVENTS_PER_REQUEST) as $some) {
        post($some);
    }
}

function post(array $events): void
{
    $context = stream_context_create([
        'http' => [
            'method' => 'POST',
            'header' => ['Authorization: Bearer ' . getenv('PRODUCER_TOKEN'), 'Content-Type: application/json'],
            'content' => json_encode($events, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES),
            'timeout' => 30,
            'follow_location' => 0,
            'ignore_errors' => true, // gives the text of a refusal
        ],
    ]);
    for ($try = 1; ; $try++) {
        $stream = @fopen(getenv('MAILHOOK_URL') . '/v3/events', 'r', false, $context);
        $headers = $stream === false ? [] : stream_get_meta_data($stream)['wrapper_data'];
        $reply = $stream === false ? '' : stream_get_contents($stream);
        $status = (int) (explode(' ', $headers[0] ?? '')[1] ?? 0);
        // Proxies and bot protections send 2xx too. Only Mailhook says how many events it accepted.
        if ($status === 202 && (json_decode($reply, true)['accepted'] ?? null) === count($events)) {
            return;
        }
        $may_pass = $status < 300 || $status >= 500 || in_array($status, [408, 425, 429], true);
        if (!$may_pass || $try === TRIES) {
            // A 4xx names the faulty events. It refuses all of the request, and comes again when you repeat it.
            $said = $status === 0 ? 'Mailhook cannot be reached.' : "Mailhook answered $status: " . substr($reply, 0, 1000);
            fwrite(STDERR, "$said\n");
            exit(1);
        }
        usleep((int) (max(2 ** $try / 4, asked_wait($headers)) * 1_000_000));
    }
}

/** The longest wait in seconds that Retry-After asks for, in numbers or as a date. 0 if nothing can be read. */
function asked_wait(array $headers): int
{
    $waits = [0];
    foreach ($headers as $header) {
        if (!preg_match('/^retry-after:(.*)$/i', $header, $found)) {
            continue;
        }
        $date = DateTime::createFromFormat(DATE_RFC7231, trim($found[1]), new DateTimeZone('UTC'));
        $numbers = array_filter(array_map('trim', explode(',', $found[1])), 'is_numeric');
        array_push($waits, ...($date === false ? array_map('floatval', $numbers) : [$date->getTimestamp() - time()]));
    }
    return (int) ceil(min(max($waits), LONGEST_WAIT_S));
}

$events = sample_events(getenv('ACCOUNT'));
send($events);
echo count($events), " accepted\n";
