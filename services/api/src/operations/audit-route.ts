import type { RequestHandler, Router } from 'express';
import { auditQuery } from '@mailhook/core';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AuditLog } from '../audit/audit-log.ts';

/** The part of the admin API that shows who changed what. */
export function addAuditRoute(
  router: Router,
  before: readonly RequestHandler[],
  { audit }: { readonly audit: Pick<AuditLog, 'list'> },
): void {
  addRoute(router, '/admin/audit', {
    get: [
      ...before,
      async (request, response) => {
        response.json(await audit.list(parseOrThrow(auditQuery, request.query)));
      },
    ],
  });
}
