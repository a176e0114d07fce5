/**
 * The outgoing proxy cannot be reached, does not answer, or refuses Mailhook's credentials. The receiver is not at
 * fault.
 */
export class ProxyAwayError extends Error {
  override readonly name = 'ProxyAwayError';
}

/**
 * The outgoing proxy works, but opens no tunnel to the receiver. `message` is for the customer. `status` is its answer,
 * or undefined if it gave none.
 */
export class NoTunnelError extends Error {
  override readonly name = 'NoTunnelError';
  readonly status: number | undefined;
  constructor(status?: number) {
    super(`Mailhook's proxy could not connect${status === undefined ? '' : ` (HTTP ${status})`}`);
    this.status = status;
  }
}
