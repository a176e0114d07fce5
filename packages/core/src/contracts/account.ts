import { z } from 'zod';

export const accountInput = z.object({ name: z.string().trim().min(1).max(200) });
export const account = z.object({ id: z.string(), name: z.string() });
export type Account = z.infer<typeof account>;

export const tokenInput = z.object({ label: z.string().max(200).optional() });
/** Answer of a token's creation: the only time the token itself is shown. */
export const createdToken = z.object({ id: z.string(), token: z.string() });

/** A signing secret as it is listed; the secret itself is shown once, when it is made. */
export const signingSecret = z.object({ id: z.string(), createdAt: z.string() });
export type SigningSecret = z.infer<typeof signingSecret>;
export const createdSecret = z.object({
  id: z.string(),
  secret: z.string().describe('whsec_ and base64. Shown this once.'),
});
/** Two at a time make a rotation. */
export const SIGNING_SECRETS_MAX = 2;
