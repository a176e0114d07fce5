import type { RequestHandler } from 'express';
import helmet from 'helmet';

interface PageHeaders {
  /** Browsers ignore it without https, and the operations port has none. Default: true. */
  readonly strictTransportSecurity?: false;
  /** Whether browsers reach the page by https only. */
  readonly isSecure?: boolean;
  /** Origins of other sites that may show the page in a frame. Default: none. */
  readonly frameAncestors?: readonly string[];
  /** An image of another site. */
  readonly imageUrl?: string | undefined;
}

/**
 * Forbids inline code, content from other sites except one image, and frames except those of the named sites. Without
 * `same-origin` as referrer policy, a form's `Origin` would be `null`.
 */
export function pageHeaders(options: PageHeaders = {}): RequestHandler {
  const { strictTransportSecurity, isSecure, frameAncestors = [], imageUrl } = options;
  const isFrameable = frameAncestors.length > 0;
  const setHeaders = helmet({
    ...(strictTransportSecurity === undefined ? {} : { strictTransportSecurity }),
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        imgSrc: ["'self'", ...(imageUrl === undefined ? [] : [new URL(imageUrl).origin])],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: isFrameable ? frameAncestors : ["'none'"],
        baseUri: ["'none'"],
        ...(isSecure === true ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    referrerPolicy: { policy: 'same-origin' },
  });
  return (request, response, next) => {
    setHeaders(request, response, (error) => {
      // It cannot name sites, so it would forbid the allowed frames in browsers that read it first.
      if (isFrameable) response.removeHeader('x-frame-options');
      next(error);
    });
  };
}
