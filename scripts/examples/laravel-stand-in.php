<?php
// Runs the controller of examples/receivers/laravel under PHP's built-in server, with stand-ins for the few parts of
// Laravel that it uses. It was checked by hand with Laravel itself, which tests do not install because it needs over a
// hundred packages.

namespace Illuminate\Http {
    class JsonResponse
    {
        public function __construct(private mixed $data, private int $status)
        {
        }

        public function send(): void
        {
            http_response_code($this->status);
            header('Content-Type: application/json');
            echo json_encode($this->data);
        }
    }

    class Request
    {
        public readonly object $server;

        public function __construct()
        {
            $this->server = new class {
                public function all(): array
                {
                    return $_SERVER;
                }
            };
        }

        public function getContent(): string
        {
            return file_get_contents('php://input');
        }

        public function header(string $name): ?string
        {
            return $_SERVER['HTTP_' . strtoupper(str_replace('-', '_', $name))] ?? null;
        }
    }
}

namespace {
    function app_path(string $file): string
    {
        return __DIR__ . "/../../docs/guides/receivers/$file";
    }

    function config(string $name, mixed $default): mixed
    {
        $secrets = array_filter(explode(' ', getenv('WEBHOOK_SECRETS') ?: ''));
        return $name === 'services.mailhook.secrets' ? $secrets : $default;
    }

    function response(): object
    {
        return new class {
            public function json(mixed $data, int $status = 200): Illuminate\Http\JsonResponse
            {
                return new Illuminate\Http\JsonResponse($data, $status);
            }
        };
    }

    function logger(): object
    {
        return new class {
            public function info(string $text): void
            {
                error_log($text);
            }
        };
    }

    require __DIR__ . '/../../examples/receivers/laravel/MailhookController.php';
    (new App\Http\Controllers\MailhookController())(new Illuminate\Http\Request())->send();
}
