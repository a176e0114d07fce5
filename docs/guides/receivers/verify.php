<?php
// Is a request from Mailhook? Nothing but PHP itself.

const TOLERANCE_SECONDS = 300;

/**
 * @param array<string, string> $server such as $_SERVER
 * @param string $body exactly as it came, before any decoding
 * @param string[] $secrets the signing secrets: whsec_ and base64
 */
function is_from_mailhook(array $server, string $body, array $secrets): bool
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $given = explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    foreach ($secrets as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach ($given as $one) {
            if (hash_equals($right, $one)) {
                return true;
            }
        }
    }
    return false;
}
