<?php
// Add this to routes/api.php (after `php artisan install:api`). Routes there need no CSRF token. The path is then
// /api/mailhook.

use App\Http\Controllers\MailhookController;
use Illuminate\Support\Facades\Route;

Route::post('/mailhook', MailhookController::class);
