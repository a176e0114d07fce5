<?php
// A receiver of version 2, in every shape. Start it with:
// WEBHOOK_SECRETS="whsec_..." php -S 127.0.0.1:4000 events.php

require_once __DIR__ . '/verify.php';

/** Your database. The file stands for a table with a unique index of the ids. */
function store(array $events): int
{
    $file = getenv('STORE') ?: sys_get_temp_dir() . '/mailhook-events.json';
    $handle = fopen($file, 'c+');
    flock($handle, LOCK_EX);
    $known = json_decode(stream_get_contents($handle), true) ?? [];
    $all = $known + array_column($events, null, 'id');
    rewind($handle);
    fwrite($handle, json_encode($all));
    fclose($handle);
    return count($all);
}

function answer(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body);
}

$text = file_get_contents('php://input');
$secrets = array_filter(explode(' ', getenv('WEBHOOK_SECRETS') ?: ''));
$body = json_decode($text, true);
$events = is_array($body) && array_is_list($body) ? $body : [$body];
$of_version_2 = array_filter($events, fn($event) => is_array($event) && ($event['version'] ?? null) === 2);
if ($secrets !== [] && !is_from_mailhook($_SERVER, $text, $secrets)) {
    answer(401, ['error' => 'The signature is wrong.']);
} elseif (count($of_version_2) < count($events)) {
    answer(400, ['error' => 'The body must be events of version 2.']);
} else {
    $stored = store($events);
    // Only the shape batch has hashes and needs this reply. The other shapes need no body.
    answer(200, array_map(fn($hash) => ['hash' => $hash, 'status' => true], array_column($events, 'hash')));
    error_log("$stored events stored");
}
