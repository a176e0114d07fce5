/**
 * Mailhook cannot work with this Redis, and waiting does not help. The process exits with 78. `message` says why, and
 * what to do.
 */
export class UnusableRedisError extends Error {
  override readonly name = 'UnusableRedisError';
}
