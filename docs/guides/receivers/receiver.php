<?php
// A receiver of batches and of notifications. Start it with: php -S 127.0.0.1:4000 receiver.php

// Stands for your database. The key is what tells an event that came before: its id in
// version 2.
function store(string $key, array $event): void
{
    error_log("stored $key");
}

function answer(int $status, mixed $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body);
}

$body = json_decode(file_get_contents('php://input'), true);
if (!is_array($body)) {
    answer(400, ['error' => 'The body must be JSON.']);
} elseif (array_is_list($body)) {
    foreach ($body as $event) {
        store($event['id'] ?? $event['hash'], $event);
    }
    answer(200, array_map(fn($event) => ['hash' => $event['hash'] ?? null, 'status' => true], $body));
} elseif (isset($body['test'])) {
    answer(200, ['status' => 'ok']);
} else {
    store($body['id'] ?? $_SERVER['HTTP_WEBHOOK_ID'], $body);
    answer(200, new stdClass());
}
