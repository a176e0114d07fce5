import { z } from 'zod';

/** What the answers of several families have in common. */

export const time = z.string().describe('ISO 8601, in UTC.');
export const count = z.int();

export const accountExample = { id: 'acc_V1nq8Lr3Kc7Yd0Ze', name: 'Acme' };
