import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import { pageQuery } from '@mailhook/core';
import { addRoute, parseOrThrow } from '@mailhook/platform/http-server';
import type { AuditLog } from '../audit/audit-log.ts';

const auditQuery = pageQuery.extend({ account: z.string().min(1).max(64).optional() });

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
