import { access, createdToken, time } from '@mailhook/core';
import { z } from 'zod';
import { named } from './answers.ts';

/** Of access tokens and producer tokens. */
export const tokenFields = {
  id: z.string(),
  label: z.string(),
  expiresAt: time.nullable().describe('null: it has no end.'),
  lastUsedAt: time.nullable().describe('Accurate to a minute. null if it was never used.'),
};

export const tokenExample = {
  id: 'Zp4sR8vN1xKc6YtB',
  label: 'backend',
  createdAt: '2025-11-03T08:15:04.000Z',
  expiresAt: null,
  lastUsedAt: '2026-01-01T00:03:00.000Z',
};
export const newToken = {
  status: 201,
  text: 'The token, shown this once.',
  schema: createdToken,
  example: { id: tokenExample.id, token: 'Q0hP5vGm2c3sJ8kW1yXr9TnBd4LfZa6uEiVo7MqKx0A' },
};

export const accessToken = named('AccessToken', z.object({ ...tokenFields, access, createdAt: time }));
export const accessTokens = named('AccessTokens', z.object({ items: z.array(accessToken) }));
