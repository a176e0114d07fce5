<?php
// A receiver with Laravel, for campaign batches and notifications.
// Copy it to app/Http/Controllers, and verify.php of the guides to app/. Name the
// secrets as services.mailhook.secrets in config/services.php.

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;

require_once app_path('verify.php');

class MailhookController
{
    public function __invoke(Request $request): JsonResponse
    {
        // The signature covers the body as it came, so take its text instead of $request->json().
        $text = $request->getContent();
        $secrets = config('services.mailhook.secrets', []);
        if ($secrets !== [] && !is_from_mailhook($request->server->all(), $text, $secrets)) {
            return response()->json(['error' => 'The signature is wrong.'], 401);
        }
        $body = json_decode($text, true);
        if (!is_array($body)) {
            return response()->json(['error' => 'The body must be JSON.'], 400);
        }
        if (isset($body['test'])) {
            return response()->json(['status' => 'ok']);
        }
        if (!array_is_list($body)) {
            $this->store($body['id'] ?? $request->header('webhook-id'), $body);
            return response()->json(new \stdClass());
        }
        foreach ($body as $event) {
            $this->store($event['id'] ?? $event['hash'], $event);
        }
        return response()->json(array_map(fn($event) => ['hash' => $event['hash'] ?? null, 'status' => true], $body));
    }

    /**
     * Stands for your database: DB::table('events')->insertOrIgnore(...). The key is what tells an event that came
     * before: its id in version 2.
     */
    private function store(?string $key, array $event): void
    {
        logger()->info("stored $key");
    }
}
