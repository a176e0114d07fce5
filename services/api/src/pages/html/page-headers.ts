import type { RequestHandler } from 'express';
import helmet from 'helmet';

interface PageHeaders {
  /** Browsers ignore it without https, and the operations port has none. Default: true. */
  readonly strictTransportSecurity?: false;
  /** Whether browsers reach the page by https only. */
  readonly isSecure?: boolean;
}

/** Forbids inline code, content from other sites, and frames. Without `same-origin` as referrer policy, a form's `Origin` would be `null`. */
export const pageHeaders = ({ strictTransportSecurity, isSecure }: PageHeaders = {}): RequestHandler =>
  helmet({
    ...(strictTransportSecurity === undefined ? {} : { strictTransportSecurity }),
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        ...(isSecure === true ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    referrerPolicy: { policy: 'same-origin' },
  });
